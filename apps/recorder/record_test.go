// SPDX-License-Identifier: Apache-2.0

package recorder

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/client"
	"github.com/dragoman-a2a/dragoman/internal/a2atest"
)

// file is a cassette in memory.
type file struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (f *file) Write(p []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.b.Write(p)
}

func (f *file) String() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.b.String()
}

// serve serves an agent until the test ends.
func serve(t *testing.T, a agent.Agent) string {
	t.Helper()
	return a2atest.Serve(t, a, &a2a.AgentCard{Name: "Test", Description: "For tests", Version: "1",
		DefaultInputModes: []string{"text/plain"}, DefaultOutputModes: []string{"text/plain"}})
}

// recorder puts a recorder in front of an agent until the test ends.
func recorder(t *testing.T, agent string, opts *Options) (string, *file) {
	t.Helper()
	f := &file{}
	if opts == nil {
		opts = &Options{}
	}
	opts.Out, opts.Transport = f, transport(t)
	var h http.Handler
	ts := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { h.ServeHTTP(w, r) }))
	t.Cleanup(func() { ts.CloseClientConnections(); ts.Close() })
	r, err := NewRecorder(agent, ts.URL, opts)
	if err != nil {
		t.Fatal(err)
	}
	h = r
	return ts.URL, f
}

// transport returns one that leaves no connection behind.
func transport(t *testing.T) http.RoundTripper {
	tr := &http.Transport{}
	t.Cleanup(tr.CloseIdleConnections)
	return tr
}

// converter answers with two statuses, an artifact in two chunks, and a question if it does not know the amount.
func converter(result string) agent.Agent {
	return agent.Func(func(ctx context.Context, t *agent.Turn) error {
		if !strings.Contains(t.Text(), "1") {
			return t.Ask(a2a.TextPart("How much?"))
		}
		t.Working(a2a.TextPart("Looking it up for " + string(t.TaskID())))
		return t.Artifact("result", a2a.TextPart(result+" at ${task.1}"))
	})
}

// converse has a conversation over each binding, blocking and in streams, in several generations.
func converse(t *testing.T, url string) {
	t.Helper()
	for _, gen := range []a2a.Generation{a2a.Generation10, a2a.Generation03, a2a.Generation01} {
		for _, binding := range []string{a2a.BindingJSONRPC, a2a.BindingHTTPJSON} {
			if gen == a2a.Generation01 && binding == a2a.BindingHTTPJSON {
				continue
			}
			converseOver(t, url, gen, binding)
		}
	}
}

func converseOver(t *testing.T, url string, gen a2a.Generation, binding string) {
	t.Helper()
	c, err := client.Dial(t.Context(), url,
		&client.Options{Bindings: []string{binding}, Generations: []a2a.Generation{gen}})
	if err != nil {
		t.Fatalf("%s over %s: %v", gen, binding, err)
	}
	defer c.Close()
	result, err := c.SendMessage(t.Context(),
		&a2a.SendMessageRequest{Message: a2a.NewMessage(a2a.RoleUser, a2a.TextPart("some USD"))})
	if err != nil {
		t.Fatalf("%s over %s: %v", gen, binding, err)
	}
	task := result.(*a2a.Task)
	if task.Status.State != a2a.TaskStateInputRequired {
		t.Fatalf("%s over %s: %s", gen, binding, task.Status.State)
	}
	answer := a2a.NewMessage(a2a.RoleUser, a2a.TextPart("1 USD"))
	answer.TaskID, answer.ContextID = task.ID, task.ContextID
	events, err := c.StreamMessage(t.Context(), &a2a.SendMessageRequest{Message: answer})
	if err != nil {
		t.Fatalf("%s over %s: %v", gen, binding, err)
	}
	n := 0
	for _, err := range events {
		if err != nil {
			t.Fatalf("%s over %s: %v", gen, binding, err)
		}
		n++
	}
	if n < 3 {
		t.Fatalf("%s over %s: %d events", gen, binding, n)
	}
	if _, err := c.GetTask(t.Context(), &a2a.GetTaskRequest{ID: task.ID}); err != nil {
		t.Fatalf("%s over %s: %v", gen, binding, err)
	}
	if _, err := c.GetTask(t.Context(), &a2a.GetTaskRequest{ID: "none"}); err == nil {
		t.Fatalf("%s over %s: a task that is not there", gen, binding)
	}
}

