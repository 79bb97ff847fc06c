// SPDX-License-Identifier: Apache-2.0

package host

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/apps/host/plan"
	"github.com/dragoman-a2a/dragoman/client"
)

// fold follows the task of a step: it passes on what is for the user as it comes, and keeps what the step comes to.
type fold struct {
	x *run
	s *step

	task      a2a.TaskID
	state     a2a.TaskState
	message   *a2a.Message // of the status, or the whole answer
	last      *a2a.Message // what the agent said last, with this status or an earlier one
	answered  bool         // with a message instead of a task
	artifacts []*a2a.Artifact

	begun    bool // an event came
	stale    bool // the state may be that before the message
	events   int
	held     int64  // bytes of the artifacts as they are now, and of all that was said
	passed   int64  // and of what they were before
	reported string // the last status text that was shown
}

// take reads updates until they end, or the task waits for an authorization: streams stay open then.
func (f *fold) take(seq updates) error {
	for u, err := range seq {
		if err != nil {
			return err
		}
		if err := f.event(u); err != nil {
			return err
		}
		if f.state == a2a.TaskStateAuthRequired && !f.stale {
			break
		}
	}
	if !f.over() {
		return fmt.Errorf("it ended without a result")
	}
	return nil
}

// over reports whether the task has ended or waits.
func (f *fold) over() bool { return f.answered || f.state.Terminal() || f.state.Interrupted() }

// event takes one update.
func (f *fold) event(u client.Update) error {
	first := !f.begun
	f.begun, f.stale = true, false
	if f.events++; f.events > f.x.h.opts.MaxEvents {
		return fmt.Errorf("it sent more than %d events, which is the limit", f.x.h.opts.MaxEvents)
	}
	switch e := u.Event.(type) {
	case *a2a.Message:
		if f.task == "" {
			f.answered, f.message = true, e
		} else {
			f.say(e)
		}
		return f.grow(partsSize(e.Parts), 0)
	case *a2a.Task:
		f.stale = first && f.s.Child != "" && !u.Polled && e.Status.State.Interrupted()
		return f.snapshot(e)
	case *a2a.StatusUpdate:
		if err := f.belongs(e.TaskID, e.ContextID); err != nil {
			return err
		}
		return f.status(e.Status)
	case *a2a.ArtifactUpdate:
		if err := f.belongs(e.TaskID, e.ContextID); err != nil {
			return err
		}
		return f.chunk(e)
	}
	return nil
}

// say takes a message that came amid the events of a task, in one piece or in several under one id.
func (f *fold) say(m *a2a.Message) {
	if f.last != nil && f.last.ID == m.ID {
		joined := *m
		joined.Parts = slices.Concat(f.last.Parts, m.Parts)
		m = &joined
	}
	f.last = m
}

// belongs notes the id of the task, and refuses events of another one.
func (f *fold) belongs(id a2a.TaskID, contextID a2a.ContextID) error {
	if id == "" || f.task != "" && id != f.task || f.task == "" && f.s.Child != "" && id != f.s.Child {
		return fmt.Errorf("it answered with task %q instead of its own", plan.Clean(string(id), plan.MaxName))
	}
	if f.task != "" {
		return nil
	}
	f.task = id
	return f.x.begin(f.x.ctx, f.s, id, contextID)
}

// snapshot takes a task as a whole, which replaces what came before.
func (f *fold) snapshot(task *a2a.Task) error {
	if err := f.belongs(task.ID, task.ContextID); err != nil {
		return err
	}
	for _, a := range task.Artifacts {
		if f.known(a) {
			continue
		}
		if err := f.count(a, false); err != nil {
			return err
		}
		f.keep(a, false)
		if err := f.relay(a, false, true); err != nil {
			return err
		}
	}
	if err := f.status(task.Status); err != nil {
		return err
	}
	last := task.LastMessage()
	if last == nil || f.stale || f.last != nil && same(f.last, last) {
		return nil
	}
	f.last = last
	return f.grow(partsSize(last.Parts), 0)
}

// known reports whether an artifact is there just as it came before.
func (f *fold) known(a *a2a.Artifact) bool {
	at := f.find(a.ID)
	return at >= 0 && same(f.artifacts[at], a)
}

// find returns the place of an artifact; less than 0 when it is not there.
func (f *fold) find(id a2a.ArtifactID) int {
	return slices.IndexFunc(f.artifacts, func(k *a2a.Artifact) bool { return k.ID == id })
}

// same reports whether two objects are the same on the wire.
func same(a, b interface{ AppendJSON([]byte) ([]byte, error) }) bool {
	before, err := a.AppendJSON(nil)
	if err != nil {
		return false
	}
	now, err := b.AppendJSON(nil)
	return err == nil && string(before) == string(now)
}

