// SPDX-License-Identifier: Apache-2.0

package card_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dragoman-a2a/dragoman/card"
)

func contains(s, part string) bool { return strings.Contains(s, part) }

// site is a server that counts and remembers what it was asked.
type site struct {
	*httptest.Server
	mu   sync.Mutex
	seen []*http.Request
}

func serve(t *testing.T, h http.HandlerFunc) *site {
	t.Helper()
	s := &site{}
	s.Server = httptest.NewServer(s.counting(h))
	t.Cleanup(s.Close)
	return s
}

func (s *site) counting(h http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.seen = append(s.seen, r)
		s.mu.Unlock()
		h(w, r)
	})
}

func (s *site) requests() []*http.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]*http.Request(nil), s.seen...)
}

func writeCard(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	io.WriteString(w, valid)
}

func resolver(t *testing.T, s *site, opts card.Options) *card.Resolver {
	t.Helper()
	opts.HTTPClient = s.Client()
	return card.NewResolver(&opts)
}

func TestReferences(t *testing.T) {
	t.Parallel()
	s := serve(t, writeCard)
	host := strings.TrimPrefix(s.URL, "http://")
	for ref, want := range map[string]string{
		s.URL:                           "/.well-known/agent-card.json",
		s.URL + "/":                     "/.well-known/agent-card.json",
		s.URL + "/agents/clock":         "/agents/clock/.well-known/agent-card.json",
		s.URL + "/agents/clock/":        "/agents/clock/.well-known/agent-card.json",
		s.URL + "/cards/clock.json?v=2": "/cards/clock.json?v=2",
		s.URL + "/?tenant=a#fragment":   "/.well-known/agent-card.json?tenant=a",
		host:                            "/.well-known/agent-card.json",
		host + "/agents/clock":          "/agents/clock/.well-known/agent-card.json",
		host + "/cards/clock.json":      "/cards/clock.json",
	} {
		r := resolver(t, s, card.Options{MaxCached: -1})
		before := len(s.requests())
		c, err := r.Resolve(t.Context(), ref)
		if err != nil || c.Name != "Clock" {
			t.Errorf("%s: %v", ref, err)
			continue
		}
		got := s.requests()[before:]
		if len(got) != 1 || got[0].URL.RequestURI() != want {
			t.Errorf("%s: asked for %v, want %s", ref, got, want)
		}
		if v := got[0].Header.Get("A2A-Version"); v != "1.0" {
			t.Errorf("A2A-Version %q", v)
		}
	}
}

