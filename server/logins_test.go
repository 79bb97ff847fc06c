// SPDX-License-Identifier: Apache-2.0

package server_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/auth"
	"github.com/dragoman-a2a/dragoman/server"
)

// Guesses are refused on every binding of HTTP, in the words of each; those who are in stay in.
func TestGuessesAreRefused(t *testing.T) {
	t.Parallel()
	ts := serve(t, &fake{}, func(o *server.Options) {
		o.Generations = []a2a.Generation{a2a.Generation10, a2a.Generation01}
		o.Authenticator = auth.Token("secret", a2a.Identity{Subject: "ann"})
	})
	const known = "Authorization: Bearer secret"
	if got := do(t, ts, "GET", "/tasks/t1", "", known); got.status != http.StatusOK {
		t.Fatalf("%d %s", got.status, got.body)
	}
	const wrong = "Authorization: Bearer wrong"
	for range 20 {
		if got := do(t, ts, "GET", "/tasks/t1", "", wrong); got.status != http.StatusUnauthorized {
			t.Fatalf("%d %s", got.status, got.body)
		}
	}
	for name, got := range map[string]reply{
		"HTTP+JSON": do(t, ts, "GET", "/tasks/t1", "", wrong),
		"JSON-RPC":  rpc(t, ts, "GetTask", `{"id":"t1"}`, wrong),
		"0.1": do(t, ts, "POST", "/", `{"jsonrpc":"2.0","id":7,"method":"tasks/get","params":{"id":"t1"}}`, wrong,
			"A2A-Version: 0.1"),
	} {
		if got.status != http.StatusTooManyRequests || got.header.Get("Retry-After") == "" {
			t.Errorf("%s: %d %s", name, got.status, got.body)
		}
		var body struct {
			Error struct{ Code int }
		}
		want := map[string]int{"HTTP+JSON": 429, "JSON-RPC": -31429, "0.1": -32010}[name]
		if err := json.Unmarshal([]byte(got.body), &body); err != nil || body.Error.Code != want {
			t.Errorf("%s: code %d, want %d: %s", name, body.Error.Code, want, got.body)
		}
	}
	if got := do(t, ts, "GET", "/tasks/t1", "", known); got.status != http.StatusOK {
		t.Errorf("a caller who is known: %d %s", got.status, got.body)
	}
}
