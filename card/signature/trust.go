// SPDX-License-Identifier: Apache-2.0

package signature

import (
	"bytes"
	"context"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// A Policy says what happens to cards on which no signature by a trusted key holds.
type Policy string

// The policies.
const (
	Off     Policy = "off"     // signatures are not looked at
	Prefer  Policy = "prefer"  // the card is taken, with a warning
	Require Policy = "require" // the card is refused
)

// Valid reports whether p is one of the constants.
func (p Policy) Valid() bool { return p == Off || p == Prefer || p == Require }

// Trust applies a Policy to cards that are fetched.
type Trust struct {
	Policy   Policy // the zero value counts as Require
	Verifier *Verifier
	// Warn learns of cards that are taken although no signature holds. Nil tells nobody.
	Warn func(ref string, err error)
}

// Verify returns Check for card.Options.Verify, or nil if signatures are not looked at.
func (t *Trust) Verify() func(ctx context.Context, ref string, document []byte) ([]byte, error) {
	if t.Policy == Off {
		return nil
	}
	return t.Check
}

// Check returns the members of a card that may be read: the signatures and what one of them covers or, if the policy
// takes a card without one, all of it.
func (t *Trust) Check(ctx context.Context, ref string, document []byte) ([]byte, error) {
	if t.Policy == Off {
		return document, nil
	}
	got, err := t.Verifier.Verify(ctx, document)
	switch {
	case err == nil:
		return withSignatures(got.Covered, document)
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case t.Policy != Prefer:
		return nil, err
	case t.Warn != nil:
		t.Warn(ref, err)
	}
	return document, nil
}

// withSignatures returns what is covered of a document with the document's signatures, so that others can verify it.
func withSignatures(covered, document []byte) ([]byte, error) {
	var card struct {
		Signatures jsontext.Value `json:"signatures"`
	}
	if err := json.Unmarshal(document, &card); err != nil {
		return nil, err
	}
	whole := append(bytes.TrimSuffix(covered, []byte("}")), `,"signatures":`...)
	return append(append(whole, card.Signatures...), '}'), nil
}