// A host elsewhere is asked over https, one on this machine over http.
func TestBareHostsGetAScheme(t *testing.T) {
	t.Parallel()
	for ref, want := range map[string]string{
		"agents.example":           "https://agents.example/.well-known/agent-card.json",
		"agents.example:8443/x":    "https://agents.example:8443/x/.well-known/agent-card.json",
		"10.1.2.3:80":              "https://10.1.2.3:80/.well-known/agent-card.json",
		"localhost":                "http://localhost/.well-known/agent-card.json",
		"LOCALHOST:8080":           "http://LOCALHOST:8080/.well-known/agent-card.json",
		"clock.localhost:8080":     "http://clock.localhost:8080/.well-known/agent-card.json",
		"127.8.8.8:1":              "http://127.8.8.8:1/.well-known/agent-card.json",
		"[::1]:8080":               "http://[::1]:8080/.well-known/agent-card.json",
		"localhost.evil.example:1": "https://localhost.evil.example:1/.well-known/agent-card.json",
	} {
		var asked string
		r := card.NewResolver(
			&card.Options{HTTPClient: &http.Client{Transport: roundTrip(
				func(req *http.Request) (*http.Response, error) {
					asked = req.URL.String()
					return nil, errors.New("offline")
				})}, Retries: -1})
		if _, err := r.Resolve(t.Context(), ref); err == nil {
			t.Errorf("%s: no error", ref)
		}
		if asked != want {
			t.Errorf("%s: asked for %s, want %s", ref, asked, want)
		}
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestFiles(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "clock.json")
	if err := os.WriteFile(name, []byte(valid), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	for _, ref := range []string{name, "./clock.json", "clock.json", "file://" + filepath.ToSlash(name)} {
		if c, err := card.NewResolver(nil).Resolve(t.Context(), ref); err != nil || c.Name != "Clock" {
			t.Errorf("%s: %v", ref, err)
		}
	}
	_, err := card.NewResolver(nil).Resolve(t.Context(), "./missing.json")
	if !errors.Is(err, card.ErrNotFound) {
		t.Errorf("missing file: %v", err)
	}
	_, err = card.NewResolver(&card.Options{MaxBytes: 10}).Resolve(t.Context(), name)
	if !errors.Is(err, card.ErrInvalid) || !contains(err.Error(), "10 bytes") {
		t.Errorf("large file: %v", err)
	}
}

func TestFailuresAreTold(t *testing.T) {
	t.Parallel()
	status := func(code int) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", code) }
	}
	for name, tc := range map[string]struct {
		h    http.HandlerFunc
		want error
		text string
	}{
		"missing":      {status(404), card.ErrNotFound, "404"},
		"gone":         {status(410), card.ErrNotFound, "410"},
		"unauthorized": {status(401), card.ErrUnauthorized, "401"},
		"forbidden":    {status(403), card.ErrUnauthorized, "403"},
		"broken":       {status(500), card.ErrUnreachable, "500"},
		"html": {func(w http.ResponseWriter, _ *http.Request) {
			io.WriteString(w, "<!doctype html><title>Welcome</title>")
		}, card.ErrInvalid, "<!doctype html>"},
		"large": {func(w http.ResponseWriter, _ *http.Request) {
			io.WriteString(w, `{"name":"`+strings.Repeat("x", 2<<20)+`"}`)
		}, card.ErrInvalid, "larger than 1048576 bytes"},
		"cut": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1000")
			io.WriteString(w, `{"name":`)
		}, card.ErrUnreachable, "EOF"},
		"loop": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/again.json", http.StatusFound)
		}, card.ErrUnreachable, "more than 5 redirects"},
		"other scheme": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "ftp://files.example/card.json", http.StatusFound)
		}, card.ErrUnreachable, "ftp"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, tc.h)
			_, err := resolver(t, s, card.Options{Retries: -1}).Resolve(t.Context(), s.URL)
			var e *card.Error
			if !errors.As(err, &e) || !errors.Is(err, tc.want) || !contains(err.Error(), tc.text) {
				t.Fatalf("error %v, want %v with %q", err, tc.want, tc.text)
			}
			if e.Ref != s.URL || e.URL != s.URL+card.WellKnownPath {
				t.Errorf("error is about %q, %q", e.Ref, e.URL)
			}
		})
	}
}

func TestBadReferences(t *testing.T) {
	t.Parallel()
	for _, ref := range []string{"", "ftp://a.example", "http://", "https://a b", "https://[::1"} {
		_, err := card.NewResolver(nil).Resolve(t.Context(), ref)
		if !errors.Is(err, card.ErrReference) {
			t.Errorf("%q: %v", ref, err)
		}
	}
}

func TestNobodyListens(t *testing.T) {
	t.Parallel()
	s := serve(t, writeCard)
	s.Close()
	_, err := card.NewResolver(&card.Options{Retries: -1}).Resolve(t.Context(), s.URL)
	if !errors.Is(err, card.ErrUnreachable) {
		t.Errorf("error %v", err)
	}
}

func TestRedirectsAreFollowedWithinBounds(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/moved.json" {
			writeCard(w, r)
			return
		}
		http.Redirect(w, r, "/moved.json", http.StatusMovedPermanently)
	})
	if _, err := resolver(t, s, card.Options{}).Resolve(t.Context(), s.URL); err != nil {
		t.Error(err)
	}
}

func TestNoRedirectFromHTTPSToHTTP(t *testing.T) {
	t.Parallel()
	plain := serve(t, writeCard)
	secure := httptest.NewTLSServer(http.RedirectHandler(plain.URL+"/card.json", http.StatusFound))
	t.Cleanup(secure.Close)
	_, err := card.NewResolver(&card.Options{HTTPClient: secure.Client()}).Resolve(t.Context(), secure.URL)
	if !errors.Is(err, card.ErrUnreachable) || !contains(err.Error(), "https to http") {
		t.Errorf("error %v", err)
	}
	if n := len(plain.requests()); n != 0 {
		t.Errorf("the plain server was asked %d times", n)
	}
}

