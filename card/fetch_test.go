// SPDX-License-Identifier: Apache-2.0

package card_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/dragoman-a2a/dragoman/card"
)

const fetched = `{"name": "Parrot", "supportedInterfaces": [{"url": "http://127.0.0.1:1",` +
	` "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}]}`

func TestFetchAsksAgainByETag(t *testing.T) {
	t.Parallel()
	var asked []string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != card.OlderPath {
			http.NotFound(w, r)
			return
		}
		asked = append(asked, r.Header.Get("If-None-Match")+r.Header.Get("A2A-Version"))
		w.Header().Set("ETag", `"1"`)
		if r.Header.Get("If-None-Match") == `"1"` {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		w.Write([]byte(fetched))
	}))
	defer s.Close()
	r := card.NewResolver(nil)
	first, err := r.Fetch(t.Context(), s.URL, nil)
	if err != nil || first.Unchanged || first.Card.Name != "Parrot" || string(first.Raw) != fetched ||
		first.ETag != `"1"` || first.URL != s.URL+card.OlderPath {
		t.Fatalf("got %+v, %v", first, err)
	}
	again, err := r.Fetch(t.Context(), s.URL, &card.Fetched{URL: first.URL, ETag: first.ETag})
	if err != nil || !again.Unchanged || again.Card != nil || again.ETag != `"1"` {
		t.Fatalf("got %+v, %v", again, err)
	}
	moved, err := r.Fetch(t.Context(), s.URL, &card.Fetched{URL: "http://elsewhere.example", ETag: first.ETag})
	if err != nil || moved.Unchanged {
		t.Fatalf("the ETag of another place was used: %+v, %v", moved, err)
	}
	if len(asked) != 3 || asked[0] != "" || asked[1] != `"1"` || asked[2] != "" {
		t.Errorf("asked with %q", asked)
	}
}

func TestFetchReadsNoFiles(t *testing.T) {
	t.Parallel()
	for _, ref := range []string{"/etc/passwd", "file:///etc/passwd", "./fetch_test.go", "fetch_test.go", ""} {
		if got, err := card.NewResolver(nil).Fetch(t.Context(), ref, nil); !errors.Is(err, card.ErrReference) {
			t.Errorf("%q: %+v, %v", ref, got, err)
		}
	}
}
