// SPDX-License-Identifier: Apache-2.0

// Package journal is the contract of the truth: a task is an append-only list of numbered events and the task they
// fold into. An event is committed before anyone sees it; readers are cursors over the journal, not queues.
//
// Inputs and outputs are apart. Any node enqueues inputs (a message, a cancel, a wake-up) without a lease. Only the
// holder of the task's lease takes inputs, in order, and appends events; that inputs are taken and what they cause is
// one commit. Several nodes may share one journal: fencing tokens keep a node that lost its lease from writing.
//
// The suite in journal/journaltest is the executable form of this contract; journal/memory and journal/sql pass it.
package journal

import (
	"context"
	"math"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
)

// Scope is part of every key: whose task it is. There is no lookup by id alone, so a foreign id is simply not there.
type Scope struct {
	Agent  string // the name under which the engine runs the agent
	Tenant string
	Owner  string // what the Authorizer made of the caller's identity, see auth.Owner; "" is whoever is anonymous
}

// Key names one task.
type Key struct {
	Scope
	ID a2a.TaskID
}

// Journal stores tasks. Implementations are safe for concurrent use. A method that returns nil has made its effect
// durable, as far as the implementation keeps anything at all. Values passed in and out are shared and read-only, a
// commit's slice of events too; only the Commit itself may be used again once Append has returned. Times are kept to
// the millisecond at least. A context that has ended gives its cause as the error, a closed journal ErrClosed.
type Journal interface {
	// Append commits a change to one task, all of it or nothing, and returns the lease as it stands afterwards.
	// Errors, the first that fits: ErrExists (Commit.Create and the id is taken), *DuplicateError (Create and the
	// idempotency key is taken); ErrNotFound, ErrLeaseLost, ErrConflict (Expect is not the last event's number),
	// ErrFinished (a terminal state is left), ErrInputsWaiting (Commit.UnlessInputs); ErrFull (the journal is bounded,
	// or the owner has a quota, see QuotaError. A commit that ends a task that exists is never refused for that).
	//
	// A task whose head is in a terminal state after the commit keeps no inputs and is never runnable again.
	Append(ctx context.Context, c *Commit) (Lease, error)

	// Enqueue adds an input to a task that exists and returns its number. It needs no lease. limit bounds the
	// waiting inputs of kind InputMessage; 0 means no bound, and other kinds have none. Repeating an input whose
	// IdempotencyKey the task has seen adds nothing and returns the number of the first one, also when the task has
	// ended since. An input without a Time gets the journal's.
	// Errors: ErrNotFound, ErrFinished (the task is in a terminal state), ErrInboxFull, ErrFull (as of
	// Append, for messages only).
	Enqueue(ctx context.Context, key Key, in Input, limit int) (uint64, error)

	// Inputs returns the waiting inputs of a task, in order, those with a number above after.
	Inputs(ctx context.Context, key Key, after uint64) ([]Input, error)

	// Claim takes the lease of up to limit runnable tasks of the named agents, those that wait longest first.
	// A task is runnable when there is no unexpired lease on it and it has waiting inputs, or its turn is open
	// (Run.Open), or its timer is due (Run.WakeAt).
	Claim(ctx context.Context, holder string, agents []string, ttl time.Duration, limit int) ([]Claimed, error)

	// ClaimTask takes the lease of one task, runnable or not.
	// Errors: ErrNotFound, *HeldError while a lease has not expired, also one of the same holder: a node must not fence
	// itself off.
	ClaimTask(ctx context.Context, key Key, holder string, ttl time.Duration) (Claimed, error)

	// Renew makes leases end ttl from now. It returns, in the order given, whether each is still held.
	Renew(ctx context.Context, leases []Lease, ttl time.Duration) ([]bool, error)

	// Release gives a lease back. Releasing a lease that was lost is not an error.
	Release(ctx context.Context, lease Lease) error

	// Head returns what is known of a task without its history and artifacts. Error: ErrNotFound.
	Head(ctx context.Context, key Key) (*Head, error)

	// Load returns the folded task and its head, of the same moment. Error: ErrNotFound.
	Load(ctx context.Context, key Key) (*Snapshot, error)

	// Events returns up to limit events with a number above after, in order, without a gap; fewer, but one at least,
	// where they are large. An empty result means that there is nothing newer. Errors: ErrNotFound; ErrPruned when
	// events above after are gone.
	Events(ctx context.Context, key Key, after uint64, limit int) ([]Event, error)

	// List returns a page of heads, newest status first, then the larger id first. It never reads history or
	// artifacts. Error: ErrBadPageToken.
	List(ctx context.Context, scope Scope, q Query) (*Page, error)

	// TaskState and ContextState return what was saved last by Commit.TaskState and Commit.ContextState; nil when
	// nothing was saved. Error of TaskState: ErrNotFound.
	TaskState(ctx context.Context, key Key) ([]byte, error)
	ContextState(ctx context.Context, scope Scope, id a2a.ContextID) ([]byte, error)

	// PutCursor creates or replaces a cursor over a task's events. Errors: ErrNotFound, ErrFull (as of Append).
	PutCursor(ctx context.Context, key Key, c Cursor) error
	// SwapCursor replaces the cursor old, whose name next has too. Of several readers that swap one cursor, one
	// succeeds. Error: ErrConflict when the cursor is no longer old in all its fields, or is gone.
	SwapCursor(ctx context.Context, key Key, old, next Cursor) error
	// Cursors returns the cursors of a task, by name. Error: ErrNotFound.
	Cursors(ctx context.Context, key Key) ([]Cursor, error)
	// DueCursors returns up to limit cursors whose Due has come and that have something to deliver, those that are due
	// longest first. They stay due until they are put anew.
	DueCursors(ctx context.Context, limit int) ([]DueCursor, error)
	// AllCursors returns a page of the cursors of all tasks, in an order of the journal's own, and the token of the
	// next page, "" after the last one. A cursor that exists all the time is on one page. Error: ErrBadPageToken.
	AllCursors(ctx context.Context, pageToken string, limit int) (page []DueCursor, next string, err error)
	// DeleteCursor removes a cursor. Removing one that is not there is not an error.
	DeleteCursor(ctx context.Context, key Key, name string) error

	// Prune removes up to limit tasks whose status is older than before, with all that belongs to them, and returns
	// how many it removed. It spares tasks that are leased or runnable, that are submitted or working, and those with
	// a cursor that has not reached their last event. A context's state goes with its last task.
	Prune(ctx context.Context, before time.Time, limit int) (int, error)

	// Close releases what the journal holds. It does not close a store that was passed in.
	Close() error
}

