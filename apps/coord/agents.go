// SPDX-License-Identifier: Apache-2.0

package coord

import (
	"fmt"
	"time"
)

// Time is a time as answers have it: in UTC, to the second.
type Time time.Time

// MarshalText writes the time.
func (t Time) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// UnmarshalText reads what MarshalText wrote.
func (t *Time) UnmarshalText(text []byte) error { return (*time.Time)(t).UnmarshalText(text) }

// String returns the time as answers have it.
func (t Time) String() string { return time.Time(t).UTC().Format("2006-01-02T15:04:05Z") }

func timeOf(t time.Time) *Time {
	answer := Time(t)
	return &answer
}

// Register makes a session that of an agent. An agent that registers again for the same task resumes it; for another
// task it starts afresh, without todos and leases. If the first task was not completed, the answer and the inbox have a
// warning: another agent may have chosen the same name.
type Register struct {
	Session, TaskID, Branch, Description string
	// Resume registers on behalf of an agent. A living agent stays as it is, and a dead one resumes its task. TaskID,
	// Branch and Description are for a new one; it may still name its own task.
	Resume bool
	// LeaseTTL is how long the agent may show no heartbeat, if that is longer than for all; at most MaxLeaseTTL. It
	// stays when the agent registers again without.
	LeaseTTL time.Duration
}

// MaxLeaseTTL is the longest that an agent can ask for.
const MaxLeaseTTL = time.Hour

// Registered is the result of [Register].
type Registered struct {
	Status      string   `json:"status"` // registered
	ProjectID   string   `json:"project_id"`
	SessionName string   `json:"session_name"`
	OtherActive []string `json:"other_active_agents"`
	Message     string   `json:"message"`
	Warning     string   `json:"warning,omitzero"` // when an agent of the name was at work on another task
}

func (c Register) session() string { return c.Session }

func (c Register) run(t *tx) Result {
	if f := first(badName("task_id", c.TaskID), badLabel("branch", c.Branch),
		badText("description", c.Description, maxShort)); f != nil {
		return f
	}
	if c.LeaseTTL < 0 {
		return invalid("patience_seconds must not be below 0")
	}
	warning := ""
	switch before, agent := t.session(c.Session).Agent, c.agent(t); {
	case before != nil && before.Principal != t.by: // what the dead have left is not for others
		t.abandon(c.Session, "its name is another one's now")
		t.join(agent, c.Session)
	case before == nil:
		t.join(agent, c.Session)
	case c.Resume && before.Status != StatusDead:
	case c.Resume:
		again := *before
		again.Status = StatusActive
		t.emit(Event{Kind: KindResumed, Session: c.Session, Agent: &again})
	case before.TaskID == c.TaskID || before.Provisional:
		agent.StartedAt = before.StartedAt
		t.emit(Event{Kind: KindResumed, Session: c.Session, Agent: agent})
	default:
		t.join(agent, c.Session)
		if before.Status == StatusActive {
			warning = c.displace(t, before)
		}
	}
	return c.registered(t, warning)
}

// displace tells an agent that was at work that its name has another task now, and returns what to tell the new one.
func (c Register) displace(t *tx, before *Agent) (warning string) {
	t.warn(c.Session, "coordinator", fmt.Sprintf("%s was registered for task %s while it worked on %s: the locks and "+
		"to-dos of that task are gone. "+
		"If that was another agent, register again under a name of your own", c.Session, c.TaskID, before.TaskID),
		c.Session)
	return fmt.Sprintf("an agent of this name was at work on task %s: its locks and to-dos are gone; if that is not "+
		"you, register under another name", before.TaskID)
}

func (c Register) agent(t *tx) *Agent {
	agent := &Agent{
		TaskID: c.TaskID, Branch: c.Branch, Description: c.Description, Status: StatusActive, StartedAt: t.now,
		Principal: t.by, Provisional: c.Resume,
		LeaseTTL: int64(min(c.LeaseTTL, MaxLeaseTTL) / time.Second),
	}
	if before := t.session(c.Session).Agent; before != nil && before.Principal == t.by {
		agent.LeaseTTL = max(agent.LeaseTTL, before.LeaseTTL)
	}
	return agent
}

func (t *tx) join(agent *Agent, session string) {
	t.freeLeases(session, "its holder began another task")
	t.emit(Event{Kind: KindJoined, Session: session, Agent: agent})
	t.grantQueued()
}

