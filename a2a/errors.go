// SPDX-License-Identifier: Apache-2.0

package a2a

import (
	"errors"
	"time"
)

// Kind is the closed set of errors that the protocol's generations and their bindings can express. A Kind is itself
// an error, so errors.Is(err, a2a.ErrTaskNotFound) works on anything that wraps an [*Error].
type Kind uint8

// The kinds. Those down to ErrVersionNotSupported are errors of A2A 1.0 §3.3.2; the others belong to the
// transports and to JSON-RPC. Numbers are internal and may change.
const (
	ErrInternal Kind = iota // the default: details stay on the server
	ErrTaskNotFound
	ErrTaskNotCancelable
	ErrPushNotSupported
	ErrUnsupportedOperation
	ErrContentTypeNotSupported // a part's media type does not suit the agent
	ErrInvalidAgentResponse
	ErrExtendedCardNotConfigured
	ErrExtensionSupportRequired
	ErrVersionNotSupported

	ErrParse          // the body is not JSON
	ErrInvalidRequest // JSON, but not a request
	ErrMethodNotFound
	ErrInvalidParams // see Error.Violations
	ErrUnauthenticated
	ErrPermissionDenied
	ErrTooLarge             // the request is over a limit
	ErrUnsupportedMediaType // the request's Content-Type is not one of the binding's
	ErrRateLimited          // too many requests, streams or waiting messages; see Error.RetryAfter
	ErrUnavailable          // the server is draining or cannot reach what it needs
	ErrTimeout              // the caller's time was up
)

// Error makes a Kind an error that errors.Is finds.
func (k Kind) Error() string { return k.String() }

// String returns the kind's name in words, fit as a default message.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "unknown error"
}

var kindNames = [...]string{
	ErrInternal:                  "internal error",
	ErrTaskNotFound:              "task not found",
	ErrTaskNotCancelable:         "task cannot be canceled",
	ErrPushNotSupported:          "push notifications are not supported",
	ErrUnsupportedOperation:      "operation is not supported",
	ErrContentTypeNotSupported:   "content type is not supported",
	ErrInvalidAgentResponse:      "invalid agent response",
	ErrExtendedCardNotConfigured: "extended agent card is not configured",
	ErrExtensionSupportRequired:  "extension support is required",
	ErrVersionNotSupported:       "protocol version is not supported",
	ErrParse:                     "invalid JSON payload",
	ErrInvalidRequest:            "invalid request",
	ErrMethodNotFound:            "method not found",
	ErrInvalidParams:             "invalid parameters",
	ErrUnauthenticated:           "authentication is required",
	ErrPermissionDenied:          "permission denied",
	ErrTooLarge:                  "request is too large",
	ErrUnsupportedMediaType:      "unsupported media type",
	ErrRateLimited:               "too many requests",
	ErrUnavailable:               "service is unavailable",
	ErrTimeout:                   "time is up",
}

// Error is an error that may cross the wire. Message, Violations, Metadata and Details are for the peer; Cause is
// for the log and never leaves the process.
type Error struct {
	Kind       Kind
	Message    string            // "" means the kind's own words
	Violations []Violation       // which fields are wrong; google.rpc.BadRequest on the wire
	Metadata   map[string]string // goes into google.rpc.ErrorInfo
	Details    []Detail          // further details, as they came or as they go
	RetryAfter time.Duration     // when to try again; 0 means not said
	Remote     bool              // a peer sent it; false means that this process made it
	Cause      error
}

// A Violation names a field that is wrong and why.
type Violation struct {
	Field       string // path in wire names, e.g. "message.parts[2].raw"
	Description string
}

// Detail is one object of an error's details with its "@type" (ProtoJSON Any).
type Detail struct {
	Type  string // "type.googleapis.com/google.rpc.ErrorInfo"
	Value []byte // the whole JSON object, "@type" included
}

// MetadataTaskState is the member of Error.Metadata that names the state of a task which takes no more messages, as 1.0
// spells it: 0.1 has a code of its own for that error.
const MetadataTaskState = "taskState"

// NewError returns an Error of a kind with a message for the peer.
func NewError(kind Kind, message string) *Error { return &Error{Kind: kind, Message: message} }

// Error returns the message for the peer, then what was wrong with which field, then the cause.
func (e *Error) Error() string {
	s := e.PublicMessage()
	if e.Cause != nil {
		s += ": " + e.Cause.Error()
	}
	return s
}

// PublicMessage returns what the peer may read: the message, or the kind's own words, and the violations.
func (e *Error) PublicMessage() string {
	s := e.Message
	if s == "" {
		s = e.Kind.String()
	}
	for i, v := range e.Violations {
		sep := "; "
		if i == 0 {
			sep = ": "
		}
		s += sep + v.Field + " " + v.Description
	}
	return s
}

// Is reports whether target is the error's Kind.
func (e *Error) Is(target error) bool {
	kind, ok := target.(Kind)
	return ok && kind == e.Kind
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// AsError returns the [*Error] that err is or wraps. An error that is none becomes one of kind ErrInternal, or
// ErrTimeout when a context ended, with err as its cause and nothing of it for the peer. AsError(nil) is nil.
func AsError(err error) *Error {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	if kind, ok := errors.AsType[Kind](err); ok {
		return &Error{Kind: kind, Cause: err}
	}
	if isContextError(err) {
		return &Error{Kind: ErrTimeout, Cause: err}
	}
	return &Error{Kind: ErrInternal, Cause: err}
}

// InvalidParams returns an ErrInvalidParams that names one field and what is wrong with it.
func InvalidParams(field, description string) *Error {
	return &Error{Kind: ErrInvalidParams, Violations: []Violation{{Field: field, Description: description}}}
}
