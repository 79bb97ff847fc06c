// SPDX-License-Identifier: Apache-2.0

package jsonrpc

import (
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/wire"
)

// response is what a peer answers (JSON-RPC 2.0 §5).
type response struct {
	Version string         `json:"jsonrpc"`
	ID      jsontext.Value `json:"id"`
	Result  jsontext.Value `json:"result"`
	Error   jsontext.Value `json:"error"`
}

// decodeResponse returns the result of a response to the request with this id, or its error, which is an
// [*a2a.Error] with Remote set when the peer sent it. The result shares no memory with raw. Peers of 0.1 leave out both
// the version and the id from events, as the examples of April 2025 do.
func (c *Client) decodeResponse(raw []byte, id string) (jsontext.Value, error) {
	var r response
	if err := json.Unmarshal(raw, &r); err != nil {
		return nil, unreadable(err)
	}
	failed := len(r.Error) > 0 && r.Error.Kind() != 'n'
	lenient := c.gen == a2a.Generation01
	if r.Version != "2.0" && !(lenient && r.Version == "") {
		return nil, unreadable(fmt.Errorf("it is no JSON-RPC 2.0 response: jsonrpc is %q", r.Version))
	}
	if failed {
		return nil, wire.DecodeRPCError(c.gen, r.Error) // its id may be null, when the peer could not read the request
	}
	if lenient && (len(r.ID) == 0 || r.ID.Kind() == 'n') {
		r.ID = jsontext.Value(id)
	}
	if string(r.ID) != id && string(r.ID) != `"`+id+`"` {
		return nil, unreadable(fmt.Errorf("it answers the request with id %.40s, not that with id %s", r.ID, id))
	}
	if len(r.Result) == 0 {
		return nil, unreadable(fmt.Errorf("it has neither a result nor an error"))
	}
	return r.Result, nil
}

// isResponse reports whether a text is a response, whatever its media type.
func isResponse(body []byte) bool {
	var r response
	return json.Unmarshal(body, &r) == nil && r.Version == "2.0" && (len(r.Result) > 0 || len(r.Error) > 0)
}

// unreadable makes an error of what a peer sent and could not be decoded.
func unreadable(err error) error { return wire.Unreadable(err) }
