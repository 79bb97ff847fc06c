// SPDX-License-Identifier: Apache-2.0

// Package jsonrpc is the JSON-RPC binding of the protocol (A2A 1.0 §9).
package jsonrpc

import (
	"fmt"
	"net/http"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/binding"
	"github.com/dragoman-a2a/dragoman/internal/binding/sse"
	"github.com/dragoman-a2a/dragoman/internal/wire"
)

// A Server answers JSON-RPC requests.
type Server struct {
	Core *binding.Core
}

// Serve answers one request, which is a POST.
func (s *Server) Serve(x *binding.Exchange) {
	x.Generation = s.Core.Presumed(x.R)
	if e := s.Core.Admit(x); e != nil {
		s.fail(x, nil, e)
		return
	}
	if mediaType := binding.MediaType(x.R.Header.Get("Content-Type")); mediaType != wire.MediaTypeJSON {
		s.fail(x, nil, a2a.NewError(a2a.ErrUnsupportedMediaType,
			fmt.Sprintf("the Content-Type of a JSON-RPC request must be application/json, not %.100q", mediaType)))
		return
	}
	s.finish(x, s.read)
}

// ServeBody answers a request that came elsewhere, such as to a path of HTTP+JSON, and whose caller is admitted.
func (s *Server) ServeBody(x *binding.Exchange, body []byte) {
	x.Generation = s.Core.Presumed(x.R)
	s.finish(x, func(x *binding.Exchange) (*envelope, any, *a2a.Error) { return s.parse(x, body) })
}

// finish answers what read returns.
func (s *Server) finish(x *binding.Exchange, read func(*binding.Exchange) (*envelope, any, *a2a.Error)) {
	env, request, e := read(x)
	if e == nil {
		e = s.run(x, env, request)
	}
	if e != nil {
		s.fail(x, env.id, e)
	}
}

// run calls the service and answers, unless it returns an error.
func (s *Server) run(x *binding.Exchange, env *envelope, request any) *a2a.Error {
	if x.Operation.Streams() {
		return s.Core.Stream(x, request, newFrame(x, env.id))
	}
	result, e := s.Core.Call(x, request)
	if e != nil {
		return e
	}
	return a2a.AsError(s.answer(x, env.id, request, result))
}

// read reads a request up to the point where the service can be called. The envelope is never nil.
func (s *Server) read(x *binding.Exchange) (*envelope, any, *a2a.Error) {
	buf := binding.Buffer()
	defer binding.Release(buf)
	if e := s.Core.Read(x, buf); e != nil {
		return &envelope{}, nil, e
	}
	return s.parse(x, buf.Bytes())
}

// parse decodes a body, of which the result keeps nothing.
func (s *Server) parse(x *binding.Exchange, body []byte) (*envelope, any, *a2a.Error) {
	env, e := decode(body)
	if e != nil {
		return env, nil, e
	}
	x.Route, e = s.Core.RouteMethod(x.R, env.method)
	if e != nil {
		return env, nil, e
	}
	if e := env.checkVersion(x.Generation); e != nil {
		return env, nil, e
	}
	if e := s.Core.Prepare(x, x.Route, a2a.BindingJSONRPC); e != nil {
		return env, nil, e
	}
	request, e := env.decodeParams(x.Route)
	env.body, env.params, env.request = nil, nil, nil // the envelope lives as long as the request is worked on
	return env, request, e
}

func (s *Server) answer(x *binding.Exchange, id []byte, request, result any) error {
	buf := binding.Buffer()
	defer binding.Release(buf)
	b := append(appendPrefix(buf.AvailableBuffer(), id), `,"result":`...)
	b, err := x.Dialect.AppendResult(b, x.Operation, request, result)
	if err != nil {
		return fmt.Errorf("encoding the result: %w", err)
	}
	s.Core.Answer(x, result, wire.MediaTypeJSON, binding.Keep(buf, append(b, '}')))
	return nil
}

// fail answers with an error. Before 1.0 the error of a stream is its one event (A2A 0.3.0 §3.3.1), because clients of
// those versions look for nothing else. An error with an HTTP status of its own is not sent as a stream.
func (s *Server) fail(x *binding.Exchange, id []byte, e *a2a.Error) {
	status, mediaType, body := wire.RowOf(e.Kind).JSONRPCStatus(), wire.MediaTypeJSON, appendError(nil, x, id, e)
	if status == http.StatusOK && x.Operation.Streams() && x.Generation != a2a.Generation10 {
		mediaType, body = sse.ContentType, sse.AppendEvent(nil, "", body)
	}
	s.Core.AnswerError(x, status, mediaType, body, e)
}

// appendPrefix appends the beginning of a response.
func appendPrefix(dst, id []byte) []byte {
	dst = append(dst, `{"jsonrpc":"2.0","id":`...)
	if id == nil {
		return append(dst, "null"...)
	}
	return append(dst, id...)
}

// appendError appends a whole response with an error.
func appendError(dst []byte, x *binding.Exchange, id []byte, e *a2a.Error) []byte {
	dst = append(appendPrefix(dst, id), `,"error":`...)
	return append(wire.AppendRPCError(dst, x.Generation, x.Code(e), wire.Named(x.Generation, e)), '}')
}

// A frame makes each payload of a stream a response to the request that opened it.
type frame struct {
	x      *binding.Exchange
	id     []byte
	prefix []byte
}

func newFrame(x *binding.Exchange, id []byte) *frame {
	return &frame{x: x, id: id, prefix: append(appendPrefix(nil, id), `,"result":`...)}
}

var suffix = []byte{'}'}

func (f *frame) AppendEvent(dst []byte, id string, payload []byte) []byte {
	return sse.AppendEvent(dst, id, f.prefix, payload, suffix)
}

func (f *frame) AppendError(dst []byte, e *a2a.Error) []byte {
	return sse.AppendEvent(dst, "", appendError(nil, f.x, f.id, e))
}
