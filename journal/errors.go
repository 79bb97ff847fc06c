// SPDX-License-Identifier: Apache-2.0

package journal

import (
	"errors"
	"fmt"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
)

// The errors that callers decide on.
var (
	ErrNotFound      = errors.New("journal: no such task")
	ErrExists        = errors.New("journal: the task exists already")
	ErrConflict      = errors.New("journal: the task has changed meanwhile")
	ErrLeaseLost     = errors.New("journal: the lease on the task was lost")
	ErrInputsWaiting = errors.New("journal: inputs wait")
	ErrInboxFull     = errors.New("journal: too many messages wait for the task")
	ErrFinished      = errors.New("journal: the task has ended")
	ErrPruned        = errors.New("journal: the events are gone")
	ErrBadPageToken  = errors.New("journal: the page token is not one of this list")
	ErrFull          = errors.New("journal: no room")
	ErrClosed        = errors.New("journal: closed")
	// ErrUnavailable means that what keeps the tasks cannot do so now, as when its disk is full. Nothing was changed,
	// and the same call succeeds once the cause is gone.
	ErrUnavailable = errors.New("journal: tasks cannot be kept now")
)

// DuplicateError says that a task was created with the same idempotency key before.
type DuplicateError struct {
	TaskID a2a.TaskID // of that task
}

func (e *DuplicateError) Error() string {
	return fmt.Sprintf("journal: the idempotency key belongs to task %s", e.TaskID)
}

// QuotaError is an [ErrFull] of one owner: his tasks would take more than he may have.
type QuotaError struct {
	Bytes int64 // the quota
}

func (e *QuotaError) Error() string {
	return fmt.Sprintf("journal: no room: the owner's tasks may take %d bytes", e.Bytes)
}

// Unwrap returns ErrFull.
func (e *QuotaError) Unwrap() error { return ErrFull }

// HeldError says who holds a task's lease.
type HeldError struct {
	Holder string
	Until  time.Time
}

func (e *HeldError) Error() string {
	return fmt.Sprintf("journal: the task is held by %s until %s", e.Holder, e.Until.Format(time.RFC3339))
}
