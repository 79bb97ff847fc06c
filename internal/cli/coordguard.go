// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dragoman-a2a/dragoman/coord"
)

const coordGuardLong = `guard keeps commits out of the way of agents that hold files. install puts a pre-commit hook
into the git repository, for all its work trees, which refuses commits that touch what others
have leased. Agents say who they are in DRAGOMAN_SESSION, which hook session-start sets where the
harness lets it; without it nobody's leases are one's own.

check does what the hook does, for hooks that you write yourself: it exits with 1 when
the commit must wait. When there is no coordinator it warns and lets the commit through.
git commit --no-verify goes past it.`

func (c *command) coordGuardCommand(o *coordOptions) *cobra.Command {
	return group(&cobra.Command{
		Use: "guard", Short: "Refuse git commits of files that others have leased", Long: coordGuardLong, Example: "  dragoman coord guard install",
	}, &cobra.Command{
		Use: "install", Short: "Put the guard into the git repository", Long: coordGuardLong, Example: "  dragoman coord guard install\n  dragoman coord guard install --project shop", Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return c.guardInstall(cmd.Context(), o) },
	}, &cobra.Command{
		Use: "check", Short: "Tell whether what is staged may be committed", Long: coordGuardLong, Example: "  dragoman coord guard check", Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return c.guardCheck(cmd.Context(), o) },
	})
}

// guardMark stands in hooks that install has written.
const guardMark = "# Written by dragoman coord guard install."

// hookFile returns the pre-commit hook of a repository.
func (r *repository) hookFile(ctx context.Context) (string, error) {
	if r.common == "" {
		return "", usagef("%s is in no git repository", r.root)
	}
	out, err := git(ctx, r.root, "rev-parse", "--path-format=absolute", "--git-path", "hooks/pre-commit")
	if err != nil {
		return "", err
	}
	return filepath.FromSlash(strings.TrimSuffix(string(out), "\n")), nil
}

func (c *command) guardInstall(ctx context.Context, o *coordOptions) error {
	said := o.project
	repo, err := o.place(ctx, c.Dir)
	if err != nil {
		return err
	}
	file, err := repo.hookFile(ctx)
	if err != nil {
		return err
	}
	self, err := c.self()
	if err != nil {
		return err
	}
	words := []string{self, "coord", "guard", "check"}
	if said != "" {
		words = append(words, "--project", said)
	}
	if o.url != "http://"+defaultCoord {
		words = append(words, "--coord", o.url)
	}
	line := commandLine(words)
	old, err := os.ReadFile(file)
	if err == nil && !bytes.Contains(old, []byte(guardMark)) {
		return (&failure{exit: exitFailure, code: codeOther + "EXISTS", message: fmt.Sprintf("%s is there already, and not from here", file)}).
			withHint("add this line to it: " + line + " || exit 1")
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return fmt.Errorf("make the folder of hooks: %w", err)
	}
	if err := os.WriteFile(file, []byte("#!/bin/sh\n"+guardMark+"\nexec "+line+"\n"), 0o755); err != nil {
		return fmt.Errorf("write the hook: %w", err)
	}
	return c.showText(func(p *printer) { p.field(0, "Guard", file) })
}

// staged returns the paths that a commit would change, those that renames leave included.
func (r *repository) staged(ctx context.Context) ([]string, error) {
	out, err := git(ctx, r.root, "diff", "--cached", "--name-only", "--no-renames", "-z")
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(strings.Split(string(out), "\x00"), func(p string) bool { return p == "" }), nil
}

// maxAsked is how many paths are asked about at once.
const maxAsked = 5000

func (c *command) guardCheck(ctx context.Context, o *coordOptions) error {
	repo, err := o.place(ctx, c.Dir)
	if err != nil {
		return err
	}
	if repo.common == "" {
		return usagef("%s is in no git repository", repo.root)
	}
	paths, err := repo.staged(ctx)
	if err != nil {
		return err
	}
	var found coord.ConflictList
	branch := repo.branch(ctx)
	for some := range slices.Chunk(paths, maxAsked) {
		var list coord.ConflictList
		err := c.coordAPI(ctx, o, http.MethodPost, projectPath(o.project)+"/conflicts", map[string]any{"session": o.session, "branch": branch, "paths": some}, &list)
		if f, ok := errors.AsType[*failure](err); ok && f.exit == exitUnreachable {
			c.warn("nobody looked whether others have leased these files: %s", f.message)
			return nil
		}
		if err != nil {
			return err
		}
		found.Conflicts = append(found.Conflicts, list.Conflicts...)
	}
	if len(found.Conflicts) == 0 {
		return nil
	}
	if c.options.output == outputJSON {
		if err := c.showValue(found); err != nil {
			return err
		}
	}
	for _, f := range found.Conflicts {
		fmt.Fprintf(c.err, "%s is leased by %s: %s\n", inline(f.FilePath), inline(f.Session), inline(f.Description))
	}
	return (&failure{exit: exitFailure, code: codeOther + "LEASED", message: "others have leased what this commit touches"}).
		withHint("wait until they have released it, or ask them; leave the files out of this commit with git restore --staged")
}