// A Commit changes one task atomically.
type Commit struct {
	Key   Key
	Lease Lease // ignored with Create

	// Create makes the task. Its first event carries the task; Expect is 0. The lease is taken in the same
	// commit, unless Release gives it back at once.
	Create *Create

	Expect uint64  // number of the last event before this commit
	Events []Event // numbered Expect+1, Expect+2, ...; may be empty

	// Head is the task's head after the commit, never nil. The journal stores it and does not look into the events.
	// All of it is the caller's to set: Key is that of the commit, Seq is Expect plus the number of events, and the
	// ContextID is that of the first commit.
	Head *Head

	// Taken is the number of the last input taken so far; inputs up to it are removed.
	Taken uint64
	// UnlessInputs refuses the commit with ErrInputsWaiting when an input with a number above Taken waits.
	UnlessInputs bool
	// Release gives the lease back in the same commit.
	Release bool

	TaskState    []byte // saved when not nil
	ContextState []byte // saved when not nil

	// Task returns the folded task after the commit. The journal calls it, before Append returns, when it writes a
	// checkpoint: once the tail has grown as large as the last one. The result shares its parts with the caller.
	Task func() *a2a.Task
}

// Create holds what only a task's first commit has.
type Create struct {
	Holder         string
	TTL            time.Duration
	IdempotencyKey string   // "" means none
	Cursors        []Cursor // what the task has from the start; none has delivered anything
}

// An Event is a numbered change to a task. Exactly one of Wire.Event, Received and Metadata is set.
type Event struct {
	Seq  uint64 // from 1, without gaps
	Time time.Time

	// Wire is an event that streams show: a *a2a.Task as the first event of the task and only there, a
	// *a2a.StatusUpdate or an *a2a.ArtifactUpdate. Its ID is EventID(Seq).
	Wire a2a.StreamEvent
	// Received is a message that was taken from the inbox into the task's history.
	Received *Received
	// Metadata is merged into the task's; a null value removes its key.
	Metadata a2a.Metadata
}

// Size returns about how many bytes the event takes in memory, and in JSON: it is for limits.
func (e *Event) Size() int {
	size := 128 + a2a.SizeOf(e.Wire.Event)
	if e.Received != nil {
		size += a2a.SizeOf(e.Received.Message)
	}
	for k, v := range e.Metadata {
		size += len(k) + len(v)
	}
	return size
}

