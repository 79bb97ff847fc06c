// SPDX-License-Identifier: Apache-2.0

package v03pb

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/dragoman-a2a/dragoman/internal/wire"
)

// Received returns the form that a body is in, which is the one to answer in. Only messages differ enough to tell: those of
// Text say user or agent, and what kind they are. What cannot be read is left to Proto, which says what is wrong.
func Received(op wire.Operation, body []byte) wire.Dialect {
	if op != wire.OpSendMessage && op != wire.OpStreamMessage {
		return Proto
	}
	var in struct {
		Message struct {
			Kind  jsontext.Value `json:"kind"`
			Role  jsontext.Value `json:"role"`
			Parts []struct {
				Kind jsontext.Value `json:"kind"`
				Type jsontext.Value `json:"type"`
			} `json:"parts"`
		} `json:"message"`
	}
	if json.Unmarshal(body, &in) != nil {
		return Proto
	}
	m := in.Message
	if m.Kind != nil || string(m.Role) == `"user"` || string(m.Role) == `"agent"` {
		return Text
	}
	if len(m.Parts) > 0 && (m.Parts[0].Kind != nil || m.Parts[0].Type != nil) {
		return Text
	}
	return Proto
}
