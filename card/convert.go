// SPDX-License-Identifier: Apache-2.0

package card

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/dragoman-a2a/dragoman/internal/wire/cards"
)

// Form names a written form of the agent card: a generation of the protocol, or the union of all. A conversion of an
// a2a.Generation is a Form.
type Form string

// The forms.
const (
	Form01 Form = "0.1" // April 2025 and 0.1
	Form02 Form = "0.2"
	Form03 Form = "0.3"
	Form10 Form = "1.0"
	// FormUnion has the members of 1.0 and of the older generations in one object, so that clients of each can read it.
	FormUnion Form = "union"
)

// Forms lists the forms, the union last.
var Forms = []Form{Form01, Form02, Form03, Form10, FormUnion}

func (f Form) known() (cards.Form, error) {
	form := cards.FormNamed(string(f))
	if form == 0 {
		return 0, fmt.Errorf("%q is not a form of agent cards; use one of %s", string(f), names(Forms))
	}
	return form, nil
}

func names(forms []Form) string {
	var list []string
	for _, f := range forms {
		list = append(list, string(f))
	}
	return strings.Join(list, ", ")
}

// FormOf returns the form that a card is in, by its shape. A card that could be of 0.1 or of 0.2 counts as 0.2.
func FormOf(data []byte) (Form, error) {
	form, err := cards.FormOf(data)
	if err != nil {
		return "", err
	}
	return Form(form.String()), nil
}

// Convert writes a card of any form in another one. A card that has the form already comes back as it is, with its
// signatures; in any other form it has none, because a signature covers one form only. The interfaces say which
// generation the agent speaks, and a conversion does not change that: what a form is led to by a card whose interfaces
// are all of other generations is named in lost.
//
// lost names what the converted card does not say: each the path of a member, as the card or else 1.0 spells it, and
// after a colon why. Errors say what is wrong with data, or that the form is not known.
func Convert(data []byte, to Form) (converted []byte, lost []string, err error) {
	form, err := to.known()
	if err != nil {
		return nil, nil, err
	}
	from, err := cards.FormOf(data)
	if err != nil {
		return nil, nil, err
	}
	card, err := cards.Decode(data)
	if err != nil {
		return nil, nil, err
	}
	if from == form {
		return bytes.Clone(data), nil, nil
	}
	if converted, err = cards.Append(nil, card, form); err != nil {
		return nil, nil, err
	}
	lost, err = cards.Ignored(data)
	if err != nil {
		return nil, nil, err
	}
	return converted, append(lost, cards.Lost(card, form)...), nil
}
