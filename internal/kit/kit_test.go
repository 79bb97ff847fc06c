// SPDX-License-Identifier: Apache-2.0

package kit_test

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/dragoman-a2a/dragoman/internal/kit"
)

// fetch asks for a file as a page below a folder does.
func fetch(t *testing.T, name, etag string) *http.Response {
	t.Helper()
	r := httptest.NewRequest("GET", "/agents/a/"+kit.Path+name, nil)
	r.Header.Set("If-None-Match", etag)
	w := httptest.NewRecorder()
	kit.Files(w, r)
	return w.Result()
}

// Browsers take scripts and styles only in their own types, and ask each time whether a file has changed.
func TestFiles(t *testing.T) {
	t.Parallel()
	for name, mediaType := range map[string]string{"kit.css": "text/css", "agent.js": "text/javascript",
		"vendor/preact.js": "text/javascript", "icon.svg": "image/svg+xml", "vendor/LICENSES.txt": "text/plain"} {
		resp := fetch(t, name, "")
		if got := resp.Header.Get("Content-Type"); resp.StatusCode != 200 || !strings.HasPrefix(got, mediaType) {
			t.Errorf("%s: %d %s", name, resp.StatusCode, got)
		}
		if again := fetch(t, name, resp.Header.Get("ETag")); again.StatusCode != http.StatusNotModified {
			t.Errorf("%s again: %d", name, again.StatusCode)
		}
	}
	for _, name := range []string{"", "none.js", "../kit.go", "vendor", "vendor/preact.d.ts"} {
		if resp := fetch(t, name, ""); resp.StatusCode != 404 {
			t.Errorf("%q: %d", name, resp.StatusCode)
		}
	}
}

var imported = regexp.MustCompile(`(?m)^(?:import|export) .* from "(.*)";$`)

// The page of an agent loads quickly: what its script imports is there, and all of it is small.
func TestFirstLoadIsSmall(t *testing.T) {
	t.Parallel()
	total, seen := int64(0), map[string]bool{}
	var load func(name string)
	load = func(name string) {
		if seen[name] {
			return
		}
		seen[name] = true
		resp := fetch(t, name, "")
		if resp.StatusCode != 200 {
			t.Errorf("%s is missing", name)
		}
		var text bytes.Buffer
		n, _ := text.ReadFrom(resp.Body)
		total += n
		if strings.HasPrefix(name, "vendor/") {
			return
		}
		for _, m := range imported.FindAllStringSubmatch(text.String(), -1) {
			load(path.Join(path.Dir(name), m[1]))
		}
	}
	load("agent.js")
	load("kit.css")
	if len(seen) < 8 || total > 300_000 {
		t.Errorf("%d files have %d bytes", len(seen), total)
	}
}

// The libraries are those that build.sh makes, unchanged.
func TestVendoredChecksums(t *testing.T) {
	t.Parallel()
	sums, err := os.Open("web/vendor/SHA256SUMS")
	if err != nil {
		t.Fatal(err)
	}
	defer sums.Close()
	listed := map[string]bool{}
	for lines := bufio.NewScanner(sums); lines.Scan(); {
		want, name, _ := strings.Cut(lines.Text(), "  ")
		content, err := os.ReadFile(filepath.Join("web/vendor", name))
		if err != nil {
			t.Fatal(err)
		}
		if sum := sha256.Sum256(content); hex.EncodeToString(sum[:]) != want {
			t.Errorf("%s has changed: run internal/kit/vendored/build.sh", name)
		}
		listed[name] = true
	}
	scripts, _ := filepath.Glob("web/vendor/*.js")
	for _, name := range scripts {
		if !listed[filepath.Base(name)] {
			t.Errorf("%s has no checksum", name)
		}
	}
}

func TestWrite(t *testing.T) {
	t.Parallel()
	page := kit.New(`{{define "main"}}<p>{{.}}</p>{{end}}`)
	w := httptest.NewRecorder()
	err := kit.Write(w, page, kit.Page{Title: "<T>", Section: "S", Styles: []string{"a.css"}, Scripts: []string{"a.js"},
		Data: "<b>"})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"<title>&lt;T&gt;</title>", `href="` + kit.Path + `kit.css"`, `href="a.css"`,
		`type="module" src="a.js"`, "<p>&lt;b&gt;</p>"} {
		if !strings.Contains(w.Body.String(), want) {
			t.Errorf("the page does not have %s:\n%s", want, w.Body)
		}
	}
	if policy := w.Header().Get("Content-Security-Policy"); strings.Contains(policy, "unsafe") {
		t.Error(policy)
	}
	if kit.Write(w, kit.New(`{{define "main"}}{{.None.None}}{{end}}`), kit.Page{Data: 1}) == nil {
		t.Error("a page that cannot be made is written")
	}
}