// A recording, played by the client against the same agent, brings the same; against another one it does not, and
// played by the agent it serves the same client.
func TestRecordReplayDiff(t *testing.T) {
	t.Parallel()
	url, recorded := recorder(t, serve(t, converter("0.77 GBP")), nil)
	converse(t, url)
	first := read(t, recorded.String())
	for _, e := range first.Exchanges {
		if e.Answer == nil || e.IsStream() && len(e.Events) < 3 {
			t.Errorf("exchange %d, %s, has no answer", e.Request.N, e.Request.Title())
		}
	}
	play := func(agent string) []Difference {
		f := &file{}
		if err := Replay(t.Context(), first, agent, nil, &Options{Out: f, Transport: transport(t)}); err != nil {
			t.Fatal(err)
		}
		return Diff(first, read(t, f.String()))
	}
	for _, d := range play(serve(t, converter("0.77 GBP"))) {
		t.Errorf("%d, %s, %s: %s %s", d.A, d.Request, d.Where, d.Was, d.Is)
	}
	changed := play(serve(t, converter("0.78 GBP")))
	for _, d := range changed {
		if !strings.Contains(d.Where, "parts/0/text") || !strings.Contains(string(d.Was), "0.77 GBP") ||
			!strings.Contains(string(d.Is), "0.78 GBP") {
			t.Errorf("%d, %s, %s: %s %s", d.A, d.Request, d.Where, d.Was, d.Is)
		}
	}
	if len(changed) < 10 {
		t.Errorf("%d differences", len(changed))
	}

	var player *Player
	ts := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { player.ServeHTTP(w, r) }))
	defer ts.Close()
	player = NewPlayer(first, ts.URL, func(why string) { t.Error(why) })
	converse(t, ts.URL)
	if left := player.Left(); left != 0 {
		t.Errorf("%d requests were not made", left)
	}
}

// Two recordings of one conversation are the same but for the moments: a cassette can be a golden file.
func TestACassetteSaysTheSameEachTime(t *testing.T) {
	t.Parallel()
	record := func() string {
		url, f := recorder(t, serve(t, converter("0.77 GBP")), nil)
		converseOver(t, url, a2a.Generation10, a2a.BindingJSONRPC)
		c := read(t, f.String())
		for _, l := range c.Lines {
			l.T = 0
		}
		var b strings.Builder
		if err := c.Write(&b); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	first, second := record(), record()
	if first != second {
		t.Errorf("%s\n%s", first, second)
	}
	for _, want := range []string{"${base}", "Looking it up for ${task.1}", "at $${task.1}",
		`"timestamp":"${time.1}"`} {
		if !strings.Contains(first, want) {
			t.Errorf("no %s in\n%s", want, first)
		}
	}
}

func TestSecretsAreNotRecorded(t *testing.T) {
	t.Parallel()
	ts := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Set-Cookie", "session=hunter4hunter4")
		fmt.Fprintf(w, `{"saw":"%s and %s","got":%s}`, r.Header.Get("Authorization"), r.Header.Get("X-Api-Key"), body)
	}))
	defer ts.Close()
	url, f := recorder(t, ts.URL, nil)
	req, err := http.NewRequestWithContext(t.Context(), "POST", url+"/tasks?api_key=hunter3hunter3&a=1",
		strings.NewReader(
			`{"url":"https://hook.example/","token":"hunter5hunter5","authentication":{"scheme":"Bearer",`+
				`"credentials":"hunter6hunter6"},"text":"it is hunter1hunter1"}`))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer hunter1hunter1")
	req.Header.Set("X-Api-Key", "hunter2hunter2")
	resp, err := transport(t).RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	body, _ := io.ReadAll(resp.Body)
	resp.Body.Close()
	if !strings.Contains(string(body), "Bearer hunter1hunter1 and hunter2hunter2") ||
		resp.Header.Get("Set-Cookie") == "" {
		t.Errorf("passed: %s", body)
	}
	if got := f.String(); strings.Contains(got, "hunter") ||
		!strings.Contains(got, `"path":"/tasks?a=1&api_key=[redacted]"`) ||
		!strings.Contains(got, `"Authorization":"[redacted]"`) {
		t.Error(got)
	}
}

