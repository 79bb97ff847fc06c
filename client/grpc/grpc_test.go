// SPDX-License-Identifier: Apache-2.0

package grpc_test

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
	google "google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"

	pb10 "github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/auth"
	"github.com/dragoman-a2a/dragoman/client"
	"github.com/dragoman-a2a/dragoman/client/grpc"
	"github.com/dragoman-a2a/dragoman/internal/wire"
	"github.com/dragoman-a2a/dragoman/server"
	servergrpc "github.com/dragoman-a2a/dragoman/server/grpc"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fake is a Service that answers with what it holds.
type fake struct {
	err    error
	events func(ctx context.Context, after string) iter.Seq2[a2a.StreamEvent, error]
	calls  atomic.Int64
	last   atomic.Pointer[any]
	params atomic.Pointer[a2a.Call]
}

func (f *fake) Capabilities() a2a.AgentCapabilities {
	return a2a.AgentCapabilities{
		PushNotifications: new(true), ExtendedAgentCard: new(true),
		Extensions: []a2a.AgentExtension{{URI: server.ReplayExtension}},
	}
}

func (f *fake) asked(ctx context.Context, r any) error {
	f.calls.Add(1)
	f.last.Store(&r)
	f.params.Store(a2a.CallFrom(ctx))
	return f.err
}

func aTask() *a2a.Task {
	return &a2a.Task{
		ID: "t1", ContextID: "c1", Status: a2a.TaskStatus{State: a2a.TaskStateCompleted,
			Timestamp: time.Unix(1700000000, 0).UTC()},
		History: []*a2a.Message{{ID: "m1", Role: a2a.RoleUser, Parts: []a2a.Part{a2a.TextPart("hi")}}},
		Artifacts: []*a2a.Artifact{{ID: "a1", Name: "all", Parts: []a2a.Part{
			{Content: a2a.Text("x"), MediaType: "text/markdown", Filename: "x.md"},
			{Content: a2a.Raw("raw"), MediaType: "a/b", Filename: "f"},
			{Content: a2a.Data(`[1,"two"]`), Metadata: a2a.Metadata{"k": []byte("true")}},
		}}},
	}
}

func (f *fake) SendMessage(ctx context.Context, r *a2a.SendMessageRequest) (a2a.SendResult, error) {
	return aTask(), f.asked(ctx, r)
}

func (f *fake) StreamMessage(ctx context.Context, r *a2a.SendMessageRequest) (iter.Seq2[a2a.StreamEvent, error],
	error) {
	if err := f.asked(ctx, r); err != nil {
		return nil, err
	}
	return f.events(ctx, ""), nil
}

func (f *fake) Subscribe(ctx context.Context, r *a2a.SubscribeRequest) (iter.Seq2[a2a.StreamEvent, error], error) {
	if err := f.asked(ctx, r); err != nil {
		return nil, err
	}
	return f.events(ctx, r.After), nil
}

func (f *fake) GetTask(ctx context.Context, r *a2a.GetTaskRequest) (*a2a.Task, error) {
	return aTask(), f.asked(ctx, r)
}

func (f *fake) ListTasks(ctx context.Context, r *a2a.ListTasksRequest) (*a2a.ListTasksResponse, error) {
	return &a2a.ListTasksResponse{Tasks: []*a2a.Task{aTask()}, PageSize: 1, TotalSize: 1}, f.asked(ctx, r)
}

func (f *fake) CancelTask(ctx context.Context, r *a2a.CancelTaskRequest) (*a2a.Task, error) {
	return aTask(), f.asked(ctx, r)
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
	c := aCard()
	c.Name = "extended"
	c.SupportedInterfaces = []a2a.AgentInterface{{URL: "localhost:1", Binding: a2a.BindingGRPC,
		ProtocolVersion: "0.3.0"}}
	c.Capabilities = a2a.AgentCapabilities{Streaming: new(true), PushNotifications: new(false),
		ExtendedAgentCard: new(true)}
	return c, f.asked(ctx, r)
}

func aCard() *a2a.AgentCard {
	return &a2a.AgentCard{
		Name: "Fake", Description: "For tests.", Version: "1",
		DefaultInputModes: []string{"text/plain"}, DefaultOutputModes: []string{"text/plain"},
		Skills: []a2a.AgentSkill{{ID: "s", Name: "S", Description: "s", Tags: []string{"s"}}},
	}
}

