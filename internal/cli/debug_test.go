// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/auth"
	"github.com/dragoman-a2a/dragoman/internal/cmdline"
	"github.com/dragoman-a2a/dragoman/internal/connect"
	"github.com/dragoman-a2a/dragoman/internal/redact"
	"github.com/dragoman-a2a/dragoman/server"
)

func TestDebugShowsExchangesWithoutCredentials(t *testing.T) {
	t.Parallel()
	options := &server.Options{Authenticator: auth.AuthenticatorFunc(func(r *http.Request) (a2a.Identity, error) {
		if r.Header.Get("Authorization") != "Bearer hunter2hunter2" || r.Header.Get("X-Team") != "hunter3" {
			return a2a.Identity{}, a2a.NewError(a2a.ErrUnauthenticated, "who are you?")
		}
		return a2a.Identity{Subject: "ann"}, nil
	})}
	base := serveAgent(t, echo(), options)
	got := run(t.Context(), "send", "-a", base, "--debug", "--bearer", "hunter2hunter2", "--svc-param",
		"X-Team: hunter3",
		"my token is hunter2hunter2, and yours?", "-o", "json")
	if got.code != cmdline.ExitOK || !strings.Contains(got.stdout, `"message"`) || strings.Contains(got.stdout, "[1]") {
		t.Fatalf("exit code %d:\n%s%s", got.code, got.stdout, got.stderr)
	}
	for _, want := range []string{
		"[1] > GET " + base + "/.well-known/agent-card.json\n",
		"[1] < HTTP/1.1 200 OK after ",
		"[1] < Content-Type: application/",
		`"name":"Test"`,
		"[2] > POST " + base + "\n",
		"[2] > Authorization: [redacted]\n",
		"[2] > A2a-Version: 1.0\n",
		"[2] > X-Team: [redacted]\n",
		`[2] > {"jsonrpc":"2.0",`,
		"my token is [redacted], and yours?",
		"[2] < HTTP/1.1 200 OK after ",
		"[2] < data: {",
	} {
		if !strings.Contains(got.stderr, want) {
			t.Errorf("no %q in:\n%s", want, got.stderr)
		}
	}
	if strings.Contains(got.stderr, "hunter") {
		t.Errorf("a credential is shown:\n%s", got.stderr)
	}
}

func TestNoDebugUnlessAskedFor(t *testing.T) {
	t.Parallel()
	base := serveAgent(t, echo(), nil)
	if got := run(t.Context(), "send", "-a", base, "Hello"); got.stderr != "" {
		t.Errorf("got %s", got.stderr)
	}
	got := runWith(t.Context(), map[string]string{"DRAGOMAN_DEBUG": "true"}, "", "send", "-a", base, "Hello")
	if !strings.Contains(got.stderr, "[1] > GET ") {
		t.Errorf("got %s", got.stderr)
	}
}

// The error object stays the last line, for programs that read it.
func TestDebugOfWhatFails(t *testing.T) {
	t.Parallel()
	got := run(t.Context(), "card", "get", "-a", "http://127.0.0.1:1", "--debug", "-o", "json")
	if got.code != cmdline.ExitUnreachable || !strings.Contains(got.stderr, "[1] < no answer after ") {
		t.Errorf("exit code %d:\n%s", got.code, got.stderr)
	}
	lines := strings.Split(strings.TrimSpace(got.stderr), "\n")
	if code := codeIn(t, lines[len(lines)-1]); code != cmdline.CodeUnreachable {
		t.Errorf("code %s", code)
	}
}

// lineWriter passes on what is written, a line with each Write.
type lineWriter chan string

func (w lineWriter) Write(p []byte) (int, error) {
	w <- string(p)
	return len(p), nil
}

func (w lineWriter) next(t *testing.T) string {
	t.Helper()
	select {
	case line := <-w:
		return line
	case <-time.After(10 * time.Second):
		t.Fatal("nothing is shown")
		return ""
	}
}

