// SPDX-License-Identifier: Apache-2.0

package v03pb

import (
	"github.com/dragoman-a2a/dragoman/internal/jsonio"
	"github.com/dragoman-a2a/dragoman/internal/wire"
)

// IsText reports whether a body is in the form Text. The answer has the same form as the body. Only messages differ
// enough to tell: in Text, messages say user or agent, and carry their kind. If IsText cannot read the body, it reports
// false, and the decoder of Proto reports the error.
func IsText(op wire.Operation, body []byte) bool {
	if op != wire.OpSendMessage && op != wire.OpStreamMessage {
		return false
	}
	var isText evidence
	return wire.DecodeJSON(body, &isText, bodyEvidence.Read) == nil && bool(isText)
}

// evidence is whether something was found that only Text has.
type evidence bool

var bodyEvidence = jsonio.Object[evidence]{Members: []jsonio.Member[evidence]{{Name: "message",
	Read: messageEvidence.Read}}}

var messageEvidence = jsonio.Object[evidence]{Members: []jsonio.Member[evidence]{
	{Name: "kind", Read: found},
	{Name: "role", Read: func(d *jsonio.Reader, e *evidence) error {
		if d.PeekKind() != '"' {
			return skip(d)
		}
		var role string
		err := jsonio.String(d, &role)
		*e = *e || role == "user" || role == "agent"
		return err
	}},
	{Name: "parts", Read: firstPart},
}}

var partEvidence = jsonio.Object[evidence]{Members: []jsonio.Member[evidence]{{Name: "kind", Read: found},
	{Name: "type", Read: found}}}

func found(d *jsonio.Reader, e *evidence) error {
	*e = true
	return skip(d)
}

func skip(d *jsonio.Reader) error {
	_, err := jsonio.Raw(d)
	return err
}

// firstPart looks at the first part only: there may be very many.
func firstPart(d *jsonio.Reader, e *evidence) error {
	if d.PeekKind() != '[' {
		return skip(d)
	}
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	read := partEvidence.Read
	for d.PeekKind() != ']' {
		if err := read(d, e); err != nil {
			return err
		}
		read = func(d *jsonio.Reader, _ *evidence) error { return d.SkipValue() }
	}
	_, err := d.ReadToken()
	return err
}
