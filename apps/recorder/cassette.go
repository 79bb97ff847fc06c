// SPDX-License-Identifier: Apache-2.0

// Package recorder keeps what clients and an agent say to each other, and plays either side of it again.
//
// A cassette is a file of JSON lines. The first one says that it is one; each further one is a request, an answer, an
// event of an answer that is a stream, or the end of such a stream. Lines are written as things happen, so that those
// of several exchanges may alternate, and a recorder that is killed has lost nothing.
//
// Ids and times stand in it as placeholders, ${task.1}, ${context.1}, ${message.1}, ${time.1}, addresses of the agent
// as ${base}, and credentials as [redacted]: two recordings of the same conversation say the same.
//
//	cassette.go    the file: its lines, reading them
//	tree.go        JSON whose strings are changed or compared
//	text.go        texts with placeholders in them
//	name.go        which values become placeholders, and which
//	routes.go      which address of the agent is which path of a cassette; its card
//	tape.go        records what passes through a transport
//	recorder.go    a proxy whose transport does that
//	player.go      plays the agent
//	replay.go      plays the client
//	match.go       whether a request is the one that was recorded
//	diff.go        what two cassettes do not have in common
package recorder

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// The limits of a cassette, in bytes but for the last.
const (
	MaxBody  = 8 << 20   // of a body, and of an event
	MaxFile  = 256 << 20 // of the file
	maxLine  = 4 * MaxBody
	maxLines = 1 << 20
)

// The kinds of a line.
const (
	Request = "request"
	Answer  = "answer" // what all there is of it, unless it is a stream
	Event   = "event"
	End     = "end" // of a stream, or of an exchange without an answer
)

// Left is the error of a stream that the client did not read to its end.
const Left = "the client left"

// A Line is one line of a cassette behind the first.
type Line struct {
	T       int64             `json:"t"`                // milliseconds since the recording began
	N       int               `json:"n"`                // the exchange, from 1 on
	Dir     string            `json:"dir"`              // Request, Answer, Event or End
	Proto   string            `json:"proto,omitzero"`   // of a request: JSONRPC, HTTP+JSON, card or other
	Method  string            `json:"method,omitzero"`  // of a request
	Path    string            `json:"path,omitzero"`    // of a request, with its query; below ${base}
	Status  int               `json:"status,omitzero"`  // of an answer
	Headers map[string]string `json:"headers,omitzero"` // of a request or an answer, as far as they matter
	Body    jsontext.Value    `json:"body,omitzero"`    // JSON, as it was but for placeholders
	Text    string            `json:"text,omitzero"`    // a body that is no JSON
	Binary  []byte            `json:"base64,omitzero"`  // a body that is no text
	SSE     *SSE              `json:"sse,omitzero"`     // of an event
	IDs     []string          `json:"ids,omitzero"`     // the placeholders that this line has first
	Error   string            `json:"error,omitzero"`   // why there is no more of the answer
}

// SSE is what an event of a stream has besides its data.
type SSE struct {
	ID    string `json:"id,omitzero"`
	Event string `json:"event,omitzero"`
}

// first is the first line of each cassette.
type first struct {
	Dragoman string `json:"dragoman"`
	Version  int    `json:"version"`
}

var header = first{Dragoman: "cassette", Version: 1}

// An Exchange is a request and what came of it.
type Exchange struct {
	Request *Line
	Answer  *Line // nil if there was none
	Events  []*Line
	End     *Line // nil if the recording ended before
}

// A Cassette is a recording.
type Cassette struct {
	Lines     []*Line     // as they were written
	Exchanges []*Exchange // in the order of their requests
	Cut       bool        // the last line has no end, and is left out: the recorder was killed while it wrote it
}

// ErrNone is the error of a file that is no cassette.
var ErrNone = errors.New("this is no cassette of dragoman record")

