// SPDX-License-Identifier: Apache-2.0

package auth_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/dragoman-a2a/dragoman/auth"
)

func TestActors(t *testing.T) {
	t.Parallel()
	for claim, want := range map[string][]string{
		`null`: nil, `"host"`: nil, `{}`: nil, `{"sub":7}`: nil,
		`{"sub":"host"}`:                     {"host"},
		`{"client_id":"host"}`:               {"host"},
		`{"sub":"host","act":{"sub":"bot"}}`: {"host", "bot"},
		`{"iss":"x","act":{"sub":"bot"}}`:    {"bot"},
		strings.Repeat(`{"sub":"a","act":`, 20) + `{}` + strings.Repeat(`}`, 20): slices.Repeat([]string{"a"}, 16),
	} {
		var act any
		if err := json.Unmarshal([]byte(claim), &act); err != nil {
			t.Fatal(err)
		}
		if got := auth.Actors(act); !slices.Equal(got, want) {
			t.Errorf("%s: %q", claim, got)
		}
	}
}
