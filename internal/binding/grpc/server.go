// SPDX-License-Identifier: Apache-2.0

package grpc

import (
	"context"
	"net/http"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/keepalive"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/binding"
	"github.com/dragoman-a2a/dragoman/internal/wire"
)

// A Server answers the calls of both packages, those of the generations that its Host serves.
type Server struct {
	Host *binding.Host
	// Context ends, with a cause, when calls that came to a listener of gRPC's own must end. Nil means never. Calls
	// that came over net/http have their own.
	Context context.Context
}

// minPing is how often a client may ask whether the connection lives.
const minPing = 5 * time.Second

// Options are those with which every gRPC server has to be made that Register is called for.
func (s *Server) Options() []grpc.ServerOption {
	core := s.Host.Core
	return []grpc.ServerOption{
		grpc.ForceServerCodecV2(newCodec()),
		grpc.MaxRecvMsgSize(int(core.MaxBody)),
		grpc.MaxConcurrentStreams(uint32(s.Host.StreamsPerConn)),
		grpc.MaxHeaderListSize(64 << 10),
		grpc.StaticStreamWindowSize(64 << 10), // of a message that waits for room no more is here; see receive.go
		grpc.StaticConnWindowSize(chunk),
		grpc.ConnectionTimeout(s.Host.HeaderTimeout),
		grpc.KeepaliveParams(keepalive.ServerParameters{
			MaxConnectionIdle: s.Host.IdleTimeout, Time: core.KeepAlive, Timeout: core.WriteTimeout,
		}),
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: minPing, PermitWithoutStream: true}),
		grpc.UnknownServiceHandler(s.unknown),
	}
}

// Forms returns the forms that are served.
func (s *Server) Forms() []Form {
	var forms []Form
	for _, gen := range []a2a.Generation{a2a.Generation10, a2a.Generation03} {
		if s.Host.Core.Serves(gen) {
			forms = append(forms, FormOf(gen, s.Host.Core.MaxDepth, s.Host.Core.RawFiles))
		}
	}
	return forms
}

// Register adds the services to a gRPC server. All methods are registered as streams, which on the wire makes no
// difference: so a caller is known before a byte of what it sends is read.
func (s *Server) Register(r grpc.ServiceRegistrar) {
	for _, form := range s.Forms() {
		desc := &grpc.ServiceDesc{ServiceName: form.Service(), Metadata: form.File()}
		for op := wire.OpSendMessage; op <= wire.OpExtendedCard; op++ {
			if name := form.Method(op); name != "" {
				desc.Streams = append(desc.Streams, grpc.StreamDesc{
					StreamName: name, ServerStreams: op.Streams(),
					Handler: func(_ any, stream grpc.ServerStream) error {
						return s.handle(&call{server: s, form: form, op: op, stream: stream})
					},
				})
			}
		}
		r.RegisterService(desc, nil)
	}
}

// unknown answers calls of services and methods that are not there.
func (s *Server) unknown(_ any, stream grpc.ServerStream) error {
	e := a2a.NewError(a2a.ErrMethodNotFound, "this server has no such gRPC method")
	return statusOf(s.Host.Core.GRPCCode(a2a.Generation10, e), e)
}

// handle runs one call.
func (s *Server) handle(c *call) error {
	ctx, cancel := context.WithCancelCause(c.stream.Context())
	defer cancel(nil)
	origin, overHTTP := ctx.Value(originKey{}).(*http.Request)
	end := s.Context
	if overHTTP {
		end = origin.Context()
	}
	if end != nil {
		defer context.AfterFunc(end, func() { cancel(context.Cause(end)) })()
	}
	c.request = requestOf(ctx)
	c.body, _ = ctx.Value(bodyKey{}).(*body)
	if overHTTP {
		return c.run() // net/http has the deadlines
	}
	return c.watched()
}

// ServeHTTP serves a call that came to a server of net/http, over HTTP/2, through a gRPC server that is only for those.
func (s *Server) ServeHTTP(g *grpc.Server, w http.ResponseWriter, r *http.Request) {
	// gRPC drops a call whose request has ended without a word. When that is because the server shuts down, the call is
	// to say so first; so it sees the end of the request only when the caller has gone.
	ctx, cancel := context.WithCancelCause(context.WithValue(context.WithoutCancel(r.Context()), originKey{}, r))
	defer cancel(nil)
	defer context.AfterFunc(r.Context(), func() {
		if cause := context.Cause(r.Context()); cause != binding.ShuttingDown {
			cancel(cause)
		}
	})()
	body := newBody(r.Body)
	call := r.WithContext(context.WithValue(ctx, bodyKey{}, body))
	call.Body = body
	g.ServeHTTP(&patientWriter{w, http.NewResponseController(w), s.Host.Core.WriteTimeout}, call)
}

// A patientWriter gives each write its time. A reader that misses it loses the call.
type patientWriter struct {
	http.ResponseWriter
	control *http.ResponseController
	timeout time.Duration
}

func (w *patientWriter) Write(b []byte) (int, error) {
	w.control.SetWriteDeadline(time.Now().Add(w.timeout))
	return w.ResponseWriter.Write(b)
}

// Flush ends each message of gRPC, and with it the deadline: one that passes between two writes resets the stream.
func (w *patientWriter) Flush() {
	w.control.SetWriteDeadline(time.Now().Add(w.timeout))
	w.control.Flush()
	w.control.SetWriteDeadline(time.Time{})
}
