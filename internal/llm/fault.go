// SPDX-License-Identifier: Apache-2.0

package llm

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/dragoman-a2a/dragoman/internal/retry"
)

// lenient are the JSON options for what providers send: they are many, and nothing here is decided by a member that
// comes twice.
var lenient = json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

// complaint is the error that a provider describes. Each says it in its own way: as an object or a text, alone or in a
// list, with a code that is a word or a number.
type complaint struct {
	message, code, status string
	wait                  time.Duration // before the next try; 0: it does not say
}

// complaintIn finds the complaint in a body, or gives its text.
func complaintIn(body []byte) complaint {
	raw := jsontext.Value(body)
	var list []jsontext.Value
	if json.Unmarshal(raw, &list, lenient) == nil && len(list) > 0 {
		raw = list[0] // Gemini's manner
	}
	var outer struct {
		Error   jsontext.Value `json:"error"`
		Message jsontext.Value `json:"message"`
		Detail  jsontext.Value `json:"detail"`
	}
	if json.Unmarshal(raw, &outer, lenient) != nil {
		return complaint{message: string(body)}
	}
	for _, inner := range []jsontext.Value{outer.Error, outer.Message, outer.Detail} {
		if len(inner) > 0 && inner.Kind() != 'n' {
			return complaintOf(inner)
		}
	}
	return complaint{message: string(body)}
}

// complaintOf reads the error member of a body, or of an event of a stream.
func complaintOf(raw jsontext.Value) complaint {
	var inner struct {
		Message jsontext.Value `json:"message"`
		Code    jsontext.Value `json:"code"`
		Type    jsontext.Value `json:"type"`
		Status  jsontext.Value `json:"status"`
		Details jsontext.Value `json:"details"`
	}
	if raw.Kind() != '{' || json.Unmarshal(raw, &inner, lenient) != nil {
		return complaint{message: plain(raw)}
	}
	return complaint{plain(inner.Message), plain(inner.Code), plain(inner.Type) + " " + plain(inner.Status),
		waitIn(inner.Details)}
}

// waitIn finds how long to wait in the details of an error, where Gemini says it.
func waitIn(raw jsontext.Value) time.Duration {
	var details []struct {
		Delay string `json:"retryDelay"`
	}
	if raw.Kind() != '[' || json.Unmarshal(raw, &details, lenient) != nil {
		return 0
	}
	for _, d := range details {
		if wait, err := time.ParseDuration(d.Delay); err == nil && wait > 0 {
			return wait
		}
	}
	return 0
}

// plain is the text of a JSON value: that of a string without its quotes.
func plain(raw jsontext.Value) string {
	if len(raw) == 0 || raw.Kind() == 'n' {
		return ""
	}
	var s string
	if json.Unmarshal(raw, &s, lenient) == nil {
		return s
	}
	return string(raw)
}

// fault is the error of an answer that is no success.
func (c *client) fault(resp *http.Response, body []byte) error {
	return c.complain(resp.StatusCode, complaintIn(body), resp.Header)
}

// complain makes an Error of what a provider said. The status is 0 within a stream, where the code may be one.
func (c *client) complain(status int, said complaint, h http.Header) error {
	e := &Error{Status: status, Message: c.clean(said.message), RetryAfter: cmp.Or(retry.After(h), said.wait)}
	if n, err := strconv.Atoi(said.code); err == nil && status == 0 {
		status = n
	}
	e.Kind = kindOf(status, said)
	e.final = said.code == "insufficient_quota" || status == http.StatusNotImplemented
	if e.Kind == ErrAuth || e.Kind == ErrBadRequest && (status == http.StatusNotFound || status/100 == 3) {
		e.Message = strings.TrimPrefix(e.Message+"; check the key, the model ("+c.model+") and the base URL", "; ")
	}
	return e
}

// kindOf tells the kind of an error by its status, and where that is not enough by what was said.
func kindOf(status int, said complaint) error {
	words := strings.ToLower(said.code + " " + said.status + " " + said.message)
	has := func(list ...string) bool {
		return slices.ContainsFunc(list, func(w string) bool { return strings.Contains(words, w) })
	}
	switch {
	case status == 401 || status == 403 || has("api key not valid", "invalid_api_key", "authentication_error"):
		return ErrAuth
	case status == 429 || status == 0 && has("rate_limit", "resource_exhausted"):
		return ErrRateLimit
	case status == 408 || status >= 500 || status == 0 && has("overloaded", "server_error", "unavailable", "internal"):
		return ErrUnavailable
	case status == 413 || has("context_length", "context length", "context window", "maximum context", "context size",
		"prompt is too long", "too many tokens", "input token count", "maximum number of tokens"):
		return ErrContextLength
	case has("content_filter", "content_policy", "content management policy", "responsible ai"):
		return ErrRefused
	case status == 0:
		return ErrUnavailable
	}
	return ErrBadRequest
}

// maxMessage is how much of a provider's message is kept, in bytes.
const maxMessage = 500

// clean makes what a provider said fit for a log: short, on one line, and without the key, which some of them repeat.
func (c *client) clean(s string) string {
	if c.key != "" {
		s = strings.ReplaceAll(s, c.key, "(key)")
	}
	s = strings.Join(strings.FieldsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }),
		" ")
	if len(s) > maxMessage {
		s = s[:maxMessage] + "..."
	}
	return strings.ToValidUTF8(s, "\ufffd")
}
