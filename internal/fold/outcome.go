// SPDX-License-Identifier: Apache-2.0

package fold

import (
	"cmp"
	"slices"
	"strings"

	"github.com/dragoman-a2a/dragoman/a2a"
)

// An Outcome combines the streams of an agent into their result: a task, or the one message that is the whole answer.
// It keeps everything from a stream even if the agent does not repeat it: some agents have no GetTask, others show a
// task without the artifacts that they streamed.
//
// The zero Outcome is ready. It is not safe for concurrent use.
type Outcome struct {
	// MaxBytes is how much it keeps of artifacts and messages; 0 means 32 MiB, as much as an answer may have by
	// default. Beyond that GetTask has to bring them.
	MaxBytes int

	message    *a2a.Message
	said       *a2a.Message // the last message that came amid the events of a task
	projection *Projection
	held       int  // bytes of what was added
	over       bool // that was too much, and only the status is kept
}

const overhead = 100 // bytes of a message or an artifact without parts

// Add takes an event.
func (o *Outcome) Add(event a2a.Event) {
	switch e := event.(type) {
	case *a2a.Message:
		if o.projection == nil {
			o.message = e
		} else if o.grow(e.Parts); !o.over {
			o.say(e)
		}
	case *a2a.Task:
		if o.said != nil && slices.ContainsFunc(e.History, func(m *a2a.Message) bool { return m.ID == o.said.ID }) {
			o.said = nil
		}
		if o.projection != nil {
			e = merge(e, o.projection.Task())
		}
		o.projection = NewProjection(e)
		o.count(e)
	case *a2a.StatusUpdate:
		o.begin(e.TaskID, e.ContextID)
		if m, last := e.Status.Message, o.Status().Message; m != nil && last != nil && m.ID != "" && m.ID == last.ID {
			o.projection.task.Status = e.Status // it is said once more
			return
		} else if m != nil {
			o.grow(m.Parts)
		}
		if o.over {
			o.projection = NewProjection(&a2a.Task{ID: e.TaskID, ContextID: e.ContextID, Status: e.Status})
			return
		}
		o.projection.Apply(e)
	case *a2a.ArtifactUpdate:
		if e.Artifact == nil {
			return
		}
		o.begin(e.TaskID, e.ContextID)
		if o.grow(e.Artifact.Parts); !o.over {
			o.projection.Apply(e)
		}
	}
}

// say takes a message that came amid the events of a task, as agents of Agno stream their answer: piece by piece under
// one id. The standard has no such event.
func (o *Outcome) say(m *a2a.Message) {
	if o.said != nil && o.said.ID == m.ID {
		joined := *m
		joined.Parts = slices.Concat(o.said.Parts, m.Parts)
		m = &joined
	} else if o.said != nil {
		o.projection.Receive(o.said)
	}
	o.said = m
}

// grow counts parts that are about to be kept.
func (o *Outcome) grow(parts []a2a.Part) {
	if o.held += overhead + Size(parts); !o.over {
		o.trim()
	}
}

// count counts what a task brought and what stays from before it, anew.
func (o *Outcome) count(t *a2a.Task) {
	o.held = 0
	for _, a := range t.Artifacts {
		o.held += ArtifactSize(a)
	}
	for _, m := range append(slices.Clip(t.History), t.Status.Message, o.said) {
		if m != nil {
			o.held += overhead + Size(m.Parts)
		}
	}
	o.trim()
}

// trim drops all but the status if too much is kept.
func (o *Outcome) trim() {
	if o.held <= cmp.Or(o.MaxBytes, 32<<20) {
		return
	}
	t := o.projection.Task()
	o.said = nil
	o.projection, o.over = NewProjection(&a2a.Task{ID: t.ID, ContextID: t.ContextID, Status: t.Status}), true
}

// begin makes the task of a stream that did not begin with one.
func (o *Outcome) begin(id a2a.TaskID, contextID a2a.ContextID) {
	if o.projection == nil {
		o.projection = NewProjection(&a2a.Task{ID: id, ContextID: contextID})
	}
}

// Size returns about how many bytes parts hold.
func Size(parts []a2a.Part) (n int) {
	for _, p := range parts {
		n += 64 + len(p.Filename) + len(p.MediaType) + metadataSize(p.Metadata) +
			len(p.Text()) + len(p.Raw()) + len(p.Data()) + len(p.URL())
	}
	return n
}

