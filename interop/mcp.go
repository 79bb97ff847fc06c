// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"
)

// An mcpRequest is what a program with clients of MCP is asked to do, by one of its clients. It is a line of JSON.
type mcpRequest struct {
	ID        int             `json:"id"`
	Who       string          `json:"who"`
	Do        string          `json:"do"`
	Elicits   bool            `json:"elicits,omitempty"` // of connect: the client can ask a person
	Tool      string          `json:"tool,omitempty"`
	Name      string          `json:"name,omitempty"` // of a prompt
	Arguments json.RawMessage `json:"arguments,omitempty"`
	Progress  bool            `json:"progress,omitempty"` // the client wants to hear of it
	Cancel    bool            `json:"cancel,omitempty"`   // at the first progress
	Answer    string          `json:"answer,omitempty"`   // of the person who is asked
	URI       string          `json:"uri,omitempty"`
}

// An mcpAnswer is what came of a request.
type mcpAnswer struct {
	ID         int             `json:"id"`
	Error      string          `json:"error"`
	Version    string          `json:"version"`
	Names      []string        `json:"names"`
	Content    []mcpContent    `json:"content"`
	Structured json.RawMessage `json:"structured"`
	Failed     bool            `json:"failed"`
	Cancelled  bool            `json:"cancelled"`
	Progress   []string        `json:"progress"`
	Asked      []string        `json:"asked"`
}

// An mcpContent is a block of an answer, a resource, or a message of a prompt.
type mcpContent struct{ Type, Text string }

// text returns the text of an answer that has nothing else.
func (a *mcpAnswer) text() (string, error) {
	if len(a.Content) != 1 || a.Content[0].Type != "text" && a.Content[0].Type != "" {
		return "", fmt.Errorf("the answer is no text: %+v", a.Content)
	}
	return a.Content[0].Text, nil
}

// An mcpProgram is a running program with clients of MCP.
type mcpProgram struct {
	cmd      *exec.Cmd
	revision string
	tail     tail // of its error stream

	mu      sync.Mutex // guards what follows
	in      io.WriteCloser
	last    int
	waiting map[int]chan mcpAnswer
	known   map[string]bool // the clients that are connected
	ended   chan struct{}   // closed when it says nothing more
}

// startMCP starts the program of a peer, whose clients reach our server at a target.
func (l *lab) startMCP(ctx context.Context, r *row, target ...string) (*mcpProgram, error) {
	over, revision := r.mcp()
	p := &mcpProgram{
		cmd:      r.program.command(ctx, r.program.client, append([]string{revision, over}, target...)...),
		revision: revision,
		waiting:  map[int]chan mcpAnswer{}, known: map[string]bool{}, ended: make(chan struct{}),
	}
	in, err := p.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.in, p.cmd.Stderr = in, io.MultiWriter(&output{lab: l, cmd: p.cmd}, &p.tail)
	p.cmd.WaitDelay = 5 * time.Second // what it has started may have its error stream
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	go p.read(out)
	return p, nil
}

// read hands out answers until the program ends.
func (p *mcpProgram) read(out io.Reader) {
	defer close(p.ended)
	for lines := bufio.NewReader(out); ; {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		var a mcpAnswer
		if json.Unmarshal(line, &a) != nil {
			continue // some SDKs log to standard output, too
		}
		p.mu.Lock()
		c := p.waiting[a.ID]
		delete(p.waiting, a.ID)
		p.mu.Unlock()
		if c != nil {
			c <- a
		}
	}
}

// close lets the program end.
func (p *mcpProgram) close() {
	p.in.Close() // it may have ended
	<-p.ended
	_ = p.cmd.Wait() // how it ends does not matter any more
}

// ask has a client do something.
func (p *mcpProgram) ask(ctx context.Context, request mcpRequest) (*mcpAnswer, error) {
	answered, err := p.send(&request)
	if err != nil {
		return nil, err
	}
	select {
	case a := <-answered:
		if a.Error != "" {
			return nil, fmt.Errorf("%s of %s: %s", request.Do, request.Who, a.Error)
		}
		return &a, nil
	case <-p.ended:
		return nil, fmt.Errorf("%s of %s: the client ended: %s", request.Do, request.Who, p.tail.String())
	case <-ctx.Done():
		return nil, fmt.Errorf("%s of %s is not answered: %w", request.Do, request.Who, context.Cause(ctx))
	}
}

func (p *mcpProgram) send(request *mcpRequest) (chan mcpAnswer, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last++
	request.ID = p.last
	line, err := json.Marshal(request)
	if err != nil {
		return nil, err
	}
	if _, err := p.in.Write(append(line, '\n')); err != nil {
		return nil, fmt.Errorf("the client ended: %w", err)
	}
	answered := make(chan mcpAnswer, 1)
	p.waiting[request.ID] = answered
	return answered, nil
}

// A caller is one client of a program.
type caller struct {
	*mcpProgram
	who string
}

// connect makes another client. It has to speak the revision that it should.
func (p *mcpProgram) connect(ctx context.Context, who string, elicits bool) (*caller, error) {
	a, err := p.ask(ctx, mcpRequest{Who: who, Do: "connect", Elicits: elicits})
	if err != nil {
		return nil, err
	}
	if a.Version != p.revision {
		return nil, fmt.Errorf("the client speaks MCP %q and should speak %s", a.Version, p.revision)
	}
	return &caller{p, who}, nil
}

// do has the client do something.
func (c *caller) do(ctx context.Context, what string, request mcpRequest) (*mcpAnswer, error) {
	request.Who, request.Do = c.who, what
	return c.ask(ctx, request)
}

// call calls a tool.
func (c *caller) call(ctx context.Context, tool, arguments string) (*mcpAnswer, error) {
	return c.do(ctx, "call", mcpRequest{Tool: tool, Arguments: json.RawMessage(arguments)})
}

// names compares a list with what it should be, in any order.
func (c *caller) names(ctx context.Context, what string, want ...string) error {
	a, err := c.do(ctx, what, mcpRequest{})
	if err != nil {
		return err
	}
	slices.Sort(a.Names)
	slices.Sort(want)
	if !slices.Equal(a.Names, want) {
		return fmt.Errorf("%s are\n%s\nand should be\n%s", what, strings.Join(a.Names, " "), strings.Join(want, " "))
	}
	return nil
}

// mcpScenarios plays the scenarios of a row at once, as most of what they do is to wait.
func mcpScenarios(ctx context.Context, plays map[string]func(context.Context) error) map[string]result {
	results := map[string]result{}
	var mu sync.Mutex
	var work sync.WaitGroup
	for scenario, play := range plays {
		work.Go(func() {
			r := result{Scenario: scenario, OK: true}
			if err := play(ctx); err != nil {
				r.OK, r.Detail = false, err.Error()
			}
			mu.Lock()
			defer mu.Unlock()
			results[scenario] = r
		})
	}
	work.Wait()
	return results
}
