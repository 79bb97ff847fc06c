// SPDX-License-Identifier: Apache-2.0

package coordcmd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"github.com/dragoman-a2a/dragoman/apps/coord"
	"github.com/dragoman-a2a/dragoman/apps/coord/hooks"
	"github.com/dragoman-a2a/dragoman/internal/cmdline"
	"github.com/dragoman-a2a/dragoman/internal/terminal"
)

const coordDoctorLong = `doctor checks whether agents can work together in this folder. It checks the coordinator and its
data folder, the token, the harness's hooks and MCP servers, the git guard, and the clock. It
prints what to do next. If a problem keeps agents from working together, the exit code is 1.`

type doctor struct{ *commands }

type finding struct {
	About string `json:"about"`
	State string `json:"state"` // ok, note or bad
	Text  string `json:"text"`
	Next  string `json:"next,omitzero"` // what to do
}

func (c *doctor) command(o *coordOptions) *cobra.Command {
	return &cobra.Command{
		Use: "doctor", Short: "Check whether agents can work together here", Long: coordDoctorLong,
		Args:    cmdline.NoArgs,
		Example: "  dragoman coord doctor\n  dragoman coord doctor -o json",
		RunE:    func(cmd *cobra.Command, _ []string) error { return c.run(cmd.Context(), o) },
	}
}

func (c *doctor) run(ctx context.Context, o *coordOptions) error {
	given := o.project
	repo, err := o.place(ctx, c.Dir)
	if err != nil {
		return err
	}
	where := finding{"project", "ok", fmt.Sprintf("%s, in %s", o.project, repo.root), ""}
	if repo.common == "" {
		where.State, where.Text = "note", fmt.Sprintf("%s is in no git repository: the project is called %s", repo.root,
			o.project)
		where.Next = "go to the repository that agents work in, or name the project with --project"
	}
	all := []finding{where}
	all = append(all, c.doctorDaemon(ctx, o)...)
	all = append(all, c.doctorData(o), doctorServer(repo, o.flagsFor(given)), doctorHooks(repo, o.flagsFor(given)))
	all = append(all, c.doctorGuard(ctx, repo, o.flagsFor(given))...)
	bad := 0
	for _, f := range all {
		if f.State == "bad" {
			bad++
		}
	}
	if err := c.showFindings(all); err != nil || bad == 0 {
		return err
	}
	return &cmdline.Failure{Exit: cmdline.ExitFailure, Code: cmdline.CodeOther + "NOT_READY",
		Message: fmt.Sprintf("%d of these problems keep agents from working together here", bad)}
}

func (c *doctor) showFindings(all []finding) error {
	if c.AsJSON {
		return c.ShowValue(map[string]any{"findings": all})
	}
	return c.ShowText(func(p *terminal.Printer) {
		for _, f := range all {
			p.Field(0, f.State, f.About+": "+f.Text)
			p.Field(1, "Next", f.Next)
		}
	})
}

const maxSkew = 5 * time.Second

// doctorDaemon looks at the coordinator, its clock, and whether it lets us in.
func (c *doctor) doctorDaemon(ctx context.Context, o *coordOptions) []finding {
	version, clock, err := c.healthOf(ctx, o)
	if err != nil {
		f := cmdline.FailureOf(err)
		next := "start it with dragoman coord serve; dragoman coord stdio starts it, too"
		if addr, here := o.startable(); here && addr != defaultCoord {
			next = "start it with " + terminal.CommandLine([]string{"dragoman", "coord", "serve", "--addr", addr}) +
				"; dragoman coord stdio starts it, too"
		}
		if f.Code != cmdline.CodeUnreachable {
			next = f.Hint
		}
		return []finding{{"coordinator", "bad", f.Message, next}}
	}
	all := []finding{{"coordinator", "ok", fmt.Sprintf("version %s at %s", version, o.url), ""}}
	if skew := time.Since(clock).Abs(); !clock.IsZero() && skew > maxSkew {
		all = append(all, finding{"clock", "note",
			fmt.Sprintf("it is %s apart from that of the coordinator",
				terminal.FormatDuration(skew.Round(time.Second))),
			"set the clock of this machine, or times in answers mislead"})
	} else {
		all = append(all, finding{"clock", "ok", "as that of the coordinator", ""})
	}
	view, err := c.viewOf(ctx, o)
	if err != nil {
		f := cmdline.FailureOf(err)
		return append(all, finding{"token", "bad", f.Message, f.Hint})
	}
	if view.Role == coord.RoleObserver {
		return append(all, finding{"token", "bad",
			"it is that of an observer, who may look only: tools and hooks are refused",
			"make one of the role agent with dragoman coord token create, and give it in DRAGOMAN_COORD_TOKEN"})
	}
	text := "none is needed"
	if o.token != "" {
		text = "it lets us in"
	}
	return append(all, finding{"token", "ok", text, ""},
		finding{"agents", "ok", fmt.Sprintf("%d are there, with %d leases", len(view.Agents), len(view.Locks.Leases)),
			""})
}

