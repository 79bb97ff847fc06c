// SPDX-License-Identifier: Apache-2.0

package files_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/dragoman-a2a/dragoman/files"
)

func fetcher(t *testing.T, o files.FetchOptions) *files.Fetcher {
	t.Helper()
	f, err := files.NewFetcher(&o)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func website(t *testing.T, h http.HandlerFunc) string {
	t.Helper()
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	return srv.URL
}

func TestFetch(t *testing.T) {
	t.Parallel()
	site := website(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/a/data.csv":
			w.Header().Set("Content-Type", "text/csv; charset=utf-8")
			io.WriteString(w, "a,b\n1,2\n")
		case "/a/named":
			w.Header().Set("Content-Disposition", `attachment; filename="../x.csv"`)
			w.Header().Set("Content-Type", "text/csv")
		case "/a/page":
			w.Header().Set("Content-Type", "text/html")
		case "/a/large":
			w.Header().Set("Content-Length", "101")
			w.Write(make([]byte, 101))
		case "/a/endless":
			for w.(http.Flusher) != nil {
				if _, err := w.Write(make([]byte, 50)); err != nil {
					return
				}
				w.(http.Flusher).Flush()
			}
		case "/a/full":
			w.Header().Set("Content-Type", "text/csv")
			w.Write(make([]byte, 100))
		default:
			http.NotFound(w, r)
		}
	})
	f := fetcher(t, files.FetchOptions{Allow: []string{site + "/a"}, Networks: files.NetworksLoopback, MaxBytes: 100,
		MediaTypes: []string{"text/csv"}})
	got, err := f.Fetch(t.Context(), site+"/a/data.csv?x=1")
	if err != nil || string(got.Content) != "a,b\n1,2\n" || got.MediaType != "text/csv; charset=utf-8" ||
		got.Name != "data.csv" || got.URL != site+"/a/data.csv?x=1" {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err := f.Fetch(t.Context(), site+"/a/named"); err != nil || got.Name != "x.csv" {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err := f.Fetch(t.Context(), site+"/a/full"); err != nil || len(got.Content) != 100 {
		t.Errorf("100 of 100: %v", err)
	}
	any := fetcher(t, files.FetchOptions{Allow: []string{site}, Networks: files.NetworksLoopback, MaxBytes: 100})
	for name, row := range map[string]struct {
		f    *files.Fetcher
		url  string
		want error
		text string
	}{
		"media type":   {f, site + "/a/page", files.ErrMediaType, "text/html"},
		"not there":    {f, site + "/a/none", nil, "404"},
		"large":        {any, site + "/a/large", files.ErrTooLarge, "100 bytes"},
		"endless":      {any, site + "/a/endless", files.ErrTooLarge, "100 bytes"},
		"not listed":   {f, site + "/b/data.csv", files.ErrNotAllowed, ""},
		"up and down":  {f, site + "/a/../b/data.csv", files.ErrNotAllowed, ""},
		"escaped":      {f, site + "/a/%2e%2e/b/data.csv", files.ErrNotAllowed, ""},
		"begins alike": {f, site + "/ab/data.csv", files.ErrNotAllowed, ""},
		"other port":   {f, strings.TrimRight(site, "0123456789") + "1/a/data.csv", files.ErrNotAllowed, ""},
		"other scheme": {f, strings.Replace(site, "http:", "https:", 1) + "/a/data.csv", files.ErrNotAllowed, ""},
		"with password": {f, strings.Replace(site, "http://", "http://u:p@", 1) + "/a/data.csv", files.ErrNotAllowed,
			""},
		"host hides": {f, "http://evil.example#" + site + "/a/", files.ErrNotAllowed, ""},
		"file":       {f, "file:///etc/passwd", files.ErrNotAllowed, ""},
		"no URL":     {f, "http://[::1", nil, "not a URL"},
		"empty":      {f, "", files.ErrNotAllowed, ""},
	} {
		if got, err := row.f.Fetch(t.Context(), row.url); err == nil || row.want != nil && !errors.Is(err, row.want) ||
			!strings.Contains(err.Error(), row.text) {
			t.Errorf("%s: %v, %v; want %v", name, got, err, row.want)
		}
	}
}

// A list of names does not open the network behind them.
func TestFetchStaysOnThePublicInternet(t *testing.T) {
	t.Parallel()
	site := website(t, func(http.ResponseWriter, *http.Request) { t.Error("somebody calls") })
	port := site[strings.LastIndex(site, ":"):]
	hosts := []string{"127.0.0.1", "localhost", "[::1]", "0.0.0.0", "[::ffff:127.0.0.1]", "169.254.169.254", "10.0.0.1",
		"192.168.1.1", "[fd00::1]", "[64:ff9b::7f00:1]"}
	for _, host := range hosts {
		f := fetcher(t, files.FetchOptions{Allow: []string{"http://" + host + port}, Timeout: 5 * time.Second})
		if _, err := f.Fetch(t.Context(), "http://"+host+port+"/"); !errors.Is(err, files.ErrNotAllowed) {
			t.Errorf("%s: %v", host, err)
		}
	}
}

func TestFetchFollowsRedirectsWithinTheList(t *testing.T) {
	t.Parallel()
	secret := website(t, func(http.ResponseWriter, *http.Request) { t.Error("a redirect leads out of the list") })
	site := website(t, func(w http.ResponseWriter, r *http.Request) {
		to := map[string]string{"/out": secret, "/1": "/2", "/2": "/3", "/3": "/4", "/4": "/end",
			"/file": "file:///etc/passwd", "/private": "http://10.0.0.1/"}[r.URL.Path]
		if to != "" {
			http.Redirect(w, r, to, http.StatusFound)
			return
		}
		if r.Header.Get("Referer") != "" {
			t.Error("a server is told of the one before it")
		}
		io.WriteString(w, "found")
	})
	f := fetcher(t, files.FetchOptions{Allow: []string{site, "http://10.0.0.1"}, Networks: files.NetworksLoopback})
	if got, err := f.Fetch(t.Context(), site+"/2"); err != nil || string(got.Content) != "found" ||
		got.URL != site+"/end" {
		t.Errorf("three redirects: %v, %v", got, err)
	}
	for path, want := range map[string]string{"/1": "too often", "/out": files.ErrNotAllowed.Error(),
		"/file": files.ErrNotAllowed.Error(), "/private": files.ErrNotAllowed.Error()} {
		_, err := f.Fetch(t.Context(), site+path)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
		if err != nil && strings.Contains(err.Error(), "10.0.0.1") {
			t.Errorf("%s: the error tells of the network: %v", path, err)
		}
	}
	none := fetcher(t, files.FetchOptions{Allow: []string{site}, Networks: files.NetworksLoopback, MaxRedirects: -1})
	if _, err := none.Fetch(t.Context(), site+"/4"); err == nil {
		t.Error("a redirect is followed")
	}
}

func TestFetchIsLimitedInTime(t *testing.T) {
	t.Parallel()
	over := make(chan struct{})
	defer close(over)
	site := website(t, func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "a")
		w.(http.Flusher).Flush()
		select {
		case <-over:
		case <-r.Context().Done():
		}
	})
	f := fetcher(t, files.FetchOptions{Allow: []string{site}, Networks: files.NetworksLoopback,
		Timeout: 50 * time.Millisecond})
	if _, err := f.Fetch(t.Context(), site); err == nil || !strings.Contains(err.Error(), "within 50ms") {
		t.Errorf("%v", err)
	}
}

