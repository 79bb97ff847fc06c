// SPDX-License-Identifier: Apache-2.0

package grpc_test

import (
	"context"
	"iter"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	pb03 "github.com/a2aproject/a2a-go/a2apb"
	pb10 "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"go.uber.org/goleak"
	google "google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/binding"
	"github.com/dragoman-a2a/dragoman/internal/binding/grpc"
	"github.com/dragoman-a2a/dragoman/internal/binding/older"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fake is a Service that answers what a test tells it to and remembers what it was asked.
type fake struct {
	result any // of operations that answer once; nil means a task
	err    error
	events iter.Seq2[a2a.StreamEvent, error] // nil means one task and the end
	onCall func(ctx context.Context)

	mu      sync.Mutex
	request any
	call    a2a.Call
	ctx     atomic.Pointer[context.Context] // of a call, if the test keeps it there
}

// ended is closed when the kept call ends.
func (f *fake) ended() <-chan struct{} { return (*f.ctx.Load()).Done() }

func (f *fake) asked(ctx context.Context, request any) error {
	f.mu.Lock()
	f.request, f.call = request, *a2a.CallFrom(ctx)
	f.mu.Unlock()
	if f.onCall != nil {
		f.onCall(ctx)
	}
	return f.err
}

func (f *fake) last() (any, a2a.Call) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.request, f.call
}

func aTask() *a2a.Task {
	return &a2a.Task{ID: "t1", ContextID: "c1", Status: a2a.TaskStatus{State: a2a.TaskStateCompleted}}
}

func answer[T any](f *fake, other T) T {
	if r, ok := f.result.(T); ok {
		return r
	}
	return other
}

func (f *fake) stream(ctx context.Context, r any) (iter.Seq2[a2a.StreamEvent, error], error) {
	if err := f.asked(ctx, r); err != nil {
		return nil, err
	}
	if f.events != nil {
		return f.events, nil
	}
	return func(yield func(a2a.StreamEvent, error) bool) { yield(a2a.NewStreamEvent("1", aTask()), nil) }, nil
}

func (f *fake) SendMessage(ctx context.Context, r *a2a.SendMessageRequest) (a2a.SendResult, error) {
	if err := f.asked(ctx, r); err != nil {
		return nil, err
	}
	return answer[a2a.SendResult](f, aTask()), nil
}

func (f *fake) StreamMessage(ctx context.Context, r *a2a.SendMessageRequest) (iter.Seq2[a2a.StreamEvent, error],
	error) {
	return f.stream(ctx, r)
}

func (f *fake) Subscribe(ctx context.Context, r *a2a.SubscribeRequest) (iter.Seq2[a2a.StreamEvent, error], error) {
	return f.stream(ctx, r)
}

func (f *fake) GetTask(ctx context.Context, r *a2a.GetTaskRequest) (*a2a.Task, error) {
	return answer(f, aTask()), f.asked(ctx, r)
}

func (f *fake) ListTasks(ctx context.Context, r *a2a.ListTasksRequest) (*a2a.ListTasksResponse, error) {
	return answer(f, &a2a.ListTasksResponse{PageSize: 50}), f.asked(ctx, r)
}

func (f *fake) CancelTask(ctx context.Context, r *a2a.CancelTaskRequest) (*a2a.Task, error) {
	return answer(f, aTask()), f.asked(ctx, r)
}

func (f *fake) CreatePushConfig(ctx context.Context, r *a2a.PushConfig) (*a2a.PushConfig, error) {
	return r, f.asked(ctx, r)
}

func (f *fake) GetPushConfig(ctx context.Context, r *a2a.GetPushConfigRequest) (*a2a.PushConfig, error) {
	return &a2a.PushConfig{ID: r.ID, TaskID: r.TaskID, URL: "https://example.com"}, f.asked(ctx, r)
}

func (f *fake) ListPushConfigs(ctx context.Context, r *a2a.ListPushConfigsRequest) (*a2a.ListPushConfigsResponse,
	error) {
	return &a2a.ListPushConfigsResponse{Configs: []*a2a.PushConfig{{ID: "p", TaskID: r.TaskID,
		URL: "https://example.com"}}}, f.asked(ctx, r)
}

func (f *fake) DeletePushConfig(ctx context.Context, r *a2a.DeletePushConfigRequest) error {
	return f.asked(ctx, r)
}

func (f *fake) ExtendedCard(ctx context.Context, r *a2a.ExtendedCardRequest) (*a2a.AgentCard, error) {
	return answer(f, &a2a.AgentCard{Name: "extended"}), f.asked(ctx, r)
}

