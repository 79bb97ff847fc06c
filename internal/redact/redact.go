// SPDX-License-Identifier: Apache-2.0

// Package redact knows what a credential looks like, so that what is shown or kept of requests has none.
package redact

import (
	"regexp"
	"slices"
	"strings"
)

// Mark stands for a credential.
const Mark = "[redacted]"

// MinLength is the length from which on a credential is looked for everywhere. A shorter one is part of too many words.
const MinLength = 8

// names are parts of the names of headers, parameters and members that hold credentials, without punctuation.
var names = []string{"authorization", "cookie", "apikey", "secret", "password", "passwd", "credential"}

var punctuation = strings.NewReplacer("-", "", "_", "", ".", "")

// Member reports whether the string of a JSON member of that name is likely to be a credential.
func Member(name string) bool {
	name = strings.ToLower(punctuation.Replace(name))
	return strings.HasSuffix(name, "token") && !strings.HasSuffix(name, "pagetoken") ||
		slices.ContainsFunc(names, func(part string) bool { return strings.Contains(name, part) })
}

// Name reports the same for a header or a parameter of a URL, where short names mean credentials more often.
func Name(name string) bool {
	switch lower := strings.ToLower(name); lower {
	case "auth", "sig", "signature", "code":
		return true
	default:
		return strings.HasSuffix(lower, "key") || Member(name)
	}
}

// scheme is a credential as RFC 6750 and 7617 write it.
var scheme = regexp.MustCompile(`(?i)\b(bearer|basic)(\s+)[A-Za-z0-9._~+/=-]{8,}`)

// Text returns a text without the credentials that stand behind the name of their scheme, as "Bearer token".
func Text(s string) string { return scheme.ReplaceAllString(s, "$1$2"+Mark) }
