// SPDX-License-Identifier: Apache-2.0

package httpcall

import (
	"fmt"
	"net/http"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/retry"
	"github.com/dragoman-a2a/dragoman/internal/wire"
)

// excerptLength is how many bytes of an answer that cannot be read are shown.
const excerptLength = 200

// Unexpected makes an error of an answer that is not what the binding prescribes: a proxy's page, say. It shows the
// status, the content type and how the body begins.
func (a *Answer) Unexpected() *a2a.Error {
	return &a2a.Error{Kind: a.kind(), Message: a.describe(), Remote: !a.OK(), RetryAfter: retry.After(a.Header)}
}

func (a *Answer) kind() a2a.Kind {
	switch {
	case a.Status < 400:
		return a2a.ErrInvalidAgentResponse
	case a.Status == http.StatusNotFound:
		return a2a.ErrMethodNotFound // nothing of A2A is at this address: an agent would have answered in JSON
	}
	return wire.KindOfStatus(a.Status)
}

func (a *Answer) describe() string {
	status := fmt.Sprintf("HTTP %d", a.Status)
	if text := http.StatusText(a.Status); text != "" {
		status += " " + text
	}
	if a.Status >= 300 && a.Status <= 399 {
		return fmt.Sprintf("the agent's address answered %s to %q: redirects are not followed; correct the address "+
			"in the agent card",
			status, Excerpt([]byte(a.Header.Get("Location"))))
	}
	what := "without a content type"
	if t := mediaType(a.Header); t != "" {
		what = "with " + t
	}
	if len(a.Body) == 0 {
		return fmt.Sprintf("the agent's address answered %s %s and no body", status, what)
	}
	return fmt.Sprintf("the agent's address answered %s %s: %q", status, what, Excerpt(a.Body))
}

// Excerpt returns the beginning of what a peer sent, on one line, without control characters.
func Excerpt(body []byte) string {
	cut := len(body) > excerptLength
	if cut {
		body = body[:excerptLength]
		for len(body) > 0 && !utf8.RuneStart(body[len(body)-1]) {
			body = body[:len(body)-1]
		}
	}
	s := strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(string(body), "?"))
	s = strings.Join(strings.Fields(s), " ")
	if cut {
		s += "..."
	}
	return s
}