// doctorData looks at the data folder, which is none of ours when the coordinator runs elsewhere.
func (c *doctor) doctorData(o *coordOptions) finding {
	folder, err := c.dataFolder(o.data)
	if err != nil {
		return finding{"data", "bad", err.Error(), "name a folder with --data-dir"}
	}
	if _, here := o.startable(); !here {
		return finding{"data", "note", "the coordinator is not this machine's", ""}
	}
	info, err := os.Stat(folder)
	switch {
	case folder == cmdline.InMemory:
		return finding{"data", "note", "nothing is kept", ""}
	case err != nil:
		return finding{"data", "note", folder + " is not there yet", "the coordinator makes it when it starts"}
	case !info.IsDir():
		return finding{"data", "bad", folder + " is no folder", "remove it, or choose another folder with --data-dir"}
	case info.Mode().Perm()&0o077 != 0 && cmdline.IsForeign(info):
		return finding{"data", "bad", folder + " belongs to another user", "choose another folder with --data-dir"}
	}
	return finding{"data", "ok", folder, ""}
}

// flagsFor returns the options that give other commands the same coordinator, and the project if it was named.
func (o *coordOptions) flagsFor(project string) (words []string) {
	if project != "" {
		words = append(words, "--project", project)
	}
	if o.url != "http://"+defaultCoord {
		words = append(words, "--coord", o.url)
	}
	return words
}

// doctorServer looks whether the harness's file of MCP servers names the coordinator.
func doctorServer(repo *repository, flags []string) finding {
	const name, about = ".mcp.json", "MCP server"
	var file struct {
		Servers map[string]struct {
			URL     string   `json:"url"`
			Command string   `json:"command"`
			Args    []string `json:"args"`
		} `json:"mcpServers"`
	}
	switch found, err := readHarness(repo, name, &file); {
	case err != nil:
		return finding{about, "bad", name + " is not the JSON of MCP servers: " + err.Error(),
			"mend it, see docs/coordination-harnesses.md"}
	case found:
		for _, s := range file.Servers {
			words := append(strings.Fields(s.Command), s.Args...)
			ours := slices.Contains(words, "coord") && slices.Contains(words, "stdio")
			if ours && !repo.runs(words[0]) {
				return finding{about, "note", words[0] + ", which " + name + " names, is no program that is here",
					"put dragoman into a folder of PATH, or name it by its whole path"}
			}
			if ours || strings.HasSuffix(s.URL, "/mcp") {
				return finding{about, "ok", name, ""}
			}
		}
	}
	args, err := json.Marshal(append([]string{"coord", "stdio"}, flags...))
	if err != nil {
		return finding{about, "bad", err.Error(), "name another project or coordinator"}
	}
	return finding{about, "note", "none in this project; it may be in the user's own settings",
		`add it to .mcp.json: {"mcpServers": {"coord": {"command": "dragoman", "args": ` + string(args) + `}}}`}
}

// runs reports whether the first word of a command is a program, as far as can be told of what a shell may make of it.
func (r *repository) runs(word string) bool {
	if strings.ContainsAny(word, "$~\"'`=\\*?(){}") {
		return true
	}
	if strings.Contains(word, "/") && !filepath.IsAbs(word) {
		word = filepath.Join(r.root, word)
	}
	_, err := exec.LookPath(word)
	return err == nil
}