// ArtifactSize returns about how many bytes an artifact holds; 0 for nil.
func ArtifactSize(a *a2a.Artifact) int {
	if a == nil {
		return 0
	}
	return overhead + len(a.ID) + len(a.Name) + len(a.Description) + len(strings.Join(a.Extensions, "")) +
		metadataSize(a.Metadata) + Size(a.Parts)
}

func metadataSize(m a2a.Metadata) (n int) {
	for key, raw := range m {
		n += len(key) + len(raw)
	}
	return n
}

// Message returns the message that is the whole answer, or nil.
func (o *Outcome) Message() *a2a.Message { return o.message }

// Status returns the status that the updates told last.
func (o *Outcome) Status() a2a.TaskStatus {
	if o.projection == nil {
		return a2a.TaskStatus{}
	}
	return o.projection.Status()
}

// Artifact returns an artifact as the updates told it, or nil. It may change with the next update.
func (o *Outcome) Artifact(id a2a.ArtifactID) *a2a.Artifact {
	if o.projection == nil {
		return nil
	}
	if i, ok := o.projection.index[id]; ok {
		return o.projection.task.Artifacts[i]
	}
	return nil
}

// Task returns the task as the updates told it, or nil when they told of none.
func (o *Outcome) Task() *a2a.Task {
	if o.projection == nil {
		return nil
	}
	task := o.projection.Task()
	if o.said != nil {
		task.History = append(slices.Clip(task.History), o.said)
	}
	return task
}

// Final returns what the updates and a last GetTask come to, which is called with what that returned. It adds to what
// the updates said: an artifact, a message, or the end of the task that only they told stays. The error counts only if
// the updates do not tell what came of the task. The result is the task itself if the updates add nothing.
func (o *Outcome) Final(task *a2a.Task, err error) (*a2a.Task, error) {
	switch told := o.Task(); {
	case err == nil:
		return o.last(merge(task, told)), nil
	case told == nil || o.over || !(told.Status.State.Terminal() || told.Status.State.Interrupted()):
		return nil, err
	default:
		return told, nil
	}
}

// last returns the task with the message that came last amid the events, if nothing else is its answer.
func (o *Outcome) last(task *a2a.Task) *a2a.Task {
	if o.said == nil || len(task.Artifacts) > 0 || task.LastMessage() != nil {
		return task
	}
	m := *task
	m.History = append(slices.Clip(m.History), o.said)
	return &m
}

// merge returns the task with what only the updates told, if they told of it; the task itself if they add nothing.
func merge(task, told *a2a.Task) *a2a.Task {
	if told == nil {
		return task
	}
	m, adds := *task, false
	switch {
	case told.Status.State.Terminal() && !m.Status.State.Terminal():
		m.Status, adds = told.Status, true
	case m.Status.Message == nil && told.Status.Message != nil && m.Status.State == told.Status.State:
		m.Status.Message, adds = told.Status.Message, true
	}
	m.Artifacts = slices.Clone(m.Artifacts)
	for _, a := range told.Artifacts {
		switch at := slices.IndexFunc(m.Artifacts, func(b *a2a.Artifact) bool { return b.ID == a.ID }); {
		case at < 0:
			m.Artifacts, adds = append(m.Artifacts, a), true
		case len(m.Artifacts[at].Parts) == 0 && len(a.Parts) > 0:
			m.Artifacts[at], adds = a, true
		}
	}
	if len(m.History) == 0 && len(told.History) > 0 {
		m.History, adds = told.History, true
	}
	if !adds {
		return task
	}
	return &m
}

// AskHistory returns how much history to ask for where n messages are to be shown: at least the last one, since that
// may be the answer, see [ShowHistory].
func AskHistory(n int) *int {
	n = max(n, 1)
	return &n
}

// ShowHistory returns a task with the last n messages of its history, whatever the agent sent. When a task that is
// completed or waits has neither artifacts nor a message in its status, the agent's last message is what it answered:
// it went into the history when the agent set a status without one. If n leaves it out it becomes the message of the
// status.
func ShowHistory(task *a2a.Task, n int) *a2a.Task {
	if len(task.History) <= n {
		return task
	}
	short := *task
	short.History = task.History[len(task.History)-n:]
	state := task.Status.State
	if n == 0 && (state == a2a.TaskStateCompleted || state.Interrupted()) && len(task.Artifacts) == 0 {
		short.Status.Message = task.LastMessage()
	}
	return &short
}
