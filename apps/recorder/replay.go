// SPDX-License-Identifier: Apache-2.0

package recorder

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/dragoman-a2a/dragoman/internal/binding/sse"
	"github.com/dragoman-a2a/dragoman/internal/redact"
)

// maxOpen bounds the requests that a replay has open at once.
const maxOpen = 256

// Replay plays the client of a cassette against an agent, and records what that answers. A request is made as soon as
// all has happened that had happened when it was recorded: the answers are there, and as many events of streams that
// are still open. Params are headers of each request, credentials say, that the cassette has not.
func Replay(ctx context.Context, c *Cassette, agent string, params http.Header, opts *Options) error {
	routes, err := newRoutes(agent, "")
	if err != nil {
		return err
	}
	t, err := newTape(routes, opts)
	if err != nil {
		return err
	}
	if err := t.look(ctx); err != nil {
		return fmt.Errorf("the agent's card: %w", err)
	}
	r := &replay{tape: t, params: params, bound: newBinding(routes.base), happened: make(map[int]int),
		over: make(map[int]bool), moved: make(chan struct{})}
	return r.run(ctx, c)
}

type replay struct {
	tape   *tape
	params http.Header

	mu       sync.Mutex
	bound    *binding
	happened map[int]int   // lines of each exchange behind its request
	over     map[int]bool  // exchanges that have come to their end
	moved    chan struct{} // closed, and replaced, when one of them changes
}

// run makes the requests, in their order.
func (r *replay) run(ctx context.Context, c *Cassette) error {
	exchanges := make(map[int]*Exchange)
	for _, e := range c.Exchanges {
		exchanges[e.Request.N] = e
	}
	var running sync.WaitGroup
	defer running.Wait()
	sending, cancel := context.WithCancel(ctx)
	defer cancel() // what is still open when the replay fails
	places := make(chan struct{}, maxOpen)
	before := make(map[int]int) // lines of each exchange so far
	for _, l := range c.Lines {
		if l.Dir != Request {
			before[l.N]++
			continue
		}
		if err := r.await(ctx, before); err != nil {
			return err
		}
		select {
		case places <- struct{}{}:
		case <-ctx.Done():
			return ctx.Err()
		}
		req, err := r.request(sending, l)
		if err != nil {
			return fmt.Errorf("exchange %d: %w", l.N, err)
		}
		before[l.N] = 0
		sent := make(chan struct{})
		running.Go(func() {
			r.exchange(req, exchanges[l.N], sent)
			<-places
		})
		<-sent
	}
	running.Wait()
	return ctx.Err()
}

// await waits until as much has happened in each exchange.
func (r *replay) await(ctx context.Context, before map[int]int) error {
	for {
		r.mu.Lock()
		done := true
		for n, lines := range before {
			if r.over[n] { // what it still lacks does not come
				delete(before, n)
			} else if r.happened[n] < lines {
				done = false
			}
		}
		moved := r.moved
		r.mu.Unlock()
		if done {
			return nil
		}
		select {
		case <-moved:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// move notes that something happened in an exchange.
func (r *replay) move(n int, over bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.happened[n]++
	r.over[n] = r.over[n] || over
	close(r.moved)
	r.moved = make(chan struct{})
}

// request makes a recorded request one for the agent of now.
func (r *replay) request(ctx context.Context, l *Line) (*http.Request, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	address, err := r.tape.routes.to(r.bound.fill(l.Path))
	if err != nil {
		return nil, err
	}
	body, err := r.bound.body(l)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, l.Method, address, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	for name, value := range l.Headers {
		if value != redact.Mark {
			req.Header.Set(name, r.bound.fill(value))
		}
	}
	req.Header.Set("Accept-Encoding", "identity")
	if l.Proto != "card" {
		for name, values := range r.params {
			req.Header[name] = values
		}
	}
	return req, nil
}

// exchange makes a request and reads as much of the answer as was recorded. Sent is closed once the request is
// recorded: later ones have higher numbers.
func (r *replay) exchange(req *http.Request, recorded *Exchange, sent chan struct{}) {
	n := recorded.Request.N
	defer r.move(n, true)
	resp, err := r.tape.roundTrip(req, func() { close(sent) })
	if err != nil {
		return // it is in the cassette
	}
	defer resp.Body.Close()
	if !isStream(resp.Header.Get("Content-Type")) {
		body, err := io.ReadAll(resp.Body)
		if err == nil && recorded.Answer != nil {
			r.learn(recorded.Answer, body, "")
		}
		return
	}
	r.move(n, false)
	events := sse.NewReader(resp.Body, r.tape.opts.MaxBody)
	for i := 0; !(recorded.left() && i >= len(recorded.Events)); i++ {
		ev, err := events.Next()
		if err != nil {
			return
		}
		if i < len(recorded.Events) {
			r.learn(recorded.Events[i], ev.Data, ev.ID)
		}
		r.move(n, false)
	}
}

// learn gives placeholders the values that the agent has given them now.
func (r *replay) learn(recorded *Line, body []byte, event string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if recorded.SSE != nil && event != "" && strings.HasPrefix(only(recorded.SSE.ID), kindEvent) {
		r.bound.values[only(recorded.SSE.ID)] = event
	}
	was, err := parse(recorded.Body)
	if err != nil {
		return
	}
	if is, err := parse(body); err == nil {
		r.bound.learn(was, is)
	}
}