// doctorHooks looks which hooks the harness's settings have, and whether they see edits.
func doctorHooks(repo *repository, flags []string) finding {
	const about = "hooks"
	next := "add dragoman coord hook to .claude/settings.json, see docs/coordination-harnesses.md"
	if len(flags) > 0 {
		next += "; at the end of each command " + terminal.CommandLine(flags)
	}
	has, lost := make(map[string]bool), ""
	unseen := slices.Clone(hooks.Editors)
	for _, name := range []string{".claude/settings.json", ".claude/settings.local.json"} {
		var file struct {
			Hooks map[string][]struct {
				Matcher string `json:"matcher"`
				Hooks   []struct {
					Command string `json:"command"`
				} `json:"hooks"`
			} `json:"hooks"`
		}
		if _, err := readHarness(repo, name, &file); err != nil {
			return finding{about, "bad", name + " is not the JSON of settings: " + err.Error(),
				"mend it, see docs/coordination-harnesses.md"}
		}
		for event, groups := range file.Hooks {
			for _, group := range groups {
				for _, hook := range group.Hooks {
					if !isHook(event, hook.Command) {
						continue
					}
					has[event] = true
					if event == "PreToolUse" {
						unseen = slices.DeleteFunc(unseen,
							func(tool string) bool { return matches(group.Matcher, tool) })
					}
					if word := strings.Fields(hook.Command)[0]; !repo.runs(word) {
						lost = word
					}
				}
			}
		}
	}
	var missing []string
	for _, h := range hooks.Events {
		if !has[h[0]] {
			missing = append(missing, h[0])
		}
	}
	switch {
	case len(missing) == len(hooks.Events):
		return finding{about, "note", "none in this project; they may be in the user's own settings", next}
	case len(missing) > 0:
		return finding{about, "bad", "some are there, and not " + strings.Join(missing, ", "), next}
	case len(unseen) == len(hooks.Editors):
		return finding{about, "bad", "the matcher of PreToolUse takes no tool that edits files",
			`give it "matcher": "` + strings.Join(hooks.Editors, "|") + `"`}
	case lost != "":
		return finding{about, "note", lost + ", which they run, is no program that is here",
			"put dragoman into a folder of PATH, or name it by its whole path"}
	case len(unseen) > 0:
		return finding{about, "note", "all are there, but PreToolUse sees no edit by " + strings.Join(unseen, ", "),
			`give it "matcher": "` + strings.Join(hooks.Editors, "|") + `"`}
	}
	return finding{about, "ok", "all are there", ""}
}

// isHook reports whether a command of the harness is our hook of a moment.
func isHook(event, command string) bool {
	return slices.ContainsFunc(hooks.Events,
		func(h [2]string) bool { return event == h[0] && strings.Contains(command, "coord hook "+h[1]) })
}

// matches reports whether the matcher of a harness's hook, a regular expression, takes a tool. The harness may read one
// that Go cannot.
func matches(matcher, tool string) bool {
	if matcher == "" || matcher == "*" {
		return true
	}
	expression, err := regexp.Compile("^(?:" + matcher + ")$")
	return err != nil || expression.MatchString(tool)
}

// readHarness reads a file of a harness, if it is there. Its error names the line or member that is wrong.
func readHarness(repo *repository, name string, into any) (found bool, err error) {
	text, err := os.ReadFile(filepath.Join(repo.root, filepath.FromSlash(name)))
	if err != nil {
		return false, nil // it is not there, or none of ours
	}
	err = json.Unmarshal(text, into)
	if e, ok := errors.AsType[*json.SemanticError](err); ok && e.JSONPointer == "" {
		return true, errors.New("it is no object")
	} else if ok {
		return true, fmt.Errorf("look at %s", e.JSONPointer)
	}
	if e, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		return true, fmt.Errorf("look at line %d",
			1+bytes.Count(text[:min(int(e.ByteOffset), len(text))], []byte("\n")))
	}
	return true, err
}

// doctorGuard looks at the hooks of git, as install does.
func (c *doctor) doctorGuard(ctx context.Context, repo *repository, flags []string) (all []finding) {
	files, err := repo.hookFiles(ctx)
	if err != nil {
		return []finding{{"guard", "note", "there is no git repository here", ""}}
	}
	self, err := c.self()
	if err != nil || repo.commits(ctx, files[0]) {
		self = "dragoman"
	}
	for _, file := range files {
		if fault := faultOf(file, guardLine(self, flags)); fault != nil {
			all = append(all, *fault)
		}
	}
	if len(all) == 0 {
		return []finding{{"guard", "ok", strings.Join(guardHooks, ", "), ""}}
	}
	return all
}
