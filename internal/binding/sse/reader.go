// SPDX-License-Identifier: Apache-2.0

package sse

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strconv"
	"time"
)

// DefaultLimit is the size of the largest event that a Reader takes unless told otherwise, in bytes.
const DefaultLimit = 16 << 20

// An Event is one event of a stream.
type Event struct {
	ID   string // the last id the stream named, in this event or before it; "" when none is in force
	Type string // the event field; "" means "message"
	Data []byte // lines are joined by \n; valid until the next call of Next
}

// TooLargeError says that an event is over the reader's limit. The stream cannot be read on.
type TooLargeError struct {
	Limit int // bytes
}

// Error names the limit.
func (e *TooLargeError) Error() string {
	return fmt.Sprintf("server-sent event is over the limit of %d bytes", e.Limit)
}

// A Reader reads the events of one stream. It is not safe for concurrent use.
type Reader struct {
	src   *bufio.Reader
	limit int
	err   error // every call after an error returns it again

	started bool   // the first line, which a byte order mark may precede, has been read
	skipLF  bool   // the last line ended in CR: a LF that follows belongs to it
	part    []byte // the beginning of a line that goes on behind what src holds

	pending bool // a field was read since the last blank line
	hasData bool
	data    []byte
	typ     string
	id      string // becomes lastID when the event ends
	lastID  string
	retry   time.Duration
}

// NewReader returns a Reader on src. An event whose data is more than limit bytes is a [*TooLargeError]; a limit of 0
// or less means [DefaultLimit].
func NewReader(src io.Reader, limit int) *Reader {
	if limit <= 0 {
		limit = DefaultLimit
	}
	return &Reader{src: bufio.NewReader(src), limit: limit}
}

// Next returns the next event. At the end of the stream the error is io.EOF when the stream ended between two
// events, and io.ErrUnexpectedEOF when it was cut within one, which is lost. Comments are skipped.
func (r *Reader) Next() (Event, error) {
	if r.err != nil {
		return Event{}, r.err
	}
	r.hasData, r.data, r.typ = false, r.data[:0], ""
	for {
		line, err := r.line()
		if err != nil {
			r.err = r.endOf(err, line)
			return Event{}, r.err
		}
		if len(line) > 0 {
			if r.err = r.field(line); r.err != nil {
				return Event{}, r.err
			}
			continue
		}
		r.pending, r.lastID = false, r.id
		if r.hasData {
			return Event{ID: r.lastID, Type: r.typ, Data: r.data}, nil
		}
		r.typ = ""
	}
}

// Ready reports whether Next surely returns an event without reading on. It may miss one.
func (r *Reader) Ready() bool {
	chunk, _ := r.src.Peek(r.src.Buffered())
	block, _, whole := bytes.Cut(bytes.TrimLeft(chunk, "\n"), []byte("\n\n"))
	return whole && (bytes.HasPrefix(block, []byte("data:")) || bytes.Contains(block, []byte("\ndata:")))
}

// LastEventID returns the id to resume after: that of the last event which ended, or which Next returned.
func (r *Reader) LastEventID() string { return r.lastID }

// Retry returns how long the server asks its clients to wait before they come back, or 0 when it did not say.
func (r *Reader) Retry() time.Duration { return r.retry }

// endOf returns what Next reports when reading failed with err behind an unfinished line.
func (r *Reader) endOf(err error, unfinished []byte) error {
	if err == io.EOF && (r.pending || len(unfinished) > 0) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// field takes one line that is not blank.
func (r *Reader) field(line []byte) error {
	if line[0] == ':' {
		return nil
	}
	name, value, _ := bytes.Cut(line, []byte{':'})
	value = bytes.TrimPrefix(value, []byte{' '})
	r.pending = true
	switch string(name) {
	case "data":
		if r.hasData {
			r.data = append(r.data, '\n')
		}
		if len(r.data)+len(value) > r.limit {
			return &TooLargeError{r.limit}
		}
		r.data, r.hasData = append(r.data, value...), true
	case "event":
		r.typ = string(value)
	case "id":
		if bytes.IndexByte(value, 0) < 0 {
			r.id = string(value)
		}
	case "retry":
		r.setRetry(value)
	}
	return nil
}

// setRetry ignores what is not a number of milliseconds in plain digits, as the format wants.
func (r *Reader) setRetry(value []byte) {
	for _, c := range value {
		if c < '0' || c > '9' {
			return
		}
	}
	if ms, err := strconv.ParseInt(string(value), 10, 32); err == nil {
		r.retry = time.Duration(ms) * time.Millisecond
	}
}

// line returns the next line without its end. With an error it returns what there was of an unfinished line. The
// bytes are valid until the next call. A line that has ended is returned at once: whether a LF follows its CR is
// looked at by the next call, or the last event of a quiet stream would wait for the one after it.
func (r *Reader) line() ([]byte, error) {
	r.part = r.part[:0]
	for {
		if _, err := r.src.Peek(1); err != nil {
			return r.part, err
		}
		chunk, _ := r.src.Peek(r.src.Buffered())
		if r.skipLF {
			r.skipLF = false
			if chunk[0] == '\n' {
				r.src.Discard(1)
				continue
			}
		}
		end := indexEOL(chunk)
		if end < 0 {
			if r.tooLong(chunk) {
				return nil, &TooLargeError{r.limit}
			}
			r.keep(chunk)
			r.src.Discard(len(chunk))
			continue
		}
		r.skipLF = chunk[end] == '\r'
		line := chunk[:end]
		if r.tooLong(line) {
			return nil, &TooLargeError{r.limit}
		}
		if len(r.part) > 0 {
			r.keep(line)
			line = r.part
		}
		r.src.Discard(end + 1) // the bytes stay where they are until src is read again
		if !r.started {
			r.started = true
			line = bytes.TrimPrefix(line, []byte("\ufeff"))
		}
		return line, nil
	}
}

// tooLong reports whether the unfinished line and more bytes of it are over the limit.
func (r *Reader) tooLong(more []byte) bool {
	return !r.inComment(more) && len(r.part)+len(more) > r.limit+len("data: ")
}

// keep appends to the unfinished line. Of a comment one byte is enough, however long it is.
func (r *Reader) keep(chunk []byte) {
	switch {
	case !r.inComment(chunk):
		r.part = append(r.part, chunk...)
	case len(r.part) == 0:
		r.part = append(r.part, ':')
	}
}

// inComment reports whether the line of which chunk is the next piece is a comment.
func (r *Reader) inComment(chunk []byte) bool {
	if len(r.part) > 0 {
		return r.part[0] == ':'
	}
	return len(chunk) > 0 && chunk[0] == ':'
}
