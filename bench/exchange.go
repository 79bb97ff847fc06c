// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http/httputil"
	"strconv"
	"time"
)

// patience is how long one read may take before a measurement is given up.
const patience = 60 * time.Second

// A conn is one keep-alive HTTP/1.1 connection. It writes requests that were made beforehand and reads just enough of
// the answers: what a full client would take of the processor is missing to the server that is measured.
type conn struct {
	net.Conn
	r    *bufio.Reader
	body []byte // of the last answer; reused

	refused bool // an answer may be a refusal
}

func dial(addr string) (*conn, error) {
	c, err := net.DialTimeout("tcp", addr, 10*time.Second)
	if err != nil {
		return nil, err
	}
	return &conn{Conn: c, r: bufio.NewReaderSize(c, 8<<10)}, nil
}

var (
	headEnd       = []byte("\r\n\r\n")
	contentLength = []byte("\r\nContent-Length: ")
	chunked       = []byte("\r\nTransfer-Encoding: chunked")
	lowerLength   = bytes.ToLower(contentLength) // as uvicorn writes it
	lowerChunked  = bytes.ToLower(chunked)
	statusOK      = []byte("HTTP/1.1 200 ")
)

// readHead reads the header of an answer. It returns the length of the body, -1 for a chunked one.
func (c *conn) readHead() (int, error) {
	head, err := c.peekHead()
	if err != nil {
		return 0, err
	}
	if !c.refused && !bytes.HasPrefix(head, statusOK) {
		return 0, fmt.Errorf("answered %q", bytes.SplitN(head, headEnd[:2], 2)[0])
	}
	length := -1
	if i := max(bytes.Index(head, contentLength), bytes.Index(head, lowerLength)); i >= 0 {
		digits := head[i+len(contentLength):]
		if length, err = strconv.Atoi(string(digits[:bytes.IndexByte(digits, '\r')])); err != nil {
			return 0, err
		}
	} else if !bytes.Contains(head, chunked) && !bytes.Contains(head, lowerChunked) {
		return 0, errors.New("the answer has neither a length nor chunks")
	}
	_, err = c.r.Discard(len(head))
	return length, err
}

// peekHead returns the header with its last empty line, still in the buffer.
func (c *conn) peekHead() ([]byte, error) {
	for want := 1; ; {
		if _, err := c.r.Peek(want); err != nil {
			return nil, err
		}
		have, _ := c.r.Peek(c.r.Buffered())
		if i := bytes.Index(have, headEnd); i >= 0 {
			return have[:i+len(headEnd)], nil
		}
		want = len(have) + 1
	}
}

// do writes a request and returns the body of the answer, which is valid until the next call.
func (c *conn) do(request []byte) ([]byte, error) {
	if _, err := c.Write(request); err != nil {
		return nil, err
	}
	length, err := c.readHead()
	if err != nil {
		return nil, err
	}
	if length < 0 {
		c.body, err = io.ReadAll(httputil.NewChunkedReader(c.r))
		if err == nil {
			_, err = c.r.Discard(2) // the empty line after the last chunk
		}
		return c.body, err
	}
	if cap(c.body) < length {
		c.body = make([]byte, length)
	}
	c.body = c.body[:length]
	_, err = io.ReadFull(c.r, c.body)
	return c.body, err
}

// An eventStream reads the body of a stream of server-sent events.
type eventStream struct {
	c    *conn
	body io.Reader
	buf  []byte
	tail int // bytes at the start of buf that were looked at already
}

var (
	dataField = []byte("data:")
	completed = []byte("TASK_STATE_COMPLETED")
)

// open writes a request and reads the header of the stream that answers it.
func (c *conn) open(request []byte) (*eventStream, error) {
	if _, err := c.Write(request); err != nil {
		return nil, err
	}
	if length, err := c.readHead(); err != nil || length >= 0 {
		return nil, errors.Join(errors.New("the answer is no stream"), err)
	}
	return &eventStream{c: c, body: httputil.NewChunkedReader(c.r), buf: make([]byte, 4<<10)}, nil
}

// next reads on and returns how many events began in what came, and whether the task was said to be completed.
// The error is io.EOF at the end of the stream. No JSON has the field's name in it: there a colon follows a quote.
func (s *eventStream) next() (events int, done bool, err error) {
	n, err := s.body.Read(s.buf[s.tail:])
	seen := s.buf[:s.tail+n]
	events = bytes.Count(seen, dataField) - bytes.Count(seen[:s.tail], dataField)
	done = bytes.Contains(seen, completed)
	// The end of seen may be the beginning of the marker, so search it again with the bytes that follow.
	keep := min(len(seen), len(completed)-1)
	s.tail = copy(s.buf, seen[len(seen)-keep:])
	return events, done, err
}

// first reads until the first event has come.
func (s *eventStream) first() error {
	for {
		events, _, err := s.next()
		if events > 0 {
			return nil // drain finds the end, if it was that too
		}
		if err != nil {
			return fmt.Errorf("the stream ended before its first event: %w", err)
		}
	}
}

// drain reads to the end of the stream and readies the connection for the next request.
func (s *eventStream) drain() (events int, done bool, err error) {
	for {
		n, now, err := s.next()
		events += n
		done = done || now
		if err == io.EOF {
			_, err = s.c.r.Discard(2)
			return events, done, err
		}
		if err != nil {
			return events, done, err
		}
	}
}

// post makes the bytes of a JSON-RPC request.
func post(path, body string) []byte { return postAs("1.0", path, body) }

func postAs(version, path, body string) []byte {
	return fmt.Appendf(nil, "POST %s HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nA2A-Version: "+
		"%s\r\n"+
		"Content-Length: %d\r\n\r\n%s", path, version, len(body), body)
}
