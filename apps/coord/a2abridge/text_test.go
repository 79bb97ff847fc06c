// SPDX-License-Identifier: Apache-2.0

package a2abridge

import (
	"testing"

	"github.com/dragoman-a2a/dragoman/a2a"
)

// Pieces of a text are one, and other parts are not glued to it; what has no name has no gap.
func TestTexts(t *testing.T) {
	t.Parallel()
	link := a2a.URLPart("http://x.example/y", "", "")
	parts := []a2a.Part{a2a.TextPart("1 USD "), a2a.TextPart("= 2"), {Content: a2a.Data(`{"a":1}`)},
		a2a.TextPart("end"), link}
	const want = "1 USD = 2\n{\"a\":1}\nend\n[file at http://x.example/y]"
	if got := textOf(parts); got != want {
		t.Errorf("%q", got)
	}
	if got := query(&a2a.Message{Parts: []a2a.Part{link,
		a2a.RawPart([]byte("x"), "image/png",
			"a.png")}}); got != "[file at http://x.example/y]\n[file a.png of 1 bytes, image/png, which cannot be "+
		"passed on]" {
		t.Errorf("%q", got)
	}
}
