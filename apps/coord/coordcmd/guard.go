// SPDX-License-Identifier: Apache-2.0

package coordcmd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dragoman-a2a/dragoman/apps/coord"
	"github.com/dragoman-a2a/dragoman/internal/cmdline"
	"github.com/dragoman-a2a/dragoman/internal/terminal"
)

const coordGuardLong = `guard rejects git commits that touch files leased to other agents. install adds the hooks
pre-commit and pre-merge-commit to the git repository, for all its work trees. The hooks read the
agent's session name from DRAGOMAN_SESSION, which hook session-start sets if the harness allows
it. Without a session name, every lease counts as another agent's. install does not change a hook
that it did not write: it prints the line to add, and exits with 1 until you add it.

check runs the same test, for hooks that you write yourself. It exits with 1 if the commit must
wait, and with 4 if the coordinator requires a token. Set the token in DRAGOMAN_COORD_TOKEN. If
the guard cannot reach the coordinator or find this program, it prints a warning and allows the
commit. git commit --no-verify skips the guard. A file that no lease can name, such as one whose
name is not UTF-8, must wait while another agent has leased its folder.

If core.hooksPath is inside the work tree, git commits the hooks. They then contain no path of
this machine and find dragoman in PATH.`

func (c *guardCommands) command(o *coordOptions) *cobra.Command {
	return cmdline.Group(&cobra.Command{
		Use: "guard", Short: "Reject git commits that touch leased files", Long: coordGuardLong,
		Example: "  dragoman coord guard install",
	}, &cobra.Command{
		Use: "install", Short: "Install the guard in the git repository", Long: coordGuardLong,
		Example: "  dragoman coord guard install\n  dragoman coord guard install --project shop", Args: cmdline.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return c.install(cmd.Context(), o) },
	}, &cobra.Command{
		Use: "check", Short: "Check whether the staged files may be committed", Long: coordGuardLong,
		Example: "  dragoman coord guard check", Args: cmdline.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return c.check(cmd.Context(), o) },
	})
}

type guardCommands struct{ *commands }

const guardMark = "# Written by dragoman coord guard install."

var guardHooks = []string{"pre-commit", "pre-merge-commit"}

func (r *repository) hookFile(ctx context.Context, name string) (string, error) {
	if r.common == "" {
		return "", cmdline.Usagef("%s is in no git repository", r.root)
	}
	out, err := git(ctx, r.root, "rev-parse", "--path-format=absolute", "--git-path", "hooks/"+name)
	if err != nil {
		return "", err
	}
	return filepath.FromSlash(strings.TrimSuffix(string(out), "\n")), nil
}

func (r *repository) hookFiles(ctx context.Context) (files []string, err error) {
	for _, name := range guardHooks {
		file, err := r.hookFile(ctx, name)
		if err != nil {
			return nil, err
		}
		files = append(files, file)
	}
	return files, nil
}

func (c *guardCommands) install(ctx context.Context, o *coordOptions) error {
	project := o.project
	repo, err := o.place(ctx, c.Dir)
	if err != nil {
		return err
	}
	self, err := c.self()
	if err != nil {
		return err
	}
	files, err := repo.hookFiles(ctx)
	if err != nil {
		return err
	}
	shared := repo.commits(ctx, files[0])
	if shared {
		self = "dragoman" // where it is here is nothing to others
	}
	text := "#!/bin/sh\n" + guardMark + "\n" + guardScript(self, project, o.url)
	var failed []error
	for _, file := range files {
		failed = append(failed, writeHook(file, text))
	}
	if shared {
		c.Warn("core.hooksPath is inside the work tree, so git commits the hooks. Everyone who uses the repository " +
			"needs dragoman in PATH: without it, each commit prints a warning")
	}
	var whole, faults, next []string
	for _, file := range files {
		if fault := faultOf(file, guardLine(self, o.flagsFor(project))); fault != nil {
			faults, next = append(faults, fault.Text), append(next, fault.Next)
		} else {
			whole = append(whole, file)
		}
	}
	err = c.ShowText(func(p *terminal.Printer) {
		for _, file := range whole {
			p.Field(0, "Guard", file)
		}
	})
	if err := errors.Join(append(failed, err)...); err != nil || faults == nil {
		return err
	}
	return (&cmdline.Failure{Exit: cmdline.ExitFailure, Code: cmdline.CodeOther + "EXISTS",
		Message: strings.Join(faults, "; ")}).WithHint(strings.Join(next, "; "))
}

// writeHook writes the guard where there is no hook, or an older guard. It leaves other hooks alone.
func writeHook(file, text string) error {
	old, err := os.ReadFile(file)
	if err == nil && !bytes.Contains(old, []byte(guardMark)) {
		return nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read the hook that is there: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return fmt.Errorf("make the folder of hooks: %w", err)
	}
	if err := os.WriteFile(file, []byte(text), 0o755); err != nil {
		return fmt.Errorf("write the hook: %w", err)
	}
	return nil
}

// faultOf returns why a hook does not guard commits, nil if it does. A hook that install did not write needs the line.
func faultOf(file, line string) *finding {
	name := filepath.Base(file)
	info, err := os.Stat(file)
	if err != nil {
		return &finding{"guard", "note", "there is no " + name + " hook: what it would see is not checked",
			"dragoman coord guard install"}
	}
	text, err := os.ReadFile(file)
	switch {
	case err != nil || !guards(text):
		return &finding{"guard", "note", "the hook " + name + " does not check commits", "add to " + file + ": " + line}
	case runtime.GOOS != "windows" && info.Mode()&0o111 == 0:
		return &finding{"guard", "bad", file + " cannot be run", "chmod +x " + terminal.ShellQuote(file)}
	}
	return nil
}

