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

var (
	// scheme is a credential as RFC 6750 and 7617 write it.
	scheme = regexp.MustCompile(`(?i)\b(bearer|basic)(\s+)[A-Za-z0-9._~+/=-]{8,}`)
	// user is the password in a URL, and parameter a parameter of one.
	user      = regexp.MustCompile(`(://[^/\s:@"]*:)[^/\s@"]+@`)
	parameter = regexp.MustCompile(`([?&])([A-Za-z0-9_.%-]+)=([^&\s"'#<>]+)`)
)

// Text returns a text without the credentials behind the name of their scheme, as "Bearer token", or in URLs.
func Text(s string) string {
	s = scheme.ReplaceAllString(s, "$1$2"+Mark)
	if !strings.ContainsAny(s, ":?&") {
		return s
	}
	s = user.ReplaceAllString(s, "${1}"+Mark+"@")
	return parameter.ReplaceAllStringFunc(s, func(found string) string {
		parts := parameter.FindStringSubmatch(found)
		if !Name(parts[2]) {
			return found
		}
		return parts[1] + parts[2] + "=" + Mark
	})
}
