// SPDX-License-Identifier: Apache-2.0

package registry_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/apps/registry"
	"github.com/dragoman-a2a/dragoman/auth"
	"github.com/dragoman-a2a/dragoman/auth/ratelimit"
)

// broken is a catalogue whose database failed.
type broken struct{ registry.Catalog }

func (broken) List(context.Context, registry.Query) (*registry.Page, error) {
	return nil, errors.New("disk full at /var/lib/secret")
}

// answer is what a handler said.
type answer struct {
	status int
	header http.Header
	body   string
	Code   registry.Kind `json:"code"`
	Detail string        `json:"detail"`
}

// ask sends a request, whose answer is held against the document.
func ask(t *testing.T, client *http.Client, method, url, body string, header ...string) *answer {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	resp, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	a := &answer{status: resp.StatusCode, header: resp.Header, body: string(raw)}
	if resp.Header.Get("Content-Type") == "application/problem+json" {
		if err := json.Unmarshal(raw, a); err != nil {
			t.Fatal(err)
		}
	}
	return a
}

func TestProblems(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(registry.NewHandler(newRegistry(t, registry.Options{}), nil))
	defer s.Close()
	client := documented(t)
	for _, test := range []struct {
		method, path, body string
		header             []string
		status             int
		code               registry.Kind
	}{
		{"GET", "/v1/agents?colour=red", "", nil, 400, registry.ErrInvalid},
		{"GET", "/v1/agents?tag=a&tag=b", "", nil, 400, registry.ErrInvalid},
		{"GET", "/v1/agents?tag=%zz", "", nil, 400, registry.ErrInvalid},
		{"GET", "/v1/agents?pageSize=0", "", nil, 400, registry.ErrInvalid},
		{"GET", "/v1/agents?pageSize=many", "", nil, 400, registry.ErrInvalid},
		{"GET", "/v1/agents?pageToken=x", "", nil, 400, registry.ErrPageToken},
		{"GET", "/v1/agents?health=ill", "", nil, 400, registry.ErrInvalid},
		{"GET", "/v1/agents/nobody", "", nil, 404, registry.ErrNotFound},
		{"GET", "/v1/agents/nobody/card.json", "", nil, 404, registry.ErrNotFound},
		{"GET", "/v1/agents/nobody/versions/1", "", nil, 404, registry.ErrNotFound},
		{"GET", "/v1/agents/nobody/versions/one", "", nil, 400, registry.ErrInvalid},
		{"POST", "/v1/agents/nobody/check", "", nil, 404, registry.ErrNotFound},
		{"DELETE", "/v1/agents/nobody", "", nil, 404, registry.ErrNotFound},
		{"DELETE", "/v1/agents", "", nil, 405, "method-not-allowed"},
		{"PUT", "/v1/agents/nobody", "", nil, 405, "method-not-allowed"},
		{"POST", "/v1/agents", `{"url": "http://127.0.0.1:1"}`, []string{"Content-Type", "text/plain"}, 400,
			registry.ErrInvalid},
		{"POST", "/v1/agents", `{"url": "http://127.0.0.1:1"}`, []string{"Sec-Fetch-Site", "cross-site"}, 403,
			registry.ErrForbidden},
		{"POST", "/v1/agents", `{"url": "http://127.0.0.1:1"}`, []string{"Origin", "https://evil.example"}, 403,
			registry.ErrForbidden},
		{"POST", "/v1/agents", `{"url": "http://127.0.0.1:1"}`, nil, 502, registry.ErrCardUnreachable},
		{"POST", "/v1/agents", `{"url": 1}`, nil, 400, registry.ErrInvalid},
		{"POST", "/v1/agents", `{"url": "a", "url": "b"}`, nil, 400, registry.ErrInvalid},
		{"POST", "/v1/agents", `{"colour": "red"}`, nil, 400, registry.ErrInvalid},
		{"POST", "/v1/agents", `{"url": "a"} {}`, nil, 400, registry.ErrInvalid},
		{"POST", "/v1/agents", `{"card": null}`, nil, 400, registry.ErrInvalid},
		{"POST", "/v1/agents", `{"card": []}`, nil, 422, registry.ErrCardInvalid},
		{"POST", "/v1/agents", `{"card": {"name": "x"}}`, nil, 422, registry.ErrCardInvalid},
		{"POST", "/v1/agents", strings.Repeat("[", 100_000), nil, 400, registry.ErrInvalid},
		{"POST", "/v1/agents", `{"url": "` + strings.Repeat("a", 3<<20) + `"}`, nil, 413, registry.ErrTooLarge},
		{"POST", "/v1/agents", `{"card": {"name": "x", "url": "http://127.0.0.1:1", "description": "` +
			strings.Repeat("a", 3<<19) + `"}}`, nil, 422, registry.ErrCardInvalid},
	} {
		name := test.method + " " + test.path + " " + test.body[:min(len(test.body), 40)]
		a := ask(t, client, test.method, s.URL+test.path, test.body, test.header...)
		if a.status != test.status || a.Code != test.code || a.Detail == "" {
			t.Errorf("%s: %d %.500s", name, a.status, a.body)
		}
	}
	if a := ask(t, http.DefaultClient, "GET", s.URL+"/v2/agents", ""); a.status != 404 ||
		a.Code != registry.ErrNotFound {
		t.Errorf("another path: %d %s", a.status, a.body)
	}
	http.DefaultClient.CloseIdleConnections()
}

