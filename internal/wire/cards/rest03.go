// SPDX-License-Identifier: Apache-2.0

package cards

import (
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/dragoman-a2a/dragoman/a2a"
)

// AppendREST03 appends card in the form in which HTTP+JSON of 0.3 answers with it. Some peers read the answer as
// Form03. Other peers read it as the Protobuf JSON of package a2a.v1, which differs in the security schemes and in the
// security requirements. Some of the latter peers fail at a scheme in Form03, so each scheme has the members of both
// forms. The requirements cannot be written in both forms. They are in Form03, and readers of Protobuf JSON see only
// that there are some. A signed card is Form03.
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
