// SPDX-License-Identifier: Apache-2.0

package a2a

import (
	"context"
	"errors"
	"fmt"
	"testing"
)

func TestErrorIsItsKind(t *testing.T) {
	t.Parallel()
	cause := errors.New("disk on fire")
	err := fmt.Errorf("while sending: %w", &Error{Kind: ErrTaskNotFound, Cause: cause})
	if !errors.Is(err, ErrTaskNotFound) || errors.Is(err, ErrInternal) || !errors.Is(err, cause) {
		t.Errorf("%v is not what it is", err)
	}
	if errors.Is(NewError(ErrTaskNotFound, "gone"), ErrInternal) {
		t.Error("one kind is another")
	}
}

func TestAsError(t *testing.T) {
	t.Parallel()
	own := NewError(ErrRateLimited, "slow down")
	for _, test := range []struct {
		err  error
		kind Kind
	}{
		{fmt.Errorf("wrapped: %w", own), ErrRateLimited},
		{fmt.Errorf("no such task: %w", ErrTaskNotFound), ErrTaskNotFound},
		{fmt.Errorf("waiting: %w", context.DeadlineExceeded), ErrTimeout},
		{context.Canceled, ErrTimeout},
		{errors.New("secret path"), ErrInternal},
	} {
		e := AsError(test.err)
		if e.Kind != test.kind {
			t.Errorf("%v is %v, want %v", test.err, e.Kind, test.kind)
		}
		if e != own && e.PublicMessage() != test.kind.String() {
			t.Errorf("%v tells the peer %q", test.err, e.PublicMessage())
		}
	}
	if AsError(nil) != nil {
		t.Error("no error became one")
	}
}

func TestErrorMessages(t *testing.T) {
	t.Parallel()
	e := &Error{Kind: ErrInvalidParams, Violations: []Violation{{"a", "is required"}, {"b[1]", "is bad"}},
		Cause: errors.New("why")}
	if got := e.PublicMessage(); got != "invalid parameters: a is required; b[1] is bad" {
		t.Error(got)
	}
	if got := e.Error(); got != e.PublicMessage()+": why" {
		t.Error(got)
	}
	if got := InvalidParams("x", "is odd").Error(); got != "invalid parameters: x is odd" {
		t.Error(got)
	}
	for k := ErrInternal; k <= ErrTimeout; k++ {
		if k.Error() == "" || k.Error() == Kind(255).Error() {
			t.Errorf("kind %d has no words", k)
		}
	}
}
