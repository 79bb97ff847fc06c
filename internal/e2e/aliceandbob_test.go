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
	"testing"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/apps/host"
	"github.com/dragoman-a2a/dragoman/apps/host/plan"
	"github.com/dragoman-a2a/dragoman/apps/registry"
	"github.com/dragoman-a2a/dragoman/client"
	"github.com/dragoman-a2a/dragoman/engine"
	"github.com/dragoman-a2a/dragoman/files"
	"github.com/dragoman-a2a/dragoman/push"
	"github.com/dragoman-a2a/dragoman/server"
	"github.com/dragoman-a2a/dragoman/server/grpc"
	"github.com/dragoman-a2a/dragoman/store/sqlite"
)

// startShared serves an agent with push configs and files, to callers who name themselves by a header.
func startShared(t *testing.T, worker func(*stack) agent.Agent) *stack {
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
		byHeader(o)
		o.GRPC, o.CardGRPC = grpc.New(nil), true
	})
	return s
}

// scriptWithFiles is the script, which also hands over a file.
func scriptWithFiles(s *stack) agent.Agent {
	return agent.Func(func(ctx context.Context, t *agent.Turn) error {
		if t.Text() == "file" {
			return clerk(ctx, t)
		}
		return s.script.Run(ctx, t)
	})
}