// Open reads a cassette from a file.
func Open(name string) (*Cassette, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	c, err := Read(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return c, nil
}

// Read reads a cassette. Its errors name the line.
func Read(r io.Reader) (*Cassette, error) {
	src := bufio.NewReader(io.LimitReader(r, MaxFile+maxLine))
	c := &Cassette{}
	byNumber := make(map[int]*Exchange)
	for number := 1; ; number++ {
		text, err := readLine(src)
		switch {
		case err == io.EOF && number > 1:
			c.Cut = len(text) > 0
			return c, nil
		case err == io.EOF:
			return nil, ErrNone
		case err != nil:
			return nil, fmt.Errorf("line %d: %w", number, err)
		case number == 1:
			if err := readFirst(text); err != nil {
				return nil, err
			}
			continue
		case number > maxLines:
			return nil, fmt.Errorf("a cassette has no more than %d lines", maxLines)
		}
		line := &Line{}
		if err := json.Unmarshal(text, line); err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
		if err := c.add(line, byNumber); err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
	}
}

// readLine returns the next line; io.EOF with what there is of one that has no end.
func readLine(src *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		piece, err := src.ReadSlice('\n')
		if line = append(line, piece...); len(line) > maxLine {
			return nil, fmt.Errorf("it is over the limit of %d bytes", maxLine)
		}
		if err != bufio.ErrBufferFull {
			return line, err
		}
	}
}

func readFirst(text []byte) error {
	var f first
	if json.Unmarshal(text, &f) != nil || f.Dragoman != header.Dragoman {
		return ErrNone
	}
	if f.Version != header.Version {
		return fmt.Errorf("a cassette of version %d; this program knows version %d", f.Version, header.Version)
	}
	return nil
}

// add takes the next line.
func (c *Cassette) add(l *Line, byNumber map[int]*Exchange) error {
	e := byNumber[l.N]
	switch {
	case l.Dir == Request && e != nil:
		return fmt.Errorf("exchange %d has a request already", l.N)
	case l.Dir != Request && e == nil:
		return fmt.Errorf("exchange %d has no request before", l.N)
	case e != nil && e.End != nil, e != nil && l.Dir == Answer && e.Answer != nil:
		return fmt.Errorf("exchange %d has had its answer", l.N)
	}
	switch l.Dir {
	case Request:
		if l.N < 1 || !strings.HasPrefix(l.Path, "/") || l.Method == "" {
			return fmt.Errorf("a request needs a number above 0, a method, and a path that begins with /")
		}
		e = &Exchange{Request: l}
		byNumber[l.N] = e
		c.Exchanges = append(c.Exchanges, e)
	case Answer:
		if l.Status < 200 || l.Status > 599 {
			return fmt.Errorf("status %d; an answer needs one from 200 to 599", l.Status)
		}
		e.Answer = l
	case Event:
		if e.Answer == nil {
			return fmt.Errorf("exchange %d has an event before its answer", l.N)
		}
		e.Events = append(e.Events, l)
	case End:
		e.End = l
	default:
		return fmt.Errorf("dir is %q; it is one of %s, %s, %s and %s", l.Dir, Request, Answer, Event, End)
	}
	c.Lines = append(c.Lines, l)
	return nil
}

// Write writes a cassette.
func (c *Cassette) Write(w io.Writer) error {
	if err := writeLine(w, header); err != nil {
		return err
	}
	for _, l := range c.Lines {
		if err := writeLine(w, l); err != nil {
			return err
		}
	}
	return nil
}

// writeLine writes a line at once, so that no reader finds half of one unless the machine stops.
func writeLine(w io.Writer, v any) error {
	text, err := encodeLine(v)
	if err != nil {
		return err
	}
	_, err = w.Write(text)
	return err
}

func encodeLine(v any) ([]byte, error) {
	var b bytes.Buffer
	if err := json.MarshalWrite(&b, v, json.Deterministic(true)); err != nil {
		return nil, fmt.Errorf("encode a line: %w", err)
	}
	b.WriteByte('\n')
	return b.Bytes(), nil
}

// IsStream reports whether the answer is a stream of events.
func (e *Exchange) IsStream() bool {
	return e.Answer != nil && isStream(e.Answer.Headers["Content-Type"])
}

// left reports whether nobody read the answer to its end: the client went, or the recording ended.
func (e *Exchange) left() bool {
	return e.IsStream() && (e.End == nil || e.End.Error == Left)
}

// Title names a request for people: its method, path and the method of JSON-RPC.
func (l *Line) Title() string {
	title := l.Method + " " + l.Path
	if n, err := parse(l.Body); err == nil {
		if method := n.member("method"); n.member("jsonrpc") != nil && method != nil && method.kind == '"' {
			title += " " + method.text
		}
	}
	return title
}
