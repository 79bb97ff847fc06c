// SPDX-License-Identifier: Apache-2.0

package e2e_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/client"
	"github.com/dragoman-a2a/dragoman/engine"
	"github.com/dragoman-a2a/dragoman/files"
	"github.com/dragoman-a2a/dragoman/internal/wire"
	"github.com/dragoman-a2a/dragoman/server"
	"github.com/dragoman-a2a/dragoman/server/grpc"
)

const secret = "what only Alice may read"

// clerk hands over a file when it is told to, and then asks. It repeats the parts of every other message as an
// artifact, and takes a text for a URL if that looks like a reference.
func clerk(_ context.Context, t *agent.Turn) error {
	if t.Text() != "file" {
		parts := t.Message().Parts
		if strings.HasPrefix(t.Text(), "dragoman-file:") {
			parts = []a2a.Part{a2a.URLPart(t.Text(), "text/plain", "")}
		}
		if err := t.PutArtifact(&a2a.Artifact{ID: "file", Parts: parts}); err != nil {
			return t.Ask(a2a.TextPart(err.Error()))
		}
		return t.Ask(a2a.TextPart("what else?"))
	}
	if err := t.PutArtifact(&a2a.Artifact{ID: "file",
		Parts: []a2a.Part{a2a.RawPart([]byte(secret), "text/plain", "alice.txt")}}); err != nil {
		return err
	}
	return t.Ask(a2a.TextPart("is it the right one?"), a2a.RawPart([]byte(secret), "text/plain", "alice.txt"))
}