// An event is with the client before the next one is sent, and in the cassette before that.
func TestStreamsAreNotHeldUp(t *testing.T) {
	t.Parallel()
	next := make(chan struct{})
	ts := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		w.(http.Flusher).Flush()
		for n := 1; n <= 3; n++ {
			fmt.Fprintf(w, ": alive\r\n\r\nid: %d\r\ndata: {\"n\":\r\ndata: %d}\r\n\r\n", n, n)
			w.(http.Flusher).Flush()
			<-next
		}
	}))
	defer ts.Close()
	url, f := recorder(t, ts.URL, nil)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	req, _ := http.NewRequestWithContext(ctx, "GET", url+"/tasks/t:subscribe", nil)
	resp, err := transport(t).RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	for n := 1; n <= 3; n++ {
		want := fmt.Sprintf(": alive\r\n\r\nid: %d\r\ndata: {\"n\":\r\ndata: %d}\r\n\r\n", n, n)
		got := make([]byte, len(want))
		if _, err := io.ReadFull(resp.Body, got); err != nil || string(got) != want {
			t.Fatalf("%q, %v", got, err)
		}
		if line := fmt.Sprintf(`"dir":"event","body":{"n":%d}`, n); !strings.Contains(f.String(), line) {
			t.Fatalf("no %s in %s", line, f.String())
		}
		next <- struct{}{}
	}
	if rest, err := io.ReadAll(resp.Body); err != nil || len(rest) > 0 {
		t.Fatalf("%q, %v", rest, err)
	}
	if c := read(t, f.String()); c.Exchanges[0].End == nil || c.Exchanges[0].End.Error != "" {
		t.Errorf("end %+v", c.Exchanges[0].End)
	}
}

// Cards lead through the recorder, wherever their addresses are, and say nothing of gRPC.
func TestCardsLeadThroughTheRecorder(t *testing.T) {
	t.Parallel()
	elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "elsewhere %s", r.URL)
	}))
	defer elsewhere.Close()
	var ts *httptest.Server
	ts = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if r.URL.Path != "/agent/.well-known/agent-card.json" {
			fmt.Fprintf(w, "%q", r.URL.String())
			return
		}
		fmt.Fprintf(w, `{"name":"x","capabilities":{},"skills":[],"url":"grpc.example:443",
			"preferredTransport":"GRPC","signatures":[{}],
			"additionalInterfaces":[{"url":"%[1]s/agent/v1","transport":"HTTP+JSON"},{"url":"grpc.example:443",
			"transport":"GRPC"}],
			"supportedInterfaces":[{"url":"%[1]s/agent/","protocolBinding":"JSONRPC"},{"url":"grpc.example:443",
			"protocolBinding":"GRPC"},
			{"url":"%[1]s/agents","protocolBinding":"JSONRPC"},{"url":"%[2]s/there?x=1",
			"protocolBinding":"HTTP+JSON"}],"documentationUrl":"%[1]s/agent/docs"}`, ts.URL, elsewhere.URL)
	}))
	defer ts.Close()
	url, f := recorder(t, ts.URL+"/agent", nil)
	get := func(path string) string {
		req, _ := http.NewRequestWithContext(t.Context(), "GET", url+path, nil)
		resp, err := transport(t).RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		body, _ := io.ReadAll(resp.Body)
		return string(body)
	}
	if got := get("/~1/x"); !strings.Contains(got, "names no address for /~1/x") {
		t.Error(got)
	}
	want := fmt.Sprintf(
		`{"name":"x","capabilities":{},"skills":[],"url":"%[1]s/v1","preferredTransport":"HTTP+JSON",`+
			`"additionalInterfaces":[{"url":"%[1]s/v1","transport":"HTTP+JSON"}],`+
			`"supportedInterfaces":[{"url":"%[1]s","protocolBinding":"JSONRPC"},{"url":"%[1]s/~1",`+
			`"protocolBinding":"JSONRPC"},{"url":"%[1]s/~2?x=1","protocolBinding":"HTTP+JSON"}],`+
			`"documentationUrl":"%[2]s/agent/docs"}`, url, ts.URL)
	if got := get("/.well-known/agent-card.json"); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := f.String(); strings.Contains(got, url) || strings.Contains(got, ts.URL) ||
		!strings.Contains(got, `"documentationUrl":"${base}/docs"`) {
		t.Error(got)
	}
	for path, want := range map[string]string{"/": `"/agent/"`, "/tasks?a=1": `"/agent/tasks?a=1"`, "/~1": `"/agents"`,
		"/~1/x": `"/agents/x"`} {
		if got := get(path); got != want {
			t.Errorf("%s leads to %s", path, got)
		}
	}
	if got := get("/~2/tasks"); got != "elsewhere /there/tasks" {
		t.Errorf("the interface elsewhere: %s", got)
	}
}

