// SPDX-License-Identifier: Apache-2.0

package v03

import (
	"slices"

	"github.com/dragoman-a2a/dragoman/internal/jsonio"
)

// A discriminator is what says which of several objects one is: kind, or type in the examples of 0.2.0 and 0.2.1 and in
// the drafts before them. The shape of the object tells where neither is there.
type discriminator struct{ kind, typ string }

// discriminatorMembers are the two members of objects that embed a discriminator.
func discriminatorMembers[T any](of func(*T) *discriminator) []jsonio.Member[T] {
	return []jsonio.Member[T]{
		{Name: "kind", Read: func(d *jsonio.Reader, v *T) error { return jsonio.String(d, &of(v).kind) }},
		{Name: "type", Read: func(d *jsonio.Reader, v *T) error { return jsonio.String(d, &of(v).typ) }},
	}
}

// value returns what the discriminator of the object that has just ended says, "" for nothing.
func (x *discriminator) value(d *jsonio.Reader, expected ...string) (string, error) {
	name, value := "kind", x.kind
	if value == "" {
		name, value = "type", x.typ
	}
	if value != "" && !slices.Contains(expected, value) {
		return "", jsonio.InvalidMember(d, name, notOneOf(value, expected...))
	}
	if x.kind != "" && x.typ != "" && x.kind != x.typ {
		return "", jsonio.InvalidMember(d, "type", "contradicts kind: send kind alone")
	}
	return value, nil
}
