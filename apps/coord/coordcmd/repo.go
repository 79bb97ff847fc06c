// SPDX-License-Identifier: Apache-2.0

package coordcmd

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// A repository is the work tree that agents share, or a folder without git.
type repository struct {
	root   string // of the work tree, without symbolic links
	common string // folder that all work trees of a repository share; "" without git
}

func git(ctx context.Context, dir string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("git %s: %w: %s", args[0], err, strings.TrimSpace(stderr.String()))
	}
	return out, nil
}

// repositoryOf returns the repository that a folder lies in; without one it is the folder itself.
func repositoryOf(ctx context.Context, dir string) (*repository, error) {
	dir, err := filepath.Abs(cmp.Or(dir, "."))
	if err != nil {
		return nil, fmt.Errorf("find the folder: %w", err)
	}
	out, err := git(ctx, dir, "rev-parse", "--path-format=absolute", "--show-toplevel", "--git-common-dir")
	if err != nil {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		real, err := filepath.EvalSymlinks(dir)
		if err != nil {
			return nil, fmt.Errorf("find the folder: %w", err)
		}
		return &repository{root: real}, nil
	}
	root, common, _ := strings.Cut(strings.TrimSuffix(string(out), "\n"), "\n")
	real, err := filepath.EvalSymlinks(filepath.FromSlash(root))
	if err != nil {
		return nil, fmt.Errorf("find the work tree: %w", err)
	}
	return &repository{root: real, common: filepath.FromSlash(common)}, nil
}

// name returns the default name of the project: the folder of the repository, which its work trees share.
func (r *repository) name() string {
	if folder, found := strings.CutSuffix(r.common, string(filepath.Separator)+".git"); found {
		return filepath.Base(folder)
	}
	return strings.TrimSuffix(filepath.Base(cmp.Or(r.common, r.root)), ".git")
}

func (r *repository) branch(ctx context.Context) string {
	out, err := git(ctx, r.root, "branch", "--show-current")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

var errOutside = errors.New("the file is outside of the project")

// relative returns the path of a file in the innermost work tree that holds it, or errOutside.
func (r *repository) relative(ctx context.Context, file string) (string, error) {
	file, err := resolve(file)
	if err != nil {
		return "", err
	}
	in, err := r.holding(ctx, file)
	if err != nil {
		return "", err
	}
	return in.within(file)
}

// renamed returns a path of this work tree as one of an inner work tree, if it leads into one.
func (r *repository) renamed(ctx context.Context, path string) string {
	file := filepath.Join(r.root, filepath.FromSlash(strings.ReplaceAll(path, `\`, "/")))
	in, err := r.holding(ctx, file)
	if err != nil || in == r {
		return path
	}
	if other, err := in.within(file); err == nil {
		return other
	}
	return path
}

// holding returns the innermost work tree of the repository that holds a file. Submodules and foreign repositories are
// ordinary folders.
func (r *repository) holding(ctx context.Context, file string) (*repository, error) {
	root := norm.NFC.String(r.root) // on macOS a name has two spellings, and git's need not be the harness's
	for dir := file; ; dir = filepath.Dir(dir) {
		if norm.NFC.String(dir) == root {
			return r, nil
		}
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil && r.common != "" {
			if in, err := repositoryOf(ctx, dir); err != nil || in.common == r.common {
				return in, err
			}
		}
		if dir == filepath.Dir(dir) {
			return nil, errOutside
		}
	}
}

func (r *repository) within(file string) (string, error) {
	rel, err := filepath.Rel(norm.NFC.String(r.root), norm.NFC.String(file))
	if err != nil {
		return "", errOutside
	}
	return filepath.ToSlash(rel), nil
}

// existing returns the nearest folder above that is there.
func existing(dir string) string {
	for {
		if info, err := os.Stat(dir); err == nil && info.IsDir() || dir == filepath.Dir(dir) {
			return dir
		}
		dir = filepath.Dir(dir)
	}
}

// maxLinks is how many symbolic links are followed to a file that is not there.
const maxLinks = 40

// resolve returns a path without symbolic links, of a file that need not be there yet.
func resolve(file string) (string, error) {
	file, err := filepath.Abs(file)
	if err != nil {
		return "", fmt.Errorf("find the file: %w", err)
	}
	if real, err := filepath.EvalSymlinks(file); err == nil {
		return real, nil
	}
	for range maxLinks { // one that leads to what is not there yet
		to, err := os.Readlink(file)
		if err != nil {
			break
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(file), to)
		}
		file = to
	}
	dir := existing(filepath.Dir(file))
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", fmt.Errorf("find the file: %w", err)
	}
	rest, err := filepath.Rel(dir, file)
	if err != nil {
		return "", fmt.Errorf("find the file: %w", err)
	}
	return filepath.Join(real, rest), nil
}

// place completes the options by what the folder says.
func (o *coordOptions) place(ctx context.Context, dir string) (*repository, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	repo, err := repositoryOf(ctx, dir)
	if err != nil {
		return nil, err
	}
	if o.project == "" {
		o.project = repo.name()
	}
	if err := o.checkProject(); err != nil {
		return nil, err
	}
	return repo, nil
}
