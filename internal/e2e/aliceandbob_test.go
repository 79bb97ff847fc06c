// SPDX-License-Identifier: Apache-2.0

package e2e_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/apps/host"
	"github.com/dragoman-a2a/dragoman/apps/host/plan"
	"github.com/dragoman-a2a/dragoman/apps/registry"
	"github.com/dragoman-a2a/dragoman/client"
	grpcclient "github.com/dragoman-a2a/dragoman/client/grpc"
	"github.com/dragoman-a2a/dragoman/engine"
	"github.com/dragoman-a2a/dragoman/files"
	"github.com/dragoman-a2a/dragoman/push"
	"github.com/dragoman-a2a/dragoman/server"
	"github.com/dragoman-a2a/dragoman/server/grpc"
	"github.com/dragoman-a2a/dragoman/store/sqlite"
	ggrpc "google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/stats"
)

// startShared serves an agent with push configs and files. With byHeader, callers name themselves by a header.
func startShared(t *testing.T, worker func(*stack) agent.Agent, callers func(*server.Options)) *stack {
	t.Helper()
	j := onDisk(t)
	sender, err := push.New(push.Options{Journal: j, AllowPrivate: true, Logger: quiet})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { sender.Shutdown(context.WithoutCancel(t.Context())) })
	s := &stack{script: &script{}, client: httpClient(t)}
	if s.engine, err = engine.New(&engine.Options{Journal: j, Push: sender, Logger: quiet}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { shutDown(s.engine) })
	store, err := files.Open(filepath.Join(t.TempDir(), "files"),
		&files.Options{Journal: j, Logger: quiet, Threshold: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	mux := http.NewServeMux()
	mux.Handle(files.Path, store)
	svc := store.Service(s.engine.Agent("shared", store.Agent(worker(s)), &engine.AgentOptions{AnyInput: true}), "")
	s.url = s.serveService(t, svc, scriptCard(), mux, func(o *server.Options) {
		callers(o)
		o.GRPC, o.CardGRPC = grpc.New(nil), true
	})
	return s
}

func anyone(*server.Options) {}

// theScript does what it is told.
func theScript(s *stack) agent.Agent { return s.script }

// hostOver is a host over an agent that is open to all.
func hostOver(t *testing.T, behind string) func(*stack) agent.Agent {
	return func(*stack) agent.Agent {
		d, err := host.NewDirectory(&host.DirectoryOptions{Agents: []host.AgentRef{{Card: behind}}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { d.Close() })
		h, err := host.New(host.Options{Directory: d, Planner: plan.Rules()})
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
}

// inRegistry adds an agent to a registry, and returns the address of the card there.
func inRegistry(t *testing.T, agent string) string {
	t.Helper()
	db, err := sqlite.Open(t.Context(), t.TempDir(), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	r, err := registry.New(t.Context(), db, &registry.Options{Networks: registry.NetworksLoopback, Logger: quiet})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	if _, _, err := r.Add(t.Context(), registry.Registration{URL: agent, Alias: "shared"}); err != nil {
		t.Fatal(err)
	}
	ts := httptest.NewServer(registry.NewHandler(r, nil))
	t.Cleanup(ts.Close)
	return ts.URL + "/v1/agents/shared/card.json"
}

// A wiretap keeps the answers that a client reads over HTTP, and the headers and trailers of those over gRPC.
type wiretap struct {
	next http.RoundTripper

	mu   sync.Mutex
	seen bytes.Buffer
}

func (w *wiretap) keep(format string, values ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	fmt.Fprintf(&w.seen, format, values...)
}

// take returns what the wiretap has kept since it was asked last.
func (w *wiretap) take() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	defer w.seen.Reset()
	return w.seen.String()
}

func (w *wiretap) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := w.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(resp.Body)
	resp.Body.Close()
	resp.Body = io.NopCloser(bytes.NewReader(body))
	resp.Header.Del("Date")
	resp.Header.Del("X-Request-Id")
	resp.Header.Del("Content-Length") // of a body with ids, which have lengths of their own
	w.keep("%d %v\n%s\n", resp.StatusCode, resp.Header, body)
	return resp, err
}

// onGRPC gives what the clients of this package are answered over gRPC to the wiretap in the context of a call.
type onGRPC struct{}

func init() {
	client.RegisterTransport(a2a.BindingGRPC, grpcclient.With(ggrpc.WithStatsHandler(onGRPC{})))
}

func (onGRPC) TagRPC(ctx context.Context, _ *stats.RPCTagInfo) context.Context   { return ctx }
func (onGRPC) TagConn(ctx context.Context, _ *stats.ConnTagInfo) context.Context { return ctx }
func (onGRPC) HandleConn(context.Context, stats.ConnStats)                       {}

func (onGRPC) HandleRPC(ctx context.Context, s stats.RPCStats) {
	w, tapped := ctx.Value(onGRPC{}).(*wiretap)
	if !tapped {
		return
	}
	var md metadata.MD
	switch s := s.(type) {
	case *stats.InHeader:
		md = s.Header
	case *stats.InTrailer:
		md = s.Trailer
	default:
		return
	}
	md = md.Copy()
	for _, own := range []string{"date", "x-request-id", "content-length"} {
		delete(md, own)
	}
	w.keep("%T %q\n", s, map[string][]string(md)) // an MD prints without its values
}

// A use is an operation on a thing that a caller names.
type use func(ctx context.Context, c *client.Client, thing string) (any, error)

// uses are the operations on each kind of thing.
var uses = map[string]map[string]use{
	"task": {
		"send": func(ctx context.Context, c *client.Client, id string) (any, error) {
			return c.SendMessage(ctx, saying("ask", func(m *a2a.Message) { m.TaskID = a2a.TaskID(id) }))
		},
		"make": func(ctx context.Context, c *client.Client, id string) (any, error) { // only 0.1 can
			r := saying("ask", func(*a2a.Message) {})
			r.NewTaskID = a2a.TaskID(id)
			return c.SendMessage(ctx, r)
		},
		"stream": func(ctx context.Context, c *client.Client, id string) (any, error) {
			return drained(c.StreamMessage(ctx, saying("ask", func(m *a2a.Message) { m.TaskID = a2a.TaskID(id) })))
		},
		"refer": func(ctx context.Context, c *client.Client, id string) (any, error) {
			return c.SendMessage(ctx, saying("related", func(m *a2a.Message) {
				m.ReferenceTaskIDs = []a2a.TaskID{a2a.TaskID(id)}
			}))
		},
		"get": func(ctx context.Context, c *client.Client, id string) (any, error) {
			return c.GetTask(ctx, &a2a.GetTaskRequest{ID: a2a.TaskID(id)})
		},
		"cancel": func(ctx context.Context, c *client.Client, id string) (any, error) {
			return c.CancelTask(ctx, &a2a.CancelTaskRequest{ID: a2a.TaskID(id)})
		},
		"subscribe": func(ctx context.Context, c *client.Client, id string) (any, error) {
			return drained(c.Subscribe(ctx, &a2a.SubscribeRequest{ID: a2a.TaskID(id)}))
		},
		"send with a push config": func(ctx context.Context, c *client.Client, id string) (any, error) {
			r := saying("ask", func(m *a2a.Message) { m.TaskID = a2a.TaskID(id) })
			r.Configuration = &a2a.SendConfiguration{PushConfig: &a2a.PushConfig{ID: "p", URL: hookURL}}
			return c.SendMessage(ctx, r)
		},
		"create push config": func(ctx context.Context, c *client.Client, id string) (any, error) {
			return c.CreatePushConfig(ctx, &a2a.PushConfig{TaskID: a2a.TaskID(id), ID: "p", URL: hookURL})
		},
		"get push config": func(ctx context.Context, c *client.Client, id string) (any, error) {
			return c.GetPushConfig(ctx, &a2a.GetPushConfigRequest{TaskID: a2a.TaskID(id), ID: "p"})
		},
		"list push configs": func(ctx context.Context, c *client.Client, id string) (any, error) {
			return c.ListPushConfigs(ctx, &a2a.ListPushConfigsRequest{TaskID: a2a.TaskID(id)})
		},
		"delete push config": func(ctx context.Context, c *client.Client, id string) (any, error) {
			return nil, c.DeletePushConfig(ctx, &a2a.DeletePushConfigRequest{TaskID: a2a.TaskID(id), ID: "p"})
		},
	},
	"context": {
		"list": func(ctx context.Context, c *client.Client, id string) (any, error) {
			return c.ListTasks(ctx, &a2a.ListTasksRequest{ContextID: a2a.ContextID(id)})
		},
		"send": func(ctx context.Context, c *client.Client, id string) (any, error) {
			return c.SendMessage(ctx, saying("related", func(m *a2a.Message) { m.ContextID = a2a.ContextID(id) }))
		},
	},
	"push config": { // of a task of the caller
		"create": func(ctx context.Context, c *client.Client, id string) (any, error) {
			return c.CreatePushConfig(ctx, &a2a.PushConfig{TaskID: bobsTask, ID: id, URL: hookURL})
		},
		"get": func(ctx context.Context, c *client.Client, id string) (any, error) {
			return c.GetPushConfig(ctx, &a2a.GetPushConfigRequest{TaskID: bobsTask, ID: id})
		},
		"delete": func(ctx context.Context, c *client.Client, id string) (any, error) {
			return nil, c.DeletePushConfig(ctx, &a2a.DeletePushConfigRequest{TaskID: bobsTask, ID: id})
		},
	},
	"list token": {
		"list": func(ctx context.Context, c *client.Client, token string) (any, error) {
			return c.ListTasks(ctx, &a2a.ListTasksRequest{PageSize: new(1), PageToken: token})
		},
	},
}

const bobsTask = "bob-s-own-task"

// hookURL is that of the webhook which TestAliceAndBob starts.
var hookURL string

// inApril are the operations of the documents of April 2025 on a task, whose id is THING, with a webhook at HOOK. Their
// parts need no type, and their clients name a session.
var inApril = map[string]string{
	"tasks/send":                 `{"id":"THING","sessionId":"s","acceptedOutputModes":["text"],"message":MESSAGE}`,
	"tasks/send, with a webhook": `{"id":"THING","message":MESSAGE,"pushNotification":{"url":"HOOK"}}`,
	"tasks/sendSubscribe":        `{"id":"THING","sessionId":"s","message":MESSAGE}`,
	"tasks/get":                  `{"id":"THING","historyLength":10}`,
	"tasks/cancel":               `{"id":"THING"}`,
	"tasks/resubscribe":          `{"id":"THING"}`,
	"tasks/pushNotification/set": `{"id":"THING","pushNotificationConfig":{"url":"HOOK"}}`,
	"tasks/pushNotification/get": `{"id":"THING"}`,
}

// aprilUses returns these operations of a user at a URL.
func aprilUses(at string, web *http.Client, user *string) map[string]use {
	message := `{"role":"user","parts":[{"text":"ask"}]}`
	all := make(map[string]use)
	for name, params := range inApril {
		params = strings.NewReplacer("MESSAGE", message, "HOOK", hookURL).Replace(params)
		method, _, _ := strings.Cut(name, ",")
		all[name] = func(ctx context.Context, _ *client.Client, id string) (any, error) {
			body := `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":` +
				strings.ReplaceAll(params, "THING", id) + `}`
			r, err := http.NewRequestWithContext(ctx, "POST", at, strings.NewReader(body))
			if err != nil {
				return nil, err
			}
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("X-User", *user)
			resp, err := web.Do(r)
			if err != nil {
				return nil, err
			}
			return nil, resp.Body.Close()
		}
	}
	return all
}

// saying returns a message with a text and an id that is always the same.
func saying(text string, about func(*a2a.Message)) *a2a.SendMessageRequest {
	m := a2a.NewMessage(a2a.RoleUser, a2a.TextPart(text))
	m.ID = "m"
	about(m)
	return &a2a.SendMessageRequest{Message: m}
}

// drained reads a stream to its end.
func drained(events func(func(a2a.StreamEvent, error) bool), err error) (all []a2a.Event, _ error) {
	if err != nil {
		return nil, err
	}
	for ev, err := range events {
		if err != nil {
			return all, err
		}
		all = append(all, ev.Event)
	}
	return all, nil
}

// made are the values that each answer has of its own: ids and times.
var made = regexp.MustCompile(`"(id|taskId|contextId|sessionId|messageId|artifactId|timestamp|task_id|context_id)":` +
	`\s*("[^"]*"|\d+)`)

// answerTo returns what a client of a user learns of a thing: the bytes of the wire, over gRPC the headers and
// trailers, and what the client makes of them. The thing and all ids are replaced.
func answerTo(t *testing.T, c *client.Client, tap *wiretap, thing string, do use) string {
	t.Helper()
	tap.take()
	result, err := do(context.WithValue(t.Context(), onGRPC{}, tap), c, thing)
	said := tap.take()
	text, _ := json.Marshal(result)
	said += string(text)
	if err != nil {
		e := a2a.AsError(err)
		said += fmt.Sprintf("%v %s %v %v", e.Kind, e.Message, e.Details, e.RetryAfter)
	}
	said = strings.ReplaceAll(said, thing, "THING")
	return made.ReplaceAllString(said, `"$1":"*"`)
}

// A caller learns nothing of the things of another: each operation, in each version and over each binding, answers a
// task, a context, an id of 0.1, a push config or a list token of the other caller as one that does not exist. The same
// holds behind a gateway and a host, and by the card in a registry.
func TestAliceAndBob(t *testing.T) {
	t.Parallel()
	hook := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, r.FormValue("validationToken")) // which 0.1 asks for
	}))
	t.Cleanup(hook.Close)
	hookURL = hook.URL
	direct := startShared(t, theScript, byHeader)
	hosting := startShared(t, hostOver(t, start(t, inMemory(t), nil).url), byHeader)
	gate := direct.serveGateway(t)
	for place, at := range map[string]struct{ card, calls string }{
		"direct": {direct.url, direct.url}, "gateway": {gate, gate}, "host": {hosting.url, hosting.url},
		"registry": {inRegistry(t, direct.url), direct.url},
	} {
		t.Run(place, func(t *testing.T) {
			t.Parallel()
			checkAliceAndBob(t, place, at.card, at.calls)
		})
	}
}

