// SPDX-License-Identifier: Apache-2.0

package recorder

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/dragoman-a2a/dragoman/internal/binding/sse"
	"github.com/dragoman-a2a/dragoman/internal/redact"
)

// A Player is the agent of a cassette. Each recorded request is answered once, by its method, path and body, in
// whatever order requests come; of equal ones the first comes first. Agent cards are answered as often as they are
// asked for.
type Player struct {
	cassette *Cassette
	refused  func(string)

	mu     sync.Mutex
	bound  *binding
	played []bool
}

// NewPlayer returns a player that clients reach at self. Refused, which may be nil, is told of requests that the
// cassette has not.
func NewPlayer(c *Cassette, self string, refused func(string)) *Player {
	if refused == nil {
		refused = func(string) {}
	}
	return &Player{cassette: c, refused: refused, bound: newBinding(strings.TrimSuffix(self, "/")),
		played: make([]bool, len(c.Exchanges))}
}

// Left returns how many requests of the cassette nobody has made, cards aside.
func (p *Player) Left() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := 0
	for i, e := range p.cassette.Exchanges {
		if !p.played[i] && e.Request.Proto != "card" {
			n++
		}
	}
	return n
}

// ServeHTTP answers a request as the agent did.
func (p *Player) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, err := readBody(req.Body, MaxBody)
	if err != nil {
		refuse(w, req, err)
		return
	}
	e, bound, why := p.find(req, body)
	if e == nil {
		p.refused(why)
		unmatched(w, body, "dragoman replay: "+why)
		return
	}
	p.answer(w, e, bound)
}

// find returns the exchange that a request is part of and the values of its placeholders, or why there is none.
func (p *Player) find(req *http.Request, body []byte) (*Exchange, *binding, string) {
	path := pathOf(req)
	p.mu.Lock()
	defer p.mu.Unlock()
	var next *Exchange
	var nearest *mismatch
	for i, e := range p.cassette.Exchanges {
		if p.played[i] && e.Request.Proto != "card" {
			continue
		}
		trial := p.bound.trial()
		m := trial.request(e.Request, req.Method, path, body)
		if m == nil {
			p.played[i] = true
			return e, p.bound.keepCall(trial), ""
		}
		if e.Request.Proto == "card" {
			continue
		}
		if next == nil || len(m.where) > len(nearest.where) && strings.HasPrefix(nearest.where, "path") {
			next, nearest = e, m
		}
	}
	if next == nil {
		return nil, nil, fmt.Sprintf("all requests of the cassette have been made, and it has no further %s %s",
			req.Method, path)
	}
	return nil, nil, fmt.Sprintf("the cassette has no such request: it expects exchange %d, %s, and here %v",
		next.Request.N, next.Request.Title(), nearest)
}

// unmatched answers a request that the cassette has not, as its binding wants.
func unmatched(w http.ResponseWriter, body []byte, why string) {
	w.Header().Set("Content-Type", "application/json")
	if n, err := parse(body); err == nil && n.has("jsonrpc") {
		id := []byte("null")
		if n.has("id") {
			id = n.member("id").encode()
		}
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32603,"message":%s}}`, id, quote(why))
		return
	}
	w.WriteHeader(http.StatusInternalServerError)
	io.WriteString(w, `{"error":{"code":500,"status":"INTERNAL","message":`+quote(why)+`}}`)
}

func (p *Player) answer(w http.ResponseWriter, e *Exchange, bound *binding) {
	if e.Answer == nil {
		why := "the recording has no answer to this request"
		if e.End != nil {
			why = e.End.Error
		}
		refuse(w, nil, fmt.Errorf("exchange %d: %s", e.Request.N, why))
		return
	}
	body, err := p.fill(bound, e.Answer)
	if err != nil {
		refuse(w, nil, err)
		return
	}
	for name, value := range e.Answer.Headers {
		if value != redact.Mark {
			w.Header().Set(name, p.text(bound, value))
		}
	}
	w.WriteHeader(e.Answer.Status)
	if !e.IsStream() {
		w.Write(body)
		return
	}
	flush := http.NewResponseController(w)
	flush.Flush()
	for _, l := range e.Events {
		data, err := p.fill(bound, l)
		if err == nil {
			_, err = w.Write(p.event(bound, l, data))
		}
		if err != nil {
			return
		}
		flush.Flush()
	}
}

// event returns an event as it is on the wire.
func (p *Player) event(bound *binding, l *Line, data []byte) []byte {
	if l.SSE == nil {
		return sse.AppendEvent(nil, "", data)
	}
	var b []byte
	if name := l.SSE.Event; name != "" && !strings.ContainsAny(name, "\r\n") {
		b = append(b, "event: "+name+"\n"...)
	}
	return sse.AppendEvent(b, p.text(bound, l.SSE.ID), bytes.TrimSuffix(data, []byte{'\n'}))
}

func (p *Player) fill(bound *binding, l *Line) ([]byte, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return bound.body(l)
}

func (p *Player) text(bound *binding, s string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return bound.fill(s)
}