// serve runs a server with a port of gRPC's own, and returns that port and what ends it.
func serve(t *testing.T, f *fake, so server.Options) (addr string, end func()) {
	t.Helper()
	ready := make(chan struct{})
	so.Card, so.Logger = aCard(), slog.New(slog.DiscardHandler)
	so.Authenticator = auth.AuthenticatorFunc(func(r *http.Request) (a2a.Identity, error) {
		return a2a.Identity{Subject: r.Header.Get("Authorization") + "x"}, nil
	})
	so.GRPC = servergrpc.New(&servergrpc.Options{Addr: "127.0.0.1:0", OnReady: func(a net.Addr) { addr = a.String() }})
	so.OnReady = func(net.Addr, string) { close(ready) }
	so.OnDrain = func(context.Context) error { return nil }
	srv, err := server.New(f, &so)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	finished := make(chan struct{})
	go func() { defer close(finished); srv.ListenAndServe(ctx, "127.0.0.1:0") }()
	end = func() { cancel(); <-finished }
	t.Cleanup(end)
	<-ready
	return addr, end
}

// open returns a client for the gRPC interface at an address, in a generation.
func open(t *testing.T, addr string, gen a2a.Generation, o client.Options) *client.Client {
	t.Helper()
	c := aCard()
	c.Capabilities = (&fake{}).Capabilities()
	c.Capabilities.Streaming = new(true)
	c.SupportedInterfaces = []a2a.AgentInterface{{URL: addr, Binding: a2a.BindingGRPC, ProtocolVersion: string(gen)}}
	if gen == a2a.Generation10 {
		c.SupportedInterfaces[0].Tenant = "acme"
	}
	o.Generations = []a2a.Generation{a2a.Generation10, a2a.Generation03}
	cl, err := client.New(c, &o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cl.Close() })
	return cl
}

func timeout(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	t.Cleanup(cancel)
	return ctx
}

func aMessage() *a2a.Message { return a2a.NewMessage(a2a.RoleUser, a2a.TextPart("hi")) }

var generations = []a2a.Generation{a2a.Generation10, a2a.Generation03}

