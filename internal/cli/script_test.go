// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/clitest"
)

func TestMain(m *testing.M) {
	clitest.Main(m, map[string]func() int{"dragoman": Main})
}

// The scripts run the program as processes of their own, against servers that are processes too. It speaks the binding
// that the cards prefer, which is JSON-RPC.
func TestScripts(t *testing.T) {
	t.Parallel()
	params := scriptParams("")
	params.Dir = "testdata"
	testscript.Run(t, params)
}

// spoken are the scripts that talk with agents, waiting and in streams, as their users do.
var spoken = []string{"chat", "demo", "golden", "host", "multiturn", "positional", "registry", "schema", "send", "task"}

// HTTP+JSON behaves like JSON-RPC.
func TestScriptsOverHTTP(t *testing.T) {
	t.Parallel()
	params := scriptParams(a2a.BindingHTTPJSON)
	for _, name := range spoken {
		params.Files = append(params.Files, filepath.Join("testdata", name+".txtar"))
	}
	testscript.Run(t, params)
}

// scriptParams says how scripts run that are to speak a binding; "" leaves it to the cards.
func scriptParams(transport string) testscript.Params {
	return testscript.Params{
		UpdateScripts: *update,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"serve": starter("serve"), "demo-server": starter("demo-server"), "gateway": starter("gateway"),
			"samples": starter("samples", "up"), "record": starter("record"), "replay": starter("replay"),
			"registry": starter("registry", "serve"), "coordinator": starter("coord", "serve"), "end": stopServer,
			"exits": exits, "resume": resume, "next-page": nextCommand, "task-id": taskID, "plain": makePlain,
			"tool": tool,
		},
		Setup: func(env *testscript.Env) error {
			env.Setenv("HOME", filepath.Join(env.WorkDir, "home"))
			env.Setenv("GORACE", os.Getenv("GORACE"))
			env.Setenv("DRAGOMAN_TRANSPORT", transport)
			env.Setenv("VIA", "") // what commands to type next then have
			env.Setenv("CALLED", `"method":"SendStreamingMessage"`)
			if transport == a2a.BindingHTTPJSON {
				env.Setenv("VIA", " --transport "+transport)
				env.Setenv("CALLED", "/message:stream")
			}
			env.Values[serversKey{}] = make(map[string]*clitest.Process)
			return nil
		},
	}
}

type serversKey struct{}

// starter returns "serve NAME args...", and the same for other commands that serve: it starts dragoman serve, waits
// until it says that it is ready, and sets $NAME_URL and $NAME_ADDR.
func starter(words ...string) func(*testscript.TestScript, bool, []string) {
	return func(ts *testscript.TestScript, neg bool, args []string) {
		if neg || len(args) < 1 {
			ts.Fatalf("usage: %s NAME args...", words[0])
		}
		s, err := clitest.StartProgram(append(slices.Clone(words), args[1:]...), ts.MkAbs("."),
			func(name string) string { return ts.Getenv(name) })
		ts.Check(err)
		ts.Defer(s.Kill)
		ts.Value(serversKey{}).(map[string]*clitest.Process)[args[0]] = s
		url, err := s.Ready()
		ts.Check(err)
		ts.Setenv(args[0]+"_URL", url)
		ts.Setenv(args[0]+"_ADDR", url[strings.LastIndex(url, "/")+1:])
	}
}

// tool is "tool NAME JSON": it calls a tool of the coordinator at $DRAGOMAN_COORD, about the project shop.
func tool(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: tool NAME JSON")
	}
	var about map[string]any
	ts.Check(json.Unmarshal([]byte(args[1]), &about))
	about["project_id"] = "shop"
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	session, err := sdk.NewClient(&sdk.Implementation{Name: "t", Version: "1"}, nil).Connect(ctx,
		&sdk.StreamableClientTransport{
			Endpoint:   ts.Getenv("DRAGOMAN_COORD") + "/mcp",
			HTTPClient: &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}, DisableStandaloneSSE: true,
		}, nil)
	ts.Check(err)
	defer session.Close()
	answer, err := clitest.CallTool(ctx, session, args[0], about)
	ts.Check(err)
	if bytes.Contains(answer, []byte(`"status":"error"`)) {
		ts.Fatalf("%s refuses: %s", args[0], answer)
	}
}

