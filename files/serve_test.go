// SPDX-License-Identifier: Apache-2.0

package files_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/files"
	"github.com/dragoman-a2a/dragoman/journal/memory"
)

const base = "http://agent.example/agents/clock"

// ask asks a store for a URL below base, as it arrives where the path of the base is stripped.
func ask(t *testing.T, s *files.Store, method, rawURL string, header ...string) *http.Response {
	t.Helper()
	r := httptest.NewRequest(method, strings.TrimPrefix(rawURL, base), nil)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w.Result()
}

func body(t *testing.T, res *http.Response) string {
	t.Helper()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestServe(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir(), nil)
	f := put(t, s, keyOf("t"), "0123456789", files.File{MediaType: "text/plain; charset=utf-8", Name: "é ü.txt"})
	u := s.URL(base, f.ID, f.Name, time.Now())
	if !strings.HasPrefix(u, base+"/files/"+f.ID+"/") {
		t.Fatal(u)
	}
	res := ask(t, s, "GET", u)
	if got := body(t, res); res.StatusCode != 200 || got != "0123456789" {
		t.Fatalf("%d %q", res.StatusCode, got)
	}
	for name, want := range map[string]string{
		"Content-Type": "text/plain; charset=utf-8", "X-Content-Type-Options": "nosniff", "Content-Length": "10",
		"ETag": `"` + f.SHA256 + `"`, "Accept-Ranges": "bytes", "Referrer-Policy": "no-referrer",
		"Content-Disposition": "inline; filename*=utf-8''%C3%A9%20%C3%BC.txt",
	} {
		if got := res.Header.Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if csp := res.Header.Get("Content-Security-Policy"); !strings.Contains(csp, "sandbox") {
		t.Errorf("Content-Security-Policy: %q", csp)
	}
	if cache := res.Header.Get("Cache-Control"); !strings.HasPrefix(cache, "private, ") {
		t.Errorf("Cache-Control: %q", cache)
	}
	if res := ask(t, s, "GET", u, "Range", "bytes=3-5"); res.StatusCode != 206 || body(t, res) != "345" ||
		res.Header.Get("Content-Range") != "bytes 3-5/10" {
		t.Errorf("range: %d %v", res.StatusCode, res.Header)
	}
	if res := ask(t, s, "GET", u, "Range", "bytes=20-"); res.StatusCode != 416 {
		t.Errorf("range beyond the end: %d", res.StatusCode)
	}
	if res := ask(t, s, "HEAD", u); res.StatusCode != 200 || body(t, res) != "" ||
		res.Header.Get("Content-Length") != "10" {
		t.Errorf("HEAD: %d %v", res.StatusCode, res.Header)
	}
	if res := ask(t, s, "GET", u, "If-None-Match", `"`+f.SHA256+`"`); res.StatusCode != 304 {
		t.Errorf("known already: %d", res.StatusCode)
	}
	if res := ask(t, s, "POST", u); res.StatusCode != 405 || res.Header.Get("Allow") != "GET, HEAD" {
		t.Errorf("POST: %d %v", res.StatusCode, res.Header)
	}
}

// The store serves files that a browser would run as a page of this server as downloads.
func TestDisposition(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir(), nil)
	for mediaType, want := range map[string][2]string{
		"image/png":                {"inline; filename=x", "image/png"},
		"text/html":                {"attachment; filename=x", "text/html"},
		"image/svg+xml":            {"attachment; filename=x", "image/svg+xml"},
		"":                         {"attachment; filename=x", "application/octet-stream"},
		"nonsense":                 {"attachment; filename=x", "application/octet-stream"},
		"text/plain\r\nX-Evil: 1":  {"attachment; filename=x", "application/octet-stream"},
		"text/csv; charset=latin1": {"attachment; filename=x", "text/csv; charset=latin1"},
	} {
		f := put(t, s, keyOf("t"), "<script>", files.File{MediaType: mediaType, Name: "x"})
		h := ask(t, s, "GET", s.URL(base, f.ID, f.Name, time.Now())).Header
		if h.Get("Content-Disposition") != want[0] || h.Get("Content-Type") != want[1] || h.Get("X-Evil") != "" {
			t.Errorf("%q: %v", mediaType, h)
		}
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir(), nil)
	for name, want := range map[string]string{
		"../../etc/passwd": "passwd", `C:\evil.exe`: "evil.exe", "a\nb\x1b[31m.txt": "ab[31m.txt", "..": "", "": "",
		". .":           "",
		"gnp.\u202eexe": "gnp.exe", strings.Repeat("é", 200) + ".csv": strings.Repeat("é", 62) + ".csv",
	} {
		f := put(t, s, keyOf("t"), "x", files.File{Name: name})
		if f.Name != want {
			t.Errorf("%q: %q, want %q", name, f.Name, want)
		}
		if res := ask(t, s, "GET", s.URL(base, f.ID, f.Name, time.Now())); res.StatusCode != 200 {
			t.Errorf("%q: %d", name, res.StatusCode)
		}
	}
}