// status takes a status, and shows what the agent says while it works.
func (f *fold) status(s a2a.TaskStatus) error {
	before := f.message
	f.state, f.message = s.State, s.Message
	if s.Message == nil {
		return nil
	}
	if !f.stale {
		f.last = s.Message
	}
	if before == nil || !same(before, s.Message) { // each look at a task brings its status once more
		if err := f.grow(partsSize(s.Message.Parts), 0); err != nil {
			return err
		}
	}
	if s.State != a2a.TaskStateWorking && s.State != a2a.TaskStateSubmitted {
		return nil
	}
	text := plan.CleanLines(join(s.Message.Parts), maxStatus)
	if text == "" || text == f.reported {
		return nil
	}
	f.reported = text
	return f.x.t.Working(f.s.provenance(texts("→ " + f.s.Agent + ": " + text))...)
}

// maxStatus is how much of what an agent says while it works is shown, in runes.
const maxStatus = 2000

// chunk takes an artifact, or more of one. More of one that is not there is taken for the whole.
func (f *fold) chunk(e *a2a.ArtifactUpdate) error {
	if e.Artifact == nil {
		return nil
	}
	more := e.Append && f.find(e.Artifact.ID) >= 0
	if more && e.OnlyEnds() {
		return f.x.t.PutChunk(&a2a.Artifact{ID: f.s.artifactID(e.Artifact.ID)}, true, true)
	}
	if len(e.Artifact.Parts) == 0 {
		return nil
	}
	if err := f.count(e.Artifact, more); err != nil {
		return err
	}
	f.keep(e.Artifact, more)
	return f.relay(e.Artifact, more, e.LastChunk)
}

// keep adds an artifact, in place of the one of its id, or more of that one.
func (f *fold) keep(a *a2a.Artifact, more bool) {
	at := f.find(a.ID)
	switch {
	case at < 0:
		f.artifacts = append(f.artifacts, f.own(a))
	case more:
		f.artifacts[at].Parts = append(f.artifacts[at].Parts, a.Parts...)
	default:
		f.artifacts[at] = f.own(a)
	}
}

// own returns a copy of an artifact whose list of parts may grow.
func (f *fold) own(a *a2a.Artifact) *a2a.Artifact {
	c := *a
	c.Parts = slices.Clone(a.Parts)
	return &c
}

// count counts an artifact that is about to be kept.
func (f *fold) count(a *a2a.Artifact, more bool) error {
	if more {
		return f.grow(partsSize(a.Parts), 0)
	}
	var before int64
	if at := f.find(a.ID); at >= 0 {
		before = artifactSize(f.artifacts[at])
	}
	return f.grow(artifactSize(a), before)
}

// replacements is how many times the limit of an answer an agent may send when it replaces what it sent before: all of
// it is passed on, and kept in a journal.
const replacements = 4

// grow counts what an agent answers with, in place of what it answered before, and refuses too much of it.
func (f *fold) grow(size, instead int64) error {
	f.held += size - instead
	f.passed += size
	if limit := f.x.h.opts.MaxAnswer; f.held > limit || f.passed/replacements > limit {
		return fmt.Errorf("it answered with more than %d bytes, which is the limit", limit)
	}
	return nil
}

func artifactSize(a *a2a.Artifact) int64 {
	n := len(a.ID) + len(a.Name) + len(a.Description) + metadataSize(a.Metadata)
	for _, uri := range a.Extensions {
		n += len(uri)
	}
	return int64(n) + partsSize(a.Parts)
}

func partsSize(parts []a2a.Part) (n int64) {
	for _, p := range parts {
		n += partSize(p)
	}
	return n
}

func metadataSize(m a2a.Metadata) (n int) {
	for key, raw := range m {
		n += len(key) + len(raw)
	}
	return n
}

func partSize(p a2a.Part) int64 {
	const overhead = 64
	n := overhead + len(p.Filename) + len(p.MediaType) + metadataSize(p.Metadata)
	switch c := p.Content.(type) {
	case a2a.Text:
		n += len(c)
	case a2a.Raw:
		n += len(c)
	case a2a.Data:
		n += len(c)
	case a2a.URL:
		n += len(c)
	}
	return int64(n)
}