func TestFaultsAreNotShown(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	s := httptest.NewServer(registry.NewHandler(broken{}, &registry.HandlerOptions{Logger: textLogger(&log)}))
	defer s.Close()
	client := documented(t)
	for _, path := range []string{"/v1/agents", "/healthz"} {
		a := ask(t, client, "GET", s.URL+path, "")
		if a.status != 500 || a.Code != registry.ErrInternal || strings.Contains(a.body, "secret") {
			t.Errorf("%s: %d %s", path, a.status, a.body)
		}
	}
	s.Close() // after which nobody writes into the log
	if !strings.Contains(log.String(), "disk full") {
		t.Errorf("the log does not say why: %s", log.String())
	}
}

func TestWritesNeedTheToken(t *testing.T) {
	t.Parallel()
	g := newRegistry(t, registry.Options{})
	agent := newFake(t, simple("Parrot", "repeat words"))
	o := &registry.HandlerOptions{Authenticator: auth.Token("secret", a2a.Identity{Subject: "ann"})}
	stranger := serve(t, g, o, registry.ClientOptions{})
	ann := serve(t, g, o, registry.ClientOptions{Token: "secret"})
	_, _, err := stranger.Add(t.Context(), registry.Registration{URL: agent.URL})
	wantKind(t, err, registry.ErrUnauthenticated)
	mustAdd(t, ann, registry.Registration{URL: agent.URL})
	_, err = stranger.Check(t.Context(), "Parrot")
	wantKind(t, err, registry.ErrUnauthenticated)
	wantKind(t, stranger.Remove(t.Context(), "Parrot"), registry.ErrUnauthenticated)
	if _, err := stranger.Get(t.Context(), "Parrot"); err != nil {
		t.Errorf("to read is open to all: %v", err)
	}
	if err := ann.Remove(t.Context(), "Parrot"); err != nil {
		t.Error(err)
	}
	refuses := &registry.HandlerOptions{Authenticator: auth.AuthenticatorFunc(
		func(*http.Request) (a2a.Identity, error) {
			return a2a.Identity{}, a2a.NewError(a2a.ErrPermissionDenied, "no")
		})}
	wantKind(t, serve(t, g, refuses, registry.ClientOptions{}).Remove(t.Context(), "Parrot"), registry.ErrForbidden)
	limits, err := ratelimit.New(ratelimit.Options{Limits: []ratelimit.Limit{{PerSecond: 0.1, Burst: 1}}})
	if err != nil {
		t.Fatal(err)
	}
	often := serve(t, g, &registry.HandlerOptions{Authenticator: o.Authenticator, Policy: limits},
		registry.ClientOptions{Token: "secret"})
	if _, err := often.List(t.Context(), registry.Query{}); err != nil {
		t.Error(err)
	}
	_, err = often.List(t.Context(), registry.Query{})
	wantKind(t, err, registry.ErrRateLimited)
	if e, ok := errors.AsType[*registry.Error](err); !ok || e.RetryAfter < time.Second ||
		e.RetryAfter > 10*time.Second {
		t.Errorf("too many requests: %+v", err)
	}
	s := httptest.NewServer(registry.NewHandler(g, o))
	defer s.Close()
	if a := ask(t, documented(t), "DELETE", s.URL+"/v1/agents/Parrot", ""); a.header.Get("WWW-Authenticate") == "" {
		t.Error("a 401 says how to authenticate (RFC 9110 §15.5.2)")
	}
}

func TestCardAlone(t *testing.T) {
	t.Parallel()
	g := newRegistry(t, registry.Options{})
	mustAdd(t, g, registry.Registration{URL: newFake(t, painter).URL})
	s := httptest.NewServer(registry.NewHandler(g, nil))
	defer s.Close()
	client := documented(t)
	a := ask(t, client, "GET", s.URL+"/v1/agents/painter/card.json", "")
	if c := parse(t, a.body); a.status != 200 || c.Name != "Painter" ||
		c.SupportedInterfaces[1].ProtocolVersion != "0.3.0" && c.SupportedInterfaces[1].ProtocolVersion != "0.3" {
		t.Errorf("got %d %s", a.status, a.body)
	}
	if a := ask(t, client, "GET", s.URL+"/v1/agents/painter/card.json", "", "If-None-Match",
		a.header.Get("ETag")); a.status != 304 {
		t.Errorf("got %d", a.status)
	}
	if a := ask(t, client, "HEAD", s.URL+"/healthz", ""); a.status != 200 || a.body != "" {
		t.Errorf("HEAD: %d %q", a.status, a.body)
	}
}

