// SPDX-License-Identifier: Apache-2.0

package coord

import "time"

// Settings are what a project can choose. The zero value is the default.
type Settings struct {
	// Strict refuses sessions that have not registered; otherwise they are served with a warning.
	Strict bool `json:"strict,omitzero"`
	// IgnoreCase makes paths that differ in case only the same, as on macOS and Windows.
	IgnoreCase bool `json:"ignore_case,omitzero"`
	// Roots are the folders of the repository and its work trees. Absolute paths below them are read as relative, and
	// relative paths that lead from one into another as those of the inner one.
	Roots []string `json:"roots,omitzero"`
	// PerBranch says that only agents on the same branch are in each other's way.
	PerBranch bool `json:"per_branch,omitzero"`

	between [][]string // the ways from a root to another one, once they were needed
}

// An Agent is what an agent said of itself when it registered.
type Agent struct {
	TaskID      string    `json:"task_id"`
	Branch      string    `json:"branch"`
	Description string    `json:"description"`
	Status      string    `json:"status"` // active, completed or dead
	StartedAt   time.Time `json:"started_at"`
	Principal   string    `json:"principal,omitzero"` // who registered it; nobody else may speak for it
	// Provisional says that it was registered on behalf of the agent, which may still say what its task is.
	Provisional bool `json:"provisional,omitzero"`
	// LeaseTTL is for how many seconds it may show no heartbeat, when that is more than others may.
	LeaseTTL int64 `json:"patience_seconds,omitzero"`
}

// The states of an Agent.
const (
	StatusActive    = "active"
	StatusCompleted = "completed" // it has done its task and is still there
	StatusDead      = "dead"
)

// A Todo is one item of an agent's list.
type Todo struct {
	ID          string    `json:"id"`
	Text        string    `json:"text"`
	Status      string    `json:"status"`   // pending, in_progress, completed, blocked or cancelled
	Priority    int       `json:"priority"` // 1 high, 2 medium, 3 low
	CreatedAt   time.Time `json:"created_at"`
	CompletedAt time.Time `json:"completed_at,omitzero"`
}

// A Message waits in an inbox.
type Message struct {
	N       int64     `json:"n"` // it is the Nth event of the project
	ID      string    `json:"id"`
	From    string    `json:"from"`
	Type    string    `json:"type"`          // query, broadcast or response
	Subtype string    `json:"sort,omitzero"` // of a query or a broadcast, as its sender called it
	Text    string    `json:"text"`
	For     string    `json:"for,omitzero"` // the query that a response answers
	Time    time.Time `json:"time"`

	Guest bool `json:"guest,omitzero"` // From had not registered
}

// The types of messages.
const (
	TypeQuery     = "query"
	TypeBroadcast = "broadcast"
	TypeResponse  = "response"
)

// A Query is a question that has no answer yet.
type Query struct {
	ID      string    `json:"id"`
	From    string    `json:"from"`
	To      string    `json:"to"`
	Type    string    `json:"sort"`
	Text    string    `json:"text"`
	Time    time.Time `json:"time"`
	Awaited bool      `json:"awaited,omitzero"` // a call waits for the answer
}

// Modes of leases.
const (
	ModeExclusive = "exclusive"
	ModeShared    = "shared" // beside other shared ones
)

// A Claim is what somebody wants to change, or only read undisturbed.
type Claim struct {
	ID      string `json:"id"`
	Session string `json:"session"`
	Branch  string `json:"branch,omitzero"`
	// clean; folders end in a slash, and a backslash escapes characters that are no wildcards
	Paths       []string `json:"paths"`
	Mode        string   `json:"mode"`
	ChangeType  string   `json:"change_type"`
	Description string   `json:"description"`
	// how long the lease lives without being renewed; 0 for no such limit
	TTL     float64   `json:"ttl_seconds,omitzero"`
	Time    time.Time `json:"time"`             // when it was made
	Auto    bool      `json:"auto,omitzero"`    // a hook made it, and the session has not said so itself
	Literal bool      `json:"literal,omitzero"` // the paths are files, unless they end in a slash

	set      *pathSet // of the paths, once it was needed
	blockers int      // while it is in the queue: how many leases and earlier claims are in its way
}

// A Lease is a granted claim. It ends with its holder's heartbeats, or when its time is up.
type Lease struct {
	Claim
	Token     int64     `json:"token"` // rises with every lease of the project
	LockedAt  time.Time `json:"locked_at"`
	ExpiresAt time.Time `json:"expires_at,omitzero"`

	again bool // more than one call was answered with it, in this process
}

// A Change is a change that was announced, by a lease that is not shared.
type Change struct {
	Session     string    `json:"session"`
	FilePath    string    `json:"file_path"`
	ChangeType  string    `json:"change_type"`
	Description string    `json:"description"`
	Time        time.Time `json:"time"`
	Lease       string    `json:"lease,omitzero"` // its id; none in what earlier versions kept
	State       string    `json:"state,omitzero"` // what became of the lease; none while it is held
}

// The result for the lease of a Change.
const (
	ChangeReleased = "released" // its holder released it, as is done when a change is made
	ChangeLapsed   = "lapsed"   // it ended otherwise, so that nobody has said that the change was made
)

// An Interface is a definition that agents share.
type Interface struct {
	Name         string    `json:"name"`
	Definition   string    `json:"definition"`
	RegisteredBy string    `json:"registered_by"`
	FilePath     string    `json:"file_path,omitzero"`
	Time         time.Time `json:"time"`
	Version      int       `json:"version"` // 1 for the first definition under the name
}

// A session has done something, or got a message. It is an agent once it has registered.
type session struct {
	Name  string `json:"name"`
	Agent *Agent `json:"agent,omitzero"`
	// Principal is who did the first thing as this session, which is Bound to it then. An Agent has its own.
	Principal string `json:"principal,omitzero"`
	Bound     bool   `json:"bound,omitzero"`
	// Since is the first stamp of ids of this principal's queries; older ones are of an earlier owner of the name.
	Since int64 `json:"since,omitzero"`

	EndedAt time.Time  `json:"ended_at,omitzero"` // when it died
	Todos   []*Todo    `json:"todos,omitzero"`
	Inbox   []*Message `json:"inbox,omitzero"` // oldest first
	Dropped int        `json:"dropped,omitzero"`
	Seen    time.Time  `json:"seen"` // the last sign of life; it is in no event, as every call is one
}

// state is all that is kept of a project.
type state struct {
	Seq        int64                `json:"seq"`   // of the last event
	Stamp      int64                `json:"stamp"` // the last one used in an id, in ns since 1970
	Token      int64                `json:"token"` // of the last lease
	Settings   Settings             `json:"settings"`
	Sessions   *ordered[*session]   `json:"sessions"`
	Queries    *ordered[*Query]     `json:"queries"`
	Queue      []*Claim             `json:"queue"` // in the order in which they came
	Leases     *ordered[*Lease]     `json:"leases"`
	Changes    []Change             `json:"changes"` // newest last
	Interfaces *ordered[*Interface] `json:"interfaces"`
	Completed  []string             `json:"completed"` // tasks

	// in a snapshot only: those that are in inboxes, by their number
	Broadcasts map[int64]*Message `json:"broadcasts,omitzero"`

	dropped []string // queries that have just lost their place in an inbox

	work work // of the command that runs, since it was set to 0

	index *leaseIndex // of the leases; while there is none, what is ahead of claims in the queue is not known either
}

func newState() *state {
	return &state{
		Sessions: newOrdered[*session](), Queries: newOrdered[*Query](), Leases: newOrdered[*Lease](),
		Interfaces: newOrdered[*Interface](),
	}
}
