// SPDX-License-Identifier: Apache-2.0

// Package mcpstdio is an MCP transport over standard input and output that goes on after messages that cannot be read.
package mcpstdio

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxMessage is the longest message of MCP over standard input, in bytes.
const maxMessage = 8 << 20

// noBatches is the first revision of MCP without batches.
const noBatches = "2025-06-18"

// Transport returns the transport of an MCP server over standard input and output. A message that cannot be read is
// answered with an error and left out: the transport of the SDK would end there, and all calls that are under way with
// it.
func Transport(in io.Reader, to io.Writer) sdk.Transport {
	out := &messageWriter{to: to}
	return &answersTransport{&sdk.IOTransport{
		Reader: io.NopCloser(&messageReader{from: bufio.NewReader(in), errors: out, limit: maxMessage}), Writer: out,
		MaxLineLength: -1, // the reader has its own
	}, out}
}

// A messageWriter writes whole lines, of several who do so at once.
type messageWriter struct {
	to io.Writer

	mu        sync.Mutex
	version   string // of MCP, once the client has been told of it
	sentBatch bool   // the client has sent several messages in one
}

var spokenVersion = regexp.MustCompile(`"protocolVersion":"([^"]*)"`)

func (w *messageWriter) Write(line []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.version == "" {
		if found := spokenVersion.FindSubmatch(line); found != nil {
			w.version = string(found[1])
		}
	}
	return w.to.Write(line)
}

// Close leaves standard output open.
func (w *messageWriter) Close() error { return nil }

// batches reports whether the client may send several messages in one.
func (w *messageWriter) batches() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.version < noBatches
}

// batched reports whether the client has sent several messages in one.
func (w *messageWriter) batched() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.sentBatch
}

// noteBatch notes that the client has.
func (w *messageWriter) noteBatch() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.sentBatch = true
}

// refuse answers a message that cannot be read. id is null when it is not known.
func (w *messageWriter) refuse(id jsontext.Value, code int, why string) error {
	if id == nil {
		id = jsontext.Value("null")
	}
	text, err := jsontext.AppendQuote(nil, strings.ToValidUTF8(why, "\uFFFD"))
	if err != nil {
		return fmt.Errorf("quote %q: %w", why, err)
	}
	_, err = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%s}}`+"\n", id, code, text)
	return err
}

// A messageReader passes on the lines that are messages.
type messageReader struct {
	from   *bufio.Reader
	errors *messageWriter
	limit  int // bytes of a line
	rest   []byte
}

func (r *messageReader) Read(p []byte) (int, error) {
	for len(r.rest) == 0 {
		line, long, err := r.line()
		if err != nil {
			return 0, err
		}
		switch {
		case long:
			err = r.errors.refuse(idOf(line), jsonrpc.CodeInvalidRequest,
				fmt.Sprintf("the message is longer than %d bytes", r.limit))
		case len(line) > 0:
			err = r.check(line)
		}
		if err != nil {
			return 0, err
		}
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// line returns the next line, without what ends it. Of one that is too long it returns the beginning and the end.
func (r *messageReader) line() (line []byte, long bool, err error) {
	for {
		part, err := r.from.ReadSlice('\n')
		line = append(line, part...)
		if len(line) > r.limit {
			long = true
			// the zero keeps the ends from being read as one
			line = slices.Concat(line[:maxEnd], []byte{0}, line[len(line)-maxEnd:])
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF) && len(bytes.TrimSpace(line)) > 0:
			return bytes.TrimSpace(line), long, nil // a last line without an end
		case err != nil:
			return nil, false, err
		default:
			return bytes.TrimSpace(line), long, nil
		}
	}
}

// check passes on a line if it is a message, and else refuses it.
func (r *messageReader) check(line []byte) error {
	why, code := "", int64(jsonrpc.CodeInvalidRequest)
	switch {
	case !jsontext.Value(line).IsValid():
		why, code = "the line is not JSON", jsonrpc.CodeParseError
	case line[0] == '[':
		why = r.badBatch(line)
	default:
		if _, err := jsonrpc.DecodeMessage(line); err != nil {
			why = "the line is no message of JSON-RPC 2.0"
		}
	}
	if why != "" {
		return r.errors.refuse(idOf(line), int(code), why)
	}
	r.rest = append(line, '\n')
	return nil
}

// badBatch says what is wrong with several messages in one line; "" when nothing is.
func (r *messageReader) badBatch(line []byte) string {
	var all []jsontext.Value
	if err := json.Unmarshal(line, &all); err != nil || len(all) == 0 {
		return "the batch is empty"
	}
	if !r.errors.batches() {
		return "this revision of MCP has no batches: send one message a line"
	}
	seen := make(map[any]bool)
	for _, one := range all {
		message, err := jsonrpc.DecodeMessage(one)
		if err != nil {
			return "the batch has a member that is no message of JSON-RPC 2.0"
		}
		call, ok := message.(*jsonrpc.Request)
		if !ok {
			continue
		}
		if seen[call.ID.Raw()] {
			return "the batch has an id twice"
		}
		seen[call.ID.Raw()] = true
	}
	r.errors.noteBatch()
	return ""
}

// maxEnd is how many bytes are kept of each end of a line that is too long: enough for the id, which is at one of them.
const maxEnd = 4 << 10

// lastID is an id at the end of a message, after its params.
var lastID = regexp.MustCompile(`[}\]]\s*,[^{}\[\]]*"id"\s*:\s*(-?[0-9]+|"[^"\\]*")[^{}\[\]]*\}\s*$`)

// idOf returns the id of a message of which only the ends may be there; nil when it is not found.
func idOf(line []byte) jsontext.Value {
	dec := jsontext.NewDecoder(bytes.NewReader(line))
	for token, err := dec.ReadToken(); err == nil; token, err = dec.ReadToken() {
		if dec.StackDepth() != 1 || token.Kind() != '"' {
			continue
		}
		if token.String() != "id" {
			if dec.SkipValue() != nil {
				break
			}
			continue
		}
		if id, err := dec.ReadValue(); err == nil && (id.Kind() == '"' || id.Kind() == '0') {
			return id.Clone()
		}
		break
	}
	if found := lastID.FindSubmatch(line); found != nil {
		return found[1]
	}
	return nil
}
