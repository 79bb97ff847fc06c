// SPDX-License-Identifier: Apache-2.0

// Package rest is the HTTP+JSON binding of the protocol (A2A 1.0 §11).
package rest

import (
	"cmp"
	"fmt"
	"net/http"
	"strings"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/binding"
	"github.com/dragoman-a2a/dragoman/internal/binding/sse"
	"github.com/dragoman-a2a/dragoman/internal/wire"
	"github.com/dragoman-a2a/dragoman/internal/wire/cards"
	"github.com/dragoman-a2a/dragoman/internal/wire/v03pb"
)

// A Server answers the requests of the HTTP+JSON binding.
type Server struct {
	Core *binding.Core
	// Envelope answers a request of JSON-RPC that came to a path of 0.3 at which messages are sent: clients of Agno
	// send that. Nil refuses it.
	Envelope func(x *binding.Exchange, body []byte)
}

// Serve answers one request. A path that is none of the binding's gets a 404 in the binding's form.
func (s *Server) Serve(x *binding.Exchange) {
	r := match(x.R.URL.EscapedPath())
	if gen, _ := s.Core.Version(x.R); r.old && gen != a2a.Generation10 && s.Core.Serves(a2a.Generation03) {
		x.Generation = a2a.Generation03 // also of errors that come first
	}
	if e := s.Core.Admit(x); e != nil {
		s.fail(x, 0, e)
		return
	}
	if r.resource == resNone {
		s.fail(x, 0, a2a.NewError(a2a.ErrMethodNotFound, nothingHere))
		return
	}
	op, ok := methods[r.resource][x.R.Method]
	if !ok {
		x.W.Header().Set("Allow", allow[r.resource])
		s.fail(x, http.StatusMethodNotAllowed,
			a2a.NewError(a2a.ErrMethodNotFound,
				fmt.Sprintf("this path takes %s, not %.20s", allow[r.resource], x.R.Method)))
		return
	}
	route, e := s.Core.RoutePath(x.R, op, r.old)
	if e == nil {
		e = s.Core.Prepare(x, route, a2a.BindingHTTPJSON)
	}
	if e != nil {
		s.fail(x, 0, e)
		return
	}
	request, e := s.request(x, op, r)
	if e != nil {
		s.fail(x, 0, e)
		return
	}
	if body, ok := request.(envelope); ok {
		s.Envelope(x, body)
		return
	}
	if op.Streams() {
		if e := s.Core.Stream(x, request, frame{s, x}); e != nil {
			s.fail(x, 0, e)
		}
		return
	}
	result, e := s.Core.Call(x, request)
	if e == nil {
		e = a2a.AsError(s.answer(x, r, request, result))
	}
	if e != nil {
		s.fail(x, 0, e)
	}
}

func (s *Server) answer(x *binding.Exchange, r route, request, result any) error {
	buf := binding.Buffer()
	defer binding.Release(buf)
	b, err := appendResult(buf.AvailableBuffer(), x, r, request, result)
	if err != nil {
		return fmt.Errorf("encoding the result: %w", err)
	}
	s.Core.Answer(x, result, mediaType(x), binding.Keep(buf, b))
	return nil
}

// appendResult appends a result in the request's dialect. Where 0.2 had its card readers know no more than it.
func appendResult(dst []byte, x *binding.Exchange, r route, request, result any) ([]byte, error) {
	if card, ok := result.(*a2a.AgentCard); ok && r.resource == resCard02 {
		return cards.Append(dst, card, cards.Form02)
	}
	return x.Dialect.AppendResult(dst, x.Operation, request, result)
}

const nothingHere = "nothing is at this path; HTTP+JSON has POST /message:send and /message:stream, /tasks and what " +
	"is below it, " +
	"and the agent card, at /.well-known/agent-card.json, names the agent's endpoints"

// fail answers an error; a status of 0 is that of its kind.
func (s *Server) fail(x *binding.Exchange, status int, e *a2a.Error) {
	if status == 0 {
		status = s.Core.HTTPStatus(generation(x), e)
	}
	s.Core.AnswerError(x, status, mediaType(x), s.appendError(nil, x, status, e), e)
}

// appendError appends the body of an error. Before 1.0 no text says what that is; this is what SDKs of 0.3 read.
func (s *Server) appendError(dst []byte, x *binding.Exchange, status int, e *a2a.Error) []byte {
	if generation(x) == a2a.Generation10 {
		return wire.AppendStatusError(dst, status, s.Core.GRPCCode(a2a.Generation10, e), e)
	}
	if x.Dialect != v03pb.Text {
		e = v03pb.Named(x.Operation, e)
	} else {
		e = wire.Named(x.Generation, e)
	}
	return wire.AppendRPCError(dst, x.Generation, 0, e)
}

// generation returns that of a request: 1.0 until it is known to be another.
func generation(x *binding.Exchange) a2a.Generation { return cmp.Or(x.Generation, a2a.Generation10) }

// mediaType returns the media type to answer in: application/json, which every client takes, unless the request shows
// that it knows the newer one.
func mediaType(x *binding.Exchange) string {
	r := x.R
	if generation(x) != a2a.Generation10 {
		return wire.MediaTypeJSON
	}
	if strings.Contains(strings.ToLower(r.Header.Get("Content-Type")), wire.MediaTypeA2A) ||
		wire.Accepts(r.Header, wire.MediaTypeA2A) {
		return wire.MediaTypeA2A
	}
	return wire.MediaTypeJSON
}

// errorEvent is the type of the event that is an error of 0.3.
const errorEvent = "error"

// A frame streams bare StreamResponse objects.
type frame struct {
	s *Server
	x *binding.Exchange
}

func (frame) AppendEvent(dst []byte, id string, payload []byte) []byte {
	return sse.AppendEvent(dst, id, payload)
}

// AppendError appends an event that before 1.0 says by its type that it is an error: clients in JavaScript go by that.
func (f frame) AppendError(dst []byte, e *a2a.Error) []byte {
	if generation(f.x) != a2a.Generation10 {
		dst = append(dst, "event: "+errorEvent+"\n"...)
	}
	return sse.AppendEvent(dst, "", f.s.appendError(nil, f.x, f.s.Core.HTTPStatus(generation(f.x), e), e))
}
