// SPDX-License-Identifier: Apache-2.0

package card_test

import (
	"net/url"
	"testing"

	"github.com/dragoman-a2a/dragoman/card"
)

// To who resolves the card as a relative reference, as new URL(".well-known/agent-card.json", base) of JavaScript does,
// the printed URL leads to the card.
func TestAgentURL(t *testing.T) {
	t.Parallel()
	for base, want := range map[string]string{
		"http://127.0.0.1:8080":                  "http://127.0.0.1:8080",
		"http://127.0.0.1:8080/":                 "http://127.0.0.1:8080/",
		"http://127.0.0.1:8080/agents/currency":  "http://127.0.0.1:8080/agents/currency/",
		"http://127.0.0.1:8080/agents/currency/": "http://127.0.0.1:8080/agents/currency/",
		"https://a.example/v1/card.json":         "https://a.example/v1/card.json",
		"https://a.example/agent?key=1":          "https://a.example/agent?key=1",
		"card.json":                              "card.json",
		"http://%zz/a":                           "http://%zz/a",
	} {
		if got := card.AgentURL(base); got != want {
			t.Errorf("%s: %s", base, got)
		}
	}
	u, err := url.Parse(card.AgentURL("http://127.0.0.1:8080/agents/currency"))
	if err != nil {
		t.Fatal(err)
	}
	found, err := u.Parse(card.WellKnownPath[1:])
	if err != nil || found.Path != "/agents/currency/.well-known/agent-card.json" {
		t.Errorf("%v, %v", found, err)
	}
}
