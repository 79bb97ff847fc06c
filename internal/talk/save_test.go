// SPDX-License-Identifier: Apache-2.0

package talk

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/terminal"
)

func TestSafeName(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"rabbit.png": "rabbit.png", "src/main.go": "src/main.go", "a/../b": "b", "./a": "a",
		"Q1: report?.txt": "Q1_ report_.txt",
		".bashrc":         "_.bashrc", "x/.git/hooks/pre-commit": "x/_.git/hooks/pre-commit", "-rf": "_-rf",
		"a\x1b[2Jb": "a_[2Jb", "a\nb": "a_b", " a. ": "a", ".": "_",
		"../x": "", "/etc/passwd": "", "a/../../b": "", `..\..\x`: "", `c:\x`: "", "a\xff": "", "": "",
		"\u202egnp.exe": "_gnp.exe",
	} {
		got, err := safeName(in)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("safeName(%q) = %q, %v; want %q", in, got, err, want)
		}
	}
	long, err := safeName(strings.Repeat("ä", 500) + ".png")
	if err != nil || len(long) > maxName || !strings.HasSuffix(long, ".png") {
		t.Errorf("%d bytes, %v", len(long), err)
	}
}

func FuzzSafeName(f *testing.F) {
	for _, seed := range []string{"a/b.txt", "../..", "/", `\\host\share`, "CON", "a:b", "...", "a/ /b", "\x00"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, name string) {
		safe, err := safeName(name)
		if err == nil && (!filepath.IsLocal(safe) ||
			strings.Contains(safe, "..") && strings.Contains("/"+safe+"/", "/../") || terminal.Escape(safe) != safe ||
			safe == "") {
			t.Errorf("%q becomes %q", name, safe)
		}
	})
}

func TestFileThatStallsIsGivenUp(t *testing.T) {
	t.Parallel()
	over := make(chan struct{})
	defer close(over)
	ts := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Write([]byte("half"))
		w.(http.Flusher).Flush()
		<-over
	}))
	t.Cleanup(func() { ts.CloseClientConnections(); ts.Close() })
	dir := t.TempDir()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	s := &saver{SaveOptions: SaveOptions{Dir: dir}, web: new(http.Client), root: root, patience: 50 * time.Millisecond,
		taken: make(map[string]int)}
	defer s.close()
	saved, err := s.artifacts(t.Context(), []*a2a.Artifact{
		named("1", "a.txt", a2a.URLPart(ts.URL, "text/plain", "a.txt")),
		named("2", "b.txt", a2a.TextPart("b"))})
	if err == nil || !strings.Contains(err.Error(), "a.txt is not saved: its server sent nothing for 50ms") {
		t.Errorf("got %v", err)
	}
	content, _ := os.ReadFile(filepath.Join(dir, "b.txt"))
	if len(saved) != 1 || string(content) != "b" {
		t.Errorf("saved %v", saved)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("the folder has %v", entries)
	}
}

func TestManyPartsOfOneName(t *testing.T) {
	t.Parallel()
	const n = 100_000 // which takes minutes if each looks for its number from the beginning
	s := &saver{taken: make(map[string]int)}
	got := make(map[string]bool)
	for range n {
		got[strings.ToLower(s.unused("a.txt"))] = true
		got[strings.ToLower(s.unused("A-7.txt"))] = true
	}
	if len(got) != 2*n || !got["a.txt"] || !got["a-2.txt"] || !got["a-7.txt"] || !got["a-7-2.txt"] {
		t.Errorf("%d names", len(got))
	}
}

func named(id, name string, parts ...a2a.Part) *a2a.Artifact {
	return &a2a.Artifact{ID: a2a.ArtifactID(id), Name: name, Parts: parts}
}