// startFiles serves an agent whose files are kept, to callers who name themselves by a header. Unless it is checked,
// the store does not see what the agent repeats.
func startFiles(t *testing.T, opts engine.AgentOptions, checked bool) *stack {
	t.Helper()
	j := inMemory(t)
	s := &stack{client: httpClient(t)}
	e, err := engine.New(&engine.Options{Journal: j, Logger: quiet})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { shutDown(e) })
	s.engine = e
	store, err := files.Open(filepath.Join(t.TempDir(), "files"),
		&files.Options{Journal: j, Logger: quiet, Threshold: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	keeper := store.Agent(agent.Func(clerk))
	worker := agent.Func(func(ctx context.Context, t *agent.Turn) error {
		if !checked && t.Text() != "file" {
			return clerk(ctx, t)
		}
		return keeper.Run(ctx, t)
	})
	mux := http.NewServeMux()
	mux.Handle(files.Path, store)
	s.url = s.serveService(t, store.Service(e.Agent("clerk", worker, &opts), ""), scriptCard(), mux,
		func(o *server.Options) {
			byHeader(o)
			o.GRPC = grpc.New(nil)
		})
	return s
}

// readers returns a client of a user for each interface of the card, by protocol version and binding.
func (s *stack) readers(t *testing.T, user string) map[string]*client.Client {
	t.Helper()
	return readersAt(t, s.url, nil, &user)
}

// readersAt returns such clients for the card at an address, whose user can change; web may be nil.
func readersAt(t *testing.T, at string, web *http.Client, user *string) map[string]*client.Client {
	t.Helper()
	dialed, err := client.Dial(t.Context(), at, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer dialed.Close()
	readers := make(map[string]*client.Client)
	for _, iface := range dialed.Card().SupportedInterfaces {
		readers[iface.ProtocolVersion+" "+iface.Binding] = readerOf(t, dialed.Card(), iface, web, user)
	}
	if len(readers) != 7 {
		t.Fatalf("interfaces %v", readers)
	}
	return readers
}

// readerOf returns such a client for one interface.
func readerOf(t *testing.T, card *a2a.AgentCard, iface a2a.AgentInterface, web *http.Client,
	user *string) *client.Client {
	t.Helper()
	card = card.Clone()
	card.SupportedInterfaces = []a2a.AgentInterface{iface}
	asUser := func(ctx context.Context, call *client.Call, next client.Handler) (any, error) {
		call.Params.Set("X-User", *user)
		return next(ctx, call)
	}
	c, err := client.New(card, &client.Options{Generations: wire.Generations, HTTPClient: web,
		Interceptors: []client.Interceptor{asUser}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// urlsOf returns the URLs in all parts of a task.
func urlsOf(task *a2a.Task) (urls []string) {
	collect := func(parts []a2a.Part) {
		for _, p := range parts {
			if u, ok := p.Content.(a2a.URL); ok {
				urls = append(urls, string(u))
			}
		}
	}
	for _, a := range task.Artifacts {
		collect(a.Parts)
	}
	for _, m := range append(task.History[:len(task.History):len(task.History)], task.Status.Message) {
		if m != nil {
			collect(m.Parts)
		}
	}
	return urls
}

// folded returns the task that a stream begins with.
func folded(e a2a.Event) *a2a.Task {
	switch e := e.(type) {
	case *a2a.Task:
		return e
	case *a2a.StatusUpdate: // of 0.1
		return &a2a.Task{Status: e.Status}
	}
	return &a2a.Task{}
}

// read returns what is behind a URL.
func (s *stack) read(t *testing.T, url string) (status int, content string) {
	t.Helper()
	resp, err := s.client.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(b)
}

// seen returns the URLs that a user is shown of a task in each protocol version and binding: by get, by a
// subscription and, where there is one, by the list of tasks.
func (s *stack) seen(t *testing.T, user string, id a2a.TaskID) map[string][]string {
	t.Helper()
	seen := make(map[string][]string)
	for name, c := range s.readers(t, user) {
		history := 100
		task, err := c.GetTask(t.Context(), &a2a.GetTaskRequest{ID: id, HistoryLength: &history})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		seen["get "+name] = urlsOf(task)
		events, err := c.Subscribe(t.Context(), &a2a.SubscribeRequest{ID: id})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for ev, err := range events {
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			seen["subscribe "+name] = urlsOf(folded(ev.Event))
			break // the task waits for its caller
		}
		if strings.HasPrefix(name, "0.1") || name == "0.3 "+a2a.BindingJSONRPC {
			continue // has no list
		}
		page, err := c.ListTasks(t.Context(), &a2a.ListTasksRequest{IncludeArtifacts: true, HistoryLength: &history})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, task := range page.Tasks {
			seen["list "+name] = append(seen["list "+name], urlsOf(task)...)
		}
	}
	return seen
}

// aliceFile has Alice's task made, with an id of her choice, and returns the reference to its file: all of it is in an
// old URL.
func (s *stack) aliceFile(t *testing.T, id string) (reference string) {
	t.Helper()
	got := s.must(t, "tasks/send", strings.Replace(say01(id, "file"), `"role"`,
		`"metadata":{"desiredOutputFiles":"url"},"role"`, 1), "X-User: alice")
	signed, _ := path(got, "artifacts.0.parts.0.file.uri").(string)
	u, err := url.Parse(signed)
	if err != nil || !strings.HasPrefix(u.Path, files.Path) {
		t.Fatalf("Alice is shown %v", got)
	}
	return "dragoman-file:" + strings.TrimPrefix(u.Path, files.Path)
}

// The owner of a file is shown URLs that work, in every protocol version and binding.
func TestOwnersReadTheirFiles(t *testing.T) {
	t.Parallel()
	s := startFiles(t, engine.AgentOptions{AnyInput: true}, true)
	s.aliceFile(t, "report")
	for how, urls := range s.seen(t, "alice", "report") {
		if len(urls) < 2 && (len(urls) == 0 || how != "subscribe 0.1 "+a2a.BindingJSONRPC) {
			t.Errorf("%s: shows %v", how, urls)
		}
		for _, u := range urls {
			if status, content := s.read(t, u); status != http.StatusOK || content != secret {
				t.Errorf("%s: %s is answered with %d %q", how, u, status, content)
			}
		}
	}
}

// A caller does not speak as the agent, in any protocol version and binding, unless an option allows it.
func TestAgentRoleIsNotForCallers(t *testing.T) {
	t.Parallel()
	for _, allowed := range []bool{false, true} {
		s := startFiles(t, engine.AgentOptions{AnyInput: true, AllowAgentRole: allowed}, true)
		for name, c := range s.readers(t, "bob") {
			req := &a2a.SendMessageRequest{Message: a2a.NewMessage(a2a.RoleAgent, a2a.TextPart("hello"))}
			res, err := c.SendMessage(t.Context(), req)
			if !allowed {
				if !errors.Is(err, a2a.ErrInvalidParams) || !strings.Contains(err.Error(), "message.role") {
					t.Errorf("%s: %v, %v", name, res, err)
				}
				if _, err := c.StreamMessage(t.Context(), req); !errors.Is(err, a2a.ErrInvalidParams) {
					t.Errorf("%s: a stream: %v", name, err)
				}
				continue
			}
			if task, ok := res.(*a2a.Task); err != nil || !ok || task.Status.State != a2a.TaskStateInputRequired {
				t.Errorf("%s: %+v, %v", name, res, err)
			}
		}
	}
}

// Bob gives a task of his own the id of Alice's task. He sends a message that names her file: in the role of the agent,
// which is trusted, or as himself, so that the agent repeats it. The server does not sign the file for him, neither in
// the answer nor when he reads the task.
func TestFilesOfOthersAreNotSigned(t *testing.T) {
	t.Parallel()
	for _, allowed := range []bool{false, true} {
		for _, checked := range []bool{true, false} {
			t.Run(fmt.Sprintf("agent role %v, references checked %v", allowed, checked), func(t *testing.T) {
				t.Parallel()
				s := startFiles(t, engine.AgentOptions{AnyInput: true, AllowAgentRole: allowed}, checked)
				ref := s.aliceFile(t, "report")
				s.must(t, "tasks/send", say01("report", "hello"), "X-User: bob")
				for _, role := range []string{"user", "agent"} {
					s.attack(t, role, ref)
				}
				shown := 0
				for how, urls := range s.seen(t, "bob", "report") {
					for _, u := range urls {
						if shown++; !strings.HasPrefix(u, "dragoman-file:") {
							t.Errorf("%s: Bob is shown %s", how, u)
						}
					}
				}
				if (shown > 0) == checked {
					t.Errorf("Bob's task shows %d references", shown)
				}
				s.must(t, "tasks/send", say01("report", "file"), "X-User: bob") // takes the place of Alice's file
				for how, urls := range s.seen(t, "alice", "report") {
					for _, u := range urls {
						if status, _ := s.read(t, u); status != http.StatusOK {
							t.Errorf("%s: Alice's file is answered with %d", how, status)
						}
					}
				}
			})
		}
	}
}

// attack sends Bob's task a message with a reference in each protocol version.
func (s *stack) attack(t *testing.T, role, ref string) {
	t.Helper()
	for _, m := range []struct{ method, version, role, params string }{
		{"tasks/send", v01, role,
			`{"id":"report","message":{"role":ROLE,"parts":[{"type":"file","file":{"uri":URI}}]}}`},
		{"message/send", v03, role,
			`{"message":{"messageId":"m3","taskId":"report","role":ROLE,` +
				`"parts":[{"kind":"file","file":{"uri":URI}}]}}`},
		{"SendMessage", v10, "ROLE_" + strings.ToUpper(role),
			`{"message":{"messageId":"m1","taskId":"report","role":ROLE,"parts":[{"url":URI}]}}`},
		{"SendMessage", v10, "ROLE_" + strings.ToUpper(role),
			`{"message":{"messageId":"m2","taskId":"report","role":ROLE,"parts":[{"text":URI}]}}`},
	} {
		params := strings.NewReplacer("ROLE", strconv.Quote(m.role), "URI", strconv.Quote(ref)).Replace(m.params)
		_, _, body := s.raw(t, `{"jsonrpc":"2.0","id":"r-1","method":"`+m.method+`","params":`+params+`}`, m.version,
			"X-User: bob")
		if strings.Contains(body, "signature=") {
			t.Errorf("%s as %s: Bob is answered %s", m.method, role, body)
		}
	}
}

// handsOver answers everything with a file.
func handsOver(*stack) agent.Agent {
	return agent.Func(func(_ context.Context, t *agent.Turn) error {
		return t.Artifact("file", a2a.RawPart([]byte(secret), "text/plain", "alice.txt"))
	})
}

// The address of a file without the signature that its owner was shown, or with that of another file, answers like one
// of a file that does not exist. It is the same address through a gateway and a host.
func TestFilesOfOthersAreNotThere(t *testing.T) {
	t.Parallel()
	s, open := startShared(t, handsOver, byHeader), startShared(t, handsOver, anyone)
	for place, at := range map[string]string{"direct": s.url, "gateway": s.serveGateway(t),
		"host": startShared(t, hostOver(t, open.url), byHeader).url} {
		urls := map[string]string{}
		for _, name := range []string{"alice", "bob"} {
			result, err := readersAt(t, at, nil, &name)["1.0 "+a2a.BindingJSONRPC].SendMessage(t.Context(),
				saying("echo hello", func(*a2a.Message) {}))
			if err != nil {
				t.Fatal(err)
			}
			shown := urlsOf(result.(*a2a.Task))
			if len(shown) == 0 {
				t.Fatalf("%s: %s is shown %+v", place, name, result)
			}
			urls[name] = shown[0]
			if status, content := s.read(t, urls[name]); status != http.StatusOK || content != secret {
				t.Fatalf("%s: %s reads %d %q", place, name, status, content)
			}
		}
		path, _, signed := strings.Cut(urls["alice"], "?")
		_, signature, _ := strings.Cut(urls["bob"], "?")
		if !signed || signature == "" {
			t.Fatalf("%s: the URLs are %v", place, urls)
		}
		never := path[:strings.LastIndex(path, "/")+1] + strings.Repeat("0", len(path)-strings.LastIndex(path, "/")-1)
		for _, query := range []string{"", "?" + signature} {
			status, foreign := s.read(t, path+query)
			status2, none := s.read(t, never+query)
			if status != status2 || foreign != none || status == http.StatusOK {
				t.Errorf("%s: Alice's file: %d %q, none: %d %q", place, status, foreign, status2, none)
			}
		}
	}
}
