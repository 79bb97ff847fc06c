// SPDX-License-Identifier: Apache-2.0

package cards_test

import (
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/dragoman-a2a/dragoman/internal/wire/cards"
)

// The cards of the documents are read, and stay what people have looked at in every form.
func TestCardsOfTheDocuments(t *testing.T) {
	t.Parallel()
	archive, err := txtar.ParseFile("testdata/seeds.txtar")
	if err != nil {
		t.Fatal(err)
	}
	wantForm := map[string]cards.Form{"april-2025": cards.Form01, "0.1.0": cards.Form01, "0.2.1": cards.Form02}
	wantVersion := map[string]string{"april-2025": "0.1", "0.1.0": "0.1", "0.2.1": "0.2"}
	seen := 0
	for _, f := range archive.Files {
		if strings.HasSuffix(f.Name, ".original") {
			continue
		}
		seen++
		if form, err := cards.FormOf(f.Data); form != wantForm[f.Name] || err != nil {
			t.Errorf("%s is taken for %v, %v", f.Name, form, err)
		}
		card := read(t, f.Data)
		if got := card.SupportedInterfaces; len(got) != 1 || got[0].ProtocolVersion != wantVersion[f.Name] ||
			got[0].Binding != "JSONRPC" {
			t.Errorf("%s: interfaces %v", f.Name, got)
		}
		if err := card.Validate(); err != nil {
			t.Errorf("%s: %v", f.Name, err)
		}
		var all []string
		for _, form := range forms {
			text := written(t, card, form)
			fits(t, form, text, card)
			all = append(all, "-- "+form.String()+" --\n"+string(indent(t, text)))
			for _, lost := range cards.Lost(card, form) {
				all = append(all, lost+"\n")
			}
		}
		ignored, err := cards.Ignored(f.Data)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, "-- ignored --\n"+strings.Join(append(ignored, ""), "\n"))
		golden(t, f.Name+".golden", []byte(strings.Join(all, "")))
	}
	if seen != len(wantForm) {
		t.Errorf("%d cards", seen)
	}
}
