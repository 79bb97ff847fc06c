// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"net/http"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/dragoman-a2a/dragoman/a2a"
)

// error03 is the body of an error of the HTTP+JSON binding in 0.3, whose texts leave open what that is: an object with
// a code of JSON-RPC and a message, as the official SDK in JavaScript sends it, or one with a message only, as that in
// Python does.
type error03 struct {
	Code    jsontext.Value `json:"code"`
	Message jsontext.Value `json:"message"`
	Data    jsontext.Value `json:"data"`
}

// DecodeStatusError03 reads an answer of the HTTP+JSON binding of 0.3 to an operation that has an HTTP status of 400 or
// more, or an event that is an error, with a status of 0. The kind is that of its ErrorInfo, else of its code, else of
// the HTTP status. A body in the form of 1.0 is read too. It returns nil for a body that is none of these.
func DecodeStatusError03(op Operation, status int, body []byte) *a2a.Error {
	var in struct {
		error03
		Error jsontext.Value `json:"error"`
	}
	if json.Unmarshal(body, &in) != nil {
		return nil
	}
	if in.Error.Kind() == '{' {
		var inner error03
		if json.Unmarshal(in.Error, &inner) == nil && inner.knownKind() != a2a.ErrInternal {
			return inner.decode(op, status)
		}
		return DecodeStatusError(status, body)
	}
	if in.Message.Kind() != '"' {
		return nil
	}
	return in.decode(op, status)
}

// knownKind returns the kind of the code, ErrInternal for a code that is not one of 0.3.
func (b *error03) knownKind() a2a.Kind {
	var code int
	if json.Unmarshal(b.Code, &code) != nil {
		return a2a.ErrInternal
	}
	kind, _ := KindOfCode(a2a.Generation03, code)
	return kind
}

func (b *error03) decode(op Operation, status int) *a2a.Error {
	kind := b.knownKind()
	if kind == a2a.ErrInternal && status != 0 {
		kind = kindOfStatus03(op, status)
	}
	var message string
	if json.Unmarshal(b.Message, &message) != nil {
		message = statusMessage(status)
	}
	return decodeDetails(kind, message, b.Data)
}

// kindOfStatus03 returns the kind that an HTTP status means in an error of 0.3 that says no more of it. Where two kinds
// share a status the operation tells which of them it may be.
func kindOfStatus03(op Operation, status int) a2a.Kind {
	switch {
	case status == http.StatusUnprocessableEntity:
		return a2a.ErrInvalidParams
	case status == http.StatusUnsupportedMediaType:
		return a2a.ErrContentTypeNotSupported
	case status == http.StatusNotImplemented && op.UsesPush():
		return a2a.ErrPushNotSupported
	case status == http.StatusNotFound && op == OpExtendedCard:
		return a2a.ErrExtendedCardNotConfigured
	}
	return KindOfStatus(status)
}
