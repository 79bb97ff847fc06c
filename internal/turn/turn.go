// SPDX-License-Identifier: Apache-2.0

// Package turn is the seam between agent.Turn, which authors of agents see, and whatever runs a turn.
package turn

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
)

// New returns an *agent.Turn. Package agent sets it: only there a Turn can be made, and only what runs agents makes
// one.
var New func(info Info, backend Backend) any

// Parts returns what an *agent.Turn was made of, for whatever stands between an agent and what runs it.
var Parts func(t any) (Info, Backend)

// Recall cancels what a task that has ended had delegated and that has not ended: state is what was saved of the task,
// peers are the services that are known, by the names of delegations. Package agent sets it.
var Recall func(ctx context.Context, state []byte, peers map[string]a2a.Service) error

// Info is what is fixed for the whole of a turn.
type Info struct {
	Agent       string // with the tenant and the owner, the scope of the task's key
	Owner       string
	TaskID      a2a.TaskID
	ContextID   a2a.ContextID
	Message     *a2a.Message // that started the turn; nil when a timer or a wake-up did, or for a cancel
	Tenant      string
	Caller      a2a.Identity
	OutputModes []string
	Extensions  []string
	Generation  a2a.Generation
	Metadata    a2a.Metadata // of the request
	Attempt     int
	Grant       string // ID of the grant that began the turn; "" if something else did
}

// MetaGrant is the member of the metadata of a part that asks for an authorization which has the grant's ID.
const MetaGrant = "grant"

// GrantID returns the ID of the grant that a secret of agent.Turn.NewGrant stands for. It tells nothing of the secret.
func GrantID(secret string) string {
	hash := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(hash[:])
}

// Shared reports whether callers share their ids with each other, as those without an owner and a tenant do.
func (i *Info) Shared() bool { return i.Owner == "" && i.Tenant == "" }

// Private returns a name of 32 letters and digits for an id that the caller may have chosen: the same for the same id,
// and another one for the same id of another owner or tenant.
func (i *Info) Private(id string) string {
	hash := sha256.New()
	for _, part := range []string{i.Tenant, i.Owner, id} {
		fmt.Fprintf(hash, "%d:%s", len(part), part)
	}
	return hex.EncodeToString(hash.Sum(nil)[:16])
}

// Backend carries out what a turn's author asks for. It is safe for concurrent use.
type Backend interface {
	// Status queues a status. It blocks while too much waits and fails once the turn is over or fenced off.
	Status(state a2a.TaskState, message *a2a.Message) error
	// Artifact queues an artifact or a chunk of one.
	Artifact(a *a2a.Artifact, appendParts, last bool) error
	// Metadata queues a change of the task's metadata.
	Metadata(m a2a.Metadata) error
	// Save keeps state; it returns after the commit. A nil value is left alone.
	Save(ctx context.Context, taskState, contextState []byte) error
	// TaskState and ContextState return what was saved last; nil when nothing was.
	TaskState(ctx context.Context) ([]byte, error)
	ContextState(ctx context.Context) ([]byte, error)
	// Pause puts the task into an interrupted state and returns the next message, with the task working again.
	Pause(ctx context.Context, state a2a.TaskState, message *a2a.Message) (*a2a.Message, error)
	// Next takes the next waiting message, waiting for one if need be.
	Next(ctx context.Context) (*a2a.Message, error)
	// Task returns the task as last committed; one that has not been created yet is as it would be.
	Task() *a2a.Task
	// WakeToken names the task to whoever may wake it.
	WakeToken() string
	// Credentials returns those that a message of this turn has brought.
	Credentials(id a2a.MessageID) (a2a.Credentials, bool)
	// Peer notes the service that a delegation with a name goes to, for Recall.
	Peer(name string, to a2a.Service)
	// Related returns the tasks that the message refers to, then others of the context, newest first.
	Related(ctx context.Context) ([]*a2a.Task, error)
}

// OutcomeKind says how an author ends a turn other than by nil or by an error of his own.
type OutcomeKind uint8

// The kinds of outcome.
const (
	Ask OutcomeKind = iota + 1
	NeedAuth
	Suspend
	Reply
	Reject
	Withdraw
	Complete
)

// An Outcome is returned as an error by the agent.
type Outcome struct {
	Kind  OutcomeKind
	Parts []a2a.Part
	Until time.Time // of Suspend; zero means no timer
}

// Error says what the outcome is, for authors who print it.
func (o *Outcome) Error() string {
	switch o.Kind {
	case Ask:
		return "the agent asks for input"
	case NeedAuth:
		return "the agent needs authorization"
	case Suspend:
		return "the agent suspends the task"
	case Reply:
		return "the agent replies with a message"
	case Reject:
		return "the agent rejects the task"
	case Withdraw:
		return "the task is withdrawn"
	case Complete:
		return "the agent completes the task"
	}
	return "unknown outcome"
}

// PublicError is an error whose message the client may read.
type PublicError struct {
	Message string
	Cause   error
}

// Error returns the message and, for the log, the cause.
func (e *PublicError) Error() string {
	if e.Cause == nil {
		return e.Message
	}
	return e.Message + ": " + e.Cause.Error()
}

// Unwrap returns the cause.
func (e *PublicError) Unwrap() error { return e.Cause }
