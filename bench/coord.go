// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/dragoman-a2a/dragoman/apps/coord"
	"github.com/dragoman-a2a/dragoman/apps/coord/daemon"
	"github.com/dragoman-a2a/dragoman/store/sqlite"
)

// serveCoord serves the coordinator with its defaults, on SQLite in a folder.
func serveCoord(ctx context.Context, ln net.Listener, folder string) error {
	quiet := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	db, err := sqlite.Open(ctx, folder, sqlite.Options{})
	if err != nil {
		return err
	}
	defer db.Close()
	tables, err := coord.OpenTables(ctx, db)
	if err != nil {
		return err
	}
	hub := coord.NewHub(&coord.HubOptions{Store: tables, Logger: quiet})
	defer hub.Close()
	return serveHandler(ctx, ln, daemon.New(daemon.Options{Hub: hub, Tokens: tables, Logger: quiet}))
}

// serveLog serves what a coordinator cannot do without: for each call it decodes JSON, and for those that change
// something it writes a page to a file and waits for the disk. It is the measure of the calls at a pace.
func serveLog(ctx context.Context, ln net.Listener, folder string) (err error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	log, err := os.Create(filepath.Join(folder, "log"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	var mu sync.Mutex
	return serveHandler(ctx, ln, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var call struct {
			ID     int `json:"id"`
			Params struct {
				Name string `json:"name"`
			} `json:"params"`
		}
		err := json.UnmarshalRead(r.Body, &call)
		if err == nil && !slices.Contains([]string{"check_messages", "heartbeat", "get_recent_changes"},
			call.Params.Name) {
			mu.Lock()
			_, err = log.Write(make([]byte, 4<<10))
			err = errors.Join(err, log.Sync())
			mu.Unlock()
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"{}"}]}}`, call.ID)
	}))
}

const (
	coordAgents = 100
	coordLeases = 5 // that each agent has all the time
)

// Both kinds of MCP.
const (
	withSessions    = "2025-11-25"
	withoutSessions = "2026-07-28"
)

// measureCoord runs agents that call the coordinator at a steady pace in one project, over both kinds of MCP. They use
// leases, to-do lists, messages and the calls that all of these share. The "library" rows show the cost of a call
// without MCP and HTTP: their agents call a hub in this process.
func measureCoord(ctx context.Context, s *settings, f *fleet) ([]row, error) {
	at, err := startOwn(ctx, "coordinator", "coord:"+filepath.Join(f.folder, "coord"))
	if err != nil {
		return nil, err
	}
	defer at.stop()
	bare, err := startOwn(ctx, "log", "log:"+filepath.Join(f.folder, "log"))
	if err != nil {
		return nil, err
	}
	defer bare.stop()
	least, err := pacedRounds(ctx, s, bare, "", 200,
		func(i int) (*coordAgent, error) { return joinMCP(ctx, bare, i, withoutSessions) })
	if err != nil {
		return nil, err
	}
	db, err := sqlite.Open(ctx, filepath.Join(f.folder, "hub"), sqlite.Options{})
	if err != nil {
		return nil, err
	}
	defer db.Close()
	tables, err := coord.OpenTables(ctx, db)
	if err != nil {
		return nil, err
	}
	hub := coord.NewHub(&coord.HubOptions{Store: tables})
	defer hub.Close()
	var rows []row
	for _, c := range []struct {
		name string
		rate float64
		join func(i int) (*coordAgent, error)
	}{
		{"MCP " + withSessions, 200, func(i int) (*coordAgent, error) { return joinMCP(ctx, at, i, withSessions) }},
		{"MCP " + withoutSessions, 200, func(i int) (*coordAgent,
			error) {
			return joinMCP(ctx, at, i, withoutSessions)
		}},
		{"library", 200, func(i int) (*coordAgent, error) { return joinHub(ctx, hub, i) }},
		{"library", 5000, func(i int) (*coordAgent, error) { return joinHub(ctx, hub, i) }},
		{"MCP " + withSessions, 5000, func(i int) (*coordAgent, error) { return joinMCP(ctx, at, i, withSessions) }},
		{"MCP " + withoutSessions, 5000,
			func(i int) (*coordAgent, error) { return joinMCP(ctx, at, i, withoutSessions) }},
	} {
		r, err := measurePace(ctx, s, at, fmt.Sprintf("coordination, %s, %.0f a second", c.name, c.rate), c.rate,
			c.join)
		if err != nil {
			return nil, err
		}
		switch {
		case c.name == "library":
			r.CPU = "" // it is that of this process
		case c.rate == 200:
			r.P99 += " (" + inMS(least.p99) + ")"
			r.CPU += fmt.Sprintf(" (%.0f)", least.cpu)
		}
		rows = append(rows, r)
	}
	return rows, nil
}

// measurePace has agents join and call, and returns a row of what came of it.
func measurePace(ctx context.Context, s *settings, at *process, name string, rate float64,
	join func(int) (*coordAgent, error)) (row, error) {
	r, err := pacedRounds(ctx, s, at, name, rate, join)
	if err != nil {
		return row{}, err
	}
	marks := []mark{under("p99", r.p99, 2*time.Millisecond)}
	if rate > 1000 {
		marks = []mark{atLeast("rate", r.rate, 0.99*rate, "/s")}
	}
	return row{
		Case: name, Conns: coordAgents, Ours: perSecond(r.rate), P50: inMS(r.p50), P99: inMS(r.p99),
		CPU: fmt.Sprintf("%.0f", r.cpu), Marks: marks,
	}, nil
}

// pacedRounds has agents join, and call in each round; the last one is profiled when there is a name. It returns
// medians.
func pacedRounds(ctx context.Context, s *settings, at *process, name string, rate float64,
	join func(int) (*coordAgent, error)) (result, error) {
	var agents []*coordAgent
	defer func() {
		for _, a := range agents {
			a.leave()
		}
	}()
	for i := range coordAgents {
		a, err := join(i)
		if err != nil {
			return result{}, err
		}
		agents = append(agents, a)
		for _, step := range a.begin {
			if err := step(); err != nil {
				return result{}, err
			}
		}
	}
	var found []result
	for round := range s.rounds {
		wait := func() error { return nil }
		if round == s.rounds-1 && name != "" {
			wait = profile(ctx, s, at, name, 2*s.slice)
		}
		r, err := pace(ctx, at, agents, rate, 2*s.slice)
		if err := errors.Join(err, wait()); err != nil {
			return result{}, err
		}
		found = append(found, r)
	}
	return medians(found), nil
}

// pace has agents call in turn, at a rate of calls a second in all, and returns the result. If a call begins late
// because the call before it took too long, its latency includes the delay.
func pace(ctx context.Context, at *process, agents []*coordAgent, rate float64, during time.Duration) (result, error) {
	before, err := at.usage(ctx)
	if err != nil {
		return result{}, err
	}
	period := time.Duration(float64(len(agents)) / rate * float64(time.Second))
	began := time.Now()
	var wg sync.WaitGroup
	took, fails := make([][]time.Duration, len(agents)), make([]error, len(agents))
	for i, a := range agents {
		first := began.Add(period * time.Duration(i) / time.Duration(len(agents)))
		wg.Go(func() { took[i], fails[i] = a.repeat(ctx, first, period, began.Add(during)) })
	}
	wg.Wait()
	elapsed := time.Since(began)
	after, err := at.usage(ctx)
	if err := errors.Join(append(fails, err)...); err != nil {
		return result{}, err
	}
	all := slices.Concat(took...)
	slices.Sort(all)
	return result{
		rate: float64(len(all)) / max(elapsed, during).Seconds(), p50: quantile(all, 0.5), p99: quantile(all, 0.99),
		cpu: float64(after.CPU-before.CPU) / float64(len(all)),
	}, nil
}

// A coordAgent is an agent that works.
type coordAgent struct {
	begin []func() error // it registers, and leases what it works on
	steps []func() error // what it does over and over
	next  int
	leave func()
}

// repeat takes a step at each period from first to end, and returns how long each took.
func (a *coordAgent) repeat(ctx context.Context, first time.Time, period time.Duration, end time.Time) ([]time.Duration,
	error) {
	var took []time.Duration
	for due := first; due.Before(end) && ctx.Err() == nil; due = due.Add(period) {
		began := due
		if wait := time.Until(due); wait > 0 {
			time.Sleep(wait)
			began = time.Now() // that a timer is late is not the server's fault
		}
		if err := a.steps[a.next%len(a.steps)](); err != nil {
			return nil, err
		}
		a.next++
		took = append(took, time.Since(began))
	}
	return took, ctx.Err()
}

// agentName returns the name of an agent, and what it leases while it works.
func agentName(i int) (name, own string) {
	name = fmt.Sprintf("task-%03d", i)
	return name, "src/" + name + "/now.ts"
}

// joinHub returns an agent in this process.
func joinHub(ctx context.Context, hub *coord.Hub, i int) (*coordAgent, error) {
	name, own := agentName(i)
	call := func(c coord.Command) func() error {
		return func() error {
			result, err := hub.Do(ctx, "shop", "", c)
			if f, failed := result.(coord.Failure); failed && f.Code != "" {
				return fmt.Errorf("%T: %s", c, f.Error)
			}
			return err
		}
	}
	announce := func(path string) func() error {
		return call(coord.Announce{Session: name, Paths: []string{path}, ChangeType: "modify",
			Description: "What is to be done there, in a few words"})
	}
	release := func(path string) func() error { return call(coord.Release{Session: name, Path: path}) }
	a := &coordAgent{
		next: i, leave: func() {},
		begin: []func() error{call(coord.Register{Session: name, TaskID: "1", Branch: "feature/" + name,
			Description: "Build one part of it"})},
		steps: []func() error{
			announce(own), call(coord.Check{Session: name}),
			call(coord.AddTodo{Session: name, Item: "Write tests for it", Priority: 2}), release(own),
			announce("src/app.ts"), call(coord.Heartbeat{Session: name}), release("src/app.ts"),
			call(coord.RecentChanges{}),
			call(coord.Define{Session: name, Name: "Part" + name,
				Definition: "interface Part { id: string; name: string; }"}),
		},
	}
	for j := range coordLeases {
		a.begin = append(a.begin, announce(fmt.Sprintf("src/%s/file-%d.ts", name, j)))
	}
	if i%10 == 0 {
		a.steps = append(a.steps, call(coord.Broadcast{Session: name, Type: "info", Content: "Part is ready"}))
	}
	return a, nil
}

// joinMCP returns an agent on a connection of its own.
func joinMCP(ctx context.Context, at *process, i int, version string) (*coordAgent, error) {
	session := ""
	if version == withSessions {
		var err error
		if session, err = initialize(ctx, at); err != nil {
			return nil, err
		}
	}
	c, err := dial(at.Addr)
	if err != nil {
		return nil, err
	}
	name, own := agentName(i)
	call := func(tool, more string) func() error {
		request := postTool(version, session, tool,
			fmt.Sprintf(`{"project_id":"shop","session_name":%q%s}`, name, more))
		return func() error { return c.callTool(request) }
	}
	announce := func(path string) func() error {
		return call("announce_file_change",
			fmt.Sprintf(
				`,"file_path":%q,"change_type":"modify","description":"What is to be done there, in a few words"`,
				path))
	}
	release := func(path string) func() error { return call("release_file_lock", fmt.Sprintf(`,"file_path":%q`, path)) }
	a := &coordAgent{
		next: i, leave: func() { c.Close() },
		begin: []func() error{call("register_agent",
			fmt.Sprintf(`,"task_id":%q,"branch":"feature/%s","description":"Build one part of it"`, version, name))},
		steps: []func() error{
			announce(own), call("check_messages", ""),
			call("add_todo", `,"todo_item":"Write tests for it","priority":2`), release(own),
			announce("src/app.ts"), call("heartbeat", ""), release("src/app.ts"), call("get_recent_changes", ""),
			call("register_interface",
				fmt.Sprintf(`,"interface_name":"Part%d","definition":"interface Part { id: string; name: string; }"`,
					i)),
		},
	}
	for j := range coordLeases {
		a.begin = append(a.begin, announce(fmt.Sprintf("src/%s/file-%d.ts", name, j)))
	}
	if i%10 == 0 {
		a.steps = append(a.steps, call("broadcast_message", `,"message_type":"info","content":"Part is ready"`))
	}
	return a, nil
}

var toolFailed = []byte(`"isError":true`)

func (c *conn) callTool(request []byte) error {
	c.SetDeadline(time.Now().Add(patience))
	body, err := c.do(request)
	if err != nil {
		return err
	}
	if !bytes.Contains(body, resultMember) || bytes.Contains(body, toolFailed) {
		return fmt.Errorf("the coordinator answered %.300s", body)
	}
	return nil
}

// initialize begins a session of MCP and returns its id.
func initialize(ctx context.Context, at *process) (string, error) {
	session := ""
	for _, body := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"` + withSessions +
			`","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
	} {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+at.Addr+"/mcp", strings.NewReader(body))
		if err != nil {
			return "", err
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
		if session != "" {
			req.Header.Set("Mcp-Session-Id", session)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			return "", err
		}
		io.Copy(io.Discard, resp.Body) // the status says it
		resp.Body.Close()
		if resp.StatusCode >= 300 {
			return "", fmt.Errorf("the coordinator refuses a session: %s", resp.Status)
		}
		session = cmp.Or(session, resp.Header.Get("Mcp-Session-Id"))
	}
	return session, nil
}

// postTool makes the bytes of a call, in a session if there is one.
func postTool(version, session, tool, arguments string) []byte {
	meta, header := "", "Mcp-Session-Id: "+session
	if session == "" {
		header = "Mcp-Method: tools/call\r\nMcp-Name: " + tool
		meta = `,"_meta":{"io.modelcontextprotocol/protocolVersion":"` + version +
			`","io.modelcontextprotocol/clientInfo":` +
			`{"name":"bench","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`
	}
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s%s}}`, tool,
		arguments, meta)
	return fmt.Appendf(nil, "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nAccept: "+
		"application/json, text/event-stream\r\n"+
		"Mcp-Protocol-Version: %s\r\n%s\r\nContent-Length: %d\r\n\r\n%s", version, header, len(body), body)
}