// An event of a stream is there, and shown, before the next one is sent.
func TestDebugHoldsNoStreamUp(t *testing.T) {
	t.Parallel()
	next := make(chan struct{})
	base := serveHandler(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for n := 1; n <= 3; n++ {
			fmt.Fprintf(w, "data: %d\n\n", n)
			w.(http.Flusher).Flush()
			<-next
		}
	})
	shown := make(lineWriter, 100)
	resp := exchange(t, connect.NewTap(http.DefaultTransport, shown, nil), base)
	for n := 1; n <= 3; n++ {
		buf := make([]byte, 100)
		want := fmt.Sprintf("data: %d\n\n", n)
		if _, err := io.ReadFull(resp.Body, buf[:len(want)]); err != nil || string(buf[:len(want)]) != want {
			t.Fatalf("%q, %v", buf, err)
		}
		for !strings.HasSuffix(shown.next(t), fmt.Sprintf("< data: %d\n", n)) {
		}
		next <- struct{}{}
	}
}

func exchange(t *testing.T, tap http.RoundTripper, url string) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := tap.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { resp.Body.Close() })
	return resp
}

// The part of a body that is shown is bounded; the body that passes is not.
func TestDebugClips(t *testing.T) {
	t.Parallel()
	const token = "tttttttttttttttttttttttttttttttttttttttttttttttt"
	for name, test := range map[string]struct {
		contentType, body string
		want              []string
		most              int // bytes shown
	}{
		"a long line": {"application/json", strings.Repeat("é", 1<<20),
			[]string{"é... (65536 bytes)\n", "(only the first 65536 bytes are shown)\n"}, connect.MaxDebugLine + 100},
		"a long line of a stream": {"text/event-stream; charset=utf-8", strings.Repeat("x", 1<<20) + "\nend\n",
			[]string{"x... (1048576 bytes)\n", "< end\n"}, connect.MaxDebugLine + 100},
		"many lines": {"application/json", strings.Repeat("line\n", 1<<18),
			[]string{"(only the first 65536 bytes are shown)\n"}, 4 * connect.MaxDebugBody},
		"many lines of a stream": {"text/event-stream", strings.Repeat("line\n", 1<<15) + "end",
			[]string{"< end\n"}, 1 << 20},
		"a credential where the line is cut": {"application/json",
			strings.Repeat("x", connect.MaxDebugLine-10) + token + strings.Repeat("y", 100),
			[]string{"x... (8330 bytes)\n"}, connect.MaxDebugLine + 100},
		"many credentials before the cut": {"text/event-stream", strings.Repeat(token, 1000),
			[]string{"[redacted]"}, connect.MaxDebugLine},
		"a credential where the body is cut": {"application/json",
			strings.Repeat(strings.Repeat("x", 1023)+"\n", 63) + strings.Repeat("x", 1000) + token,
			[]string{"(only the first 65536 bytes are shown)\n"}, 2 * connect.MaxDebugBody},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			base := serveHandler(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", test.contentType)
				io.WriteString(w, test.body)
			})
			var shown strings.Builder
			tap := connect.NewTap(http.DefaultTransport, &shown, http.Header{"Authorization": {"Bearer " + token}})
			resp := exchange(t, tap, base)
			head := shown.Len()
			if body, err := io.ReadAll(resp.Body); err != nil || string(body) != test.body {
				t.Errorf("%d bytes passed, %v", len(body), err)
			}
			resp.Body.Close()
			for _, want := range test.want {
				if !strings.Contains(shown.String(), want) {
					t.Errorf("no %q in what is shown", want)
				}
			}
			if n := shown.Len() - head; n > test.most {
				t.Errorf("%d bytes are shown", n)
			}
			if strings.Contains(shown.String(), "ttttttttt") || strings.Contains(shown.String(), "\ufffd") {
				t.Error("a piece of a credential or of a character is shown")
			}
		})
	}
}