// Every operation arrives as it was sent, and its result comes back as it was returned.
func TestOperations(t *testing.T) {
	t.Parallel()
	f := &fake{events: func(context.Context, string) iter.Seq2[a2a.StreamEvent, error] {
		return func(yield func(a2a.StreamEvent, error) bool) { yield(a2a.NewStreamEvent("1", aTask()), nil) }
	}}
	addr, _ := serve(t, f, server.Options{})
	for _, gen := range generations {
		c := open(t, addr, gen,
			client.Options{Interceptors: []client.Interceptor{func(ctx context.Context, call *client.Call,
				next client.Handler) (any, error) {
				call.Params.Set("Authorization", "Bearer good")
				return next(ctx, call)
			}}})
		ctx := timeout(t)
		check := func(name string, got any, err error, want any, request any) {
			t.Helper()
			if err != nil {
				t.Errorf("%s: %s: %v", gen, name, err)
				return
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s: %s: %s", gen, name, diff)
			}
			if diff := cmp.Diff(request, *f.last.Load()); diff != "" {
				t.Errorf("%s: %s was asked: %s", gen, name, diff)
			}
			if call := f.params.Load(); call.Identity.Subject != "Bearer goodx" || call.Generation != gen {
				t.Errorf("%s: %s: the call is %+v", gen, name, call)
			}
		}
		tenant, pageSize := "", 100 // before 1.0 a list of push configs is whole
		if gen == a2a.Generation10 {
			tenant, pageSize = "acme", 0
		}
		m := aMessage()
		send := &a2a.SendMessageRequest{Message: m,
			Configuration: &a2a.SendConfiguration{AcceptedOutputModes: []string{"a/b"}, HistoryLength: new(3)}}
		sent := *send
		sent.Tenant = tenant
		sendResult, err := c.SendMessage(ctx, send)
		check("SendMessage", sendResult, err, aTask(), &sent)
		var streamed a2a.Event
		for ev, e := range must(c.StreamMessage(ctx, send))(t) {
			streamed, err = ev.Event, e
		}
		check("StreamMessage", streamed, err, aTask(), &sent)
		task, err := c.GetTask(ctx, &a2a.GetTaskRequest{ID: "t1", HistoryLength: new(2)})
		check("GetTask", task, err, aTask(), &a2a.GetTaskRequest{Tenant: tenant, ID: "t1", HistoryLength: new(2)})
		list, err := c.ListTasks(ctx, &a2a.ListTasksRequest{PageSize: new(7), HistoryLength: new(0)})
		check("ListTasks", list, err, &a2a.ListTasksResponse{Tasks: []*a2a.Task{aTask()}, PageSize: 1, TotalSize: 1},
			&a2a.ListTasksRequest{Tenant: tenant, PageSize: new(7), HistoryLength: new(0)})
		task, err = c.CancelTask(ctx, &a2a.CancelTaskRequest{ID: "t1"})
		check("CancelTask", task, err, aTask(), &a2a.CancelTaskRequest{Tenant: tenant, ID: "t1"})
		push := &a2a.PushConfig{TaskID: "t1", ID: "p", URL: "https://example.com",
			Authentication: &a2a.PushAuthentication{Scheme: "Bearer", Credentials: "c"}}
		pushed := *push
		pushed.Tenant = tenant
		config, err := c.CreatePushConfig(ctx, push)
		check("CreatePushConfig", config, err, &pushed, &pushed)
		config, err = c.GetPushConfig(ctx, &a2a.GetPushConfigRequest{TaskID: "t1", ID: "p"})
		check("GetPushConfig", config, err, &a2a.PushConfig{ID: "p", TaskID: "t1", URL: "https://example.com"},
			&a2a.GetPushConfigRequest{Tenant: tenant, TaskID: "t1", ID: "p"})
		configs, err := c.ListPushConfigs(ctx, &a2a.ListPushConfigsRequest{TaskID: "t1"})
		check("ListPushConfigs", configs, err,
			&a2a.ListPushConfigsResponse{Configs: []*a2a.PushConfig{{ID: "p", TaskID: "t1",
				URL: "https://example.com"}}},
			&a2a.ListPushConfigsRequest{Tenant: tenant, TaskID: "t1", PageSize: pageSize})
		err = c.DeletePushConfig(ctx, &a2a.DeletePushConfigRequest{TaskID: "t1", ID: "p"})
		check("DeletePushConfig", nil, err, nil, &a2a.DeletePushConfigRequest{Tenant: tenant, TaskID: "t1", ID: "p"})
		card, err := c.ExtendedCard(ctx, &a2a.ExtendedCardRequest{})
		if err != nil || card.Name != "extended" || len(card.Skills) != 1 || !slices.ContainsFunc(
			card.SupportedInterfaces, func(i a2a.AgentInterface) bool { return i.Binding == a2a.BindingGRPC }) {
			t.Errorf("%s: ExtendedCard: %+v, %v", gen, card, err)
		}
		// A history of nothing cannot be asked for in a2a.v1, and yet nothing comes.
		if task, err := c.GetTask(ctx, &a2a.GetTaskRequest{ID: "t1", HistoryLength: new(0)}); gen == a2a.Generation03 &&
			(err != nil || task.History != nil) {
			t.Errorf("a history of nothing: %v, %v", task, err)
		}
	}
}

