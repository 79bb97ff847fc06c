// SPDX-License-Identifier: Apache-2.0

// Package cards reads and writes agent cards in the forms of every generation of the protocol. The model is the card of
// 1.0; what an older form says otherwise is translated, and what it cannot say is named by [Lost] and [Ignored].
package cards

import (
	"fmt"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/jsonio"
)

// Form is a written form of the agent card.
type Form uint8

// The forms. The zero Form is none.
const (
	// Form01 is that of April 2025 and 0.1: one url, authentication.
	Form01 Form = iota + 1
	// Form02 is that of 0.2: url with transports, securitySchemes like those of OpenAPI. It is Form03 without
	// signatures, mutual TLS, oauth2MetadataUrl, and security of skills.
	Form02
	// Form03 is that of 0.3.
	Form03
	// Form10 is that of 1.0: supportedInterfaces.
	Form10
	// FormUnion is Form10 with the members of the older forms added for which the card has an interface, so that
	// readers of every generation find what they look for. No names clash (see docs/cards.md).
	FormUnion
)

var formNames = [...]string{Form01: "0.1", Form02: "0.2", Form03: "0.3", Form10: "1.0", FormUnion: "union"}

// String returns the form's name: the generation, or union.
func (f Form) String() string {
	if f == 0 || int(f) >= len(formNames) {
		return fmt.Sprintf("Form(%d)", uint8(f))
	}
	return formNames[f]
}

// FormNamed returns the form that String names so, or 0.
func FormNamed(name string) Form {
	for f := Form01; f <= FormUnion; f++ {
		if formNames[f] == name {
			return f
		}
	}
	return 0
}

// Append appends card in a form. After an error, which is that the card holds what JSON cannot, dst is as it was.
//
// Forms 0.2 and 0.3 list the interfaces of the form's own version; of the other of the two when there are none, as both
// speak alike; and all interfaces when there are none of that either. The first is url with preferredTransport, and all
// of them are additionalInterfaces. Form 0.1 has the url of the first JSON-RPC interface of version 0.1, or of any
// other version, or of any other binding. The union has old members for the versions that the card has interfaces for,
// and prefers as url what a reader takes for granted that does not know transports: JSON-RPC.
//
// Signatures are written into the form only that they were made for, see [SignedForm].
func Append(dst []byte, card *a2a.AgentCard, form Form) ([]byte, error) {
	switch form {
	case Form01:
		return jsonio.Append(dst, card, writeCard01)
	case Form02, Form03:
		return jsonio.Append(dst, card,
			func(w *jsonio.Writer, c *a2a.AgentCard) { writeCard03(w, c, form, candidates(c, form)) })
	case Form10:
		return unsigned(card, Form10).AppendJSON(dst)
	case FormUnion:
		return appendUnion(dst, card)
	}
	return dst, fmt.Errorf("cannot encode: there is no form %d of agent cards", form)
}

// SignedForm returns the form for which a card's signatures count: 1.0 when it has an interface of 1.0 or newer, else
// 0.3. No card of the model says in which form it came, but none that was read as 0.3 has an interface of 1.0.
func SignedForm(card *a2a.AgentCard) Form {
	for i := range card.SupportedInterfaces {
		if !old(card.SupportedInterfaces[i].ProtocolVersion) {
			return Form10
		}
	}
	return Form03
}

// unsigned returns card, without its signatures when they are for another form.
func unsigned(card *a2a.AgentCard, form Form) *a2a.AgentCard {
	if len(card.Signatures) == 0 || SignedForm(card) == form {
		return card
	}
	c := *card
	c.Signatures = nil
	return &c
}