func TestSlowServer(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	s := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-release:
		case <-r.Context().Done():
		}
	})
	t.Cleanup(func() { close(release) })
	_, err := resolver(t, s, card.Options{Timeout: 20 * time.Millisecond}).Resolve(t.Context(), s.URL)
	if !errors.Is(err, card.ErrUnreachable) || !contains(err.Error(), "20ms") {
		t.Errorf("error %v", err)
	}
	if n := len(s.requests()); n > 1 { // none when the machine is slower still
		t.Errorf("%d requests: a server that is slow is not asked again", n)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if _, err := resolver(t, s, card.Options{}).Resolve(ctx, s.URL); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v, want the context's", err)
	}
}

func TestBusyServerIsAskedAgain(t *testing.T) {
	t.Parallel()
	tries := 0
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if tries++; tries < 3 {
			w.Header().Set("Retry-After", "0")
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		writeCard(w, r)
	})
	if _, err := resolver(t, s, card.Options{}).Resolve(t.Context(), s.URL); err != nil {
		t.Error(err)
	}
	if tries != 3 {
		t.Errorf("%d tries", tries)
	}
}

// answering is a RoundTripper for bubbles of fake time, where no network is.
func answering(t *testing.T, header map[string]string, asked *[]http.Header) *http.Client {
	t.Helper()
	return &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
		*asked = append(*asked, r.Header.Clone())
		w := httptest.NewRecorder()
		for k, v := range header {
			w.Header().Set(k, strings.ReplaceAll(v, "NOW", time.Now().UTC().Format(http.TimeFormat)))
		}
		if etag := header["ETag"]; etag != "" && r.Header.Get("If-None-Match") == etag {
			w.WriteHeader(http.StatusNotModified)
		} else if m := header["Last-Modified"]; etag == "" && m != "" && r.Header.Get("If-Modified-Since") == m {
			w.WriteHeader(http.StatusNotModified)
		} else {
			io.WriteString(w, valid)
		}
		return w.Result(), nil
	})}
}

func TestCaching(t *testing.T) {
	t.Parallel()
	type ask struct {
		after       time.Duration // since the one before
		request     bool
		conditional string // header that must be there
	}
	for name, tc := range map[string]struct {
		header map[string]string
		asks   []ask
	}{
		"max-age": {map[string]string{"Cache-Control": "public, max-age=60", "ETag": `"a"`}, []ask{
			{0, true, ""}, {59 * time.Second, false, ""}, {2 * time.Second, true, "If-None-Match"},
			{59 * time.Second, false, ""}, {2 * time.Second, true, "If-None-Match"},
		}},
		"age counts": {map[string]string{"Cache-Control": "max-age=60", "Age": "50", "ETag": `"a"`}, []ask{
			{0, true, ""}, {9 * time.Second, false, ""}, {2 * time.Second, true, "If-None-Match"},
		}},
		"last-modified": {map[string]string{"Cache-Control": "max-age=5",
			"Last-Modified": "Mon, 02 Jan 2006 15:04:05 GMT"}, []ask{
			{0, true, ""}, {6 * time.Second, true, "If-Modified-Since"}, {time.Second, false, ""},
		}},
		"no-cache": {map[string]string{"Cache-Control": "no-cache", "ETag": `"a"`}, []ask{
			{0, true, ""}, {0, true, "If-None-Match"},
		}},
		"no-store": {map[string]string{"Cache-Control": "no-store", "ETag": `"a"`}, []ask{
			{0, true, ""}, {0, true, ""},
		}},
		"expired": {map[string]string{"Expires": "0", "ETag": `"a"`}, []ask{
			{0, true, ""}, {0, true, "If-None-Match"},
		}},
		"silent server": {nil, []ask{
			{0, true, ""}, {59 * time.Second, false, ""}, {2 * time.Second, true, ""},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var asked []http.Header
				r := card.NewResolver(&card.Options{HTTPClient: answering(t, tc.header, &asked)})
				for i, a := range tc.asks {
					time.Sleep(a.after) // of the bubble
					before := len(asked)
					c, err := r.Resolve(t.Context(), "https://clock.example")
					if err != nil || c.Name != "Clock" {
						t.Fatalf("step %d: %v", i, err)
					}
					if (len(asked) > before) != a.request {
						t.Fatalf("step %d: request made: %t, want %t", i, len(asked) > before, a.request)
					}
					if !a.request {
						continue
					}
					h := asked[len(asked)-1]
					for _, name := range []string{"If-None-Match", "If-Modified-Since"} {
						if (h.Get(name) != "") != (name == a.conditional) {
							t.Errorf("step %d: %s is %q, want only %q", i, name, h.Get(name), a.conditional)
						}
					}
				}
			})
		})
	}
}