func (c Register) registered(t *tx, warning string) Result {
	others := []string{}
	for name, other := range t.state.Sessions.all() {
		if name != c.Session && other.active() {
			others = append(others, name)
		}
	}
	return Registered{
		Status: "registered", ProjectID: t.Project.id, SessionName: c.Session, OtherActive: others,
		Message: fmt.Sprintf("Successfully registered. %d other agents are active in this project.", len(others)),
		Warning: warning,
	}
}

// Heartbeat is a heartbeat. Every other command of a session is one, too.
type Heartbeat struct{ Session string }

// Alive is the result of [Heartbeat].
type Alive struct {
	Status    string `json:"status"` // ok
	Timestamp Time   `json:"timestamp"`
}

func (c Heartbeat) session() string { return c.Session }

func (c Heartbeat) run(t *tx) Result {
	if !t.Registered(c.Session) {
		f := t.noAgent(c.Session)
		f.Error += "; register again, as its leases and todos may be gone"
		return f
	}
	return Alive{Status: "ok", Timestamp: Time(t.now)}
}

// Begin makes a new session its caller's, so that messages from elsewhere can reach it.
type Begin struct{ Session string }

func (c Begin) session() string { return c.Session }

func (c Begin) run(t *tx) Result {
	if t.state.Sessions.get(c.Session) == nil {
		t.emit(Event{Kind: KindBegun, Session: c.Session})
	}
	return Alive{Status: "ok", Timestamp: Time(t.now)}
}

// ListAgents lists the agents that are there, in the order in which they came.
type ListAgents struct{}

// AgentInfo is what [ListAgents] says of one.
type AgentInfo struct {
	TaskID      string `json:"task_id"`
	Branch      string `json:"branch"`
	Description string `json:"description"`
	Status      string `json:"status"`
	StartedAt   Time   `json:"started_at"`
}

func (ListAgents) run(t *tx) Result {
	all := newOrdered[AgentInfo]()
	for name, s := range t.state.Sessions.all() {
		if a := s.Agent; s.active() {
			all.set(name, AgentInfo{TaskID: a.TaskID, Branch: a.Branch, Description: a.Description, Status: a.Status,
				StartedAt: Time(a.StartedAt)})
		}
	}
	return all
}

// Unregister ends an agent: its leases are free, its todos and its messages gone.
type Unregister struct{ Session string }

// Unregistered is the result of [Unregister].
type Unregistered struct {
	Status  string      `json:"status"` // unregistered
	Todos   TodoSummary `json:"todo_summary"`
	Message string      `json:"message"`
}

func (c Unregister) session() string { return c.Session }

func (c Unregister) run(t *tx) Result {
	if !t.Registered(c.Session) {
		return t.noAgent(c.Session)
	}
	sum := summarize(t.session(c.Session).Todos)
	t.abandon(c.Session, "it has left the project")
	t.emit(Event{Kind: KindLeft, Session: c.Session})
	t.grantQueued()
	return Unregistered{
		Status: "unregistered", Todos: sum,
		Message: fmt.Sprintf("Successfully unregistered. Completed %d/%d todos.", sum.Completed, sum.Total),
	}
}

// CompleteTask says that a task is done: as in A2AMCP any one, that need not be the agent's own. The agent stays.
type CompleteTask struct{ Session, TaskID string }

// TaskCompleted is the result of [CompleteTask].
type TaskCompleted struct {
	Status  string `json:"status"` // success
	Message string `json:"message"`
}

func (c CompleteTask) session() string { return c.Session }

func (c CompleteTask) run(t *tx) Result {
	if f := badName("task_id", c.TaskID); f != nil {
		return f
	}
	t.emit(Event{Kind: KindCompleted, Session: c.Session, ID: c.TaskID})
	return TaskCompleted{Status: "success", Message: fmt.Sprintf("Task %s marked as completed", c.TaskID)}
}

// Configure changes the settings of the project.
type Configure struct{ Settings Settings }

// Configured is the result of [Configure].
type Configured struct {
	Status   string   `json:"status"` // configured
	Settings Settings `json:"settings"`
}

func (c Configure) run(t *tx) Result {
	if len(c.Settings.Roots) > maxRoots {
		return invalid("a project has %d roots at most", maxRoots)
	}
	for _, root := range c.Settings.Roots {
		if f := badText("root", root, maxRoot); f != nil {
			return f
		}
	}
	t.emit(Event{Kind: KindConfigured, Settings: &c.Settings})
	t.state.reindex()
	t.grantQueued() // what was in the way may be so no longer
	return Configured{Status: "configured", Settings: c.Settings}
}

// GetSettings returns the [Settings] of the project.
type GetSettings struct{}

func (GetSettings) run(t *tx) Result { return t.state.Settings }