// stopServer is "end NAME TERM|KILL": it ends a server, which after TERM must exit with 0, and puts what it said into
// the file NAME.err.
func stopServer(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: end NAME TERM|KILL")
	}
	s := ts.Value(serversKey{}).(map[string]*clitest.Process)[args[0]]
	signal := map[string]syscall.Signal{"TERM": syscall.SIGTERM, "KILL": syscall.SIGKILL}[args[1]]
	ts.Check(s.Cmd.Process.Signal(signal))
	<-s.Done
	err := s.Cmd.Wait()
	if args[1] == "TERM" && err != nil {
		ts.Fatalf("the server did not drain: %v\n%s", err, s.Output())
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]+".err"), []byte(s.Output()), 0o600))
}

// exits is "exits CODE command args...".
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE command args...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		failed, ok := errors.AsType[*exec.ExitError](err)
		if !ok {
			ts.Fatalf("%v", err)
		}
		got = failed.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// resume is "resume ANSWER": it copies the resume command that the last command printed to a shell, with the answer
// filled in.
func resume(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: resume ANSWER")
	}
	for line := range strings.Lines(ts.ReadFile("stderr")) {
		if command, found := strings.CutPrefix(line, "Resume: "); found {
			ts.Check(ts.Exec("sh", "-c", strings.Replace(command, "...", args[0], 1)))
			return
		}
	}
	ts.Fatalf("the last command printed no resume command")
}

// nextCommand is "next-page": it copies the command for the next page that the last command printed to a shell.
func nextCommand(ts *testscript.TestScript, _ bool, _ []string) {
	for line := range strings.Lines(ts.ReadFile("stderr")) {
		if command, found := strings.CutPrefix(line, "Next page: "); found {
			ts.Check(ts.Exec("sh", "-c", command))
			return
		}
	}
	ts.Fatalf("the last command named no next page")
}

// taskID is "task-id": it puts the id of the task that the last command printed into $TASK.
func taskID(ts *testscript.TestScript, _ bool, _ []string) {
	for line := range strings.Lines(ts.ReadFile("stdout")) {
		if id, found := strings.CutPrefix(line, "Task: "); found {
			ts.Setenv("TASK", strings.TrimSpace(id))
			return
		}
	}
	ts.Fatalf("the last command printed no task")
}

// passing is what differs from run to run: ids, times, and where a server listens.
var passing = regexp.MustCompile(
	`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\b[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z|` +
		`127\.0\.0\.1:[0-9]+`)

// makePlain is "plain": it writes what the last command printed into stdout.txt and stderr.txt, with names for what
// differs from run to run and without the binding that the run is about, so that cmp can hold it against what is
// expected as a whole.
func makePlain(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 0 {
		ts.Fatalf("usage: plain")
	}
	names := map[string]string{}
	name := func(text string) string {
		switch {
		case strings.HasPrefix(text, "127."):
			return "ADDRESS"
		case strings.Contains(text, "T"):
			return "TIME"
		case names[text] == "":
			names[text] = fmt.Sprintf("ID-%d", len(names)+1)
		}
		return names[text]
	}
	for _, stream := range []string{"stdout", "stderr"} {
		text := ts.ReadFile(stream)
		if via := ts.Getenv("VIA"); via != "" {
			text = strings.ReplaceAll(text, via, "")
		}
		ts.Check(os.WriteFile(ts.MkAbs(stream+".txt"), []byte(passing.ReplaceAllStringFunc(text, name)), 0o600))
	}
}
