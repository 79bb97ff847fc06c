// SPDX-License-Identifier: Apache-2.0

// Package mcptools gives a model the tools of an MCP server: one that is started as a command and spoken with over its
// standard input and output, or one that is reached by streamable HTTP.
//
//	server, err := mcptools.Open(ctx, mcptools.Options{Command: []string{"parts-server", "--stock", "parts.json"}})
//	...
//	defer server.Close()
//	answer, err := llm.Run(ctx, model, llm.Task{Tools: server.Tools(), ...})
//
// Names, descriptions and results of tools come from the server and reach the model as they are: connect servers that
// you trust with what the model may do.
package mcptools

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/dragoman-a2a/dragoman/internal/llm"
	"github.com/dragoman-a2a/dragoman/internal/schema"
)

// Options say where an MCP server is. One of Command, URL and Transport is set.
type Options struct {
	Command []string // a program and its arguments
	// "NAME=value", beside the harmless part of the environment (PATH, HOME and the like): keys stay here
	Env []string

	URL       string        // of streamable HTTP
	Transport mcp.Transport // another way, such as a server in this process

	Prefix string        // put before the names of tools, to tell those of several servers apart
	Time   time.Duration // for connecting, and for each call; 0: 1 minute
}

// Server is a connected MCP server. It is safe for concurrent use.
type Server struct {
	session *mcp.ClientSession
	tools   []llm.Tool
	time    time.Duration
}

// maxTools bounds the tools of one server. No model chooses well among more.
const maxTools = 256

// Open connects a server and asks for its tools. The caller closes it; ctx bounds the opening only.
func Open(ctx context.Context, o Options) (*Server, error) {
	s := &Server{time: cmp.Or(o.Time, time.Minute)}
	transport, err := transport(o)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, s.time, fmt.Errorf("it took longer than %s", s.time))
	defer cancel()
	client := mcp.NewClient(&mcp.Implementation{Name: "dragoman", Version: "1"}, &mcp.ClientOptions{
		Capabilities:   &mcp.ClientCapabilities{}, // nothing of this side is the server's business
		MultiRoundTrip: &mcp.MultiRoundTripOptions{Disabled: true},
	})
	if s.session, err = client.Connect(ctx, transport, nil); err != nil {
		return nil, fmt.Errorf("connect the MCP server: %w", because(ctx, err))
	}
	if err := s.load(ctx, o); err != nil {
		s.Close()
		return nil, fmt.Errorf("list the tools of the MCP server: %w", because(ctx, err))
	}
	return s, nil
}

// because is the reason for which the context ended, if it did, else the error.
func because(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// transport is the way to the server.
func transport(o Options) (mcp.Transport, error) {
	set := 0
	for _, is := range []bool{len(o.Command) > 0, o.URL != "", o.Transport != nil} {
		if is {
			set++
		}
	}
	switch {
	case set != 1:
		return nil, errors.New("mcptools: set one of Command, URL and Transport")
	case o.Transport != nil:
		return o.Transport, nil
	case o.URL != "":
		return &mcp.StreamableClientTransport{Endpoint: o.URL, HTTPClient: httpClient, DisableStandaloneSSE: true}, nil
	}
	cmd := exec.Command(o.Command[0], o.Command[1:]...)
	cmd.Env = append(harmless(), o.Env...)
	return &mcp.CommandTransport{Command: cmd}, nil
}

// harmless is the part of the environment that programs need and that holds no secrets.
func harmless() []string {
	var env []string
	for _, name := range []string{
		"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LC_ALL", "TZ", "TERM", "TMPDIR", "TMP", "TEMP",
		"SYSTEMROOT", "SYSTEMDRIVE", "APPDATA", "LOCALAPPDATA", "PROGRAMFILES", "USERPROFILE", "PATHEXT", "COMSPEC",
	} {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// load asks for the tools. One whose schema cannot be checked is left out: the rest is still of use.
func (s *Server) load(ctx context.Context, o Options) error {
	taken := map[string]bool{}
	for t, err := range s.session.Tools(ctx, nil) {
		if err != nil {
			return err
		}
		if len(s.tools) == maxTools {
			return fmt.Errorf("it has more than %d", maxTools)
		}
		raw, err := json.Marshal(t.InputSchema, json.Deterministic(true))
		if err == nil {
			_, err = schema.Compile(raw)
		}
		if err != nil {
			slog.Warn("mcptools: a tool is left out, as its schema cannot be used", "tool", t.Name, "error", err)
			continue
		}
		s.tools = append(s.tools, llm.Tool{
			Name: unique(taken, o.Prefix+t.Name), Description: cmp.Or(t.Description, t.Title), Schema: raw,
			Call: s.caller(t.Name),
		})
	}
	return nil
}

// maxName is how long the name of a tool may be for models.
const maxName = 64

// unfit matches what a name for models cannot have.
var unfit = regexp.MustCompile(`[^a-zA-Z0-9_-]`)

// unique is a name that models take and that no other tool has.
func unique(taken map[string]bool, name string) string {
	name = unfit.ReplaceAllString(name, "_")
	name = name[:min(len(name), maxName)]
	for n := 2; taken[name]; n++ {
		suffix := fmt.Sprintf("_%d", n)
		name = name[:min(len(name), maxName-len(suffix))] + suffix
	}
	taken[name] = true
	return name
}

// Tools are the server's tools as they were when it was opened.
func (s *Server) Tools() []llm.Tool { return slices.Clone(s.tools) }

// Close ends the connection, and the command if there is one: it gets 5 s to end by itself.
func (s *Server) Close() error { return s.session.Close() }