// relay passes an artifact on: its parts as they are, under the agent's name. Its id is the same in every run, so that
// what is passed on again after a restart replaces itself.
func (f *fold) relay(a *a2a.Artifact, more, last bool) error {
	if len(a.Parts) == 0 {
		return nil
	}
	c := &a2a.Artifact{ID: f.s.artifactID(a.ID), Parts: slices.Clone(a.Parts), Extensions: a.Extensions}
	if !more {
		c.Name = f.s.Agent + "/" + plan.Clean(cmp.Or(a.Name, string(a.ID)), plan.MaxName)
		c.Description = plan.CleanLines(a.Description, maxStatus)
		c.Metadata = cloneMetadata(a.Metadata)
		if err := c.Metadata.Set(metaOrigin, origin{Agent: f.s.Agent, TaskID: f.task, Artifact: a.ID}); err != nil {
			return err
		}
	}
	return f.x.t.PutChunk(c, more, last)
}

// artifactID is the id under which an artifact of a step's agent is passed on.
func (s *step) artifactID(id a2a.ArtifactID) a2a.ArtifactID {
	sum := sha256.Sum256([]byte(s.Key + "\x00" + string(s.Child) + "\x00" + string(id)))
	return a2a.ArtifactID(s.ID + "-" + hex.EncodeToString(sum[:12]))
}

// conclude makes of what an agent's task came to what the step came to; x.mu is held.
func (x *run) conclude(s *step, f *fold) error {
	var reply []a2a.Part
	switch {
	case f.message != nil:
		reply = f.message.Parts
	case f.last != nil && len(f.artifacts) == 0 && (f.state == a2a.TaskStateCompleted || f.state.Interrupted()):
		reply = f.last.Parts
	}
	s.Error, s.Lost, s.Rejected, s.Ask, s.Form = "", false, false, "", ""
	switch {
	case f.state.Interrupted() && !f.answered:
		s.State = waiting
		if f.state == a2a.TaskStateAuthRequired {
			s.State = authWait
		}
		s.question, s.Ask, s.Form = reply, plan.Clean(join(reply), plan.MaxShown), formID(reply)
		return nil
	case f.answered || f.state == a2a.TaskStateCompleted:
		s.State = done
	case f.state == a2a.TaskStateCanceled:
		s.State, s.Error = canceled, cmp.Or(plan.Clean(join(reply), plan.MaxShown), "it did not say why")
	case f.state == a2a.TaskStateRejected:
		s.Rejected = true
		return fmt.Errorf("it will not do that: %s", cmp.Or(join(reply), "it did not say why"))
	default:
		return fmt.Errorf("%s", cmp.Or(join(reply), "it did not say why"))
	}
	s.closing = reply
	s.output = reply
	if len(f.artifacts) > 0 {
		s.output, s.Relayed = nil, true
		for _, a := range f.artifacts {
			s.output = append(s.output, a.Parts...)
		}
	}
	s.note()
	if len(x.state.current()) == 1 {
		return nil // the task may end with just these words
	}
	return x.answerAsArtifact(s)
}

// note keeps of a step's output what later steps and planners need.
func (s *step) note() {
	if v, ok := plan.ValueOf(s.output); ok {
		s.Value = &v
	}
	s.Digest = plan.CleanLines(cmp.Or(join(s.output), join(s.closing)), plan.MaxDigest)
	for _, p := range s.output {
		if _, isText := p.Content.(a2a.Text); !isText && len(s.Files) < maxFiles {
			s.Files = append(s.Files, plan.Clean(cmp.Or(p.Filename, plan.MediaType(p)), plan.MaxName))
		}
	}
}

const maxFiles = 20

// AnswerName is the last part of the name of an artifact that an agent's closing words became, because others made
// artifacts in the same task.
const AnswerName = "answer"

// answerAsArtifact makes an artifact of what an agent said, as there are answers of others beside it; x.mu is held.
func (x *run) answerAsArtifact(s *step) error {
	if s.Relayed || s.State != done || len(s.closing) == 0 {
		return nil
	}
	a := &a2a.Artifact{ID: s.artifactID(AnswerName), Name: s.Agent + "/" + AnswerName, Parts: s.closing}
	if err := a.Metadata.Set(metaOrigin, origin{Agent: s.Agent, TaskID: s.Child}); err != nil {
		return err
	}
	s.Relayed = true
	return x.t.PutArtifact(a)
}

// idForm is as much of a form as has its id, as the reimbursement agent of the first samples names it.
var idForm = agent.Form{Schema: `{"type":"object","properties":{"request_id":{"type":"string"}}}`}

// formID returns the id of the form in parts, which are a question or an answer; "" when there is none. A form without
// an id counts as one called "form".
func formID(parts []a2a.Part) string {
	form, asks := agent.FindForm(parts...)
	values, _ := form.Values.(map[string]jsontext.Value)
	if !asks {
		values, _ = idForm.Answer(&a2a.Message{Parts: parts})
	}
	var id string
	switch {
	case json.Unmarshal(values["request_id"], &id) == nil && id != "":
		return plan.Clean(id, plan.MaxName)
	case asks:
		return "form"
	}
	return ""
}
