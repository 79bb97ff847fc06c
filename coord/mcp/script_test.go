// SPDX-License-Identifier: Apache-2.0

package mcp_test

import (
	"flag"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/dragoman-a2a/dragoman/coord"
	coordmcp "github.com/dragoman-a2a/dragoman/coord/mcp"
)

var update = flag.Bool("update", false, "write the answers that scripts get into them")

// TestScripts plays the conversations in testdata with each kind of MCP. A line of one is
//
//	who> tool {arguments}   a call, of a client of its own for each who
//	who< answer             its text: what it has to be to the last character; with <! the call has failed
//	who~ tool {arguments}   a call that is repeated until its answer is no empty list; whose answer comes next
//
// or begins with #. Where an answer has a time, the script has $T, and where it has the second part of an id, that is $1
// for the first id that answers have, $2 for the second one, and so on, in calls too.
func TestScripts(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*.script")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		for _, version := range []string{"2024-11-05", "2025-11-25", "2026-07-28"} {
			t.Run(strings.TrimSuffix(filepath.Base(file), ".script")+"/"+version, func(t *testing.T) {
				t.Parallel()
				play(t, file, version)
			})
		}
	}
}

// A player plays one script.
type player struct {
	t       *testing.T
	url     string
	version string
	clients map[string]*mcp.ClientSession
	calls   map[string]chan answered // what who is waiting for
	ids     []string
}

type answered struct {
	text   string
	failed bool
}

func play(t *testing.T, file, version string) {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	hub := coord.NewHub(nil)
	srv := httptest.NewServer(coordmcp.New(hub, &coordmcp.Options{Extended: true}).Handler())
	p := &player{t: t, url: srv.URL, version: version, clients: map[string]*mcp.ClientSession{}, calls: map[string]chan answered{}}
	defer func() {
		for _, c := range p.clients {
			c.Close()
		}
		srv.CloseClientConnections()
		srv.Close()
		hub.Close()
	}()
	lines := strings.Split(string(text), "\n")
	for i, line := range lines {
		lines[i] = p.line(fmt.Sprintf("%s:%d", file, i+1), line)
	}
	if *update && version == "2026-07-28" {
		if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

var scriptLine = regexp.MustCompile(`^(\w+)([>~<]!?) (.*)$`)

// line plays a line and returns it as it should be.
func (p *player) line(at, line string) string {
	m := scriptLine.FindStringSubmatch(line)
	if m == nil {
		if line != "" && line[0] != '#' {
			p.t.Fatalf("%s: %q is no line of a script", at, line)
		}
		return line
	}
	who, mark, rest := m[1], m[2], m[3]
	if mark[0] != '<' {
		tool, arguments, _ := strings.Cut(rest, " ")
		p.call(at, who, tool, p.known(arguments), mark == "~")
		return line
	}
	var got answered
	select {
	case got = <-p.calls[who]:
	case <-time.After(30 * time.Second):
		p.t.Fatalf("%s: no answer", at)
	}
	text, newMark := p.general(got.text), "<"
	if got.failed {
		newMark = "<!"
	}
	if (text != rest || newMark != mark) && !*update {
		p.t.Errorf("%s: the answer is\n%s %s\nand should be\n%s %s", at, newMark, text, mark, rest)
	}
	return who + newMark + " " + text
}

// call begins a call.
func (p *player) call(at, who, tool, arguments string, again bool) {
	c := p.client(who)
	done := make(chan answered, 1)
	p.calls[who] = done
	go func() {
		for {
			result, err := c.CallTool(p.t.Context(), &mcp.CallToolParams{Name: tool, Arguments: jsontext.Value(arguments)})
			if err != nil || len(result.Content) != 1 {
				p.t.Errorf("%s: %+v, %v", at, result, err)
				return
			}
			text := result.Content[0].(*mcp.TextContent).Text
			p.same(at, text, result.StructuredContent)
			if again && text == "[]" {
				continue
			}
			done <- answered{text, result.IsError}
			return
		}
	}()
	if !again && !strings.Contains(arguments, `"timeout":`) && !strings.Contains(arguments, `"wait_seconds":`) { // then it does not wait long
		got := <-done
		done <- got
	}
}

// same checks that the structured content says what the text says: the same object, or one that has the array.
func (p *player) same(at, text string, structured any) {
	var want any
	if err := json.Unmarshal([]byte(text), &want); err != nil {
		p.t.Errorf("%s: %s: %v", at, text, err)
	}
	object, ok := structured.(map[string]any)
	if !ok {
		p.t.Errorf("%s: the structured content is %v", at, structured)
		return
	}
	if list, ok := want.([]any); ok {
		name := "messages"
		if _, ok := object[name]; !ok {
			name = "changes"
		}
		want = map[string]any{name: list, "count": float64(len(list))}
	}
	a, errA := json.Marshal(want, json.Deterministic(true))
	b, errB := json.Marshal(object, json.Deterministic(true))
	if errA != nil || errB != nil || string(a) != string(b) {
		p.t.Errorf("%s: the text is\n%s\nand the structured content\n%s", at, a, b)
	}
}

func (p *player) client(who string) *mcp.ClientSession {
	if c := p.clients[who]; c != nil {
		return c
	}
	client := mcp.NewClient(&mcp.Implementation{Name: who, Version: "1"}, nil)
	c, err := client.Connect(p.t.Context(), &mcp.StreamableClientTransport{Endpoint: p.url, DisableStandaloneSSE: true}, &mcp.ClientSessionOptions{ProtocolVersion: p.version})
	if err != nil {
		p.t.Fatal(err)
	}
	if got := c.InitializeResult().ProtocolVersion; got != p.version {
		p.t.Fatalf("the protocol is %s, want %s", got, p.version)
	}
	p.clients[who] = c
	return c
}

var (
	someTime = regexp.MustCompile(`"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"`)
	someID   = regexp.MustCompile(`\b\d{10}\.\d{9}\b`)
	idName   = regexp.MustCompile(`\$\d+`)
)

// general returns an answer with names for times and ids.
func (p *player) general(text string) string {
	text = someTime.ReplaceAllString(text, `"$$T"`)
	return someID.ReplaceAllStringFunc(text, func(id string) string {
		for i, known := range p.ids {
			if known == id {
				return fmt.Sprint("$", i+1)
			}
		}
		p.ids = append(p.ids, id)
		return fmt.Sprint("$", len(p.ids))
	})
}

// known returns a call with ids for their names.
func (p *player) known(text string) string {
	return idName.ReplaceAllStringFunc(text, func(name string) string {
		var n int
		if _, err := fmt.Sscanf(name, "$%d", &n); err != nil || n < 1 || n > len(p.ids) {
			p.t.Fatalf("no id is called %s", name)
		}
		return p.ids[n-1]
	})
}