// hostOver is a host over an agent that is open to all.
func hostOver(t *testing.T) func(*stack) agent.Agent {
	behind := start(t, inMemory(t), nil)
	return func(*stack) agent.Agent {
		d, err := host.NewDirectory(&host.DirectoryOptions{Agents: []host.AgentRef{{Card: behind.url}}})
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

// A wiretap keeps the answers that a client reads over HTTP.
type wiretap struct {
	next http.RoundTripper
	seen bytes.Buffer
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
	fmt.Fprintf(&w.seen, "%d %v\n%s\n", resp.StatusCode, resp.Header, body)
	return resp, err
}

// uses are the operations on a thing that a caller names.
var uses = map[string]map[string]func(context.Context, *client.Client, string) (any, error){
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
	"list token": {
		"list": func(ctx context.Context, c *client.Client, token string) (any, error) {
			return c.ListTasks(ctx, &a2a.ListTasksRequest{PageSize: new(1), PageToken: token})
		},
	},
}

const hookURL = "http://127.0.0.1:1/hook"

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

// answerTo returns what a client of a user learns of a thing, in the bytes of the wire, or over gRPC as the client
// reads them. The thing and all ids are replaced.
func answerTo(t *testing.T, c *client.Client, tap *wiretap, thing string,
	use func(context.Context, *client.Client, string) (any, error)) string {
	t.Helper()
	tap.seen.Reset()
	result, err := use(t.Context(), c, thing)
	said := tap.seen.String()
	if said == "" {
		text, _ := json.Marshal(result)
		said = string(text)
		if err != nil {
			said = err.Error()
			if e := a2a.AsError(err); e != nil {
				said = fmt.Sprintf("%v %s %v %v", e.Kind, e.Message, e.Details, e.RetryAfter)
			}
		}
	}
	said = strings.ReplaceAll(said, thing, "THING")
	return made.ReplaceAllString(said, `"$1":"*"`)
}

// A caller learns nothing of the things of another: each operation, in each version and over each binding, answers a
// task, a context, an id of 0.1 or a list token of the other caller as one that does not exist. The same holds behind a
// gateway and a host, and by the card in a registry.
func TestAliceAndBob(t *testing.T) {
	t.Parallel()
	direct, hosting := startShared(t, scriptWithFiles), startShared(t, hostOver(t))
	for place, at := range map[string]string{"direct": direct.url, "gateway": direct.serveGateway(t),
		"host": hosting.url, "registry": inRegistry(t, direct.url)} {
		t.Run(place, func(t *testing.T) {
			t.Parallel()
			checkAliceAndBob(t, place, at)
		})
	}
}

func checkAliceAndBob(t *testing.T, place, at string) {
	t.Helper()
	tap, user := &wiretap{next: httpClient(t).Transport}, "alice-at-"+place
	all := readersAt(t, at, &http.Client{Transport: tap}, &user)
	c := all["1.0 "+a2a.BindingJSONRPC]
	var tasks []*a2a.Task
	for range 2 {
		result, err := c.SendMessage(t.Context(), saying("ask", func(*a2a.Message) {}))
		if err != nil {
			t.Fatal(err)
		}
		tasks = append(tasks, result.(*a2a.Task))
	}
	if _, err := uses["task"]["create push config"](t.Context(), c, string(tasks[0].ID)); err != nil {
		t.Fatal(err)
	}
	page, err := c.ListTasks(t.Context(), &a2a.ListTasksRequest{PageSize: new(1)})
	if err != nil || page.NextPageToken == "" {
		t.Fatalf("Alice's list is %+v, %v", page, err)
	}
	const own = "alice-s-own-task"
	if _, err := uses["task"]["make"](t.Context(), all["0.1 "+a2a.BindingJSONRPC], own); err != nil {
		t.Fatal(err)
	}
	before := aliceSees(t, c, tasks[0].ID)
	bobs := 0
	for _, thing := range [][2]string{{"task", string(tasks[0].ID)}, {"task", own},
		{"context", string(tasks[0].ContextID)}, {"list token", page.NextPageToken}} {
		for way, c := range all {
			for name, use := range uses[thing[0]] {
				bobs++
				user = fmt.Sprintf("bob-%d-at-%s", bobs, place) // one who has nothing yet
				foreign := answerTo(t, c, tap, thing[1], use)
				never := answerTo(t, c, tap, strings.Repeat("0", len(thing[1])), use)
				if foreign != never {
					t.Errorf("%s: %s tells a %s of Alice from none:\n%s\n%s", way, name, thing[0], foreign, never)
				}
				for _, other := range []string{string(tasks[0].ID), string(tasks[0].ContextID), "alice"} {
					if strings.Contains(foreign, other) {
						t.Errorf("%s: %s with a %s shows Bob %q:\n%s", way, name, thing[0], other, foreign)
					}
				}
			}
		}
	}
	user = "alice-at-" + place
	if after := aliceSees(t, c, tasks[0].ID); after != before {
		t.Errorf("Alice's task was\n%s\nand is\n%s", before, after)
	}
}

// aliceSees returns a task and its push configs.
func aliceSees(t *testing.T, c *client.Client, id a2a.TaskID) string {
	t.Helper()
	task, err := c.GetTask(t.Context(), &a2a.GetTaskRequest{ID: id})
	configs, err2 := c.ListPushConfigs(t.Context(), &a2a.ListPushConfigsRequest{TaskID: id})
	if err := cmp.Or(err, err2); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal([]any{task, configs})
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// The address of a file without the signature that its owner was shown, or with that of another file, answers like one
// of a file that does not exist.
func TestFilesOfOthersAreNotThere(t *testing.T) {
	t.Parallel()
	s := startShared(t, scriptWithFiles)
	urls := map[string]string{}
	for _, name := range []string{"alice", "bob"} {
		result, err := s.readers(t, name)["1.0 "+a2a.BindingJSONRPC].SendMessage(t.Context(),
			saying("file", func(*a2a.Message) {}))
		if err != nil {
			t.Fatal(err)
		}
		urls[name] = urlsOf(result.(*a2a.Task))[0]
		if status, content := s.read(t, urls[name]); status != http.StatusOK || content != secret {
			t.Fatalf("%s reads %d %q", name, status, content)
		}
	}
	path, _, signed := strings.Cut(urls["alice"], "?")
	_, signature, _ := strings.Cut(urls["bob"], "?")
	if !signed || signature == "" {
		t.Fatalf("the URLs are %v", urls)
	}
	never := path[:strings.LastIndex(path, "/")+1] + strings.Repeat("0", len(path)-strings.LastIndex(path, "/")-1)
	for _, query := range []string{"", "?" + signature} {
		status, foreign := s.read(t, path+query)
		status2, none := s.read(t, never+query)
		if status != status2 || foreign != none || status == http.StatusOK {
			t.Errorf("Alice's file: %d %q, none: %d %q", status, foreign, status2, none)
		}
	}
}
