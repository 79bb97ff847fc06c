// SPDX-License-Identifier: Apache-2.0

package grpc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/wire"
)

// Client is the client side of the binding (A2A 1.0 §10): a [wire.Transport] that sends every call over one connection,
// in one generation of the protocol. It sends what it is given; versions, retries and the meaning of a stream's end are
// its caller's business. A stream that the peer ends in good order ends without an error, whatever its last event was.
type Client struct {
	Conn *grpc.ClientConn // made with [DialOptions]
	Form Form

	Timeout       time.Duration // of a call that is neither a stream nor SendMessage
	SendTimeout   time.Duration // of SendMessage, which waits for the agent's work
	HeaderTimeout time.Duration // how long a stream is waited for to be refused before it counts as open
	MaxAnswer     int           // bytes of an answer that is not a stream
	MaxEvent      int           // bytes of one event
}

var _ wire.Transport = (*Client)(nil)

// DialOptions are those with which the connection of a Client has to be made.
func DialOptions() []grpc.DialOption {
	return []grpc.DialOption{
		grpc.WithDefaultCallOptions(grpc.ForceCodecV2(newCodec())),
		grpc.WithStatsHandler(tracer{}),
		grpc.WithDisableServiceConfig(), // a peer's DNS does not decide what is sent twice
	}
}

// Call makes a call that is answered once.
func (c *Client) Call(ctx context.Context, op wire.Operation, request any) (any, error) {
	if op == wire.OpSendMessage {
		return c.call(ctx, op, request, c.SendTimeout)
	}
	return c.call(ctx, op, request, c.Timeout)
}

// Open makes a call that is answered with a stream.
func (c *Client) Open(ctx context.Context, op wire.Operation, request any) (wire.Events, error) {
	if r, ok := request.(*a2a.SubscribeRequest); ok {
		return c.stream(ctx, op, r, r.After)
	}
	return c.stream(ctx, op, request, "")
}

// unreadable makes an error of what a peer sent and could not be decoded.
func unreadable(err error) error { return wire.Unreadable(err) }

// prepare returns the path of an operation and the message for it.
func (c *Client) prepare(op wire.Operation, request any) (string, *frame, error) {
	method := c.Form.Method(op)
	b, err := c.Form.EncodeRequest(op, request)
	if err != nil {
		return "", nil, fmt.Errorf("cannot encode the request of %v: %w", op, err)
	}
	return "/" + c.Form.Service() + "/" + method, &frame{bytes: b}, nil
}

func (c *Client) call(ctx context.Context, op wire.Operation, request any, limit time.Duration) (any, error) {
	path, out, err := c.prepare(op, request)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limit, timeUp(fmt.Sprintf("no answer within %v", limit)))
	defer cancel()
	ctx, t := traced(outgoingContext(ctx, ""), c.Form.Generation(), len(out.bytes), c.MaxAnswer)
	var in frame
	if err := c.Conn.Invoke(ctx, path, out, &in, grpc.MaxCallRecvMsgSize(c.MaxAnswer)); err != nil {
		return nil, t.failure(ctx, err)
	}
	value, err := c.Form.DecodeResult(op, in.bytes)
	if err != nil {
		return nil, unreadable(err)
	}
	if c.Form.Generation() != a2a.Generation10 {
		wire.TrimHistory(request, value)
	}
	return value, nil
}

// outgoingContext returns a context with the service parameters as metadata (A2A 1.0 §10.2).
func outgoingContext(ctx context.Context, after string) context.Context {
	md := metadata.MD{}
	for name, values := range wire.ParamsFrom(ctx) {
		if name = strings.ToLower(name); !ofTransport(name) {
			md[name] = append(md[name], values...)
		}
	}
	if after != "" {
		md[strings.ToLower(wire.HeaderLastEventID)] = []string{after}
	}
	return metadata.NewOutgoingContext(ctx, md)
}

// ofTransport reports whether a header belongs to HTTP or to gRPC itself, and not to the call.
func ofTransport(name string) bool {
	switch name {
	case "connection", "content-length", "content-type", "host", "keep-alive", "te", "trailer", "transfer-encoding",
		"upgrade", "user-agent":
		return true
	}
	return strings.HasPrefix(name, "grpc-")
}

// ended returns the error of a context that has ended, or what this side's clock ended it for.
func ended(ctx context.Context) error {
	cause := context.Cause(ctx)
	if _, ours := errors.AsType[*a2a.Error](cause); ours || errors.Is(cause, ctx.Err()) {
		return cause
	}
	return fmt.Errorf("%w: %w", ctx.Err(), cause)
}

// timeUp is an error of this side's clock. It is a deadline for those that look for one.
func timeUp(message string) *a2a.Error {
	return &a2a.Error{Kind: a2a.ErrTimeout, Message: message, Cause: context.DeadlineExceeded}
}

