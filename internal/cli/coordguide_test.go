// SPDX-License-Identifier: Apache-2.0

//go:build unix

package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// guideBlock is a block of commands, or of a file of a harness, in docs/coordination.md.
var guideBlock = regexp.MustCompile("(?ms)^```(console|json)\n(.*?)^```")

// harnessFile is what .mcp.json and .claude/settings.json have.
type harnessFile struct {
	Servers map[string]struct {
		Type, URL, Command string
		Args               []string
	} `json:"mcpServers"`
	Hooks map[string][]struct {
		Hooks []struct{ Command string }
	} `json:"hooks"`
}

// guide is the folder and the environment in which docs/coordination.md is followed.
type guide struct {
	*testing.T
	dir, bin, addr string
	env            []string
}

// What docs/coordination.md says to do works, in its order, in a git repository.
func TestCoordinationGuide(t *testing.T) {
	t.Parallel()
	needsGit(t)
	text, err := os.ReadFile("../../docs/coordination.md")
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	g := &guide{T: t, dir: t.TempDir(), bin: t.TempDir(), addr: freeAddress(t)}
	if err := os.Symlink(self, filepath.Join(g.bin, "dragoman")); err != nil { // the test binary is the program when it is called so
		t.Fatal(err)
	}
	g.env = append(os.Environ(), "PATH="+g.bin+string(os.PathListSeparator)+os.Getenv("PATH"), "DRAGOMAN_ADDR="+g.addr,
		"DRAGOMAN_COORD=http://"+g.addr, "DRAGOMAN_DATA_DIR="+t.TempDir(), "CLAUDE_ENV_FILE=")
	g.shell("git init -q", "")
	blocks := guideBlock.FindAllStringSubmatch(string(text), -1)
	if len(blocks) < 7 {
		t.Fatalf("the guide has %d blocks", len(blocks))
	}
	for _, block := range blocks {
		if block[1] == "console" {
			g.console(block[2])
			continue
		}
		var file harnessFile
		if err := json.Unmarshal([]byte(block[2]), &file, json.MatchCaseInsensitiveNames(true)); err != nil {
			t.Fatalf("%v in\n%s", err, block[2])
		}
		g.harness(&file)
	}
}

// The guide names all tools.
func TestCoordinationGuideNamesTheTools(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/coordination.md")
	if err != nil {
		t.Fatal(err)
	}
	_, url := startCoordinator(t, "--extended")
	list, err := connectTo(t, url, "").ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range list.Tools {
		if !strings.Contains(string(text), "`"+tool.Name+"`") {
			t.Errorf("%s is missing", tool.Name)
		}
	}
}

func (g *guide) console(block string) {
	for line := range strings.Lines(block) {
		command, found := strings.CutPrefix(strings.TrimSpace(line), "$ ")
		switch {
		case !found:
		case command == "dragoman coord serve":
			g.serve()
		default:
			g.shell(command, "")
		}
	}
}

func (g *guide) serve() {
	cmd := exec.Command(filepath.Join(g.bin, "dragoman"), "coord", "serve")
	cmd.Dir, cmd.Env = g.dir, g.env
	daemon, err := startCommand(cmd)
	if err != nil {
		g.Fatal(err)
	}
	g.Cleanup(daemon.kill)
	if _, err := daemon.ready(); err != nil {
		g.Fatal(err)
	}
}

// shell runs a command, which must succeed and warn of nothing.
func (g *guide) shell(command, stdin string) {
	g.Helper()
	cmd := exec.Command("sh", "-c", command)
	cmd.Dir, cmd.Env, cmd.Stdin = g.dir, g.env, strings.NewReader(stdin)
	out, err := cmd.CombinedOutput()
	warned := strings.Contains(string(out), "Warning:") && !strings.HasSuffix(command, "--yes") // which is said to a warning
	if err != nil || warned {
		g.Errorf("%s: %v\n%s", command, err, out)
	}
}

// harness does what a harness does with its files: connects with servers, and runs hooks.
func (g *guide) harness(file *harnessFile) {
	for name, s := range file.Servers {
		var transport sdk.Transport = &sdk.StreamableClientTransport{Endpoint: strings.Replace(s.URL, defaultCoord, g.addr, 1)}
		if s.URL == "" {
			cmd := exec.Command(filepath.Join(g.bin, s.Command), s.Args...)
			cmd.Dir, cmd.Env = g.dir, g.env
			transport = &sdk.CommandTransport{Command: cmd}
		}
		client, err := sdk.NewClient(&sdk.Implementation{Name: "harness", Version: "1"}, nil).Connect(g.Context(), transport, nil)
		if err != nil {
			g.Fatalf("%s: %v", name, err)
		}
		args := map[string]any{}
		if s.URL != "" {
			args["project_id"] = filepath.Base(g.dir)
		}
		mustCall(g.T, client, "list_active_agents", args, "{")
		client.Close()
	}
	for _, moment := range []string{"SessionStart", "PreToolUse", "PostToolUse", "Stop", "SessionEnd"} {
		for _, group := range file.Hooks[moment] {
			for _, hook := range group.Hooks {
				g.shell(hook.Command, `{"session_id":"1","hook_event_name":"`+moment+`","tool_name":"Edit","tool_input":{"file_path":"x"}}`)
			}
		}
	}
}
