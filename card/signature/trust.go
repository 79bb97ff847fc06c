// SPDX-License-Identifier: Apache-2.0

package signature

import (
	"context"
	"fmt"
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

// Check returns the members of a card that may be read: those that a signature covers or, if the policy takes a card
// without one, all of it. It is for card.Options.Verify.
func (t *Trust) Check(ctx context.Context, ref string, document []byte) ([]byte, error) {
	if t.Policy == Off {
		return document, nil
	}
	got, err := t.Verifier.Verify(ctx, document)
	switch {
	case err == nil:
		return got.Covered, nil
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case t.Policy != Prefer:
		return nil, fmt.Errorf("the card is not trusted: %w", err)
	case t.Warn != nil:
		t.Warn(ref, err)
	}
	return document, nil
}
