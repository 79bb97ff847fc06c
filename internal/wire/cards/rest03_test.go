// SPDX-License-Identifier: Apache-2.0

package cards_test

import (
	"testing"

	"github.com/a2aproject/a2a-go/a2apb"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/encoding/protojson"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/wire/cards"
)

// A card of HTTP+JSON in 0.3 says the same to those who read the schemas of 0.3, and to those who read Protobuf JSON.
func TestREST03IsReadInBothForms(t *testing.T) {
	t.Parallel()
	card := full()
	delete(card.SecuritySchemes, "device") // which no flow of 0.3 is
	text, err := cards.AppendREST03([]byte("#"), card)
	if err != nil {
		t.Fatal(err)
	}
	text = text[1:]

	plain, err := cards.Append(nil, card, cards.Form03)
	if err != nil {
		t.Fatal(err)
	}
	want, err := cards.Decode(plain)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := cards.Decode(text); err != nil || !cmp.Equal(want, got) {
		t.Errorf("%v\n%s", err, cmp.Diff(want, got))
	}

	// The one thing that the forms have in common by name and not by shape.
	var members map[string]jsontext.Value
	if err := json.Unmarshal(text, &members); err != nil {
		t.Fatal(err)
	}
	delete(members, "security")
	withoutSecurity, err := json.Marshal(members)
	if err != nil {
		t.Fatal(err)
	}
	var pb a2apb.AgentCard
	if err := (protojson.UnmarshalOptions{DiscardUnknown: true}).Unmarshal(withoutSecurity, &pb); err != nil {
		t.Fatal(err)
	}
	if pb.GetUrl() == "" || pb.GetName() != card.Name || len(pb.GetSkills()) != len(card.Skills) {
		t.Errorf("read %v", &pb)
	}
	for name := range card.SecuritySchemes {
		if pb.GetSecuritySchemes()[name].GetScheme() == nil {
			t.Errorf("the scheme %q is not there", name)
		}
	}
	if s := pb.GetSecuritySchemes()["key"].GetApiKeySecurityScheme(); s.GetLocation() != "header" ||
		s.GetName() != "X-Key" {
		t.Errorf("the key is %v", s)
	}
}

// Nothing is added to a card that is signed in the form of 0.3, nor to one without schemes.
func TestREST03LeavesCardsAlone(t *testing.T) {
	t.Parallel()
	signed := full()
	signed.SupportedInterfaces = []a2a.AgentInterface{at("https://x.example", a2a.BindingJSONRPC, "0.3")}
	signed.Signatures = []a2a.AgentCardSignature{{Protected: "e30", Signature: "AA"}}
	open := full()
	open.SecuritySchemes = nil
	for name, card := range map[string]*a2a.AgentCard{"signed": signed, "open": open} {
		want, err := cards.Append(nil, card, cards.Form03)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := cards.AppendREST03(nil, card); err != nil || string(got) != string(want) {
			t.Errorf("%s: %v\n%s\n%s", name, err, got, want)
		}
	}
}
