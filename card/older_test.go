// SPDX-License-Identifier: Apache-2.0

package card_test

import (
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/dragoman-a2a/dragoman/card"
)

const older = `{"name": "Sundial", "description": "Tells the time.", "version": "1", "url": "https://sundial.example/",
	"protocolVersion": "0.2.5", "capabilities": {}, "defaultInputModes": ["text/plain"],
	"defaultOutputModes": ["text/plain"], "skills": []}`

func paths(s *site) []string {
	var list []string
	for _, r := range s.requests() {
		list = append(list, r.URL.RequestURI())
	}
	return list
}

// sundial serves its card where 0.2 has it, and does not know any other path.
func sundial(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != "/a/.well-known/agent.json" {
		http.NotFound(w, r)
		return
	}
	io.WriteString(w, older)
}

// An agent that is older than 0.3 has its card at another path, which is asked for second, and first while it is fresh.
func TestOlderPath(t *testing.T) {
	t.Parallel()
	s := serve(t, sundial)
	r := resolver(t, s, card.Options{})
	for range 2 {
		c, err := r.Resolve(t.Context(), s.URL+"/a?x=1")
		if err != nil || c.Name != "Sundial" || c.SupportedInterfaces[0].ProtocolVersion != "0.2" {
			t.Fatalf("%v, %v", c, err)
		}
	}
	raw, err := r.Raw(t.Context(), s.URL+"/a")
	if err != nil || string(raw) != older {
		t.Errorf("raw: %q, %v", raw, err)
	}
	want := []string{"/a/.well-known/agent-card.json?x=1", "/a/.well-known/agent.json?x=1",
		"/a/.well-known/agent-card.json", "/a/.well-known/agent.json"}
	if got := paths(s); !slices.Equal(got, want) {
		t.Errorf("asked for %q, want %q", got, want)
	}
}

func TestOlderPathIsNotGuessed(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		status int
		path   string
		kind   error
		asked  int
	}{
		"nothing at either path":     {http.StatusNotFound, "/b", card.ErrNotFound, 2},
		"a URL of the card itself":   {http.StatusNotFound, "/a/.well-known/agent-card.json", card.ErrNotFound, 1},
		"a card that is not public":  {http.StatusForbidden, "/a", card.ErrUnauthorized, 1},
		"a server that is not right": {http.StatusInternalServerError, "/a", card.ErrUnreachable, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(test.status) })
			r := resolver(t, s, card.Options{Retries: -1})
			_, err := r.Resolve(t.Context(), s.URL+test.path)
			var e *card.Error
			if !errors.Is(err, test.kind) || !errors.As(err, &e) || !contains(e.URL, "/agent-card.json") {
				t.Errorf("error %v", err)
			}
			if _, err := r.Raw(t.Context(), s.URL+test.path); !errors.Is(err, test.kind) {
				t.Errorf("raw: error %v", err)
			}
			if n := len(s.requests()); n != 2*test.asked {
				t.Errorf("%d requests for two cards", n)
			}
		})
	}
}

// Raw gives what is there, and asks for no form of it.
func TestRaw(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("A2A-Version") != "" {
			t.Error("a version is asked for")
		}
		io.WriteString(w, "no card")
	})
	r := resolver(t, s, card.Options{})
	if raw, err := r.Raw(t.Context(), s.URL); err != nil || string(raw) != "no card" {
		t.Errorf("%q, %v", raw, err)
	}
	name := filepath.Join(t.TempDir(), "x.json")
	if err := os.WriteFile(name, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if raw, err := r.Raw(t.Context(), name); err != nil || string(raw) != "{" {
		t.Errorf("%q, %v", raw, err)
	}
	for ref, want := range map[string]error{"": card.ErrReference, name + "x": card.ErrNotFound} {
		if _, err := r.Raw(t.Context(), ref); !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", ref, err, want)
		}
	}
}