// A lab is a server of both packages, on a listener of gRPC's own or behind net/http, and what it logs.
type lab struct {
	core   *binding.Core
	addr   string
	conn   *google.ClientConn
	v10    pb10.A2AServiceClient
	v03    pb03.A2AServiceClient
	end    context.CancelCauseFunc // of the calls
	finish chan *binding.Exchange  // each exchange that is over
}

var insecureCreds = google.WithTransportCredentials(insecure.NewCredentials())

// ways are those in which a call gets to the server.
var ways = []struct {
	name     string
	overHTTP bool
}{{"own listener", false}, {"net/http", true}}

// eachWay runs a test on both transports, which do the same.
func eachWay(t *testing.T, svc func() *fake, tune func(*binding.Core), test func(t *testing.T, l *lab, f *fake)) {
	t.Helper()
	t.Parallel()
	for _, way := range ways {
		t.Run(way.name, func(t *testing.T) {
			t.Parallel()
			f := svc()
			test(t, open(t, f, way.overHTTP, tune), f)
		})
	}
}

func open(t *testing.T, f *fake, overHTTP bool, tune func(*binding.Core), more ...google.ServerOption) *lab {
	t.Helper()
	l := &lab{finish: make(chan *binding.Exchange, 100)}
	profile := &binding.Profile{
		Streaming: true, Push: true, ExtendedCard: true,
		Extensions: []a2a.AgentExtension{{URI: a2a.ReplayExtension}},
		Challenges: []string{`Bearer realm="lab"`},
	}
	l.core = &binding.Core{
		Service: older.Service{Service: f},
		Profile: func(*http.Request) (*binding.Profile, error) { return profile, nil },
		MaxBody: 1 << 20, MaxParts: a2a.MaxParts, MaxDepth: a2a.MaxDepth,
		Generations: []a2a.Generation{a2a.Generation03, a2a.Generation10},
		Streams:     &binding.StreamLimits{PerOwner: 10, Total: 20},
		Requests:    &binding.Budget{Total: 8 << 20, What: "requests"},
		Answers:     &binding.Budget{Total: 8 << 20, What: "answers"},
		KeepAlive:   15 * time.Second, WriteTimeout: 10 * time.Second, BodyTimeout: 10 * time.Second,
	}
	if tune != nil {
		tune(l.core)
	}
	calls, end := context.WithCancelCause(context.Background())
	l.end = end
	t.Cleanup(func() { end(nil) })
	s := &grpc.Server{Context: calls, Host: &binding.Host{
		Core: l.core, Logger: slog.New(slog.DiscardHandler), StreamsPerConn: 100, HeaderTimeout: time.Second,
		IdleTimeout: time.Minute,
		Exchange: func(w http.ResponseWriter, r *http.Request, serve func(*binding.Exchange)) {
			x := &binding.Exchange{W: w, R: r, RequestID: "r1"}
			serve(x)
			l.finish <- x
		},
	}}
	g := google.NewServer(append(s.Options(), more...)...)
	s.Register(g)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.addr = ln.Addr().String()
	done := make(chan struct{})
	if overHTTP {
		var protocols http.Protocols
		protocols.SetUnencryptedHTTP2(true)
		srv := &http.Server{
			Protocols: &protocols, BaseContext: func(net.Listener) context.Context { return calls },
			Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				l.core.Deadline(w, r)
				s.ServeHTTP(g, w, r)
			}),
		}
		go func() { srv.Serve(ln); close(done) }()
		t.Cleanup(func() { srv.Close(); <-done })
	} else {
		go func() { g.Serve(ln); close(done) }()
		t.Cleanup(func() { g.Stop(); <-done })
	}
	l.conn, err = google.NewClient(l.addr, insecureCreds)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.conn.Close() })
	l.v10, l.v03 = pb10.NewA2AServiceClient(l.conn), pb03.NewA2AServiceClient(l.conn)
	return l
}

// versioned returns a context with the version that clients of 1.0 must name.
func versioned(t *testing.T, pairs ...string) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	t.Cleanup(cancel)
	return metadata.AppendToOutgoingContext(ctx, append([]string{"a2a-version", "1.0"}, pairs...)...)
}

// plain returns a context without metadata, as clients of 0.3 have.
func plain(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	t.Cleanup(cancel)
	return ctx
}

// over returns the exchange that has just ended.
func (l *lab) over(t *testing.T) *binding.Exchange {
	t.Helper()
	select {
	case x := <-l.finish:
		return x
	case <-time.After(10 * time.Second):
		t.Fatal("no exchange has ended")
		return nil
	}
}