func TestRecordingsAreBounded(t *testing.T) {
	t.Parallel()
	ts := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		io.WriteString(w, strings.Repeat("x", 100))
	}))
	defer ts.Close()
	var stopped []error
	url, f := recorder(t, ts.URL, &Options{MaxBody: 200, MaxFile: 800,
		Stopped: func(err error) { stopped = append(stopped, err) }})
	post := func(n int) (int, string) {
		req, _ := http.NewRequestWithContext(t.Context(), "POST", url, strings.NewReader(strings.Repeat("y", n)))
		resp, err := transport(t).RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		body, _ := io.ReadAll(resp.Body)
		return resp.StatusCode, string(body)
	}
	if status, body := post(201); status != 413 || !strings.Contains(body, "the limit is 200 bytes") {
		t.Errorf("%d %s", status, body)
	}
	for range 5 { // also when nothing is recorded any more
		if status, body := post(200); status != 200 || len(body) != 100 {
			t.Errorf("%d %s", status, body)
		}
	}
	if len(stopped) != 1 || !strings.Contains(stopped[0].Error(), "limit of 0 MiB") {
		t.Errorf("stopped: %v", stopped)
	}
	if c := read(t, f.String()); len(c.Exchanges) == 0 || c.Cut || len(f.String()) > 800 {
		t.Errorf("%d exchanges in %d bytes", len(c.Exchanges), len(f.String()))
	}
}

// A client that subscribes while another stream is open does so again, when as much of that has come.
func TestReplayKeepsTheOrderOfThings(t *testing.T) {
	t.Parallel()
	patient := agent.Func(func(ctx context.Context, t *agent.Turn) error {
		t.Working(a2a.TextPart("one"))
		<-ctx.Done()
		return ctx.Err()
	})
	url, f := recorder(t, serve(t, patient), nil)
	c, err := client.Dial(t.Context(), url, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	events, err := c.StreamMessage(t.Context(),
		&a2a.SendMessageRequest{Message: a2a.NewMessage(a2a.RoleUser, a2a.TextPart("go"))})
	if err != nil {
		t.Fatal(err)
	}
	for ev, err := range events {
		if err != nil {
			t.Fatal(err)
		}
		if u, ok := ev.Event.(*a2a.StatusUpdate); ok && u.Status.State == a2a.TaskStateWorking {
			if _, err := c.CancelTask(t.Context(), &a2a.CancelTaskRequest{ID: u.TaskID}); err != nil {
				t.Fatal(err)
			}
		}
	}
	first := read(t, f.String())
	again := &file{}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if err := Replay(ctx, first, serve(t, patient), nil, &Options{Out: again, Transport: transport(t)}); err != nil {
		t.Fatal(err)
	}
	for _, d := range Diff(first, read(t, again.String())) {
		t.Errorf("%d, %s, %s: %s %s", d.A, d.Request, d.Where, d.Was, d.Is)
	}
}

func TestReplayNeedsAnAgent(t *testing.T) {
	t.Parallel()
	ts := httptest.NewServer(http.NotFoundHandler())
	defer ts.Close()
	for url, want := range map[string]string{ts.URL: "is no agent card: status 404", "ftp://x": "no http or https URL",
		"http://a:b@x": "more than host and path"} {
		err := Replay(t.Context(), read(t, talk), url, nil, &Options{Out: io.Discard, Transport: transport(t)})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", url, err)
		}
	}
}