func (c *Client) stream(ctx context.Context, op wire.Operation, request any,
	after string) (iter.Seq2[a2a.StreamEvent, error], error) {
	path, out, err := c.prepare(op, request)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	ctx, t := traced(outgoingContext(ctx, after), c.Form.Generation(), len(out.bytes), c.MaxEvent)
	r := &reader{client: c, op: op, ctx: ctx, trace: t, ahead: make(chan received, 1)}
	r.stream, err = c.Conn.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true}, path,
		grpc.MaxCallRecvMsgSize(c.MaxEvent))
	if err == nil {
		err = r.begin(out)
	}
	if err != nil {
		defer cancel()
		return nil, t.failure(ctx, err)
	}
	return func(yield func(a2a.StreamEvent, error) bool) {
		defer cancel()
		r.run(yield)
	}, nil
}

// A reader is one run over a stream.
type reader struct {
	client *Client
	op     wire.Operation
	ctx    context.Context
	trace  *trace
	stream grpc.ClientStream
	ahead  chan received // what begin has read
	begun  bool
}

type received struct {
	bytes []byte
	err   error
}

// refusal is how long after its header a stream may be refused, and still be one that never opened: the status comes
// right behind, but not with it.
const refusal = 50 * time.Millisecond

// begin sends the request and waits until the peer accepts or refuses it. Some peers say nothing before their first
// event, however long that takes; their streams count as open after a while.
func (r *reader) begin(out *frame) error {
	if err := r.stream.SendMsg(out); err != nil && err != io.EOF { // after io.EOF the status tells why
		return err
	}
	if err := r.stream.CloseSend(); err != nil {
		return err
	}
	ahead := r.ahead
	go func() {
		var in frame
		err := r.stream.RecvMsg(&in)
		ahead <- received{in.bytes, err}
	}()
	patience := time.NewTimer(r.client.HeaderTimeout)
	defer patience.Stop()
	header := r.trace.header
	for {
		select {
		case got := <-ahead:
			if got.err != nil && got.err != io.EOF {
				return got.err
			}
			ahead <- got
			return nil
		case <-header:
			header = nil
			patience.Reset(refusal)
		case <-patience.C:
			return nil
		}
	}
}

// next returns the bytes of the next event.
func (r *reader) next() ([]byte, error) {
	if ahead := r.ahead; ahead != nil {
		r.ahead = nil
		got := <-ahead
		return got.bytes, got.err
	}
	var in frame
	err := r.stream.RecvMsg(&in)
	return in.bytes, err
}

func (r *reader) run(yield func(a2a.StreamEvent, error) bool) {
	for {
		b, err := r.next()
		if err == io.EOF {
			return
		}
		if err != nil {
			yield(a2a.StreamEvent{}, r.trace.failure(r.ctx, err))
			return
		}
		ev, err := r.client.Form.DecodeEvent(b)
		if err != nil {
			yield(a2a.StreamEvent{}, unreadable(err))
			return
		}
		if !r.take(ev, yield) {
			return
		}
	}
}

// take yields an event and reports whether the stream goes on.
func (r *reader) take(ev a2a.Event, yield func(a2a.StreamEvent, error) bool) bool {
	id, final := takeID(ev), r.client.Form.Final(ev)
	if !r.begun {
		r.begun = true
		first, err := r.first(ev)
		if err != nil {
			yield(a2a.StreamEvent{}, err)
			return false
		}
		if first != ev && !yield(a2a.NewStreamEvent(id, first), nil) {
			return false
		}
		if _, whole := ev.(*a2a.ArtifactUpdate); first != ev && (whole || r.op == wire.OpSubscribe) {
			return !final // what the event says is in the task
		}
	}
	return yield(a2a.NewStreamEvent(id, ev), nil) && !final
}

// first returns the task with which a stream has to begin (A2A 1.0 §3.1.2), where the peer's generation does not want
// one and sends an update. Of a task that was there before it has to be asked for.
func (r *reader) first(ev a2a.Event) (a2a.Event, error) {
	if r.client.Form.Generation() == a2a.Generation10 {
		return ev, nil
	}
	switch e := ev.(type) {
	case *a2a.StatusUpdate:
		if r.op == wire.OpSubscribe {
			return wire.Remote{Transport: r.client}.GetTask(r.ctx, &a2a.GetTaskRequest{ID: e.TaskID})
		}
		return &a2a.Task{ID: e.TaskID, ContextID: e.ContextID, Status: a2a.TaskStatus{State: a2a.TaskStateSubmitted}},
			nil
	case *a2a.ArtifactUpdate:
		if r.op == wire.OpSubscribe {
			return wire.Remote{Transport: r.client}.GetTask(r.ctx, &a2a.GetTaskRequest{ID: e.TaskID})
		}
		return &a2a.Task{
			ID: e.TaskID, ContextID: e.ContextID, Status: a2a.TaskStatus{State: a2a.TaskStateWorking},
			Artifacts: []*a2a.Artifact{e.Artifact},
		}, nil
	}
	return ev, nil
}
