// SPDX-License-Identifier: Apache-2.0

package server_test

import (
	"flag"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/server"
	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "write what the server answers into testdata/conversations")

// unsteady are headers that differ from run to run or say nothing of the protocol.
var unsteady = []string{"Date", "Content-Length", "Last-Modified", "X-Request-Id", "X-Content-Type-Options"}

// TestConversations plays the requests of each file, which stand in it as they go over the wire save for the protocol,
// and compares the answers to the letter.
func TestConversations(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/conversations/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no conversations", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			ts := serve(t, &fake{caps: can()}, func(o *server.Options) {
				asAlice(o)
				o.URL = "https://agents.example"
				o.Card.SecuritySchemes = map[string]a2a.SecurityScheme{"token": &a2a.HTTPAuthScheme{Scheme: "Bearer"}}
			})
			var played []txtar.File
			for _, f := range archive.Files {
				name, ok := strings.CutSuffix(f.Name, ".request")
				if !ok {
					continue
				}
				got := play(t, ts.URL, string(f.Data))
				played = append(played, f, txtar.File{Name: name + ".response", Data: []byte(got)})
				if want := section(archive, name+".response"); !*update && want != got {
					t.Errorf("%s (-want +got):\n%s", name, cmp.Diff(want, got))
				}
			}
			if *update {
				archive.Files = played
				if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

func section(archive *txtar.Archive, name string) string {
	for _, f := range archive.Files {
		if f.Name == name {
			return string(f.Data)
		}
	}
	return ""
}

// play sends a request written as "METHOD path", header lines, an empty line and a body.
func play(t *testing.T, base, text string) string {
	t.Helper()
	head, body, _ := strings.Cut(text, "\n\n")
	lines := strings.Split(strings.TrimSpace(head), "\n")
	method, path, _ := strings.Cut(lines[0], " ")
	req, err := http.NewRequestWithContext(t.Context(), method, base+path,
		strings.NewReader(strings.TrimSuffix(body, "\n")))
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range lines[1:] {
		name, value, _ := strings.Cut(line, ": ")
		req.Header.Add(name, value)
	}
	got := send(t, nil, req)
	var b strings.Builder
	fmt.Fprintf(&b, "%d\n", got.status)
	for _, name := range slices.Sorted(maps.Keys(got.header)) {
		if !slices.Contains(unsteady, name) {
			fmt.Fprintf(&b, "%s: %s\n", name, strings.Join(got.header[name], " | "))
		}
	}
	fmt.Fprintf(&b, "\n%s", got.body)
	if !strings.HasSuffix(got.body, "\n") {
		b.WriteString("\n")
	}
	return b.String()
}
