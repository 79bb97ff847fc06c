// SPDX-License-Identifier: Apache-2.0

package cards

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Ignored names what of a card in any form [Decode] does not keep: each the path of a member as it stands in data, and
// after a colon why. Members that are null, false, empty or unsaid count for nothing. Errors are those of Decode.
func Ignored(data []byte) ([]string, error) {
	form, err := FormOf(data)
	if err != nil {
		return nil, err
	}
	card, err := Decode(data)
	if err != nil {
		return nil, err
	}
	kept, err := Append(nil, card, form)
	if err != nil {
		return nil, err
	}
	c := comparison{form: form}
	c.value("", data, kept)
	return c.list, nil
}

// A comparison finds what a card has and its rewriting in the same form has not.
type comparison struct {
	form Form
	list []string
}

func (c *comparison) value(at string, read, kept jsontext.Value) {
	if empty(read) || c.same(at, read, kept) {
		return
	}
	a, errA := split(read)
	b, errB := split(kept)
	if errA != nil || errB != nil || read.Kind() != kept.Kind() || read.Kind() != '{' && read.Kind() != '[' {
		c.add(at)
		return
	}
	if read.Kind() == '[' {
		c.elements(at, a, b)
		return
	}
	c.members(at, a, b)
}

func (c *comparison) members(at string, a, b []field) {
	for _, f := range a {
		path := strings.TrimPrefix(at+"."+f.name, ".")
		i := indexOf(b, f.name)
		switch {
		case i >= 0:
			c.value(path, f.value, b[i].value)
		case !empty(f.value) && !slices.ContainsFunc(respelt, func(p string) bool { return matches(p, path) }):
			c.add(path)
		}
	}
}

// maxSet is how long a list may be whose elements are looked for at other places than their own: a card may be hostile.
const maxSet = 100

// elements takes lists for sets, but says what is wrong with an element by that at its own place.
func (c *comparison) elements(at string, a, b []field) {
	for i, f := range a {
		if i < len(b) && c.among(at, f.value, b[i:i+1]) || len(b) <= maxSet && c.among(at, f.value, b) {
			continue
		}
		path := fmt.Sprintf("%s[%d]", at, i)
		if i >= len(b) || len(a) != len(b) {
			c.add(path)
			continue
		}
		c.value(path, f.value, b[i].value)
	}
}

func (c *comparison) among(at string, value jsontext.Value, list []field) bool {
	for _, f := range list {
		sub := comparison{form: c.form}
		if sub.value(at+"[]", value, f.value); sub.list == nil {
			return true
		}
	}
	return false
}

func indexOf(fields []field, name string) int {
	for i := range fields {
		if fields[i].name == name || snakeless(name) == fields[i].name {
			return i
		}
	}
	return -1
}

// snakeless turns a name of Protobuf JSON that is spelt with underscores into the one that is written.
func snakeless(name string) string {
	words := strings.Split(name, "_")
	for i, word := range words[1:] {
		if word != "" {
			words[i+1] = strings.ToUpper(word[:1]) + word[1:]
		}
	}
	return strings.Join(words, "")
}

// same reports whether two values mean the same, though they are spelt otherwise.
func (c *comparison) same(at string, read, kept jsontext.Value) bool {
	if bytes.Equal(canonical(read), canonical(kept)) {
		return true
	}
	if read.Kind() != '"' || kept.Kind() != '"' {
		// one string instead of a list, which is read as such
		return at == "authentication.schemes" && read.Kind() == '"'
	}
	a, b := unquote(read), unquote(kept)
	switch {
	case at == "protocolVersion":
		return true // cut to the generation, and said of the interfaces
	case strings.HasSuffix(at, "odes[]"):
		return a == "text" && b == textPlain
	}
	return strings.EqualFold(a, b) && (strings.HasSuffix(at, "ransport") || at == "authentication.schemes[]")
}

func canonical(v jsontext.Value) jsontext.Value {
	v = v.Clone()
	if err := v.Canonicalize(); err != nil {
		return nil
	}
	return v
}

func unquote(v jsontext.Value) string {
	text, _ := jsontext.AppendUnquote(nil, v) // it was read from JSON
	return string(text)
}

// empty reports whether a value says no more than its absence.
func empty(v jsontext.Value) bool {
	switch v.Kind() {
	case 'n', 'f':
		return true
	case '"':
		return len(v) == len(`""`)
	case '{', '[':
		fields, err := split(v)
		return err == nil && len(fields) == 0
	}
	return false
}

func (c *comparison) add(at string) {
	why := "it is not a member that this form of the card is known to have"
	for _, r := range reasons {
		if matches(r.path, at) {
			why = r.why
			break
		}
	}
	c.list = append(c.list, at+": "+why)
}

// respelt are members that are kept, but written otherwise: the version as that of the interfaces, the Protobuf JSON of
// 0.3 as its plain JSON. Patterns are those of reasons.
var respelt = []string{
	"protocolVersion",
	"securitySchemes.*.apiKeySecurityScheme", "securitySchemes.*.httpAuthSecurityScheme",
	"securitySchemes.*.oauth2SecurityScheme",
	"securitySchemes.*.openIdConnectSecurityScheme", "securitySchemes.*.mtlsSecurityScheme",
	"security[].schemes", "skills[].security[].schemes",
}

// reasons say why what is known is not kept. In a path * stands for any one name, and [] for any element.
var reasons = []struct{ path, why string }{
	{"capabilities.stateTransitionHistory", "no generation says what it does"},
	{"authentication.credentials", "they may be secret, and no generation says how to use them"},
	{"authentication", "0.2 has securitySchemes instead"},
	{"signatures", "they cover another form of the card"},
	{"securitySchemes.*.flows.*", "one flow of each scheme is kept: authorizationCode, deviceCode, " +
		"clientCredentials, implicit or password"},
	{"securitySchemes.*.flows", "without a flow that is known only the bearer token is kept"},
	{"securitySchemes.*.type", "without a flow that is known only the bearer token is kept"},
	{"securitySchemes.*.oauth2MetadataUrl", "without a flow that is known only the bearer token is kept"},
	{"securitySchemes.*", "this type of scheme is not known"},
}

var indexes = regexp.MustCompile(`\[[0-9]+\]`)

func matches(pattern, path string) bool {
	a, b := strings.Split(pattern, "."), strings.Split(indexes.ReplaceAllString(path, "[]"), ".")
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != "*" && a[i] != b[i] {
			return false
		}
	}
	return true
}
