// SPDX-License-Identifier: Apache-2.0

package httpcall_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"go.uber.org/goleak"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/binding/httpcall"
	"github.com/dragoman-a2a/dragoman/internal/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func setUp(t *testing.T, h http.HandlerFunc) (*httpcall.Caller, string) {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	c := httpcall.New(s.Client())
	c.Timeout, c.HeaderTimeout, c.IdleTimeout = 5*time.Second, 5*time.Second, 5*time.Second
	c.MaxAnswer, c.MaxEvent = 100, 100
	return c, s.URL
}

func TestDoSendsTheServiceParameters(t *testing.T) {
	t.Parallel()
	c, url := setUp(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		io.WriteString(w, strings.Join([]string{r.Method, r.Header.Get("A2A-Version"), r.Header.Get("Content-Type"),
			r.Header.Get("Accept"), string(body)}, " "))
	})
	ctx := wire.WithParams(t.Context(), http.Header{"A2a-Version": {"1.0"}}, nil)
	answer, err := c.Do(ctx, &httpcall.Request{Method: "POST", URL: url, ContentType: "a/b", Accept: "c/d",
		Body: []byte("hello")})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(answer.Body), "POST 1.0 a/b c/d hello"; got != want || !answer.OK() || answer.IsJSON() {
		t.Errorf("got %q, want %q", got, want)
	}
}

// An answer may be as large as the limit and no larger, whatever it says of its length.
func TestTheLimitOfAnAnswer(t *testing.T) {
	t.Parallel()
	for _, size := range []int{0, 99, 100, 101, 100000} {
		for _, chunked := range []bool{false, true} {
			c, url := setUp(t, func(w http.ResponseWriter, r *http.Request) {
				if chunked {
					w.(http.Flusher).Flush()
				}
				io.WriteString(w, strings.Repeat("x", size))
			})
			answer, err := c.Do(t.Context(), &httpcall.Request{Method: "GET", URL: url})
			if size > 100 {
				if !errors.Is(err, a2a.ErrInvalidAgentResponse) {
					t.Errorf("%d: error %v", size, err)
				}
			} else if err != nil || len(answer.Body) != size {
				t.Errorf("%d: %v, %v", size, answer, err)
			}
		}
	}
}

func TestAnswerThatIsCut(t *testing.T) {
	t.Parallel()
	c, url := setUp(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "50")
		io.WriteString(w, "half")
	})
	_, err := c.Do(t.Context(), &httpcall.Request{Method: "GET", URL: url})
	if e, ok := errors.AsType[*wire.ConnError](err); !ok || !e.Sent {
		t.Errorf("error %#v", err)
	}
}

// The context's error stays what it is, with its cause.
func TestTheContextEnds(t *testing.T) {
	t.Parallel()
	c, url := setUp(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/stream" {
			w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
			io.WriteString(w, "data: 1\n\n")
			w.(http.Flusher).Flush()
		}
		<-r.Context().Done()
	})
	why := errors.New("the user left")
	ctx, cancel := context.WithCancelCause(t.Context())
	stream, _, err := c.Open(ctx, &httpcall.Request{Method: "GET", URL: url + "/stream"})
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	if e, err := stream.Next(); err != nil || string(e.Data) != "1" {
		t.Fatal(e, err)
	}
	cancel(why)
	_, err = stream.Next()
	_, err2 := c.Do(ctx, &httpcall.Request{Method: "GET", URL: url})
	_, _, err3 := c.Open(ctx, &httpcall.Request{Method: "GET", URL: url})
	for _, err := range []error{err, err2, err3} {
		if !errors.Is(err, context.Canceled) || !errors.Is(err, why) {
			t.Errorf("error %v", err)
		}
	}
}

func FuzzExcerpt(f *testing.F) {
	f.Add([]byte("<html>\r\n\x1b[31mno\x00 \xff"))
	f.Add([]byte(strings.Repeat("ä", 150)))
	f.Fuzz(func(t *testing.T, body []byte) {
		s := httpcall.Excerpt(body)
		if len(s) > 700 || !utf8.ValidString(s) ||
			strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f }) {
			t.Errorf("%q", s)
		}
	})
}
