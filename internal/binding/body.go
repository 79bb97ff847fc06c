// SPDX-License-Identifier: Apache-2.0

package binding

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/go-json-experiment/json/jsontext"
)

// keptBuffer is the largest buffer that goes back to the pool: one large request must not hold its memory forever.
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

// Keep returns b, which was appended to the buffer's AvailableBuffer. The buffer keeps small ones, and with them the
// room for the next one; a large one is not copied.
func Keep(buf *bytes.Buffer, b []byte) []byte {
	if len(b) > keptBuffer {
		return b
	}
	buf.Write(b)
	return buf.Bytes()
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

// Deadline limits the time in which the request's body must arrive. If the binding answers a request without reading
// its body, net/http itself reads the rest. Without the deadline it would wait forever.
func (c *Core) Deadline(w http.ResponseWriter, r *http.Request) {
	if r.ContentLength != 0 {
		http.NewResponseController(w).SetReadDeadline(time.Now().Add(c.BodyTimeout))
	}
}

// SmallBody is up to how many bytes a body does not count against the budget of requests: it costs less than the
// connection that it came by. ReadFrom takes as much without growing a buffer that goes back to the pool.
const SmallBody = keptBuffer - bytes.MinRead

// Read reads the request's body into buf, up to the limit and within the time that [Core.Deadline] gave it. It refuses
// a Content-Length over the limit without reading. It reads a large body once the budget has room for it.
func (c *Core) Read(x *Exchange, buf *bytes.Buffer) *a2a.Error {
	if x.R.ContentLength > c.MaxBody {
		return c.bodyTooLarge()
	}
	body := http.MaxBytesReader(x.W, x.R.Body, c.MaxBody)
	var begin io.Reader = body
	small := x.R.ContentLength >= 0 && x.R.ContentLength <= SmallBody
	if !small {
		begin = io.LimitReader(body, SmallBody)
	}
	buf.Grow(int(min(max(x.R.ContentLength, 0), SmallBody)) + bytes.MinRead)
	n, err := buf.ReadFrom(begin)
	if err == nil && n == SmallBody && !small {
		var e *a2a.Error
		if e, err = c.readLarge(x, buf, body); e != nil {
			return e
		}
	}
	if err == nil {
		x.control.SetReadDeadline(time.Time{})
		return c.checkDepth(buf.Bytes())
	}
	return c.bodyError(err)
}

// bodyError says why a body could not be read.
func (c *Core) bodyError(err error) *a2a.Error {
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return c.bodyTooLarge()
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return &a2a.Error{Kind: a2a.ErrTimeout,
			Message: fmt.Sprintf("the body did not arrive within %v", c.BodyTimeout), Cause: err}
	}
	message := "the body cannot be read: " + err.Error() // in net/http's words, such as "invalid byte in chunk length"
	if _, broken := errors.AsType[*net.OpError](err); broken || errors.Is(err, io.ErrUnexpectedEOF) {
		message = "the body ended early"
	}
	return &a2a.Error{Kind: a2a.ErrInvalidRequest, Message: message, Cause: err}
}

// readLarge reads the rest of a body of which buf has the beginning.
func (c *Core) readLarge(x *Exchange, buf *bytes.Buffer, body io.Reader) (*a2a.Error, error) {
	size := x.R.ContentLength
	if size < 0 {
		size = c.MaxBody
	}
	if e := c.Expect(x, size); e != nil {
		return e, nil
	}
	x.room.moving(func() { x.control.SetReadDeadline(time.Unix(1, 0)) })
	body = movingReader{body, x.room}
	var err error
	if x.R.ContentLength > 0 {
		buf.Grow(int(size) - buf.Len() + bytes.MinRead)
		_, err = buf.ReadFrom(body)
	} else {
		err = collect(buf, body)
	}
	if inTime := x.room.still(); err != nil && !inTime {
		x.room.release() // others need not wait until the answer is written
		x.room = nil
		return c.tooSlow("body", err), nil
	}
	x.room.shrink(int64(buf.Len()))
	return nil, err
}

// movingReader tells a claim of what is read.
type movingReader struct {
	io.Reader
	room *claim
}

func (r movingReader) Read(b []byte) (int, error) {
	n, err := r.Reader.Read(b)
	r.room.move(n)
	return n, err
}

// tooSlow is the error of a caller who held room that others waited for.
func (c *Core) tooSlow(what string, cause error) *a2a.Error {
	message := fmt.Sprintf("the %s moved less than %d bytes in %v while other requests waited for room; try again "+
		"later",
		what, enough, c.WriteTimeout)
	return &a2a.Error{Kind: a2a.ErrTimeout, Message: message, Cause: cause, RetryAfter: time.Second}
}

// collect reads what is left of a body whose length is unknown in pieces from the pool, and joins them at the end: a
// buffer that grows by doubling holds three times what is in it for a while, also when the body turns out to be over
// the limit.
func collect(buf *bytes.Buffer, body io.Reader) error {
	var pieces []*bytes.Buffer
	defer func() {
		for _, piece := range pieces {
			Release(piece)
		}
	}()
	total, n := 0, int64(SmallBody)
	for n == SmallBody {
		piece := Buffer()
		pieces = append(pieces, piece)
		piece.Grow(keptBuffer)
		var err error
		if n, err = piece.ReadFrom(io.LimitReader(body, SmallBody)); err != nil {
			return err
		}
		total += int(n)
	}
	buf.Grow(total)
	for _, piece := range pieces {
		buf.Write(piece.Bytes())
	}
	return nil
}

func (c *Core) bodyTooLarge() *a2a.Error {
	return a2a.NewError(a2a.ErrTooLarge, fmt.Sprintf("the request's body is over the limit of %d bytes", c.MaxBody))
}

// checkDepth refuses JSON that is nested too deep before anything recursive reads it.
func (c *Core) checkDepth(body []byte) *a2a.Error {
	if bytes.Count(body, []byte{'{'})+bytes.Count(body, []byte{'['}) <= c.MaxDepth || depth(body) <= c.MaxDepth {
		return nil
	}
	return a2a.NewError(a2a.ErrTooLarge, fmt.Sprintf("the request's JSON is nested deeper than the limit of %d levels",
		c.MaxDepth))
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

// DecodeError makes of an error of decoding the one that the caller gets. The model's own decoders say themselves what
// is wrong with which field; what is left is text that is not JSON, or that has duplicate keys, bad UTF-8 or something
// behind it.
func DecodeError(err error) *a2a.Error {
	if e, ok := errors.AsType[*a2a.Error](err); ok {
		return e
	}
	text := "it ends early"
	if e, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		text = syntaxText(e)
	}
	return &a2a.Error{Kind: a2a.ErrParse, Message: "the body is not valid JSON: " + text, Cause: err}
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
