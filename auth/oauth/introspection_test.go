// SPDX-License-Identifier: Apache-2.0

package oauth_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/auth"
	"github.com/dragoman-a2a/dragoman/auth/oauth"
)

// server is an authorization server that knows tokens. It is a RoundTripper, so that tests in a bubble can use it.
type server struct {
	says  map[string]string // an answer, by token
	asked atomic.Int32
	wait  chan struct{} // that answers wait for; nil for none
}

func (s *server) RoundTrip(r *http.Request) (*http.Response, error) {
	s.asked.Add(1)
	if s.wait != nil {
		<-s.wait
	}
	w := httptest.NewRecorder()
	id, secret, _ := r.BasicAuth()
	answer, ok := s.says[r.FormValue("token")]
	switch {
	case id != "agent" || secret != "pass%3Aword": // RFC 6749 §2.3.1 wants both encoded
		w.WriteHeader(http.StatusUnauthorized)
	case r.FormValue("token") == "down":
		w.WriteHeader(http.StatusBadGateway)
	case !ok:
		fmt.Fprint(w, `{"active":false}`)
	default:
		fmt.Fprint(w, answer)
	}
	return w.Result(), nil
}

func ask(t *testing.T, a auth.Authenticator, token string) (a2a.Identity, error) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), "POST", "http://agent.example/", nil)
	if err != nil {
		t.Fatal(err)
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	return a.Authenticate(r)
}

func introspection(t *testing.T, s *server, change func(*oauth.Options)) *oauth.Introspection {
	t.Helper()
	o := oauth.Options{URL: "https://idp.example/introspect", ClientID: "agent", ClientSecret: "pass:word",
		HTTPClient: &http.Client{Transport: s}}
	if change != nil {
		change(&o)
	}
	i, err := oauth.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return i
}

func TestAnswers(t *testing.T) {
	t.Parallel()
	s := &server{says: map[string]string{
		"full": `{"active":true,"sub":"ann","client_id":"cli","scope":"a b","act":{"sub":"host"},
			"aud":["x","agent"],"exp":99999999999}`,
		"user":    `{"active":true,"username":"bob","scope":"a","aud":"agent"}`,
		"program": `{"active":true,"client_id":"cron","scope":"a"}`,
		"same":    `{"active":true,"client_id":"cron","sub":"cron","scope":"a"}`,
		"other":   `{"active":true,"sub":"ann","scope":"a","aud":"x"}`,
		"old":     `{"active":true,"sub":"ann","scope":"a","exp":1}`,
		"weak":    `{"active":true,"sub":"ann","scope":"ab"}`,
		"nobody":  `{"active":true,"scope":"a"}`,
		"words":   `hello`,
	}}
	i := introspection(t, s, func(o *oauth.Options) {
		o.Audience, o.Scopes, o.Prefix = []string{"agent"}, []string{"a"}, "idp:"
	})
	for token, want := range map[string]a2a.Identity{
		"full":    {Subject: "idp:ann", Client: "idp:cli", Scopes: []string{"a", "b"}, Actors: []string{"host"}},
		"user":    {Subject: "idp:bob", Scopes: []string{"a"}},
		"program": {Client: "idp:cron", Scopes: []string{"a"}},
		"same":    {Client: "idp:cron", Scopes: []string{"a"}},
	} {
		id, err := ask(t, i, token)
		if diff := cmp.Diff(want, id); diff != "" || err != nil {
			t.Errorf("%s: %v %s", token, err, diff)
		}
	}
	for token, want := range map[string]a2a.Kind{
		"": a2a.ErrUnauthenticated, "unknown": a2a.ErrUnauthenticated, "other": a2a.ErrUnauthenticated,
		"old": a2a.ErrUnauthenticated, "nobody": a2a.ErrUnauthenticated, "weak": a2a.ErrPermissionDenied,
		"words": a2a.ErrUnavailable, "down": a2a.ErrUnavailable, strings.Repeat("x", 17<<10): a2a.ErrUnauthenticated,
	} {
		_, err := ask(t, i, token)
		if e := a2a.AsError(err); err == nil || e.Kind != want || errors.Is(err, auth.ErrMissing) != (token == "") {
			t.Errorf("%.10s: %v, want %v", token, err, want)
		}
		if err != nil && (strings.Contains(err.Error(), "pass") ||
			len(token) > 6 && strings.Contains(err.Error(), token)) {
			t.Errorf("%.10s: a secret is in %v", token, err)
		}
	}
	if _, err := ask(t, introspection(t, s, func(o *oauth.Options) { o.ClientSecret = "no" }), "full"); !errors.Is(err,
		a2a.ErrUnavailable) {
		t.Errorf("with wrong credentials of its own: %v", err)
	}
}

