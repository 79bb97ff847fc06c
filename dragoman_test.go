// SPDX-License-Identifier: Apache-2.0

package dragoman_test

import (
	"context"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"net"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/dragoman-a2a/dragoman"
	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/card"
	"github.com/dragoman-a2a/dragoman/engine"
	"github.com/dragoman-a2a/dragoman/journal/memory"
	_ "github.com/dragoman-a2a/dragoman/journal/sqlite"
	"github.com/dragoman-a2a/dragoman/server"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestServeSaysWhyItCannot(t *testing.T) {
	nothing := agent.Func(func(context.Context, *agent.Turn) error { return nil })
	whole := &a2a.AgentCard{Name: "A", Description: "B", Version: "1"}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	for name, test := range map[string]struct {
		addr string
		card *a2a.AgentCard
		want string
	}{
		"no card":         {"127.0.0.1:0", nil, "name is required"},
		"card lacks much": {"127.0.0.1:0", &a2a.AgentCard{Name: "A"}, "description"},
		"no address":      {"nowhere", whole, "nowhere"},
		"address in use":  {ln.Addr().String(), whole, "listen"},
	} {
		t.Run(name, func(t *testing.T) {
			err := dragoman.Serve(test.addr, test.card, nothing)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q in it", err, test.want)
			}
		})
	}
}

func TestDialNamesWhatItCannotFind(t *testing.T) {
	t.Parallel()
	if _, err := dragoman.Dial(t.Context(), t.TempDir()+"/card.json"); !errors.Is(err, card.ErrNotFound) {
		t.Errorf("got %v", err)
	}
}

func TestServeRefusesOptionsThatContradictEachOther(t *testing.T) {
	nothing := agent.Func(func(context.Context, *agent.Turn) error { return nil })
	whole := &a2a.AgentCard{Name: "A", Description: "B", Version: "1"}
	tasks := memory.New(nil)
	defer tasks.Close()
	for want, opts := range map[string][]dragoman.Options{
		"one Options at most":      {{}, {}},
		"the card is that of":      {{Server: server.Options{Card: whole}}},
		"only one of":              {{Folder: t.TempDir(), Engine: engine.Options{Journal: tasks}}},
		"Options.TurnLimit":        {{Engine: engine.Options{TurnLimit: -1}}},
		"Options.JSONRPCPaths":     {{Server: server.Options{JSONRPCPaths: []string{"x"}}}},
		"the data path is not a f": {{Folder: "dragoman_test.go"}},
	} {
		err := dragoman.Serve("127.0.0.1:0", whole, nothing, opts...)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q in it", err, want)
		}
	}
}

// A protected and durable agent takes less than 20 lines.
func TestAGuardedAgentIsShort(t *testing.T) {
	t.Parallel()
	const example = "examples/guarded/main.go"
	files := token.NewFileSet()
	program, err := parser.ParseFile(files, example, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	lines := 0
	for _, d := range program.Decls {
		if g, ok := d.(*ast.GenDecl); !ok || g.Tok != token.IMPORT {
			lines += files.Position(d.End()).Line - files.Position(d.Pos()).Line + 1
		}
	}
	if lines == 0 || lines >= 20 {
		t.Errorf("%s has %d lines beside its imports", example, lines)
	}
}
