// SPDX-License-Identifier: Apache-2.0

// Package jsonrpc is the JSON-RPC binding of the protocol (A2A 1.0 §9).
package jsonrpc

import (
	"fmt"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/binding"
	"github.com/dragoman-a2a/dragoman/internal/binding/sse"
	"github.com/dragoman-a2a/dragoman/internal/wire"
	v1 "github.com/dragoman-a2a/dragoman/internal/wire/v1"
)

// A Server answers JSON-RPC requests.
type Server struct {
	Core *binding.Core
}

// Serve answers one request, which is a POST.
func (s *Server) Serve(x *binding.Exchange) {
	if e := s.Core.Admit(x); e != nil {
		s.fail(x, nil, e)
		return
	}
	if mediaType := binding.MediaType(x.R.Header.Get("Content-Type")); mediaType != wire.MediaTypeJSON {
		s.fail(x, nil, a2a.NewError(a2a.ErrUnsupportedMediaType, fmt.Sprintf("the Content-Type of a JSON-RPC request must be application/json, not %.100q", mediaType)))
		return
	}
	env, request, op, e := s.read(x)
	if e != nil {
		s.fail(x, env.id, e)
		return
	}
	if op.Streams() {
		if e := s.Core.Stream(x, request, newFrame(env.id)); e != nil {
			s.fail(x, env.id, e)
		}
		return
	}
	result, e := s.Core.Call(x, request)
	if e == nil {
		e = a2a.AsError(s.answer(x, env.id, op, result))
	}
	if e != nil {
		s.fail(x, env.id, e)
	}
}

// read reads a request up to the point where the service can be called. The envelope is never nil.
func (s *Server) read(x *binding.Exchange) (*envelope, any, wire.Operation, *a2a.Error) {
	buf := binding.Buffer()
	defer binding.Release(buf)
	if e := s.Core.Read(x, buf); e != nil {
		return &envelope{}, nil, wire.OpNone, e
	}
	env, e := decode(buf.Bytes())
	if e != nil {
		return env, nil, wire.OpNone, e
	}
	gen, e := s.Core.Generation(x.R)
	if e != nil {
		return env, nil, wire.OpNone, e
	}
	op := wire.OperationOf(env.method)
	if op == wire.OpNone {
		return env, nil, op, a2a.NewError(a2a.ErrMethodNotFound, fmt.Sprintf("version %s has no method %.100q", gen, env.method))
	}
	if e := s.Core.Prepare(x, op, gen, a2a.BindingJSONRPC); e != nil {
		return env, nil, op, e
	}
	request, e := env.decodeParams(op)
	return env, request, op, e
}

func (s *Server) answer(x *binding.Exchange, id []byte, op wire.Operation, result any) error {
	buf := binding.Buffer()
	defer binding.Release(buf)
	b := append(appendPrefix(buf.AvailableBuffer(), id), `,"result":`...)
	b, err := v1.AppendResult(b, op, result)
	if err != nil {
		return fmt.Errorf("encoding the result: %w", err)
	}
	buf.Write(append(b, '}'))
	s.Core.Answer(x, result, wire.MediaTypeJSON, buf.Bytes())
	return nil
}

func (s *Server) fail(x *binding.Exchange, id []byte, e *a2a.Error) {
	s.Core.AnswerError(x, wire.RowOf(e.Kind).JSONRPCStatus(), wire.MediaTypeJSON, appendError(nil, id, e), e)
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
func appendError(dst, id []byte, e *a2a.Error) []byte {
	dst = append(appendPrefix(dst, id), `,"error":`...)
	return append(wire.AppendRPCError(dst, a2a.Generation10, e), '}')
}

// A frame makes each event of a stream a response to the request that opened it.
type frame struct {
	id     []byte
	prefix []byte
}

func newFrame(id []byte) *frame {
	return &frame{id: id, prefix: append(appendPrefix(nil, id), `,"result":`...)}
}

var suffix = []byte{'}'}

// AppendEvent wraps the event's shared bytes; it does not encode them again.
func (f *frame) AppendEvent(dst []byte, ev a2a.StreamEvent) ([]byte, error) {
	b, err := ev.Encoded(a2a.Generation10, v1.EncodeEvent)
	if err != nil {
		return dst, err
	}
	return sse.AppendEvent(dst, ev.ID, f.prefix, b, suffix), nil
}

func (f *frame) AppendError(dst []byte, e *a2a.Error) []byte {
	return sse.AppendEvent(dst, "", appendError(nil, f.id, e))
}
