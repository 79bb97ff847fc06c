// SPDX-License-Identifier: Apache-2.0

package cards

import (
	"strings"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/jsonio"
	"github.com/dragoman-a2a/dragoman/internal/wire"
)

// evidence is what tells the forms apart. Members that are null count as absent.
type evidence struct {
	interfaces     bool // of 1.0
	url            bool
	version        string // of the protocol
	signatures     bool
	since02        bool // a member that 0.1 does not have
	authentication bool
	wants02        bool // a member is missing that 0.2 requires and 0.1 does not
	description    bool
	modes          int // of default modes, which 0.2 requires: in and out
}

var evidenceObject = jsonio.Object[evidence]{
	Members: []jsonio.Member[evidence]{
		{Name: "supportedInterfaces", Read: seen(func(e *evidence) { e.interfaces = true })},
		{Name: "supported_interfaces", Read: seen(func(e *evidence) { e.interfaces = true })},
		{Name: "url", Read: func(d *jsonio.Reader, e *evidence) error {
			e.url = d.PeekKind() == '"'
			return skip(d)
		}},
		{Name: "protocolVersion", Read: func(d *jsonio.Reader, e *evidence) error {
			if d.PeekKind() != '"' {
				return skip(d)
			}
			return jsonio.String(d, &e.version)
		}},
		{Name: "signatures", Read: seen(func(e *evidence) { e.signatures = true })},
		{Name: "preferredTransport", Read: seen(isSince02)},
		{Name: "additionalInterfaces", Read: seen(isSince02)},
		{Name: "securitySchemes", Read: seen(isSince02)},
		{Name: "security", Read: seen(isSince02)},
		{Name: "supportsAuthenticatedExtendedCard", Read: seen(isSince02)},
		{Name: "iconUrl", Read: seen(isSince02)},
		{Name: "capabilities", Read: lenient('{', evidenceOfCapabilities.Read)},
		{Name: "authentication", Read: seen(func(e *evidence) { e.authentication = true })},
		{Name: "description", Read: seen(func(e *evidence) { e.description = true })},
		{Name: "defaultInputModes", Read: seen(func(e *evidence) { e.modes++ })},
		{Name: "defaultOutputModes", Read: seen(func(e *evidence) { e.modes++ })},
		{Name: "skills", Read: lenient('[', func(d *jsonio.Reader, e *evidence) error {
			var skills []evidence
			err := jsonio.List(d, &skills, 0, lenient('{', evidenceOfSkill.Read))
			for i := range skills {
				e.wants02 = e.wants02 || skills[i].wants02
			}
			return err
		})},
	},
	Finish: func(_ *jsonio.Reader, e *evidence) error {
		e.wants02 = e.wants02 || !e.description || e.modes < 2
		return nil
	},
}

var evidenceOfCapabilities = jsonio.Object[evidence]{Members: []jsonio.Member[evidence]{
	{Name: "extensions", Read: seen(isSince02)},
}}

var evidenceOfSkill = jsonio.Object[evidence]{
	Members: []jsonio.Member[evidence]{
		{Name: "description", Read: seen(func(e *evidence) { e.description = true })},
		{Name: "tags", Read: seen(func(e *evidence) { e.modes++ })},
	},
	Finish: func(_ *jsonio.Reader, e *evidence) error {
		e.wants02 = !e.description || e.modes < 1
		return nil
	},
}

func isSince02(e *evidence) { e.since02 = true }

// seen reads over a value whose presence says enough.
func seen(note func(*evidence)) func(*jsonio.Reader, *evidence) error {
	return func(d *jsonio.Reader, e *evidence) error {
		note(e)
		return skip(d)
	}
}

// lenient reads a value of one kind, and over one of any other: what is wrong with it is for the decoder to say.
func lenient[T any](kind byte, read func(*jsonio.Reader, *T) error) func(*jsonio.Reader, *T) error {
	return func(d *jsonio.Reader, v *T) error {
		if byte(d.PeekKind()) != kind {
			return skip(d)
		}
		return read(d, v)
	}
}

func skip(d *jsonio.Reader) error {
	_, err := jsonio.Raw(d)
	return err
}

// FormOf returns the form that a card is in. It looks at the shape, not at whether all is there: supportedInterfaces
// makes a card of 1.0, and with url a union; url alone one of the older forms, which protocolVersion tells apart, or
// the members that only one of them has. A card of an agent without security that has neither may be of 0.1 or of 0.2;
// it counts as 0.2 when it has all that 0.2 requires. Errors are those of [Decode].
func FormOf(data []byte) (Form, error) {
	e, err := examine(data)
	if err != nil {
		return 0, err
	}
	return e.form(), nil
}

func examine(data []byte) (*evidence, error) {
	var e evidence
	if err := wire.DecodeJSON(data, &e, evidenceObject.Read); err != nil {
		return nil, err
	}
	return &e, nil
}

func (e *evidence) form() Form {
	switch {
	case e.interfaces && e.url:
		return FormUnion
	case e.interfaces, !e.url && !e.signatures && !e.since02 && !e.authentication && e.version == "":
		return Form10
	case e.signatures:
		return Form03
	case e.version != "":
		return formOfVersion(e.version)
	case e.since02:
		return Form02
	case e.authentication, e.wants02:
		return Form01
	}
	return Form02
}

// either reports whether nothing tells a card of 0.2 from one of 0.1.
func (e *evidence) either() bool {
	return e.form() == Form02 && !e.since02 && e.version == ""
}

// formOfVersion reads the protocolVersion of a card with a url. The sample of 0.3.0 says 0.2.9, and agents of 0.3 have
// been seen to say 1.0; the last published 0.2 is 0.2.6.
func formOfVersion(version string) Form {
	switch majorMinor(version) {
	case a2a.Generation01:
		return Form01
	case a2a.Generation02:
		if patch, ok := strings.CutPrefix(version, "0.2."); ok && patch > "6" {
			return Form03
		}
		return Form02
	}
	return Form03
}

// majorMinor cuts a version to the generation it names; text of any other shape comes back as it is.
func majorMinor(version string) a2a.Generation {
	version = strings.TrimPrefix(strings.TrimSpace(version), "v")
	major, rest, ok := strings.Cut(version, ".")
	if !ok {
		return a2a.Generation(version)
	}
	minor, _, _ := strings.Cut(rest, ".")
	return a2a.Generation(major + "." + minor)
}

// old reports whether an interface's version is before 1.0.
func old(version string) bool { return strings.HasPrefix(string(majorMinor(version)), "0.") }
