// SPDX-License-Identifier: Apache-2.0

package registry

import (
	"fmt"
	"time"
)

// Kind is a sort of error, to be found with errors.Is. Its text is the "code" of the problem over HTTP.
type Kind string

// Error returns the kind's name.
func (k Kind) Error() string { return string(k) }

// The kinds of errors.
const (
	ErrInvalid         Kind = "invalid-request"    // what was asked for makes no sense
	ErrPageToken       Kind = "invalid-page-token" // it is of another list, or of none
	ErrUnauthenticated Kind = "unauthenticated"    // credentials are missing or wrong
	ErrForbidden       Kind = "forbidden"          // the caller may not do that
	ErrNotFound        Kind = "not-found"          // there is no such agent or version
	ErrAliasTaken      Kind = "alias-taken"        // another agent is called so
	// nobody answers where the card should be, or nobody may be asked there
	ErrCardUnreachable Kind = "card-unreachable"
	ErrCardInvalid     Kind = "card-invalid" // what is there is no usable card
	ErrFull            Kind = "full"         // the catalogue has as many agents as it may have
	ErrTooLarge        Kind = "too-large"    // the request is larger than allowed
	ErrUnavailable     Kind = "unavailable"  // not now; again in a moment
	ErrRateLimited     Kind = "rate-limited" // the caller asks too often; again after Error.RetryAfter
	ErrInternal        Kind = "internal"     // a fault of the catalogue
)

// Error is an error of a catalogue.
type Error struct {
	Kind   Kind
	Detail string // what is wrong and what to do about it
	// RetryAfter is when to ask again; 0 if nobody said
	RetryAfter time.Duration
	Err        error // the cause; nil for none. It does not go over the network
}

// Error returns what is wrong.
func (e *Error) Error() string { return e.Detail }

// Unwrap returns the kind and the cause.
func (e *Error) Unwrap() []error {
	if e.Err == nil {
		return []error{e.Kind}
	}
	return []error{e.Kind, e.Err}
}

func failf(kind Kind, format string, args ...any) *Error {
	return &Error{Kind: kind, Detail: fmt.Sprintf(format, args...)}
}