// Traffic that is no longer recorded takes no memory either.
func TestAStoppedTapeLearnsNothing(t *testing.T) {
	t.Parallel()
	ts := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, `{"taskId":%q}`, a2a.NewTaskID())
	}))
	defer ts.Close()
	routes, err := newRoutes(ts.URL, "")
	if err != nil {
		t.Fatal(err)
	}
	tape, err := newTape(routes, &Options{Out: io.Discard, MaxFile: 300, Transport: transport(t)})
	if err != nil {
		t.Fatal(err)
	}
	for range 50 {
		req, _ := http.NewRequestWithContext(t.Context(), "GET", ts.URL+"/tasks/"+string(a2a.NewTaskID()), nil)
		resp, err := tape.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
	}
	if !tape.stopped || len(tape.names.names) > 5 {
		t.Errorf("stopped %t, %d names", tape.stopped, len(tape.names.names))
	}
}

// Redirects lead through the recorder too.
func TestRedirectsLeadThroughTheRecorder(t *testing.T) {
	t.Parallel()
	var ts *httptest.Server
	ts = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, ts.URL+"/agent/next?a=1", http.StatusTemporaryRedirect)
	}))
	defer ts.Close()
	url, f := recorder(t, ts.URL+"/agent", nil)
	req, _ := http.NewRequestWithContext(t.Context(), "GET", url+"/first", nil)
	resp, err := transport(t).RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if got := resp.Header.Get("Location"); got != url+"/next?a=1" ||
		!strings.Contains(f.String(), `"Location":"${base}/next?a=1"`) {
		t.Errorf("%s\n%s", got, f.String())
	}
}

// A replay that cannot go on leaves what is still open.
func TestReplayThatFailsEnds(t *testing.T) {
	t.Parallel()
	ts := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.Path, ".well-known") {
			io.WriteString(w, `{"name":"x","capabilities":{},"skills":[]}`)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}))
	defer ts.Close()
	c := read(t, begin+`{"n":1,"dir":"request","method":"GET","path":"/a"}
{"n":1,"dir":"answer","status":200,"headers":{"Content-Type":"text/event-stream"}}
{"n":2,"dir":"request","method":"GET","path":"/~7/x"}
{"n":1,"dir":"event","text":"x"}
`)
	err := Replay(t.Context(), c, ts.URL, nil, &Options{Out: io.Discard, Transport: transport(t)})
	if err == nil || !strings.Contains(err.Error(), "exchange 2: the agent's card names no address for /~7/x") {
		t.Error(err)
	}
}

// A client that leaves as soon as it has what it wants ends the request under the tape: the stream has not broken.
func TestClientLeavesWhileItReads(t *testing.T) {
	routes, err := newRoutes("http://agent.example", "http://here.example")
	if err != nil {
		t.Fatal(err)
	}
	f := &file{}
	tape, err := newTape(routes, &Options{Out: f, Transport: leaving{}})
	if err != nil {
		t.Fatal(err)
	}
	req := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://agent.example/message:stream",
		strings.NewReader(`{}`))
	resp, err := tape.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(resp.Body); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	resp.Body.Close()
	if text := f.String(); !strings.Contains(text, Left) || strings.Contains(text, "broke") {
		t.Error(text)
	}
}

// leaving answers with a stream whose reader leaves after one event.
type leaving struct{}

func (leaving) RoundTrip(*http.Request) (*http.Response, error) {
	body := io.MultiReader(strings.NewReader("data: {}\n\n"), iotest.ErrReader(context.Canceled))
	return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"text/event-stream"}},
		Body: io.NopCloser(body)}, nil
}