func TestExpiresByTheServersClock(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var asked []http.Header
		ahead := time.Now().Add(24 * time.Hour).UTC() // the server's clock is a day ahead
		r := card.NewResolver(&card.Options{HTTPClient: answering(t, map[string]string{
			"Date": ahead.Format(http.TimeFormat), "Expires": ahead.Add(time.Minute).Format(http.TimeFormat),
		}, &asked)})
		for _, wait := range []time.Duration{0, 59 * time.Second, 2 * time.Second} {
			time.Sleep(wait) // of the bubble
			if _, err := r.Resolve(t.Context(), "https://clock.example"); err != nil {
				t.Fatal(err)
			}
		}
		if len(asked) != 2 {
			t.Errorf("%d requests, want 2", len(asked))
		}
	})
}

func TestCacheIsBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var asked []http.Header
		r := card.NewResolver(&card.Options{HTTPClient: answering(t, nil, &asked), MaxCached: 2})
		for _, ref := range []string{"https://a.example", "https://b.example", "https://a.example", "https://c.example",
			"https://a.example", "https://b.example"} {
			if _, err := r.Resolve(t.Context(), ref); err != nil {
				t.Fatal(err)
			}
		}
		if len(asked) != 4 { // a, b, c, and b again, as it was the one not used for longest
			t.Errorf("%d requests, want 4", len(asked))
		}
	})
}

func TestConcurrentUse(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-cache")
		w.Header().Set("ETag", `"a"`)
		if r.Header.Get("If-None-Match") != "" {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		writeCard(w, r)
	})
	r := resolver(t, s, card.Options{MaxCached: 1})
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for _, path := range []string{"/a.json", "/b.json", "/a.json"} {
				if c, err := r.Resolve(t.Context(), s.URL+path); err != nil || c.Name != "Clock" {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
}

// The error contains the server's reason for having no card, but no standard texts and no HTML pages.
func TestServersSayWhy(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		"text/plain; charset=utf-8|no session \"x\"\nmore": `HTTP 404 Not Found, and says "no session \"x\""`,
		"text/plain|\x1b[2Jowned\xff":                      `HTTP 404 Not Found, and says "\x1b[2Jowned"`,
		"text/plain|404 page not found":                    "HTTP 404 Not Found",
		"text/plain|Not Found":                             "HTTP 404 Not Found",
		"text/plain|":                                      "HTTP 404 Not Found",
		"text/html|<p>no":                                  "HTTP 404 Not Found",
		`application/json|{"error":{"code":503,"message":"it is away"}}`: `HTTP 404 Not Found, and says "it is away"`,
		`application/json|{"detail":"no"}`:                               "HTTP 404 Not Found",
		"text/plain|" + strings.Repeat("x", 1000):                        `says "` + strings.Repeat("x", 300) + `"`,
	} {
		kind, text, _ := strings.Cut(body, "|")
		s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			w.WriteHeader(http.StatusNotFound)
			io.WriteString(w, text)
		})
		if _, err := resolver(t, s, card.Options{}).Resolve(t.Context(), s.URL); err == nil ||
			!strings.HasSuffix(err.Error(), want) || !errors.Is(err, card.ErrNotFound) {
			t.Errorf("%q: %v, want %s", body, err, want)
		}
	}
}
