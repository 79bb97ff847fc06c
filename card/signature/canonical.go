// SPDX-License-Identifier: Apache-2.0

package signature

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"unicode/utf16"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/dragoman-a2a/dragoman/a2a"
)

// A Form is a way to write a card as the bytes that a signature covers. The standard has one; implementations and
// editions differ, so that [Verifier] tries all.
type Form string

// The forms, in the order in which they are tried.
const (
	// Form10 is that of A2A 1.0 §8.4.1: RFC 8785 over the members of 1.0, of which required and set ones stay, even if
	// they are empty, and all others with default values are left out. [Signer] signs it.
	Form10 Form = "A2A 1.0"
	// FormSDK is that of the official SDKs for Python and JavaScript of 1.0, which leave out every empty text, list and
	// object, also required ones.
	FormSDK Form = "official SDKs"
	// FormWhole is RFC 8785 over all that the card has, members of later versions and of other makers included.
	FormWhole Form = "whole card"
	// FormPython is that of the first releases of the SDK for Python of 1.0: FormSDK, but as json.dumps writes it,
	// which escapes all but ASCII, sorts by code points and writes numbers in its own way.
	FormPython Form = "first Python SDKs of 1.0"
	// Form03 is that of the SDK for Python of 0.3, over a card of 0.3: without empty members and defaults, escaped.
	Form03 Form = "Python SDK of 0.3"
)

// Forms returns all forms.
func Forms() []Form { return []Form{Form10, FormSDK, FormWhole, FormPython, Form03} }

// Canonical returns what a signature over a card covers in a form. The document is a card as it was served. Its member
// signatures is left out.
func Canonical(document []byte, form Form) ([]byte, error) {
	read := readAs10
	if form == FormWhole || form == Form03 {
		read = tree
	}
	card, err := read(document)
	if err != nil {
		return nil, err
	}
	switch form {
	case Form10, FormWhole:
		return jcs(card)
	case FormSDK:
		return jcs(clean(card))
	case FormPython:
		return appendPython(nil, clean(card), wholeAsFloat), nil
	case Form03:
		leaveOutDefaults03(card)
		return appendPython(nil, clean(card), wholeAsInt), nil
	}
	return nil, fmt.Errorf("signature: there is no form %q", form)
}

// tree returns the members of a document.
func tree(document []byte) (map[string]any, error) {
	var card map[string]any
	if err := json.Unmarshal(document, &card); err != nil {
		return nil, err
	}
	if card == nil {
		return nil, errors.New("the card is null")
	}
	delete(card, "signatures")
	return card, nil
}

// readAs10 returns the members that 1.0 knows: those which a reader of 1.0 takes from the document.
func readAs10(document []byte) (map[string]any, error) {
	var card a2a.AgentCard
	if err := a2a.Unmarshal(document, &card); err != nil {
		return nil, err
	}
	card.Signatures = nil
	known, err := card.AppendJSON(nil)
	if err != nil {
		return nil, err
	}
	return tree(known)
}

// clean leaves out texts, lists and objects that are empty, or become so, and nulls.
func clean(value any) any {
	switch v := value.(type) {
	case string:
		if v == "" {
			return nil
		}
	case []any:
		var kept []any
		for _, element := range v {
			if element = clean(element); element != nil {
				kept = append(kept, element)
			}
		}
		if kept == nil {
			return nil
		}
		return kept
	case map[string]any:
		kept := map[string]any{}
		for name, member := range v {
			if member = clean(member); member != nil {
				kept[name] = member
			}
		}
		if len(kept) == 0 {
			return nil
		}
		return kept
	}
	return value
}

// leaveOutDefaults03 leaves out what the SDK for Python of 0.3 does: members with the default of their type.
func leaveOutDefaults03(card map[string]any) {
	if card["protocolVersion"] == "0.3.0" {
		delete(card, "protocolVersion")
	}
	if card["preferredTransport"] == "JSONRPC" {
		delete(card, "preferredTransport")
	}
	schemes, _ := card["securitySchemes"].(map[string]any)
	for _, scheme := range schemes {
		if scheme, ok := scheme.(map[string]any); ok {
			delete(scheme, "type")
		}
	}
}

// jcs writes a card by RFC 8785.
func jcs(card any) ([]byte, error) {
	text, err := json.Marshal(card)
	if err != nil {
		return nil, err
	}
	value := jsontext.Value(text)
	err = value.Canonicalize()
	return value, err
}

// These write whole numbers as those of the kind that a reader makes of them.
func wholeAsFloat(f float64) string { return strconv.FormatFloat(f, 'f', 1, 64) }
func wholeAsInt(f float64) string   { return strconv.FormatFloat(f, 'f', 0, 64) }

// appendPython writes a card as json.dumps of Python does with sorted keys and without white space: members in the
// order of code points, all but ASCII escaped, numbers as float writes them.
func appendPython(dst []byte, value any, whole func(float64) string) []byte {
	switch v := value.(type) {
	case map[string]any:
		dst = append(dst, '{')
		for i, name := range slices.Sorted(maps.Keys(v)) {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(appendEscaped(dst, name), ':')
			dst = appendPython(dst, v[name], whole)
		}
		return append(dst, '}')
	case []any:
		dst = append(dst, '[')
		for i, element := range v {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendPython(dst, element, whole)
		}
		return append(dst, ']')
	case string:
		return appendEscaped(dst, v)
	case float64:
		switch size := math.Abs(v); {
		case size != 0 && size < 1e-4 || size >= 1e16:
			return strconv.AppendFloat(dst, v, 'e', -1, 64)
		case v == math.Trunc(v):
			return append(dst, whole(v)...)
		}
		return strconv.AppendFloat(dst, v, 'f', -1, 64)
	case bool:
		return strconv.AppendBool(dst, v)
	}
	return append(dst, "null"...)
}

// appendEscaped writes a string with all but ASCII escaped, in units of UTF-16.
func appendEscaped(dst []byte, s string) []byte {
	quoted, err := jsontext.AppendQuote(nil, s)
	if err != nil { // the decoder lets no text through that is not UTF-8
		return append(dst, `""`...)
	}
	for _, r := range string(quoted) {
		if r < 0x80 {
			dst = append(dst, byte(r))
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			dst = fmt.Appendf(dst, `\u%04x`, unit)
		}
	}
	return dst
}
