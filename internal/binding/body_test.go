// SPDX-License-Identifier: Apache-2.0

package binding

import (
	"strings"
	"testing"
)

func TestDepth(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		``: 0, `1`: 0, `{}`: 1, `[[],{"a":[1]}]`: 3, `"[[["`: 0, `["\"[[", [1]]`: 2, `["\\", [[1]]]`: 3, `"unfinished [`: 0, `"\`: 0,
		strings.Repeat("[", 500): 500,
	} {
		if got := depth([]byte(text)); got != want {
			t.Errorf("%s: %d, want %d", text, got, want)
		}
	}
}

func TestMediaType(t *testing.T) {
	t.Parallel()
	for contentType, want := range map[string]string{
		"application/json": "application/json", "Application/JSON ; charset=UTF-8": "application/json", "": "", "a/b/c": "a/b/c",
	} {
		if got := MediaType(contentType); got != want {
			t.Errorf("%q: %q, want %q", contentType, got, want)
		}
	}
}
