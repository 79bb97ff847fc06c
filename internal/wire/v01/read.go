// SPDX-License-Identifier: Apache-2.0

package v01

import (
	"encoding/base64"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/dragoman-a2a/dragoman/a2a"
)

// unmarshal reads what has the form of T. An explicit null is an absent member wherever it stands, unknown members are
// passed over. Errors are those that [wire.Dialect] allows.
func unmarshal[T any](text []byte) (*T, error) {
	v := new(T)
	err := json.Unmarshal(text, v)
	if e, ok := errors.AsType[*json.SemanticError](err); ok {
		return nil, a2a.InvalidParams(field(e.JSONPointer), whatIsWrong(e))
	}
	return v, err
}

// field turns a JSON pointer into a path such as message.parts[2].text.
func field(p jsontext.Pointer) string {
	var path strings.Builder
	for token := range p.Tokens() {
		_, err := strconv.ParseUint(token, 10, 31)
		switch {
		case err == nil:
			path.WriteString("[" + token + "]")
		case path.Len() == 0:
			path.WriteString(token)
		default:
			path.WriteString("." + token)
		}
	}
	if path.Len() == 0 {
		return "params"
	}
	return clip(path.String())
}

// whatIsWrong says why a value does not fit its member.
func whatIsWrong(e *json.SemanticError) string {
	if many, ok := errors.AsType[tooMany](e.Err); ok {
		return many.Error()
	}
	switch e.GoType.Kind() {
	case reflect.String:
		return "must be a string"
	case reflect.Bool:
		return "must be true or false"
	case reflect.Int:
		return "must be a whole number"
	case reflect.Slice:
		return "must be an array"
	}
	return "must be an object"
}

// clip shortens what a peer sent to what an error message can bear.
func clip(s string) string {
	const most = 100
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "..."
}

// tooMany is the error of a list with more elements than this.
type tooMany int

func (n tooMany) Error() string { return fmt.Sprintf("must have at most %d elements", int(n)) }

// Lists of requests are refused at the first element over their limit, because a thousand times as many would fit into a
// body.
type (
	requestParts []part
	names        []string
)

func (p *requestParts) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	return readBounded(d, (*[]part)(p), a2a.MaxParts)
}

func (n *names) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	return readBounded(d, (*[]string)(n), a2a.MaxNames)
}

func readBounded[T any](d *jsontext.Decoder, elements *[]T, limit int) error {
	if d.PeekKind() != '[' {
		return json.UnmarshalDecode(d, elements) // null, or the error
	}
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	for d.PeekKind() != ']' {
		if len(*elements) == limit {
			return tooMany(limit)
		}
		var e T
		if err := json.UnmarshalDecode(d, &e); err != nil {
			return err
		}
		*elements = append(*elements, e)
	}
	_, err := d.ReadToken()
	return err
}

// within says where the value stands that an error is about.
func within(path string, err error) error {
	e, ok := errors.AsType[*a2a.Error](err)
	if !ok {
		return err
	}
	for i := range e.Violations {
		e.Violations[i].Field = join(path, e.Violations[i].Field)
	}
	return e
}

func join(path, field string) string {
	if path == "" || field == "" || field[0] == '[' {
		return path + field
	}
	return path + "." + field
}

// present reports whether a member of any type is there and not null.
func present(v jsontext.Value) bool { return len(v) > 0 && v.Kind() != 'n' }

// readTime reads an RFC 3339 timestamp, or one without an offset, as peers of April 2025 write them. Which zone they mean
// nobody can know: it is read as UTC.
func readTime(text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	t, err := a2a.ParseTime(text)
	if err != nil {
		t, err = a2a.ParseTime(text + "Z")
	}
	if err != nil {
		return t, a2a.InvalidParams("timestamp", a2a.AsError(err).Message)
	}
	return t, nil
}

// readBase64 reads base64, standard or URL-safe, padded or not.
func readBase64(text string) ([]byte, bool) {
	if strings.ContainsAny(text, "\r\n") { // the decoder would skip them
		return nil, false
	}
	encoding := base64.RawStdEncoding
	if strings.ContainsAny(text, "-_") {
		encoding = base64.RawURLEncoding
	}
	if len(text)%4 == 0 {
		text = strings.TrimSuffix(strings.TrimSuffix(text, "="), "=")
	}
	b, err := encoding.DecodeString(text)
	return b, err == nil
}