func TestURLsAreSigned(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir, nil)
	f, other := put(t, s, keyOf("t"), "x", files.File{Name: "x"}), put(t, s, keyOf("t"), "y", files.File{Name: "x"})
	u, err := url.Parse(s.URL(base, f.ID, f.Name, time.Now()))
	if err != nil {
		t.Fatal(err)
	}
	change := func(f func(u *url.URL, q url.Values)) string {
		c, q := *u, u.Query()
		f(&c, q)
		c.RawQuery = q.Encode()
		return c.String()
	}
	for name, changed := range map[string]string{
		"no signature":      change(func(_ *url.URL, q url.Values) { q.Del("signature") }),
		"another signature": change(func(_ *url.URL, q url.Values) { q.Set("signature", strings.Repeat("A", 43)) }),
		"longer":            change(func(_ *url.URL, q url.Values) { q.Set("expires", q.Get("expires")+"0") }),
		"for ever":          change(func(_ *url.URL, q url.Values) { q.Del("expires") }),
		"another file": change(func(u *url.URL,
			_ url.Values) {
			u.Path = strings.Replace(u.Path, f.ID, other.ID, 1)
		}),
		"another name":    change(func(u *url.URL, _ url.Values) { u.Path += ".exe" }),
		"no name":         change(func(u *url.URL, _ url.Values) { u.Path = u.Path[:len(u.Path)-2] }),
		"another store's": open(t, t.TempDir(), nil).URL(base, f.ID, f.Name, time.Now()),
		"another path": change(func(u *url.URL,
			_ url.Values) {
			u.Path = strings.Replace(u.Path, "/files/", "/tasks/", 1)
		}),
	} {
		if res := ask(t, s, "GET", changed); res.StatusCode != 403 {
			t.Errorf("%s: %d", name, res.StatusCode)
		}
	}
	if res := ask(t, open(t, dir, nil), "GET", u.String()); res.StatusCode != 200 {
		t.Errorf("after a restart: %d", res.StatusCode)
	}
}

func TestURLsExpire(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir(), &files.Options{Lifetime: time.Hour})
	f := put(t, s, keyOf("t"), "x", files.File{})
	now := time.Now()
	for ago, want := range map[time.Duration]int{0: 200, 59 * time.Minute: 200, 2*time.Hour + time.Second: 410} {
		res := ask(t, s, "GET", s.URL(base, f.ID, f.Name, now.Add(-ago)))
		if res.StatusCode != want {
			t.Errorf("a URL that was given out %v ago: %d, want %d", ago, res.StatusCode, want)
		}
	}
	hour := now.Truncate(time.Hour)
	if a, b := s.URL(base, f.ID, f.Name, hour.Add(time.Minute)),
		s.URL(base, f.ID, f.Name, hour.Add(2*time.Minute)); a != b {
		t.Errorf("what is in a cache is not found there: %s, %s", a, b)
	}
}

func TestFileOfARemovedTaskIsGone(t *testing.T) {
	t.Parallel()
	j := memory.New(nil)
	defer j.Close()
	s := open(t, t.TempDir(), &files.Options{Journal: j})
	addTask(t, j, keyOf("t"))
	f := put(t, s, keyOf("t"), "x", files.File{})
	u := s.URL(base, f.ID, f.Name, time.Now())
	if res := ask(t, s, "GET", u); res.StatusCode != 200 {
		t.Errorf("with the task: %d", res.StatusCode)
	}
	if n, err := j.Prune(t.Context(), time.Now(), 10); n != 1 || err != nil {
		t.Fatalf("%d pruned, %v", n, err)
	}
	if res := ask(t, s, "GET", u); res.StatusCode != 404 {
		t.Errorf("without it: %d", res.StatusCode)
	}
}

// The store accepts no URL except those that it signed, and no URL makes it panic.
func FuzzURL(f *testing.F) {
	s, err := files.Open(f.TempDir(), nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { s.Close() })
	file, err := s.Put(f.Context(), keyOf("t"), strings.NewReader("x"), files.File{Name: "x.txt"})
	if err != nil {
		f.Fatal(err)
	}
	now := time.Now()
	good := strings.TrimPrefix(s.URL(base, file.ID, file.Name, now), base)
	later := strings.TrimPrefix(s.URL(base, file.ID, file.Name, now.Add(time.Hour)), base)
	for _, seed := range []string{good, good + "&expires=1", good + "&signature=", good + "0", "/files/",
		"/files/" + file.ID + "/x.txt", "/files/../key", "/files/%00/%0a?expires=9"} {
		f.Add(seed)
	}
	same := func(a, b string) bool { // as requests: %41 is A
		x, errX := url.Parse(a)
		y, errY := url.Parse(b)
		return errX == nil && errY == nil && x.Path == y.Path && x.Query().Get("expires") == y.Query().Get("expires") &&
			x.Query().Get("signature") == y.Query().Get("signature")
	}
	f.Fuzz(func(t *testing.T, raw string) {
		u, err := url.Parse(raw)
		if err != nil {
			return
		}
		w := httptest.NewRecorder()
		s.ServeHTTP(w, &http.Request{Method: "GET", URL: u, Header: http.Header{}})
		if w.Code == 200 && !same(raw, good) && !same(raw, later) {
			t.Errorf("%q is taken", raw)
		}
	})
}

// Webhooks get signed URLs without a call, and only for files of their task.
func TestShown(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir(), nil)
	f := put(t, s, keyOf("t"), "text", files.File{MediaType: "text/plain", Name: "a.txt"})
	for task, signed := range map[a2a.TaskID]bool{"t": true, "other": false} {
		part := a2a.Part{Content: a2a.URL(files.ReferenceTo(f))}
		ev := &a2a.ArtifactUpdate{TaskID: task, Artifact: &a2a.Artifact{ID: "a", Parts: []a2a.Part{part}}}
		shown := s.Shown(keyOf(task), base, ev).(*a2a.ArtifactUpdate)
		u, _ := shown.Artifact.Parts[0].Content.(a2a.URL)
		if strings.HasPrefix(string(u), base) != signed {
			t.Errorf("%s: shown as %s", task, u)
		}
	}
}