// Received is a message that a turn took.
type Received struct {
	Input   uint64 // its number in the inbox
	Message *a2a.Message
}

// Head is what is known of a task without reading its history and artifacts.
type Head struct {
	Key       Key
	ContextID a2a.ContextID
	Status    a2a.TaskStatus
	Metadata  a2a.Metadata
	Origin    a2a.Generation
	Created   time.Time
	Seq       uint64 // number of the last event
	Taken     uint64 // number of the last input taken
	Artifacts int
	History   int
	Run       Run
}

// Run is where the agent's work on a task stands. The zero Run is a task that waits or has ended.
type Run struct {
	Open    bool      // a turn has begun and has not ended
	Attempt int       // how often the open turn was started; 1 for the first time
	WakeAt  time.Time // when a suspended task goes on by itself; zero means not
	Turn    []byte    // the engine's own record of the open turn; the journal does not look into it
}

// Snapshot is a task and its head at one moment.
type Snapshot struct {
	Head *Head
	Task *a2a.Task
}

// InputKind says what an input asks for.
type InputKind uint8

// The kinds of input.
const (
	InputMessage InputKind = 1 // a message that starts or joins a turn
	InputCancel  InputKind = 2
	InputWake    InputKind = 3 // a suspended task is to go on, or one whose authorization has come
)

// An Input waits in a task's inbox until the lease holder takes it.
type Input struct {
	Number         uint64 // given by Enqueue: 1, 2, ... for each task
	Kind           InputKind
	Message        *a2a.Message // of InputMessage
	Call           InputCall
	IdempotencyKey string // "" means none
	Time           time.Time
}

// InputCall is what the turn needs to know of the request that brought an input.
type InputCall struct {
	Identity    a2a.Identity   `json:"identity,omitzero"`
	Generation  a2a.Generation `json:"generation,omitzero"`
	Binding     string         `json:"binding,omitzero"`
	Extensions  []string       `json:"extensions,omitzero"`
	OutputModes []string       `json:"outputModes,omitzero"`
	Metadata    a2a.Metadata   `json:"metadata,omitzero"`    // of the request, not of the message
	TraceParent string         `json:"traceparent,omitzero"` // W3C trace context
	TraceState  string         `json:"tracestate,omitzero"`
	RequestID   string         `json:"requestId,omitzero"`
	Grant       string         `json:"grant,omitzero"` // of an InputWake: the ID of the grant that wakes the task
}

// A Lease is the right to append to one task. When it expires others may claim the task; until one of them does, the
// holder can still append and renew. Token rises with each claim and fences off earlier holders. The zero Lease holds
// nothing.
type Lease struct {
	Key    Key
	Holder string
	Token  uint64
}

// Claimed is a task whose lease was just taken, and what waits for it.
type Claimed struct {
	Lease  Lease
	Head   *Head
	Inputs []Input
}

// DefaultPage is how many tasks List returns when the query does not say.
const DefaultPage = 50

// Query narrows List. The zero Query asks for the first DefaultPage tasks of the scope. A page token is good for the
// query it came from only; other limits are fine.
type Query struct {
	ContextID a2a.ContextID
	State     a2a.TaskState
	Since     time.Time // status time stamp at or after; zero means any
	Limit     int       // 0 means DefaultPage
	PageToken string

	// MaxBytes ends a page early, though not before its first head, where the next one would make it larger than about
	// this; 0 means no bound. Whole counts tasks with their history and artifacts instead of heads, for callers that go
	// on to load them.
	MaxBytes int64
	Whole    bool
	Tasks    bool // the page has the tasks as well; they count whole
}

// Page is a page of List.
type Page struct {
	Heads []*Head
	Tasks []*a2a.Task // those of Heads, if the query asks for them
	Next  string      // "" on the last page
	Total int         // matches on all pages
}

// A Cursor is how far a reader has read a task's events, for push delivery. A commit with events makes the cursors of
// its task that had nothing to deliver due, at once or when their Due comes.
type Cursor struct {
	Name      string
	Delivered uint64    // number of the last event dealt with
	Attempts  int       // failed tries of the next one
	Due       time.Time // when to try next; zero means at once when there is something to deliver
	Data      []byte    // the owner's own
}

// Parked as Cursor.Delivered means that nothing is delivered any more. The cursor is never due, and its task is pruned
// as if it had none.
const Parked = math.MaxInt64

// DueCursor is a cursor with the task it belongs to.
type DueCursor struct {
	Key Key
	Cursor
}