func TestAllowList(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{"", "example.com", "ftp://example.com", "https://", "https://*", "https://a.*.com",
		"https://u@example.com", "https://example.com?x", "://"} {
		if _, err := files.NewFetcher(&files.FetchOptions{Allow: []string{bad}}); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
	if _, err := files.NewFetcher(&files.FetchOptions{MaxBytes: -1}); err == nil {
		t.Error("a negative limit is taken")
	}
	if _, err := files.NewFetcher(&files.FetchOptions{Networks: "all"}); err == nil {
		t.Error("networks that nobody knows are taken")
	}
	// Whether a name is on the list shows before it is looked up: those that are cannot be reached here.
	f := fetcher(t, files.FetchOptions{Allow: []string{"https://*.test.invalid", "http://plain.invalid:8080/x/"},
		Timeout: 2 * time.Second})
	for url, listed := range map[string]bool{
		"https://a.test.invalid/": true, "https://A.B.Test.Invalid./x": true, "https://a.test.invalid:443/": true,
		"https://test.invalid/": false, "https://eviltest.invalid/": false,
		"https://a.test.invalid.evil.invalid/": false, "http://a.test.invalid/": false,
		"http://plain.invalid:8080/x/y": true, "http://plain.invalid/x/y": false, "http://plain.invalid:8080/": false,
	} {
		if _, err := f.Fetch(t.Context(), url); err == nil || errors.Is(err, files.ErrNotAllowed) == listed {
			t.Errorf("%s: %v", url, err)
		}
	}
}

// Fetch requests the same path that it compared. It refuses paths that servers may read in more than one way.
func TestPathsAreNormalized(t *testing.T) {
	t.Parallel()
	asked := make(chan string, 1)
	site := website(t, func(w http.ResponseWriter, r *http.Request) { asked <- r.RequestURI })
	f := fetcher(t, files.FetchOptions{Allow: []string{site + "/x/../a/./b/"}, Networks: files.NetworksLoopback})
	for path, want := range map[string]string{
		"/a/b/c": "/a/b/c", "/a/b": "/a/b", "/a/b/": "/a/b/", "/a/b/c%20d;v=1?q=%2f": "/a/b/c%20d;v=1?q=%2f",
		"/a/./b/c": "/a/b/c", "/s/../a/b/c": "/a/b/c", "/s/%2e%2E/a/b/c": "/a/b/c", "/a/b/100%25": "/a/b/100%25",
		"/a/b//c":   "/a/b//c",
		"/a/b/../c": "", "/a/b/%2e%2e/c": "", "/a/bc": "", "/a/b/..": "", "/a/b//../../c": "",
		"/s%2f..%2fa/b/c": "", "/a/b%2Fc": "", "/a/b/..%2f..%2fs": "", "/a/b/..%5c..%5cs": "", `/a/b/..\s`: "",
		"/a/b/%252e%252e/s": "", "/a/b/..%252fs": "", "/a/b/%2e%2e;/s": "", "/a/b/..;v=1/s": "", "/a/b/..%255cs": "",
	} {
		_, err := f.Fetch(t.Context(), site+path)
		switch {
		case want == "" && !errors.Is(err, files.ErrNotAllowed):
			t.Errorf("%s: %v", path, err)
		case want != "" && err != nil:
			t.Errorf("%s: %v", path, err)
		case want != "":
			if got := <-asked; got != want {
				t.Errorf("%s is asked for as %s", path, got)
			}
		}
	}
	for _, bad := range []string{"/a%2fb/", "/a/%252e%252e/", "/a/..;/"} {
		if _, err := files.NewFetcher(&files.FetchOptions{Allow: []string{site + bad}}); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}

func TestDataURIs(t *testing.T) {
	t.Parallel()
	f := fetcher(t, files.FetchOptions{MaxBytes: 10})
	for uri, want := range map[string]string{
		"data:,a%20b":                          "text/plain|a b",
		"data:text/csv;base64,YSxiCg==":        "text/csv|a,b\n",
		"DATA:text/csv;charset=utf-8,a":        "text/csv; charset=utf-8|a",
		"data:text/csv;base64,YSxiCg":          "text/csv|a,b\n",
		"data:;charset=utf-8,x":                "text/plain; charset=utf-8|x",
		"data:text/csv":                        "",
		"data:text/csv;base64,*":               "",
		"data:,%zz":                            "",
		"data:,12345678901":                    "",
		"data:," + strings.Repeat("%41", 1000): "",
	} {
		got, err := f.Fetch(t.Context(), uri)
		if want == "" {
			if err == nil {
				t.Errorf("%s: %q is taken", uri, got.Content)
			}
			continue
		}
		if err != nil || got.MediaType+"|"+string(got.Content) != want {
			t.Errorf("%s: %+v, %v; want %q", uri, got, err, want)
		}
	}
	csv := fetcher(t, files.FetchOptions{MediaTypes: []string{"text/csv"}})
	if _, err := csv.Fetch(t.Context(), "data:text/html,x"); !errors.Is(err, files.ErrMediaType) {
		t.Errorf("%v", err)
	}
}

func FuzzDataURI(f *testing.F) {
	f.Add("text/csv;base64,YSxiCg==")
	f.Add(",%41")
	fetch, err := files.NewFetcher(&files.FetchOptions{MaxBytes: 100})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, rest string) {
		if got, err := fetch.Fetch(t.Context(), "data:"+rest); err == nil && len(got.Content) > 100 {
			t.Errorf("%d bytes", len(got.Content))
		}
	})
}