func must[T any](v T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// Each kind of error comes back as what it was.
func TestErrors(t *testing.T) {
	t.Parallel()
	f := &fake{}
	addr, _ := serve(t, f, server.Options{})
	for _, gen := range generations {
		c := open(t, addr, gen, client.Options{Retries: -1})
		for _, row := range wire.Table {
			f.err = &a2a.Error{
				Kind: row.Kind, Message: "no", RetryAfter: time.Millisecond, Metadata: map[string]string{"k": "v"},
				Violations: []a2a.Violation{{Field: "id", Description: "is odd"}},
			}
			_, err := c.GetTask(timeout(t), &a2a.GetTaskRequest{ID: "t"})
			_, streamErr := c.Subscribe(timeout(t), &a2a.SubscribeRequest{ID: "t"})
			if gen == a2a.Generation03 && row.Kind == a2a.ErrUnsupportedOperation {
				streamErr = err // 0.3 shows a task that has ended instead
			}
			for _, err := range []error{err, streamErr} {
				e, ok := errors.AsType[*a2a.Error](err)
				if !ok || e.Kind != row.Kind || !e.Remote || e.Message != "no" || e.RetryAfter != time.Millisecond ||
					e.Metadata["k"] != "v" ||
					len(e.Violations) != 1 || len(e.Details) != 3 {
					t.Errorf("%s: %v comes back as %#v", gen, row.Kind, err)
				}
			}
		}
	}
}

// A stream that broke is continued after the event that was seen last.
func TestStreamResumes(t *testing.T) {
	t.Parallel()
	var opened atomic.Int64
	update := func(n int) a2a.StreamEvent {
		return a2a.NewStreamEvent(fmt.Sprint(n), &a2a.ArtifactUpdate{TaskID: "t1", ContextID: "c1", Append: true,
			Artifact: &a2a.Artifact{ID: "a", Parts: []a2a.Part{a2a.TextPart(fmt.Sprint(n))}}})
	}
	f := &fake{events: func(_ context.Context, after string) iter.Seq2[a2a.StreamEvent, error] {
		return func(yield func(a2a.StreamEvent, error) bool) {
			if opened.Add(1) == 1 {
				_ = yield(a2a.NewStreamEvent("1",
					&a2a.Task{ID: "t1", ContextID: "c1", Status: a2a.TaskStatus{State: a2a.TaskStateWorking}}), nil) &&
					yield(update(2), nil) && yield(a2a.StreamEvent{}, a2a.NewError(a2a.ErrUnavailable, "cut"))
				return
			}
			if after != "2" {
				t.Errorf("resumed after %q", after)
			}
			_ = yield(update(3), nil) &&
				yield(a2a.NewStreamEvent("4",
					&a2a.StatusUpdate{TaskID: "t1", ContextID: "c1",
						Status: a2a.TaskStatus{State: a2a.TaskStateCompleted}}), nil)
		}
	}}
	addr, _ := serve(t, f, server.Options{})
	c := open(t, addr, a2a.Generation10, client.Options{})
	var got []string
	for u, err := range c.Stream(timeout(t), &a2a.SendMessageRequest{Message: aMessage()}) {
		if err != nil {
			t.Fatal(err)
		}
		if a, ok := u.Event.(*a2a.ArtifactUpdate); ok && a.Metadata != nil {
			t.Errorf("the id stays in the metadata: %v", a.Metadata)
		}
		got = append(got, u.ID)
	}
	if want := []string{"1", "2", "3", "4"}; !cmp.Equal(got, want) {
		t.Errorf("events %q, want %q", got, want)
	}
}

// A connection that breaks within a stream is a cut; one that cannot be made means that nothing was sent.
func TestConnections(t *testing.T) {
	t.Parallel()
	streaming := make(chan struct{})
	release := make(chan struct{})
	f := &fake{events: func(ctx context.Context, _ string) iter.Seq2[a2a.StreamEvent, error] {
		return func(yield func(a2a.StreamEvent, error) bool) {
			yield(a2a.NewStreamEvent("1",
				&a2a.Task{ID: "t1", ContextID: "c1", Status: a2a.TaskStatus{State: a2a.TaskStateWorking}}), nil)
			close(streaming)
			select {
			case <-ctx.Done():
			case <-release:
			}
		}
	}}
	addr, _ := serve(t, f, server.Options{})
	proxy := newProxy(t, addr)
	c := open(t, proxy.addr, a2a.Generation10, client.Options{})
	events, err := c.StreamMessage(timeout(t), &a2a.SendMessageRequest{Message: aMessage()})
	if err != nil {
		t.Fatal(err)
	}
	for _, err = range events {
		if err == nil {
			<-streaming
			proxy.close()
		}
	}
	if cut, ok := errors.AsType[*client.CutError](err); !ok || cut.TaskID != "t1" {
		t.Errorf("a broken stream is %#v", err)
	}
	close(release)
	_, err = c.SendMessage(timeout(t), &a2a.SendMessageRequest{Message: aMessage()})
	if _, ok := errors.AsType[*client.UnreachableError](err); !ok {
		t.Errorf("a server that is gone is %#v", err)
	}
}

// A limit of this side is an error that says so.
func TestLimits(t *testing.T) {
	t.Parallel()
	f := &fake{events: func(ctx context.Context, _ string) iter.Seq2[a2a.StreamEvent, error] {
		return func(yield func(a2a.StreamEvent, error) bool) { yield(a2a.NewStreamEvent("1", aTask()), nil) }
	}}
	addr, _ := serve(t, f, server.Options{})
	c := open(t, addr, a2a.Generation10, client.Options{MaxAnswer: 110, MaxEvent: 110, Retries: -1})
	if _, err := c.GetTask(timeout(t), &a2a.GetTaskRequest{ID: "t"}); !errors.Is(err, a2a.ErrInvalidAgentResponse) ||
		!strings.Contains(err.Error(), "110") {
		t.Errorf("an answer that is too large: %v", err)
	}
	if _, err := c.StreamMessage(timeout(t), &a2a.SendMessageRequest{Message: aMessage()}); !errors.Is(err,
		a2a.ErrInvalidAgentResponse) {
		t.Errorf("an event that is too large: %v", err)
	}
	hung, err := net.Listen("tcp", "127.0.0.1:0") // takes connections and says nothing
	if err != nil {
		t.Fatal(err)
	}
	defer hung.Close()
	c = open(t, hung.Addr().String(), a2a.Generation10, client.Options{Timeout: 100 * time.Millisecond, Retries: -1})
	if _, err := c.GetTask(timeout(t), &a2a.GetTaskRequest{ID: "t"}); !errors.Is(err, a2a.ErrTimeout) {
		t.Errorf("no answer: %v", err)
	}
	ctx, cancel := context.WithCancel(timeout(t))
	cancel()
	if _, err := c.GetTask(ctx, &a2a.GetTaskRequest{ID: "t"}); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
}

// A peer that says nothing before its first event is not taken for one that does not answer.
func TestSilentPeer(t *testing.T) {
	t.Parallel()
	g := google.NewServer()
	s := &silent{speak: make(chan struct{})}
	pb10.RegisterA2AServiceServer(g, s)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() { defer close(done); g.Serve(ln) }()
	defer func() { g.Stop(); <-done }()
	c := open(t, ln.Addr().String(), a2a.Generation10,
		client.Options{HeaderTimeout: 50 * time.Millisecond, Retries: -1})
	events, err := c.StreamMessage(timeout(t), &a2a.SendMessageRequest{Message: aMessage()})
	if err != nil {
		t.Fatal(err)
	}
	close(s.speak)
	n := 0
	for _, err := range events {
		if err != nil {
			t.Error(err)
		}
		n++
	}
	if n != 1 {
		t.Errorf("%d events", n)
	}
	// If the server refuses a stream before its first event, Subscribe itself returns the error, with the server's
	// message.
	_, err = c.Subscribe(timeout(t), &a2a.SubscribeRequest{ID: "t"})
	if e, ok := errors.AsType[*a2a.Error](err); !ok || e.Kind != a2a.ErrTaskNotFound || !e.Remote ||
		e.Message != "nothing here" {
		t.Errorf("%#v", err)
	}
}

type silent struct {
	pb10.UnimplementedA2AServiceServer
	speak chan struct{}
}

func (s *silent) SendStreamingMessage(_ *pb10.SendMessageRequest,
	stream google.ServerStreamingServer[pb10.StreamResponse]) error {
	<-s.speak
	return stream.Send(&pb10.StreamResponse{Payload: &pb10.StreamResponse_Task{Task: &pb10.Task{
		Id: "t", Status: &pb10.TaskStatus{State: pb10.TaskState_TASK_STATE_COMPLETED},
	}}})
}

func (s *silent) SubscribeToTask(*pb10.SubscribeToTaskRequest,
	google.ServerStreamingServer[pb10.StreamResponse]) error {
	return status.Error(codes.NotFound, "nothing here")
}

// A server with TLS is called with the certificates of the HTTP client.
func TestTLS(t *testing.T) {
	t.Parallel()
	cert, pool := certificate(t)
	addr, _ := serve(t, &fake{}, server.Options{TLS: &tls.Config{Certificates: []tls.Certificate{cert}}})
	hc := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}}}
	for _, url := range []string{"https://" + addr, "grpcs://" + addr + "/"} {
		c := open(t, url, a2a.Generation10, client.Options{HTTPClient: hc})
		if _, err := c.GetTask(timeout(t), &a2a.GetTaskRequest{ID: "t"}); err != nil {
			t.Errorf("%s: %v", url, err)
		}
	}
	c := open(t, "https://"+addr, a2a.Generation10, client.Options{Retries: -1}) // which does not trust it
	if _, err := c.GetTask(timeout(t), &a2a.GetTaskRequest{ID: "t"}); err == nil ||
		!strings.Contains(err.Error(), "certificate") {
		t.Errorf("a stranger's certificate: %v", err)
	}
}

// Options of gRPC's own can be added.
func TestWith(t *testing.T) {
	t.Parallel()
	addr, _ := serve(t, &fake{}, server.Options{})
	o := client.Options{}.Defaults()
	tr, err := grpc.With(google.WithTransportCredentials(insecure.NewCredentials()))(
		a2a.AgentInterface{URL: "https://" + addr, Binding: a2a.BindingGRPC, ProtocolVersion: "0.3.0"}, &o)
	if err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	if _, err := tr.GetTask(timeout(t), &a2a.GetTaskRequest{ID: "t"}); err != nil {
		t.Error(err)
	}
}