// An answer is used for a while, so that a revoked token is refused after it, and one answer serves all who wait.
func TestAnswersAreKept(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &server{says: map[string]string{"t": `{"active":true,"sub":"ann"}`}, wait: make(chan struct{})}
		i := introspection(t, s, nil)
		var all sync.WaitGroup
		for range 10 {
			all.Go(func() {
				if _, err := ask(t, i, "t"); err != nil {
					t.Error(err)
				}
			})
		}
		synctest.Wait()
		close(s.wait)
		all.Wait()
		if s.asked.Load() != 1 {
			t.Errorf("asked %d times for ten requests at once", s.asked.Load())
		}
		s.says = nil // it is revoked
		time.Sleep(29 * time.Second)
		if _, err := ask(t, i, "t"); err != nil {
			t.Errorf("within the time that an answer is kept: %v", err)
		}
		time.Sleep(2 * time.Second)
		if _, err := ask(t, i, "t"); !errors.Is(err, a2a.ErrUnauthenticated) {
			t.Errorf("after it: %v", err)
		}
	})
}

// Made-up tokens ask the authorization server a bounded number of times at once.
func TestQuestionsAreBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &server{wait: make(chan struct{})}
		i := introspection(t, s, nil)
		var all sync.WaitGroup
		var busy atomic.Int32
		for n := range 200 {
			all.Go(func() {
				if _, err := ask(t, i, fmt.Sprint(n)); errors.Is(err, a2a.ErrUnavailable) {
					busy.Add(1)
				}
			})
		}
		synctest.Wait()
		if s.asked.Load() != 64 || busy.Load() != 136 {
			t.Errorf("%d questions at once, %d callers told to try again", s.asked.Load(), busy.Load())
		}
		close(s.wait)
		all.Wait()
	})
}

// Made-up tokens are asked about once, and at a bounded rate. Callers who were known before do not notice them.
func TestWrongTokensArePaced(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &server{says: map[string]string{"t": `{"active":true,"sub":"ann"}`}}
		i := introspection(t, s, nil)
		if _, err := ask(t, i, "t"); err != nil {
			t.Fatal(err)
		}
		for range 50 {
			if _, err := ask(t, i, "wrong"); !errors.Is(err, a2a.ErrUnauthenticated) {
				t.Fatal(err)
			}
		}
		if asked := s.asked.Load(); asked != 2 {
			t.Errorf("asked %d times about two tokens", asked)
		}
		time.Sleep(31 * time.Second) // the answers are outdated
		refused := 0
		for n := range 1000 {
			_, err := ask(t, i, fmt.Sprint(n))
			if e := a2a.AsError(err); e != nil && e.Kind == a2a.ErrUnavailable && e.RetryAfter == time.Second {
				refused++
			}
		}
		if asked := s.asked.Load(); asked != 102 || refused != 900 {
			t.Errorf("asked %d times; %d of 1000 tokens are refused without a question", asked, refused)
		}
		if _, err := ask(t, i, "t"); err != nil {
			t.Errorf("a token that was good before: %v", err)
		}
		time.Sleep(time.Second)
		s.says["new"] = `{"active":true,"sub":"bob"}`
		if _, err := ask(t, i, "new"); err != nil {
			t.Errorf("a new token, a second later: %v", err)
		}
	})
}

func TestOptions(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]oauth.Options{
		"URL": {URL: "idp.example", ClientID: "a"}, "URL ": {URL: "http://idp.example", ClientID: "a"},
		"ClientID": {URL: "https://idp.example"},
	} {
		field := "oauth: Options." + strings.TrimSpace(name)
		if _, err := oauth.New(o); err == nil || !strings.Contains(err.Error(), field) {
			t.Errorf("%s: %v", name, err)
		}
	}
	want := map[string]a2a.SecurityScheme{"oauth2": &a2a.HTTPAuthScheme{Scheme: "Bearer"}}
	if diff := cmp.Diff(want, introspection(t, &server{}, nil).SecuritySchemes()); diff != "" {
		t.Error(diff)
	}
}
