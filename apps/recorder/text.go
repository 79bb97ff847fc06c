// SPDX-License-Identifier: Apache-2.0

package recorder

import (
	"regexp"
	"strings"

	"github.com/dragoman-a2a/dragoman/internal/redact"
)

// base is the placeholder of the agent's address.
const base = "base"

// The kinds of placeholders that are more than a name.
const (
	kindTime      = "time"
	kindEvent     = "event"     // the id of an event of a stream
	kindRPC       = "rpc"       // the id of a JSON-RPC request that is a string
	kindRPCNumber = "rpcNumber" // that of one that is a number
	kindOther     = "id"        // a UUID of which nothing else is known
)

var placeholder = regexp.MustCompile(`\$\$\{|\$\{(base|[a-zA-Z]+\.[1-9][0-9]{0,8})\}`)

// A piece of a text is a literal or a placeholder.
type piece struct {
	literal string
	name    string // as task.1; "" for a literal
}

// split returns the pieces of a text from a cassette.
func split(s string) []piece {
	if !strings.Contains(s, "${") {
		return []piece{{literal: s}}
	}
	var pieces []piece
	at := 0
	for _, m := range placeholder.FindAllStringSubmatchIndex(s, -1) {
		if m[0] > at {
			pieces = append(pieces, piece{literal: s[at:m[0]]})
		}
		if m[2] < 0 {
			pieces = append(pieces, piece{literal: "${"})
		} else {
			pieces = append(pieces, piece{name: s[m[2]:m[3]]})
		}
		at = m[1]
	}
	if at < len(s) {
		pieces = append(pieces, piece{literal: s[at:]})
	}
	return pieces
}

// only returns the placeholder that is the whole text; "" if there is none.
func only(s string) string {
	if pieces := split(s); len(pieces) == 1 {
		return pieces[0].name
	}
	return ""
}

func put(name string) string { return "${" + name + "}" }

// escape makes a literal safe, so that it is not taken for a placeholder.
func escape(s string) string { return strings.ReplaceAll(s, "${", "$${") }

// kindOf returns the kind of a placeholder.
func kindOf(name string) string {
	kind, _, _ := strings.Cut(name, ".")
	return kind
}

// fill returns a text with the values of its placeholders.
func fill(s string, value func(name string) string) string {
	var b strings.Builder
	for _, p := range split(s) {
		if p.name == "" {
			b.WriteString(p.literal)
		} else {
			b.WriteString(value(p.name))
		}
	}
	return b.String()
}

// numberless returns a text in which placeholders of a kind are all the same.
func numberless(s string) string {
	if !strings.Contains(s, "${") {
		return s
	}
	return placeholder.ReplaceAllStringFunc(s, func(found string) string {
		kind, _, numbered := strings.Cut(found, ".")
		if !numbered {
			return found
		}
		return kind + "}"
	})
}

// pattern returns what a text from a cassette looks like where its placeholders have these values; those that have none
// are groups of the expression, in the order of names.
func pattern(s string, value func(name string) (string, bool)) (re *regexp.Regexp, names []string) {
	var b strings.Builder
	b.WriteString(`(?s)\A`)
	for _, p := range split(s) {
		known, ok := value(p.name)
		switch {
		case p.name == "":
			b.WriteString(strings.ReplaceAll(regexp.QuoteMeta(p.literal), regexp.QuoteMeta(redact.Mark), `.*?`))
		case ok:
			b.WriteString(regexp.QuoteMeta(known))
		default:
			b.WriteString(`(.+?)`)
			names = append(names, p.name)
		}
	}
	b.WriteString(`\z`)
	re, err := regexp.Compile(b.String())
	if err != nil { // a text that is too long for an expression
		return regexp.MustCompile(`\A[^\s\S]`), nil
	}
	return re, names
}
