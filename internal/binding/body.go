// SPDX-License-Identifier: Apache-2.0

package binding

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// keptBuffer is the largest buffer that goes back to the pool: one large request must not hold its memory for ever.
const keptBuffer = 64 << 10

var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// Buffer returns an empty buffer from the pool, for bytes that live no longer than a request.
func Buffer() *bytes.Buffer { return buffers.Get().(*bytes.Buffer) }

// Release gives a buffer back. Nothing may hold its bytes any more.
func Release(b *bytes.Buffer) {
	if b.Cap() <= keptBuffer {
		b.Reset()
		buffers.Put(b)
	}
}

// MediaType returns the media type of a Content-Type without its parameters, in lower case.
func MediaType(contentType string) string {
	if contentType == "application/json" {
		return contentType // nearly always so; mime.ParseMediaType takes a microsecond
	}
	mediaType, _, err := mime.ParseMediaType(contentType)
	if err != nil {
		return strings.ToLower(contentType)
	}
	return mediaType
}

// Read reads the request's body into buf, up to the limit. A Content-Length over it is refused without reading.
func (c *Core) Read(x *Exchange, buf *bytes.Buffer) *a2a.Error {
	if x.R.ContentLength > c.MaxBody {
		return c.bodyTooLarge()
	}
	x.control.SetReadDeadline(time.Now().Add(c.BodyTimeout))
	if x.R.ContentLength > 0 {
		buf.Grow(int(min(x.R.ContentLength, keptBuffer)) + bytes.MinRead)
	}
	_, err := buf.ReadFrom(http.MaxBytesReader(x.W, x.R.Body, c.MaxBody))
	if err == nil {
		x.control.SetReadDeadline(time.Time{})
		return c.checkDepth(buf.Bytes())
	}
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return c.bodyTooLarge()
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return &a2a.Error{Kind: a2a.ErrInvalidRequest, Message: "the body ended early", Cause: err}
	}
	return &a2a.Error{Kind: a2a.ErrTimeout, Message: fmt.Sprintf("the body did not arrive within %v", c.BodyTimeout), Cause: err}
}

func (c *Core) bodyTooLarge() *a2a.Error {
	return a2a.NewError(a2a.ErrTooLarge, fmt.Sprintf("the request's body is over the limit of %d bytes", c.MaxBody))
}

// checkDepth refuses JSON that is nested too deep before anything recursive reads it.
func (c *Core) checkDepth(body []byte) *a2a.Error {
	if bytes.Count(body, []byte{'{'})+bytes.Count(body, []byte{'['}) <= c.MaxDepth || depth(body) <= c.MaxDepth {
		return nil
	}
	return a2a.NewError(a2a.ErrTooLarge, fmt.Sprintf("the request's JSON is nested deeper than the limit of %d levels", c.MaxDepth))
}

// depth returns how deep JSON is nested. Of what is not JSON it returns anything.
func depth(body []byte) int {
	level, deepest := 0, 0
	for i := 0; i < len(body); i++ {
		switch body[i] {
		case '{', '[':
			level++
			deepest = max(deepest, level)
		case '}', ']':
			level--
		case '"':
			for i++; i < len(body) && body[i] != '"'; i++ {
				if body[i] == '\\' {
					i++
				}
			}
		}
	}
	return deepest
}

// DecodeError makes of an error of the JSON library the one that the caller gets: ErrParse when the text is not JSON
// (or has duplicate keys, bad UTF-8 or something behind it), else ErrInvalidParams with the field. base is put before
// the field when the JSON was a member of something larger.
func DecodeError(err error) *a2a.Error {
	if e, ok := errors.AsType[*a2a.Error](err); ok {
		return e
	}
	if e, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		return &a2a.Error{Kind: a2a.ErrParse, Message: "the body is not valid JSON: " + syntaxText(e), Cause: err}
	}
	if e, ok := errors.AsType[*json.SemanticError](err); ok {
		return &a2a.Error{
			Kind:       a2a.ErrInvalidParams,
			Violations: []a2a.Violation{{Field: FieldPath(e.JSONPointer), Description: semanticText(e)}},
			Cause:      err,
		}
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return &a2a.Error{Kind: a2a.ErrParse, Message: "the body is not valid JSON: it ends early", Cause: err}
	}
	return &a2a.Error{Kind: a2a.ErrInvalidParams, Cause: err}
}

func syntaxText(e *jsontext.SyntacticError) string {
	text := "unreadable"
	switch {
	case errors.Is(e.Err, jsontext.ErrDuplicateName):
		text = "the key " + clip(e.JSONPointer.LastToken()) + " is there twice"
	case e.Err != nil:
		text = e.Err.Error()
	}
	return fmt.Sprintf("%s, at byte %d", text, e.ByteOffset)
}

func semanticText(e *json.SemanticError) string {
	switch {
	case e.Err != nil:
		return "is not valid: " + e.Err.Error()
	case e.JSONKind != 0:
		return "must not be a JSON " + e.JSONKind.String()
	}
	return "is not valid"
}

// FieldPath writes a JSON pointer the way the protocol's texts name fields: message.parts[2].raw.
func FieldPath(pointer jsontext.Pointer) string {
	var path strings.Builder
	for token := range pointer.Tokens() {
		switch {
		case digits(token):
			path.WriteString("[" + token + "]")
		case path.Len() > 0:
			path.WriteString("." + clip(token))
		default:
			path.WriteString(clip(token))
		}
	}
	if path.Len() == 0 {
		return "request"
	}
	return path.String()
}
