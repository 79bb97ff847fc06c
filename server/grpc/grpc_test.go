// SPDX-License-Identifier: Apache-2.0

package grpc_test

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	legacy "github.com/a2aproject/a2a-go/a2a"
	legacyclient "github.com/a2aproject/a2a-go/a2aclient"
	sdk "github.com/a2aproject/a2a-go/v2/a2a"
	sdkclient "github.com/a2aproject/a2a-go/v2/a2aclient"
	sdkgrpc "github.com/a2aproject/a2a-go/v2/a2agrpc/v1"
	"go.uber.org/goleak"
	google "google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	reflectionpb "google.golang.org/grpc/reflection/grpc_reflection_v1"
	"google.golang.org/grpc/status"

	pb10 "github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/engine"
	"github.com/dragoman-a2a/dragoman/server"
	"github.com/dragoman-a2a/dragoman/server/grpc"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func aCard() *a2a.AgentCard {
	return &a2a.AgentCard{
		Name: "Echo", Description: "Says what it hears.", Version: "1",
		DefaultInputModes: []string{"text/plain"}, DefaultOutputModes: []string{"text/plain"},
		Skills: []a2a.AgentSkill{{ID: "echo", Name: "Echo", Description: "Says what it hears.",
			Tags: []string{"echo"}}},
	}
}

// echo answers with an artifact that holds what it heard; to "more" it asks for more first.
func echo(_ context.Context, t *agent.Turn) error {
	if t.Text() == "more" {
		return t.Ask(a2a.TextPart("what?"))
	}
	return t.Artifact("echo", a2a.TextPart(t.Text()))
}

// A running is a server that runs.
type running struct {
	url  string // of the HTTP bindings
	own  string // host:port of the listener of gRPC's own, if there is one
	end  context.CancelFunc
	done chan error
	log  *lines
}

// lines is a log that tests can read.
type lines struct {
	mu  sync.Mutex
	all []map[string]any
}

func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var line map[string]any
	if err := json.Unmarshal(b, &line); err == nil {
		l.all = append(l.all, line)
	}
	return len(b), nil
}

func (l *lines) find(key string, value any) map[string]any {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, line := range l.all {
		if line[key] == value {
			return line
		}
	}
	return nil
}