func guards(hook []byte) bool {
	for line := range bytes.Lines(hook) {
		if line = bytes.TrimSpace(line); !bytes.HasPrefix(line, []byte("#")) &&
			bytes.Contains(line, []byte("coord guard check")) {
			return true
		}
	}
	return false
}

// guardLine returns the line that makes any hook guard commits.
func guardLine(self string, flags []string) string {
	return terminal.CommandLine(append([]string{self, "coord", "guard", "check"}, flags...)) + " || exit 1"
}

// commits reports whether a file is one that git commits, now or when it is there.
func (r *repository) commits(ctx context.Context, file string) bool {
	file, err := resolve(file)
	if err != nil {
		return false
	}
	if common, err := resolve(r.common); err != nil || strings.HasPrefix(file, common+string(filepath.Separator)) {
		return false
	}
	in, err := r.holding(ctx, file)
	if err != nil {
		return false
	}
	_, err = git(ctx, in.root, "check-ignore", "--quiet", "--", file)
	return err != nil // is not ignored
}

// guardScript returns the lines of a hook. Variables that are set when it runs override those of the installation.
func guardScript(self, project, url string) string {
	var b strings.Builder
	if project != "" {
		fmt.Fprintf(&b, "DRAGOMAN_PROJECT=${DRAGOMAN_PROJECT:-%s}\nexport DRAGOMAN_PROJECT\n",
			terminal.ShellQuote(project))
	}
	if url != "http://"+defaultCoord {
		fmt.Fprintf(&b, "DRAGOMAN_COORD=${DRAGOMAN_COORD:-%s}\nexport DRAGOMAN_COORD\n", terminal.ShellQuote(url))
	}
	gone := "is not in PATH"
	if filepath.IsAbs(self) {
		gone = "is not where it was; run dragoman coord guard install again"
	}
	fmt.Fprintf(&b, `if command -v %[1]s >/dev/null 2>&1; then
	%[1]s coord guard check || exit 1
else
	echo 'Warning: nobody looked whether others have leased these files, as dragoman %[2]s' >&2
fi
`, terminal.ShellQuote(self), gone)
	return b.String()
}

// staged returns the paths that a commit would change, with both names of renamed files, as valid UTF-8.
func (r *repository) staged(ctx context.Context) ([]string, error) {
	out, err := git(ctx, r.root, "diff", "--cached", "--name-only", "--no-renames", "-z")
	if err != nil {
		return nil, err
	}
	paths := strings.Split(strings.ToValidUTF8(string(out), "\uFFFD"), "\x00")
	return slices.DeleteFunc(paths, func(p string) bool { return p == "" }), nil
}

// maxAsked is how many paths are asked about at once, so that others come in between.
const maxAsked = 200

const maxNamed = 20

func (c *commands) conflictsOf(ctx context.Context, o *coordOptions, branch string,
	paths []string) (list coord.ConflictList, err error) {
	asked := map[string]any{"session": o.session, "branch": branch, "paths": paths}
	return list, c.callAPI(ctx, o, http.MethodPost, projectPath(o.project)+"/conflicts", asked, &list)
}

func (c *guardCommands) check(ctx context.Context, o *coordOptions) error {
	repo, err := o.place(ctx, c.Dir)
	if err != nil {
		return err
	}
	if repo.common == "" {
		return cmdline.Usagef("%s is in no git repository", repo.root)
	}
	paths, err := repo.staged(ctx)
	if err != nil {
		return err
	}
	found, err := c.allConflictsOf(ctx, o, repo.branch(ctx), paths)
	if nobodyThere(err) {
		which := "these files"
		if len(found.Conflicts) > 0 {
			which = "all of these files"
		}
		c.warnOf(err, "nobody looked whether others have leased "+which)
		err = nil
	}
	if f, ok := errors.AsType[*cmdline.Failure](err); ok && f.Hint != "" {
		f.Hint += "; git commit --no-verify goes past the guard"
	}
	if len(found.Conflicts) == 0 {
		return err
	}
	if err := errors.Join(c.showConflicts(found), err); err != nil {
		return err
	}
	return (&cmdline.Failure{Exit: cmdline.ExitFailure, Code: cmdline.CodeOther + "LEASED",
		Message: "others have leased what this commit touches"}).
		WithHint("wait for the release or ask the agents; git restore --staged leaves the files out of this commit; " +
			"git commit --no-verify skips the guard")
}

// allConflictsOf asks about any number of paths. With an error it returns what was found until then.
func (c *commands) allConflictsOf(ctx context.Context, o *coordOptions, branch string,
	paths []string) (found coord.ConflictList, err error) {
	for some := range slices.Chunk(paths, maxAsked) {
		list, err := c.conflictsOf(ctx, o, branch, some)
		if err != nil {
			return found, err
		}
		found.Conflicts = append(found.Conflicts, list.Conflicts...)
	}
	return found, nil
}

func (c *guardCommands) showConflicts(found coord.ConflictList) error {
	if c.AsJSON {
		if err := c.ShowValue(found); err != nil {
			return err
		}
	}
	for _, f := range found.Conflicts[:min(len(found.Conflicts), maxNamed)] {
		fmt.Fprintf(c.Err, "%s is leased by %s: %s\n", terminal.Inline(f.FilePath), terminal.Inline(f.Session),
			terminal.Inline(f.Description))
	}
	if more := len(found.Conflicts) - maxNamed; more > 0 {
		fmt.Fprintf(c.Err, "and %d more\n", more)
	}
	return nil
}
