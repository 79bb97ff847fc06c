// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dragoman-a2a/dragoman/coord"
)

const coordGuardLong = `guard keeps commits out of the way of agents that hold files. install puts the hooks
pre-commit and pre-merge-commit into the git repository, for all its work trees, which refuse
commits that touch what others have leased. Agents say who they are in DRAGOMAN_SESSION, which
hook session-start sets where the harness lets it; without it nobody's leases are one's own.

check does what the hooks do, for hooks that you write yourself: it exits with 1 when the
commit must wait, and with 4 when the coordinator wants a token, which people give in
DRAGOMAN_COORD_TOKEN, too. When there is no coordinator, or this program is not where it was,
the commit is let through with a warning. git commit --no-verify goes past the guard.`

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

// guardHooks are the hooks of git that run before a commit is made.
var guardHooks = []string{"pre-commit", "pre-merge-commit"}

// hookFile returns the file of a hook of a repository.
func (r *repository) hookFile(ctx context.Context, name string) (string, error) {
	if r.common == "" {
		return "", usagef("%s is in no git repository", r.root)
	}
	out, err := git(ctx, r.root, "rev-parse", "--path-format=absolute", "--git-path", "hooks/"+name)
	if err != nil {
		return "", err
	}
	return filepath.FromSlash(strings.TrimSuffix(string(out), "\n")), nil
}

func (c *command) guardInstall(ctx context.Context, o *coordOptions) error {
	project := o.project
	repo, err := o.place(ctx, c.Dir)
	if err != nil {
		return err
	}
	self, err := c.self()
	if err != nil {
		return err
	}
	words := append([]string{self, "coord", "guard", "check"}, o.flagsFor(project)...)
	var files []string
	for _, name := range guardHooks { // none is written when one cannot be
		file, err := repo.hookFile(ctx, name)
		if err != nil {
			return err
		}
		if err := refuseForeign(file, commandLine(words)); err != nil {
			return err
		}
		files = append(files, file)
	}
	for _, file := range files {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return fmt.Errorf("make the folder of hooks: %w", err)
		}
		if err := os.WriteFile(file, []byte("#!/bin/sh\n"+guardMark+"\n"+guardScript(self, project, o.url)), 0o755); err != nil {
			return fmt.Errorf("write the hook: %w", err)
		}
	}
	return c.showText(func(p *printer) {
		for _, file := range files {
			p.field(0, "Guard", file)
		}
	})
}

// guardScript returns the lines of a hook. Variables that are set when it runs are stronger than what was so when it was
// written, and without the program there is nobody to ask.
func guardScript(self, project, url string) string {
	var b strings.Builder
	if project != "" {
		fmt.Fprintf(&b, "DRAGOMAN_PROJECT=${DRAGOMAN_PROJECT:-%s}\nexport DRAGOMAN_PROJECT\n", shellQuote(project))
	}
	if url != "http://"+defaultCoord {
		fmt.Fprintf(&b, "DRAGOMAN_COORD=${DRAGOMAN_COORD:-%s}\nexport DRAGOMAN_COORD\n", shellQuote(url))
	}
	fmt.Fprintf(&b, `if command -v %[1]s >/dev/null 2>&1; then
	%[1]s coord guard check || exit 1
else
	echo 'Warning: nobody looked whether others have leased these files, as dragoman is not where it was; run dragoman coord guard install again' >&2
fi
`, shellQuote(self))
	return b.String()
}

// refuseForeign refuses to write a hook that is somebody else's.
func refuseForeign(file, line string) error {
	old, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) || err == nil && bytes.Contains(old, []byte(guardMark)) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read the hook that is there: %w", err)
	}
	return (&failure{exit: exitFailure, code: codeOther + "EXISTS", message: fmt.Sprintf("%s is there already, and not from here", file)}).
		withHint("add this line to it: " + line + " || exit 1")
}

// staged returns the paths that a commit would change, those that renames leave included.
func (r *repository) staged(ctx context.Context) ([]string, error) {
	out, err := git(ctx, r.root, "diff", "--cached", "--name-only", "--no-renames", "-z")
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(strings.Split(string(out), "\x00"), func(p string) bool { return p == "" }), nil
}

// maxAsked is how many paths are asked about at once, so that others come in between.
const maxAsked = 200

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
		if nobodyThere(err) {
			c.warn("nobody looked whether others have leased these files: %s", err)
			return nil
		}
		if f, ok := errors.AsType[*failure](err); ok && f.hint != "" {
			f.hint += "; git commit --no-verify goes past the guard"
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
		withHint("wait until they have released it, or ask them; leave the files out of this commit with git restore --staged; git commit --no-verify goes past the guard")
}
