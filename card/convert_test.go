// SPDX-License-Identifier: Apache-2.0

package card_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/card"
)

func sorted(list []string) []string { return slices.Sorted(slices.Values(list)) }

// Convert gives a card of any form the target form. It returns a card that already has the target form unchanged, byte
// for byte.
func TestConvert(t *testing.T) {
	t.Parallel()
	for from, text := range fine {
		text += ` , "x" : 1, "capabilities" : {}}`
		text = strings.Replace(text, `"capabilities":{"streaming":true},`, ``, 1)
		for _, to := range card.Forms {
			got, lost, err := card.Convert([]byte(text), to)
			if err != nil {
				t.Fatalf("%s to %s: %v", from, to, err)
			}
			if from == to {
				if string(got) != text || lost != nil {
					t.Errorf("%s to itself: %s, lost %q", from, got, lost)
				}
				continue
			}
			if !slices.ContainsFunc(lost, func(l string) bool { return strings.HasPrefix(l, "x: ") }) {
				t.Errorf("%s to %s: lost %q", from, to, lost)
			}
			if form, err := card.FormOf(got); err != nil ||
				form != to && !(from == card.Form10 && to == card.FormUnion) {
				t.Errorf("%s to %s is a card of %s, %v\n%s", from, to, form, err, got)
			}
		}
	}
}

func TestConvertErrors(t *testing.T) {
	t.Parallel()
	if _, _, err := card.Convert([]byte(valid), "2.0"); err == nil ||
		!contains(err.Error(), "0.1, 0.2, 0.3, 1.0, union") {
		t.Errorf("unknown form: %v", err)
	}
	if _, _, err := card.Convert([]byte(valid), card.Form(a2a.Generation03)); err != nil {
		t.Error(err)
	}
	for _, text := range []string{``, `[]`, `{"url":"u","skills":7}`} {
		if _, _, err := card.Convert([]byte(text), card.Form10); err == nil {
			t.Errorf("%s: no error", text)
		}
	}
	if _, err := card.FormOf([]byte(`[]`)); err == nil {
		t.Error("a list has a form")
	}
}
