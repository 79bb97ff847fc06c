// SPDX-License-Identifier: Apache-2.0

// Package wire holds what the dialects of the protocol have in common on the wire: the names of its operations and
// service parameters, and the one table of errors that every generation and binding is written and read by. Each
// dialect's own forms live in a folder below.
package wire

import (
	"mime"
	"net/http"
	"strconv"
	"strings"

	"github.com/dragoman-a2a/dragoman/a2a"
)

// Service parameters (A2A 1.0 §3.2.6): HTTP header fields, or query parameters of the same name.
const (
	HeaderVersion    = "A2A-Version"
	HeaderExtensions = "A2A-Extensions"
	// HeaderExtensions03 is the name of HeaderExtensions before 1.0.
	HeaderExtensions03 = "X-A2A-Extensions"
)

// ExtensionsHeader returns the name under which a generation names extensions.
func ExtensionsHeader(gen a2a.Generation) string {
	if gen == a2a.Generation10 {
		return HeaderExtensions
	}
	return HeaderExtensions03
}

// HeaderLastEventID carries the id to resume after, see [a2a.ReplayExtension].
const HeaderLastEventID = "Last-Event-ID"

// Media types of the bindings.
const (
	MediaTypeJSON = "application/json"
	MediaTypeA2A  = "application/a2a+json" // A2A 1.0 §14.1.1
	// in Accept, where a card is asked for: the client can read one that lists gRPC
	MediaTypeGRPC = "application/grpc"
	MediaTypeHTML = "text/html"
)

// Generations lists the generations of the protocol from the oldest to the newest.
var Generations = []a2a.Generation{a2a.Generation01, a2a.Generation02, a2a.Generation03, a2a.Generation10}

// Accepts reports whether a request's Accept header names a media type, with a weight (q) above 0. Wildcards do not
// count: they say nothing of what a client can do with it. Elements that are no media type do not count either.
func Accepts(h http.Header, mediaType string) bool {
	for _, line := range h.Values("Accept") {
		for element := range strings.SplitSeq(line, ",") {
			named, params, err := mime.ParseMediaType(element)
			if err != nil || named != mediaType {
				continue
			}
			q, weighted := params["q"]
			if weight, err := strconv.ParseFloat(q, 64); !weighted || err == nil && weight > 0 {
				return true
			}
		}
	}
	return false
}
