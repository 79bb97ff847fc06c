// SPDX-License-Identifier: Apache-2.0

// Package redact knows what a credential looks like, so that what is shown or kept of requests has none.
package redact

import (
	"net/url"
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

// member is a member of a JSON object whose value is a string that has perhaps no end here.
var member = regexp.MustCompile(`"([A-Za-z0-9_.-]+)"(\s*:\s*)"((?:[^"\\]|\\.)*)`)

// Body returns the text of a body, or its beginning, without the credentials that its members hold.
func Body(s string) string {
	return Text(member.ReplaceAllStringFunc(s, func(found string) string {
		parts := member.FindStringSubmatch(found)
		if !Member(parts[1]) {
			return found
		}
		return `"` + parts[1] + `"` + parts[2] + `"` + Mark
	}))
}

// URL returns a URL without its user and without the credentials in its query: those of parameters with a telling
// name, or with one that hidden reports.
func URL(u *url.URL, hidden func(name string) bool) string {
	c := *u
	if c.User != nil {
		c.User = url.User("redacted")
	}
	pairs := strings.Split(c.RawQuery, "&")
	for i, pair := range pairs {
		name, _, _ := strings.Cut(pair, "=")
		if plain, err := url.QueryUnescape(name); err != nil || Name(plain) || hidden(plain) {
			pairs[i] = name + "=" + Mark
		}
	}
	c.RawQuery = strings.Join(pairs, "&")
	return c.String()
}