// start runs a server until the test ends.
func start(t *testing.T, svc a2a.Service, so server.Options, o grpc.Options) *running {
	t.Helper()
	r := &running{log: &lines{}, done: make(chan error, 1)}
	ready := make(chan struct{})
	o.OnReady = func(a net.Addr) { r.own = a.String() }
	so.Card, so.GRPC = aCard(), grpc.New(&o)
	so.OnReady = func(_ net.Addr, url string) { r.url = url; close(ready) }
	so.Logger = slog.New(slog.NewJSONHandler(r.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	srv, err := server.New(svc, &so)
	if err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(context.Background())
	r.end = end
	finished := make(chan struct{})
	go func() {
		defer close(finished)
		r.done <- srv.ListenAndServe(ctx, "127.0.0.1:0")
	}()
	t.Cleanup(func() { end(); <-finished })
	select {
	case <-ready:
	case err := <-r.done:
		t.Fatal(err)
	}
	return r
}

func (r *running) host() string {
	_, host, _ := strings.Cut(r.url, "://")
	return host
}

// echoing returns the service of the echo agent.
func echoing(t *testing.T) a2a.Service {
	t.Helper()
	eng, err := engine.New(&engine.Options{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { eng.Shutdown(context.Background()) })
	return eng.Agent("echo", agent.Func(echo), &engine.AgentOptions{Card: aCard()})
}

func dial(t *testing.T, addr string, creds credentials.TransportCredentials) *google.ClientConn {
	t.Helper()
	conn, err := google.NewClient(addr, google.WithTransportCredentials(creds))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

func timeout(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	t.Cleanup(cancel)
	return ctx
}

func interfaces(t *testing.T, r *running) []sdk.AgentInterface {
	t.Helper()
	req, _ := http.NewRequestWithContext(timeout(t), http.MethodGet, r.url+"/.well-known/agent-card.json", nil)
	req.Header.Set("A2A-Version", "1.0")
	req.Header.Set("Accept", "application/grpc")
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var card struct{ SupportedInterfaces []sdk.AgentInterface }
	if err := json.NewDecoder(resp.Body).Decode(&card); err != nil {
		t.Fatal(err)
	}
	return card.SupportedInterfaces
}

// The card names host and port of gRPC: those of the server, or those of the port of its own.
func TestCard(t *testing.T) {
	t.Parallel()
	for _, own := range []string{"", "127.0.0.1:0"} {
		r := start(t, echoing(t), server.Options{}, grpc.Options{Addr: own})
		want := r.host()
		if own != "" {
			want = r.own
		}
		found := 0
		for _, i := range interfaces(t, r) {
			if i.ProtocolBinding == "GRPC" {
				found++
				if i.URL != want {
					t.Errorf("the card names %q, want %q", i.URL, want)
				}
			}
		}
		if found != 2 { // one of 1.0, one of 0.3
			t.Errorf("the card names %d interfaces of gRPC", found)
		}
	}
}

func TestURLs(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ base, option, want string }{
		{"http://localhost", "", "localhost:80"},
		{"https://example.com", "", "example.com:443"},
		{"https://example.com:8443/agents/echo", "", "example.com:8443"},
		{"http://[::1]:80", "", "[::1]:80"},
		{"https://example.com", "grpc.example.com:50051", "grpc.example.com:50051"},
	} {
		got := grpc.New(&grpc.Options{URL: test.option}).Interfaces(test.base, a2a.Generation10)
		if len(got) != 1 || got[0].URL != test.want || got[0].Binding != a2a.BindingGRPC ||
			got[0].ProtocolVersion != "1.0" {
			t.Errorf("%q, %q: %v", test.base, test.option, got)
		}
	}
	if got := grpc.New(nil).Interfaces("http://localhost", a2a.Generation01); got != nil {
		t.Errorf("0.1 has gRPC: %v", got)
	}
}

func TestBadOptions(t *testing.T) {
	t.Parallel()
	used := grpc.New(nil)
	if _, err := server.New(echoing(t), &server.Options{Card: aCard(), GRPC: used}); err != nil {
		t.Fatal(err)
	}
	for name, o := range map[string]server.Options{
		"a path":         {GRPC: grpc.New(nil), Path: "/agents/echo"},
		"another server": {GRPC: used},
		"a URL":          {GRPC: grpc.New(&grpc.Options{URL: "https://example.com"})},
	} {
		o.Card = aCard()
		if _, err := server.New(echoing(t), &o); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}

// One port answers gRPC, JSON-RPC and a browser; so does the port of gRPC's own, with TLS and without.
func TestPorts(t *testing.T) {
	t.Parallel()
	for _, secure := range []bool{false, true} {
		for _, addr := range []string{"", "127.0.0.1:0"} {
			t.Run(fmt.Sprintf("secure=%v,own=%q", secure, addr), func(t *testing.T) {
				t.Parallel()
				so, creds := server.Options{}, insecure.NewCredentials()
				if secure {
					cert, pool := certificate(t)
					so.TLS = &tls.Config{Certificates: []tls.Certificate{cert}}
					creds = credentials.NewTLS(&tls.Config{RootCAs: pool})
				}
				r := start(t, echoing(t), so, grpc.Options{Addr: addr})
				ports := []string{r.host()}
				if addr != "" {
					ports = append(ports, r.own)
				}
				for _, port := range ports {
					sayHello(t, port, creds)
				}
				if line := r.log.find("operation", "SendMessage"); line == nil || line["request"] == "" ||
					line["status"] != 200.0 || line["task"] == nil {
					t.Errorf("the log has %v", line)
				}
			})
		}
	}
}

// sayHello sends a message with the official client of 1.0.
func sayHello(t *testing.T, addr string, creds credentials.TransportCredentials) {
	t.Helper()
	ctx := timeout(t)
	c, err := sdkclient.NewFromEndpoints(ctx,
		[]*sdk.AgentInterface{{URL: addr, ProtocolBinding: sdk.TransportProtocolGRPC, ProtocolVersion: "1.0"}},
		sdkgrpc.WithGRPCTransport(google.WithTransportCredentials(creds)))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Destroy()
	res, err := c.SendMessage(ctx,
		&sdk.SendMessageRequest{Message: sdk.NewMessage(sdk.MessageRoleUser, sdk.NewTextPart("hello"))})
	if err != nil {
		t.Fatal(err)
	}
	task, ok := res.(*sdk.Task)
	if !ok || task.Status.State != sdk.TaskStateCompleted || len(task.Artifacts) != 1 ||
		task.Artifacts[0].Parts[0].Text() != "hello" {
		t.Errorf("the answer is %+v", res)
	}
}

// The official client of 1.0 has a conversation, and gets the errors it knows.
func TestOfficialClient(t *testing.T) {
	t.Parallel()
	r := start(t, echoing(t), server.Options{}, grpc.Options{})
	ctx := timeout(t)
	c, err := sdkclient.NewFromEndpoints(ctx,
		[]*sdk.AgentInterface{{URL: r.host(), ProtocolBinding: sdk.TransportProtocolGRPC, ProtocolVersion: "1.0"}},
		sdkgrpc.WithGRPCTransport(google.WithTransportCredentials(insecure.NewCredentials())))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Destroy()
	var events []string
	var id sdk.TaskID
	for ev, err := range c.SendStreamingMessage(ctx,
		&sdk.SendMessageRequest{Message: sdk.NewMessage(sdk.MessageRoleUser, sdk.NewTextPart("more"))}) {
		if err != nil {
			t.Fatal(err)
		}
		id = ev.TaskInfo().TaskID
		events = append(events, fmt.Sprintf("%T", ev))
	}
	if len(events) < 2 || events[0] != "*a2a.Task" {
		t.Errorf("events %q", events)
	}
	m := sdk.NewMessage(sdk.MessageRoleUser, sdk.NewTextPart("this"))
	m.TaskID = id
	res, err := c.SendMessage(ctx, &sdk.SendMessageRequest{Message: m})
	if task, ok := res.(*sdk.Task); err != nil || !ok || task.ID != id || task.Status.State != sdk.TaskStateCompleted {
		t.Errorf("%+v, %v", res, err)
	}
	list, err := c.ListTasks(ctx, &sdk.ListTasksRequest{PageSize: 10}) // v2.3.1 asks for pages of 0 otherwise
	if err != nil || len(list.Tasks) != 1 {
		t.Errorf("%+v, %v", list, err)
	}
	if _, err := c.GetTask(ctx, &sdk.GetTaskRequest{ID: "nobody"}); !errors.Is(err, sdk.ErrTaskNotFound) {
		t.Errorf("an unknown task: %v", err)
	}
	if _, err := c.CancelTask(ctx, &sdk.CancelTaskRequest{ID: id}); !errors.Is(err, sdk.ErrTaskNotCancelable) {
		t.Errorf("cancel of what has ended: %v", err)
	}
}

// So does that of 0.3.
func TestOfficialClientOf03(t *testing.T) {
	t.Parallel()
	r := start(t, echoing(t), server.Options{}, grpc.Options{})
	ctx := timeout(t)
	c, err := legacyclient.NewFromEndpoints(ctx,
		[]legacy.AgentInterface{{URL: r.host(), Transport: legacy.TransportProtocolGRPC}},
		legacyclient.WithGRPCTransport(google.WithTransportCredentials(insecure.NewCredentials())))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Destroy()
	var last legacy.Event
	var id legacy.TaskID
	first := true
	for ev, err := range c.SendStreamingMessage(ctx,
		&legacy.MessageSendParams{Message: legacy.NewMessage(legacy.MessageRoleUser, legacy.TextPart{Text: "more"})}) {
		if err != nil {
			t.Fatal(err)
		}
		if task, ok := ev.(*legacy.Task); first && ok {
			id = task.ID
		}
		first, last = false, ev
	}
	if u, ok := last.(*legacy.TaskStatusUpdateEvent); !ok || !u.Final ||
		u.Status.State != legacy.TaskStateInputRequired {
		t.Errorf("the last event is %+v", last)
	}
	m := legacy.NewMessage(legacy.MessageRoleUser, legacy.TextPart{Text: "this"})
	m.TaskID = id
	blocking := true
	res, err := c.SendMessage(ctx, &legacy.MessageSendParams{Message: m,
		Config: &legacy.MessageSendConfig{Blocking: &blocking}})
	if task, ok := res.(*legacy.Task); err != nil || !ok || task.ID != id ||
		task.Status.State != legacy.TaskStateCompleted {
		t.Errorf("%+v, %v", res, err)
	}
	for ev, err := range c.ResubscribeToTask(ctx, &legacy.TaskIDParams{ID: id}) {
		if task, ok := ev.(*legacy.Task); err != nil || !ok || task.ID != id {
			t.Errorf("subscribing to what has ended: %+v, %v", ev, err)
		}
	}
	if _, err := c.GetTask(ctx, &legacy.TaskQueryParams{ID: "nobody"}); !errors.Is(err, legacy.ErrTaskNotFound) {
		t.Errorf("an unknown task: %v", err)
	}
}

// The health service says that the server serves, and when it is about to end.
func TestHealth(t *testing.T) {
	t.Parallel()
	for _, addr := range []string{"", "127.0.0.1:0"} {
		r := start(t, echoing(t), server.Options{}, grpc.Options{Addr: addr})
		port := r.host()
		if addr != "" {
			port = r.own
		}
		c := healthpb.NewHealthClient(dial(t, port, insecure.NewCredentials()))
		for _, service := range []string{"", "lf.a2a.v1.A2AService", "a2a.v1.A2AService"} {
			got, err := c.Check(timeout(t), &healthpb.HealthCheckRequest{Service: service})
			if err != nil || got.Status != healthpb.HealthCheckResponse_SERVING {
				t.Errorf("%q: %v, %v", service, got, err)
			}
		}
		if _, err := c.Check(timeout(t), &healthpb.HealthCheckRequest{Service: "nothing"}); status.Code(
			err) != codes.NotFound {
			t.Errorf("an unknown service: %v", err)
		}
		if all, err := c.List(timeout(t), &healthpb.HealthListRequest{}); err != nil || len(all.Statuses) != 3 {
			t.Errorf("%v, %v", all, err)
		}
		watch, err := c.Watch(timeout(t), &healthpb.HealthCheckRequest{})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := watch.Recv(); err != nil || got.Status != healthpb.HealthCheckResponse_SERVING {
			t.Fatal(got, err)
		}
		r.end()
		if got, err := watch.Recv(); err != nil || got.Status != healthpb.HealthCheckResponse_NOT_SERVING {
			t.Errorf("at the drain: %v, %v", got, err)
		}
		if _, err := watch.Recv(); status.Code(err) != codes.Unavailable {
			t.Errorf("after the drain: %v", err)
		}
		if err := <-r.done; err != nil { // a watcher does not hold it up
			t.Error(err)
		}
	}
}

// Reflection lists the services of both packages, if it is switched on.
func TestReflection(t *testing.T) {
	t.Parallel()
	for _, on := range []bool{false, true} {
		r := start(t, echoing(t), server.Options{}, grpc.Options{Reflection: on})
		stream, err := reflectionpb.NewServerReflectionClient(
			dial(t, r.host(), insecure.NewCredentials())).ServerReflectionInfo(timeout(t))
		if err != nil {
			t.Fatal(err)
		}
		ask := func(req *reflectionpb.ServerReflectionRequest) *reflectionpb.ServerReflectionResponse {
			if err := stream.Send(req); err != nil && err != io.EOF {
				t.Fatal(err)
			}
			got, err := stream.Recv()
			if !on {
				if status.Code(err) != codes.Unimplemented {
					t.Errorf("switched off: %v", err)
				}
				return nil
			}
			if err != nil {
				t.Fatal(err)
			}
			return got
		}
		got := ask(
			&reflectionpb.ServerReflectionRequest{MessageRequest: &reflectionpb.ServerReflectionRequest_ListServices{}})
		if !on {
			continue
		}
		var names []string
		for _, s := range got.GetListServicesResponse().GetService() {
			names = append(names, s.Name)
		}
		for _, name := range []string{"lf.a2a.v1.A2AService", "a2a.v1.A2AService", "grpc.health.v1.Health"} {
			if !slices.Contains(names, name) {
				t.Errorf("%s is not among %q", name, names)
				continue
			}
			file := ask(
				&reflectionpb.ServerReflectionRequest{
					MessageRequest: &reflectionpb.ServerReflectionRequest_FileContainingSymbol{
						FileContainingSymbol: name}})
			if len(file.GetFileDescriptorResponse().GetFileDescriptorProto()) == 0 {
				t.Errorf("%s has no file: %v", name, file)
			}
		}
		stream.CloseSend()
	}
}

// hanging is a service whose streams stay open until they are told to end.
type hanging struct {
	a2a.Service
	open chan struct{}
}

func (h *hanging) Subscribe(ctx context.Context, r *a2a.SubscribeRequest) (iter.Seq2[a2a.StreamEvent, error], error) {
	return func(yield func(a2a.StreamEvent, error) bool) {
		if !yield(a2a.NewStreamEvent("1",
			&a2a.Task{ID: r.ID, ContextID: "c", Status: a2a.TaskStatus{State: a2a.TaskStateWorking}}), nil) {
			return
		}
		h.open <- struct{}{}
		<-ctx.Done()
		yield(a2a.StreamEvent{}, ctx.Err())
	}, nil
}

// At the end of a drain open streams are told that the server shuts down, on both ports.
func TestDrain(t *testing.T) {
	t.Parallel()
	for _, addr := range []string{"", "127.0.0.1:0"} {
		h := &hanging{echoing(t), make(chan struct{}, 1)}
		so := server.Options{OnDrain: func(context.Context) error { return nil }}
		r := start(t, h, so, grpc.Options{Addr: addr})
		port := r.host()
		if addr != "" {
			port = r.own
		}
		ctx := timeout(t)
		stream, err := pb10.NewA2AServiceClient(dial(t, port, insecure.NewCredentials())).SubscribeToTask(
			withVersion(ctx), &pb10.SubscribeToTaskRequest{Id: "t"})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := stream.Recv(); err != nil {
			t.Fatal(err)
		}
		<-h.open
		r.end()
		if _, err := stream.Recv(); status.Code(err) != codes.Unavailable ||
			!strings.Contains(err.Error(), "shutting down") {
			t.Errorf("%v", err)
		}
		if err := <-r.done; err != nil {
			t.Error(err)
		}
	}
}

// A port that is taken is an error of ListenAndServe.
func TestTakenPort(t *testing.T) {
	t.Parallel()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	srv, err := server.New(echoing(t), &server.Options{Card: aCard(),
		GRPC: grpc.New(&grpc.Options{Addr: ln.Addr().String()})})
	if err != nil {
		t.Fatal(err)
	}
	if err := srv.ListenAndServe(t.Context(), "127.0.0.1:0"); err == nil ||
		!strings.Contains(err.Error(), "address already in use") {
		t.Error(err)
	}
}
