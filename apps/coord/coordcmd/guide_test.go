// SPDX-License-Identifier: Apache-2.0

//go:build unix

package coordcmd_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/dragoman-a2a/dragoman/internal/clitest"
)

// guidePages are the pages of the guide, in the order in which a reader follows them.
var guidePages = []string{"coordination.md", "coordination-harnesses.md", "coordination-reference.md"}

var (
	// guideBlock is a block of commands, or of a file of a harness, on these pages.
	guideBlock = regexp.MustCompile("(?ms)^```(console|json)\n(.*?)^```")
	guideTime  = regexp.MustCompile(`\d{4}-\d\d-\d\d \d\d:\d\d:\d\d`)
)

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

// guide is the folder and the environment in which the pages are followed.
type guide struct {
	*testing.T
	dir, bin, addr string
	env            []string
}

// readGuide returns the text of all pages.
func readGuide(t *testing.T) string {
	t.Helper()
	var all strings.Builder
	for _, page := range guidePages {
		text, err := os.ReadFile("../../../docs/" + page)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
	}
	return all.String()
}

// The commands of the pages work in their order, in a git repository, and print what the pages say.
func TestCoordinationGuide(t *testing.T) {
	t.Parallel()
	clitest.NeedsGit(t)
	text := readGuide(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	g := &guide{T: t, dir: filepath.Join(t.TempDir(), "shop"), bin: t.TempDir(), addr: clitest.FreeAddress(t)}
	// the test binary is the program when it is called so
	if err := os.Symlink(self, filepath.Join(g.bin, "dragoman")); err != nil {
		t.Fatal(err)
	}
	g.env = append(os.Environ(), "PATH="+g.bin+string(os.PathListSeparator)+os.Getenv("PATH"), "DRAGOMAN_ADDR="+g.addr,
		"DRAGOMAN_COORD=http://"+g.addr, "DRAGOMAN_DATA_DIR="+t.TempDir(), "CLAUDE_ENV_FILE=")
	if err := os.Mkdir(g.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	g.shell("git init -q", "")
	blocks := guideBlock.FindAllStringSubmatch(text, -1)
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
	text := readGuide(t)
	_, url := startCoordinator(t, "--extended")
	list, err := connectTo(t, url, "").ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range list.Tools {
		if !strings.Contains(text, "`"+tool.Name+"`") {
			t.Errorf("%s is missing", tool.Name)
		}
	}
}

// console runs the commands of a block. The lines after a command are what it prints; a command that prints an error
// fails.
func (g *guide) console(block string) {
	for _, part := range strings.Split("\n"+block, "\n$ ")[1:] {
		command, printed, _ := strings.Cut(part, "\n")
		if command == "dragoman coord serve" {
			g.serve()
			continue
		}
		out, err := g.run(command, "")
		if fails := strings.Contains(printed, "Error: "); (err != nil) != fails {
			g.Errorf("%s: %v\n%s", command, err, out)
		}
		g.compare(command, printed, out)
	}
}

// compare looks for the lines of a page in what a command printed, in their order. In a line, "..." stands for any
// text.
func (g *guide) compare(command, printed, out string) {
	g.Helper()
	rest := out
	for line := range strings.Lines(printed) {
		line = strings.TrimSpace(line)
		if line == "" || line == "..." {
			continue
		}
		pattern := strings.ReplaceAll(regexp.QuoteMeta(guideTime.ReplaceAllString(line, "TIME")), `\.\.\.`, ".*")
		found := regexp.MustCompile(strings.ReplaceAll(pattern, "TIME", guideTime.String())).FindStringIndex(rest)
		if found == nil {
			g.Errorf("%s: the page says %q, and the command printed\n%s", command, line, out)
			return
		}
		rest = rest[found[1]:]
	}
}

func (g *guide) serve() {
	cmd := exec.Command(filepath.Join(g.bin, "dragoman"), "coord", "serve")
	cmd.Dir, cmd.Env = g.dir, g.env
	daemon, err := clitest.Start(cmd)
	if err != nil {
		g.Fatal(err)
	}
	g.Cleanup(daemon.Kill)
	if _, err := daemon.Ready(); err != nil {
		g.Fatal(err)
	}
}

// shell runs a command, which must succeed and warn of nothing.
func (g *guide) shell(command, stdin string) {
	g.Helper()
	out, err := g.run(command, stdin)
	if err != nil || strings.Contains(out, "Warning:") {
		g.Errorf("%s: %v\n%s", command, err, out)
	}
}

func (g *guide) run(command, stdin string) (out string, err error) {
	cmd := exec.Command("sh", "-c", command)
	cmd.Dir, cmd.Env, cmd.Stdin = g.dir, g.env, strings.NewReader(stdin)
	both, err := cmd.CombinedOutput()
	return string(both), err
}

// harness does what a harness does with its files: connects with servers, and runs hooks.
func (g *guide) harness(file *harnessFile) {
	for name, s := range file.Servers {
		var transport sdk.Transport = &sdk.StreamableClientTransport{Endpoint: strings.Replace(s.URL, "127.0.0.1:8096",
			g.addr, 1)}
		if s.URL == "" {
			cmd := exec.Command(filepath.Join(g.bin, s.Command), s.Args...)
			cmd.Dir, cmd.Env = g.dir, g.env
			transport = &sdk.CommandTransport{Command: cmd}
		}
		client, err := sdk.NewClient(&sdk.Implementation{Name: "harness", Version: "1"}, nil).Connect(g.Context(),
			transport, nil)
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
				g.shell(hook.Command, `{"session_id":"1","hook_event_name":"`+moment+
					`","tool_name":"Edit","tool_input":{"file_path":"x"}}`)
			}
		}
	}
}