func checkAliceAndBob(t *testing.T, place, at, calls string) {
	t.Helper()
	tap, user := &wiretap{next: httpClient(t).Transport}, "alice-at-"+place
	web := &http.Client{Transport: tap}
	all := readersAt(t, at, web, &user)
	c, old := all["1.0 "+a2a.BindingJSONRPC], all["0.1 "+a2a.BindingJSONRPC]
	// The card names 0.3 for both.
	for _, b := range []string{a2a.BindingJSONRPC, a2a.BindingHTTPJSON, a2a.BindingGRPC} {
		iface := all["0.3 "+b].Interface()
		iface.ProtocolVersion = "0.2.6"
		all["0.2 "+b] = readerOf(t, c.Card(), iface, web, &user)
	}
	var tasks []*a2a.Task
	for range 2 {
		result, err := c.SendMessage(t.Context(), saying("ask", func(*a2a.Message) {}))
		if err != nil {
			t.Fatal(err)
		}
		tasks = append(tasks, result.(*a2a.Task))
	}
	page, err := c.ListTasks(t.Context(), &a2a.ListTasksRequest{PageSize: new(1)})
	if err != nil || page.NextPageToken == "" {
		t.Fatalf("Alice's list is %+v, %v", page, err)
	}
	const own, config = "alice-s-own-task", "alice-s-config"
	if _, err := uses["task"]["make"](t.Context(), old, own); err != nil {
		t.Fatal(err)
	}
	for c, hook := range map[*client.Client]*a2a.PushConfig{
		c: {TaskID: tasks[0].ID, ID: config, URL: hookURL}, old: {TaskID: own, URL: hookURL},
	} {
		if _, err := c.CreatePushConfig(t.Context(), hook); err != nil {
			t.Fatal(err)
		}
	}
	before := aliceSees(t, c, tasks[0].ID) + aliceSees(t, old, own)
	bobs := 0
	check := func(way, kind, name, thing string, c *client.Client, do use) {
		bobs++
		user = fmt.Sprintf("bob-%d-at-%s", bobs, place) // one who has nothing yet
		if kind == "push config" {
			if _, err := uses["task"]["make"](t.Context(), old, bobsTask); err != nil {
				t.Fatal(err)
			}
		}
		foreign := answerTo(t, c, tap, thing, do)
		never := answerTo(t, c, tap, strings.Repeat("0", len(thing)), do)
		if foreign != never {
			t.Errorf("%s: %s tells a %s of Alice from none:\n%s\n%s", way, name, kind, foreign, never)
		}
		for _, other := range []string{string(tasks[0].ID), string(tasks[0].ContextID), "alice"} {
			if strings.Contains(foreign, other) {
				t.Errorf("%s: %s with a %s shows Bob %q:\n%s", way, name, kind, other, foreign)
			}
		}
	}
	for _, thing := range [][2]string{{"task", string(tasks[0].ID)}, {"task", own}, {"push config", config},
		{"context", string(tasks[0].ContextID)}, {"list token", page.NextPageToken}} {
		for way, c := range all {
			for name, do := range uses[thing[0]] {
				check(way, thing[0], name, thing[1], c, do)
			}
		}
		if thing[0] == "task" {
			for name, do := range aprilUses(calls, web, &user) {
				check("April 2025", thing[0], name, thing[1], nil, do)
			}
		}
	}
	user = "alice-at-" + place
	if after := aliceSees(t, c, tasks[0].ID) + aliceSees(t, old, own); after != before {
		t.Errorf("Alice's tasks were\n%s\nand are\n%s", before, after)
	}
}

// aliceSees returns a task and its push configs.
func aliceSees(t *testing.T, c *client.Client, id a2a.TaskID) string {
	t.Helper()
	task, err := c.GetTask(t.Context(), &a2a.GetTaskRequest{ID: id})
	var configs any
	var err2 error
	if strings.HasPrefix(c.Interface().ProtocolVersion, "0.1") { // has one config, and no list
		configs, err2 = c.GetPushConfig(t.Context(), &a2a.GetPushConfigRequest{TaskID: id})
	} else {
		configs, err2 = c.ListPushConfigs(t.Context(), &a2a.ListPushConfigsRequest{TaskID: id})
	}
	if err := cmp.Or(err, err2); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal([]any{task, configs})
	if err != nil {
		t.Fatal(err)
	}
	return made.ReplaceAllString(string(text), `"$1":"*"`) // messages of 0.1 get an id when they are read
}
