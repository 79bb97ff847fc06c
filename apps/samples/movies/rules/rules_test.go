// SPDX-License-Identifier: Apache-2.0

package rules_test

import (
	"strings"
	"testing"

	"github.com/dragoman-a2a/dragoman/apps/samples/movies/catalogue"
	"github.com/dragoman-a2a/dragoman/apps/samples/movies/rules"
)

func TestRefusal(t *testing.T) {
	t.Parallel()
	if n := strings.Count(rules.Refusal, "."); n != 1 || !strings.Contains(rules.Refusal, "--llm") {
		t.Errorf("the refusal is %q, want one sentence that names --llm", rules.Refusal)
	}
}

// Answer returns a text for every message.
func FuzzAnswer(f *testing.F) {
	for _, s := range []string{"Who directed Dune?", "2", "how long is it", "recommend a war movie",
		"what else has she been in", "who is $1", "which came out first, It or Dune"} {
		f.Add(s, s)
	}
	f.Fuzz(func(t *testing.T, first, second string) {
		var s rules.State
		for _, text := range []string{first, second, "it", first} {
			r, err := rules.Answer(t.Context(), catalogue.Bundled(), &s, text)
			if err != nil || r.Text == "" {
				t.Fatalf("%q: %+v %v", text, r, err)
			}
		}
	})
}
