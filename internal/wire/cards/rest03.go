// SPDX-License-Identifier: Apache-2.0

package cards

import (
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/dragoman-a2a/dragoman/a2a"
)

// AppendREST03 appends card as HTTP+JSON of 0.3 answers with it. Peers read that as Form03, or as the Protobuf JSON of
// package a2a.v1, which differs in the security schemes and in what of them is required. Some of the latter fail at a
// scheme in the form of the former, so each scheme has the members of both. What is required cannot be said in both
// forms: it is that of Form03, of which readers of Protobuf JSON see only that something is. A signed card is Form03.
func AppendREST03(dst []byte, card *a2a.AgentCard) ([]byte, error) {
	start := len(dst)
	dst, err := Append(dst, card, Form03)
	if err != nil || len(card.SecuritySchemes) == 0 || len(unsigned(card, Form03).Signatures) > 0 {
		return dst, err
	}
	wrapped, err := wrappedSchemes(card)
	if err != nil {
		return dst[:start], err
	}
	plain := jsontext.Value(dst[start:]).Clone()
	if dst, err = appendMerged(dst[:start], plain, wrapped); err != nil {
		return dst[:start], fmt.Errorf("cannot encode: %w", err)
	}
	return dst, nil
}

// wrappedSchemes returns an object that has nothing but the card's security schemes, in the form of 1.0, which has the
// names of a2a.v1.
func wrappedSchemes(card *a2a.AgentCard) (jsontext.Value, error) {
	text, err := (&a2a.AgentCard{SecuritySchemes: card.SecuritySchemes}).AppendJSON(nil)
	if err != nil {
		return nil, err
	}
	members, err := split(text)
	if err != nil {
		return nil, err
	}
	for _, m := range members {
		if m.name == "securitySchemes" {
			return append(append([]byte(`{"securitySchemes":`), m.value...), '}'), nil
		}
	}
	return jsontext.Value("{}"), nil
}