func TestOldCardsCanBeGiven(t *testing.T) {
	t.Parallel()
	g := newRegistry(t, registry.Options{})
	s := httptest.NewServer(registry.NewHandler(g, nil))
	defer s.Close()
	body := `{"card": ` + strings.ReplaceAll(converter, "$URL", s.URL) + `}`
	a := ask(t, documented(t), "POST", s.URL+"/v1/agents", body)
	if a.status != 201 || a.header.Get("Location") == "" {
		t.Fatalf("got %d %s", a.status, a.body)
	}
	e, err := g.Get(t.Context(), "currency agent")
	if err != nil || len(e.Generations) == 0 || e.Generations[0] != "0.2" {
		t.Errorf("got %+v, %v", e, err)
	}
}

func TestServe(t *testing.T) {
	t.Parallel()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- registry.Serve(ctx, ln, registry.NewHandler(newRegistry(t, registry.Options{}), nil),
			&registry.ServeOptions{Logger: quiet(t)})
	}()
	client := documented(t)
	url := "http://" + ln.Addr().String()
	if a := ask(t, client, "GET", url+"/v1/agents", ""); a.status != 200 || a.body != `{"agents":[]}` {
		t.Errorf("got %d %s", a.status, a.body)
	}
	r, err := http.NewRequestWithContext(t.Context(), "GET", url+"/v1/agents", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Host = "rebound.example"
	resp, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(r)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusForbidden {
		t.Errorf("a page of another host got %d", resp.StatusCode)
	}
	cancel()
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("it does not end")
	}
}

// The token of a registry does not follow a redirect to another port of the same host, as net/http would let it.
func TestTheTokenStaysAtTheRegistry(t *testing.T) {
	t.Parallel()
	var stolen atomic.Int32
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { stolen.Add(1) }))
	defer other.Close()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other.URL+r.URL.Path, http.StatusTemporaryRedirect)
	}))
	defer s.Close()
	c, err := registry.NewClient(s.URL, &registry.ClientOptions{Token: "secret", HTTPClient: s.Client()})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Remove(t.Context(), "x"); err == nil || stolen.Load() > 0 {
		t.Errorf("%v; the other server got %d requests", err, stolen.Load())
	}
}

func TestClientErrors(t *testing.T) {
	t.Parallel()
	for _, url := range []string{"", "127.0.0.1:8095", "ftp://127.0.0.1", "http://", "http://127.0.0.1/?a=b"} {
		if _, err := registry.NewClient(url, nil); err == nil {
			t.Errorf("%q was taken", url)
		}
	}
	answers := make(chan func(http.ResponseWriter), 1)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { (<-answers)(w) }))
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	c, err := registry.NewClient(s.URL+"/sub/",
		&registry.ClientOptions{HTTPClient: &http.Client{Transport: transport}, MaxAnswer: 1000})
	if err != nil {
		t.Fatal(err)
	}
	say := func(status int, body string) func(http.ResponseWriter) {
		return func(w http.ResponseWriter) { w.WriteHeader(status); io.WriteString(w, body) }
	}
	for name, test := range map[string]struct {
		answer func(http.ResponseWriter)
		kind   registry.Kind
	}{
		"a proxy's 404":     {say(404, "<html>"), registry.ErrNotFound},
		"a proxy's 503":     {say(503, ""), registry.ErrUnavailable},
		"a teapot":          {say(418, "{}"), registry.ErrInternal},
		"a code of its own": {say(400, `{"code": "new-kind"}`), "new-kind"},
	} {
		answers <- test.answer
		_, err := c.Get(t.Context(), "x")
		if !errors.Is(err, test.kind) || err.Error() == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, body := range map[string]string{"no JSON": "<html>", "another answer": `[]`,
		"a flood": `{"id": "` + strings.Repeat("a", 2000) + `"}`} {
		answers <- say(200, body)
		if _, err := c.Get(t.Context(), "x"); err == nil {
			t.Errorf("%s was taken", name)
		}
	}
	for _, name := range []string{"", ".", ".."} {
		_, err := c.Get(t.Context(), name)
		wantKind(t, err, registry.ErrInvalid)
	}
	s.Close()
	_, err = c.Search(t.Context(), "x")
	if e, ok := errors.AsType[*registry.UnreachableError](err); !ok || e.URL != s.URL+"/sub/" {
		t.Errorf("got %v", err)
	}
}
