// SPDX-License-Identifier: Apache-2.0

package coord

import "time"

// A Kind says what an Event tells.
type Kind string

// The kinds of events.
const (
	KindConfigured Kind = "project_configured"
	KindEnded      Kind = "project_forgotten" // the last one that anybody gets of it; it is kept nowhere

	KindJoined    Kind = "agent_joined"
	KindResumed   Kind = "agent_resumed"
	KindLeft      Kind = "agent_left"
	KindDied      Kind = "agent_died"      // it showed no sign of life for HubOptions.Timeout, or its Patience
	KindDeleted   Kind = "agent_forgotten" // what was kept of it for HubOptions.Keep is gone
	KindCompleted Kind = "task_completed"

	// it has done something that no other event tells, and is its principal's from now on
	KindBegun Kind = "session_begun"

	KindTodoAdded   Kind = "todo_added"
	KindTodoUpdated Kind = "todo_updated"

	KindBroadcast Kind = "message_broadcast"
	KindRead      Kind = "messages_read"

	KindAsked    Kind = "query_asked"
	KindAnswered Kind = "query_answered"
	// nobody waits for the answer any more; it goes to the inbox, at once if it is Message
	KindUnawaited Kind = "query_unawaited"
	KindWithdrawn Kind = "query_withdrawn" // nobody wants the answer any more
	KindFailed    Kind = "query_failed"    // who was asked is gone

	KindQueued   Kind = "lease_queued"
	KindUnqueued Kind = "lease_unqueued"
	KindLocked   Kind = "lease_granted"
	KindRenewed  Kind = "lease_renewed"
	KindReleased Kind = "lease_released"
	KindExpired  Kind = "lease_expired"

	KindDefined Kind = "interface_registered"
)

// An Event is one thing that happened in a project. Which members it has beside the first ones depends on its Kind.
type Event struct {
	Seq     int64     `json:"seq"` // 1 for the first of its project
	Time    time.Time `json:"time"`
	Kind    Kind      `json:"kind"`
	Session string    `json:"session,omitzero"` // whom it is about
	By      string    `json:"by,omitzero"`      // principal of the caller; "" for what happened by itself
	Binds   bool      `json:"binds,omitzero"`   // from now on nobody but By may speak for Session

	Settings  *Settings  `json:"settings,omitzero"`
	Agent     *Agent     `json:"agent,omitzero"`
	Todo      *Todo      `json:"todo,omitzero"`
	Message   *Message   `json:"message,omitzero"`
	To        []string   `json:"to,omitzero"` // sessions that get Message
	Query     *Query     `json:"query,omitzero"`
	Claim     *Claim     `json:"claim,omitzero"`
	Lease     *Lease     `json:"lease,omitzero"`
	Interface *Interface `json:"interface,omitzero"`

	ID string `json:"id,omitzero"` // of the query, claim, lease or task
	// the last one used in an id, in ns since 1970, when the event's command made one
	Stamp int64  `json:"stamp,omitzero"`
	Text  string `json:"text,omitzero"` // the answer, or why
	Upto  int64  `json:"upto,omitzero"` // number of the last message that was read
}
