// SPDX-License-Identifier: Apache-2.0

// Package sse reads and writes server-sent events (WHATWG HTML §9.2): the stream format of the JSON-RPC and the
// HTTP+JSON binding. It knows the format only; what the data of an event means is the binding's business.
package sse

import (
	"bytes"
	"strings"
)

// ContentType is the media type of a stream of server-sent events.
const ContentType = "text/event-stream"

// AppendEvent appends one event to dst and returns the result. The event's data is the pieces, one after the other;
// it may hold newlines. An id that holds a NUL or a newline cannot be written and is left out, as an empty one is:
// a reader cannot resume after such an event, but it still gets it.
func AppendEvent(dst []byte, id string, data ...[]byte) []byte {
	if id != "" && !strings.ContainsAny(id, "\x00\r\n") {
		dst = append(dst, "id: "...)
		dst = append(dst, id...)
		dst = append(dst, '\n')
	}
	dst = append(dst, "data: "...)
	afterCR := false
	for _, piece := range data {
		if afterCR && len(piece) > 0 && piece[0] == '\n' {
			piece, afterCR = piece[1:], false
		}
		if len(piece) > 0 {
			afterCR = piece[len(piece)-1] == '\r'
		}
		dst = appendLines(dst, "data: ", piece)
	}
	return append(dst, '\n', '\n')
}

// AppendComment appends a comment, which readers skip, to dst and returns the result: it keeps a silent stream alive.
func AppendComment(dst []byte, text string) []byte {
	dst = append(dst, ": "...)
	dst = appendLines(dst, ": ", []byte(text))
	return append(dst, '\n', '\n')
}

// appendLines appends text and begins each line after its first with prefix, so that no byte of text can end the
// event or begin another field.
func appendLines(dst []byte, prefix string, text []byte) []byte {
	for {
		i := indexEOL(text)
		if i < 0 {
			return append(dst, text...)
		}
		dst = append(dst, text[:i]...)
		dst = append(dst, '\n')
		dst = append(dst, prefix...)
		if text[i] == '\r' && i+1 < len(text) && text[i+1] == '\n' {
			i++
		}
		text = text[i+1:]
	}
}

// indexEOL returns the index of the first CR or LF of b, or -1. Two scans by IndexByte beat one by IndexAny.
func indexEOL(b []byte) int {
	lf := bytes.IndexByte(b, '\n')
	if lf >= 0 {
		b = b[:lf]
	}
	if cr := bytes.IndexByte(b, '\r'); cr >= 0 {
		return cr
	}
	return lf
}
