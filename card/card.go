// SPDX-License-Identifier: Apache-2.0

// Package card fetches agent cards: by URL, by host name or from a file, within limits, and cached as HTTP says. It
// reads the cards of every generation of the protocol, converts them between the generations, and finds what is wrong
// with them.
package card

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/wire/cards"
)

// WellKnownPath is where an agent's card is, below the agent's base URL (A2A 1.0 §8.2).
const WellKnownPath = "/.well-known/agent-card.json"

// OlderPath is where the card is of an agent of 0.1 or 0.2, below the agent's base URL (A2A 0.2.6 §5.3).
const OlderPath = "/.well-known/agent.json"

// The sorts of failure. A failure of [Resolver.Resolve] is an [*Error] that wraps one of them, or the context's error.
var (
	ErrReference    = errors.New("not a reference to an agent card")
	ErrUnreachable  = errors.New("agent card cannot be reached")
	ErrNotFound     = errors.New("agent card not found")
	ErrUnauthorized = errors.New("agent card is not public")
	ErrInvalid      = errors.New("not a usable agent card")
	ErrUntrusted    = errors.New("agent card not trusted")
)

// Error says why a reference could not be resolved.
type Error struct {
	Ref  string // as the caller gave it
	URL  string // what was asked, or the file's name; "" when the reference names nothing
	Kind error  // ErrReference, ErrUnreachable, ErrNotFound, ErrUnauthorized, ErrInvalid or ErrUntrusted
	Err  error  // what went wrong
}

// Error returns the sort of failure, where it happened, and why.
func (e *Error) Error() string {
	where := e.URL
	if where == "" {
		where = e.Ref
	}
	return fmt.Sprintf("%v: %s: %v", e.Kind, where, e.Err)
}

// Unwrap returns the sort of failure and what went wrong.
func (e *Error) Unwrap() []error { return []error{e.Kind, e.Err} }

// Decode reads an agent card of any generation, or one that serves several, and checks that a client can use it: that
// it is a JSON object with at least one interface, each with an address and a binding. The url and
// additionalInterfaces of an older card become interfaces whose version is the generation that the agent speaks
// there. Decode does not check all that the standard requires; [a2a.AgentCard.Validate] does.
func Decode(raw []byte) (*a2a.AgentCard, error) {
	if jsontext.Value(raw).Kind() != '{' {
		return nil, fmt.Errorf("it is not a JSON object; it begins with %q", beginning(raw))
	}
	c, err := cards.Decode(raw)
	if err != nil {
		return nil, err
	}
	if len(c.SupportedInterfaces) == 0 {
		return nil, errors.New("it names no interface, neither in supportedInterfaces nor, as cards before 1.0 do, " +
			"in url")
	}
	for i, iface := range c.SupportedInterfaces {
		if iface.URL == "" || iface.Binding == "" {
			return nil, fmt.Errorf("supportedInterfaces[%d] lacks its url or its protocolBinding", i)
		}
	}
	return c, nil
}

// beginning returns the first bytes of what is not a card, for a message.
func beginning(raw []byte) []byte {
	raw = bytes.TrimSpace(raw)
	return raw[:min(len(raw), 60)]
}
