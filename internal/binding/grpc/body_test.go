// SPDX-License-Identifier: Apache-2.0

package grpc

import (
	"io"
	"strings"
	"testing"

	"github.com/dragoman-a2a/dragoman/internal/binding"
)

// However much a caller sends, no more gets through than a small message, unless a large one is allowed.
func TestBody(t *testing.T) {
	t.Parallel()
	const large = 100 << 10
	for name, test := range map[string]struct {
		sent, allowed, through int
	}{
		"a small message":             {10, 0, 10},
		"as large as a small one":     {binding.SmallBody, 0, binding.SmallBody},
		"more than a small one":       {large, 0, binding.SmallBody + 1},
		"a large message":             {large, large, large},
		"a large message, and more":   {2 * large, large, large + 1},
		"a large one that ends early": {large - 1, large, large - 1},
		"nothing":                     {-prefixSize, 0, -prefixSize},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBody(io.NopCloser(strings.NewReader(strings.Repeat("x", prefixSize+test.sent))))
			if test.allowed > 0 {
				b.allow(int64(test.allowed))
			}
			if _, err := io.ReadFull(b, make([]byte, prefixSize+test.through)); err != nil {
				t.Fatal(err)
			}
			for range 2 {
				if err := b.Close(); err != nil {
					t.Error(err)
				}
			}
			if rest, err := io.ReadAll(b); err != nil || len(rest) > 0 {
				t.Errorf("%d more bytes got through: %v", len(rest), err)
			}
		})
	}
}