// A stream that is left in the middle of a line.
func TestDebugOfALeftStream(t *testing.T) {
	t.Parallel()
	const token = "tttttttttttttttttttt"
	base := serveHandler(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, "data: a long line with "+token[:10])
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	var shown strings.Builder
	resp := exchange(t, connect.NewTap(http.DefaultTransport, &shown, http.Header{"X-Team": {token}}), base)
	if _, err := io.ReadFull(resp.Body, make([]byte, 33)); err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if !strings.Contains(shown.String(), "< data: a long ... (33 bytes)\n") ||
		strings.Contains(shown.String(), "tttt") {
		t.Errorf("got %s", shown.String())
	}
}

func TestDebugHidesURLsAndHeaders(t *testing.T) {
	t.Parallel()
	tap := connect.NewTap(nil, io.Discard, http.Header{"x-team": {"blue"}})
	for in, want := range map[string]string{
		"http://ann:pw@h/p?a=1": "http://redacted@h/p?a=1",
		"http://h/?key=k&historyLength=2&pageToken=p&access_token=t&X-Amz-Signature=s": "http://h/?key=[redacted]&" +
			"historyLength=2&pageToken=p&access_token=[redacted]&X-Amz-Signature=s",
		"http://h/?api%5Fkey=k":  "http://h/?api%5Fkey=[redacted]",
		"http://h/tasks?a=%zz&b": "http://h/tasks?a=%zz&b",
	} {
		u, err := url.Parse(in)
		if err != nil {
			t.Fatal(err)
		}
		if got := tap.URL(u); got != want {
			t.Errorf("%s is shown as %s, want %s", in, got, want)
		}
	}
	for name, hidden := range map[string]bool{
		"Authorization": true, "Proxy-Authorization": true, "Cookie": true, "Set-Cookie": true, "X-Api-Key": true,
		"api-key":              true,
		"X-Amz-Security-Token": true, "X-A2a-Notification-Token": true, "X-Secret": true, "X-Team": true,
		"Content-Type": false, "A2a-Version": false, "Etag": false, "Www-Authenticate": false, "Retry-After": false,
	} {
		if got := tap.HeaderValue(name, "value"); (got == redact.Mark) != hidden {
			t.Errorf("%s: %s", name, got)
		}
	}
	if got := tap.HeaderValue("Location", "/next?token=t"); got != "/next?token=[redacted]" {
		t.Errorf("Location: %s", got)
	}
}

func TestDebugHidesCredentialsInBodies(t *testing.T) {
	t.Parallel()
	tap := connect.NewTap(nil, io.Discard, nil)
	for in, want := range map[string]string{
		`{"url":"http://h","token":"abc"}`: `{"url":"http://h","token":"[redacted]"}`,
		`{"authentication": {"credentials" : "a\"b", "n": 1}}`: `{"authentication": {"credentials" : "[redacted]",` +
			` "n": 1}}`,
		`{"client_secret":"cut off in the mid`:               `{"client_secret":"[redacted]`,
		`{"nextPageToken":"abc","key":"value","code":"USD"}`: `{"nextPageToken":"abc","key":"value","code":"USD"}`,
		`curl -H 'Authorization: Bearer abcdefgh.ijk=='`:     `curl -H 'Authorization: Bearer [redacted]'`,
		`bearer of news`: `bearer of news`,
	} {
		if got := tap.HideBody(in); got != want {
			t.Errorf("%s is shown as %s, want %s", in, got, want)
		}
	}
}

// The answer of an agent controls no terminal here either.
func TestDebugIsEscaped(t *testing.T) {
	t.Parallel()
	base := serveHandler(t, func(w http.ResponseWriter,
		_ *http.Request) {
		io.WriteString(w, "\x1b[2J\r\nError: forged")
	})
	got := run(t.Context(), "card", "get", "-a", base, "--debug")
	if strings.ContainsAny(got.stderr, "\x1b\r") || !strings.Contains(got.stderr, `[1] < \u001b[2J`) ||
		!strings.Contains(got.stderr, "[1] < Error: forged\n") {
		t.Errorf("got %q", got.stderr)
	}
}
