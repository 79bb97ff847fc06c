// SPDX-License-Identifier: Apache-2.0

package host

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/apps/host/plan"
	"github.com/dragoman-a2a/dragoman/client"
	"github.com/dragoman-a2a/dragoman/internal/fold"
)

// take reads updates until they end, or the task waits for an authorization: streams stay open then.
func (c *child) take(updates iter.Seq2[client.Update, error]) error {
	for u, err := range updates {
		if err != nil {
			return err
		}
		if err := c.event(u); err != nil {
			return err
		}
		if c.told.Status().State == a2a.TaskStateAuthRequired && !c.stale {
			break
		}
	}
	if !c.over() {
		return errors.New("it ended without a result")
	}
	return nil
}

func (c *child) over() bool {
	state := c.told.Status().State
	return c.told.Message() != nil || state.Terminal() || state.Interrupted()
}

func (c *child) event(u client.Update) error {
	first := !c.begun
	c.begun, c.stale = true, false
	if c.events++; c.events > c.x.h.opts.MaxEvents {
		return fmt.Errorf("it sent more than %d events, which is the limit", c.x.h.opts.MaxEvents)
	}
	switch e := u.Event.(type) {
	case *a2a.Message:
		c.told.Add(e)
		return c.grow(fold.Size(e.Parts), 0)
	case *a2a.Task:
		c.stale = first && c.s.Child != "" && !u.Polled && e.Status.State.Interrupted()
		return c.snapshot(e)
	case *a2a.StatusUpdate:
		if err := c.belongs(e.TaskID, e.ContextID); err != nil {
			return err
		}
		before := c.told.Status().Message
		c.told.Add(e)
		return c.status(before, e.Status)
	case *a2a.ArtifactUpdate:
		if err := c.belongs(e.TaskID, e.ContextID); err != nil {
			return err
		}
		return c.chunk(e)
	}
	return nil
}

// belongs notes the id of the task, and refuses events of another one.
func (c *child) belongs(id a2a.TaskID, contextID a2a.ContextID) error {
	if own := cmp.Or(c.task, c.s.Child); id == "" || own != "" && id != own {
		return fmt.Errorf("it answered with task %q instead of its own", plan.Clean(string(id), plan.MaxName))
	}
	if c.task != "" {
		return nil
	}
	c.task = id
	return c.begin(c.x.ctx, id, contextID)
}

// snapshot takes a task as a whole, which replaces what came before.
func (c *child) snapshot(task *a2a.Task) error {
	if err := c.belongs(task.ID, task.ContextID); err != nil {
		return err
	}
	for _, a := range task.Artifacts {
		before := c.told.Artifact(a.ID)
		if before != nil && same(before, a) {
			continue
		}
		if err := c.grow(fold.ArtifactSize(a), fold.ArtifactSize(before)); err != nil {
			return err
		}
		if err := c.relay(a, false, true); err != nil {
			return err
		}
	}
	said := c.told.Status().Message
	if c.stale { // its words are those before the message
		bare := *task
		bare.History, bare.Status.Message = nil, nil
		c.told.Add(&bare)
		return nil
	}
	before := c.told.Task()
	c.told.Add(task)
	if err := c.status(said, task.Status); err != nil {
		return err
	}
	last := task.LastMessage()
	if last == nil || last == task.Status.Message || before != nil && before.LastMessage() != nil &&
		same(before.LastMessage(), last) {
		return nil
	}
	return c.grow(fold.Size(last.Parts), 0)
}

func same(a, b interface{ AppendJSON([]byte) ([]byte, error) }) bool {
	before, err := a.AppendJSON(nil)
	if err != nil {
		return false
	}
	now, err := b.AppendJSON(nil)
	return err == nil && string(before) == string(now)
}

// status shows what the agent says while it works. before is the message of the status before.
func (c *child) status(before *a2a.Message, s a2a.TaskStatus) error {
	if s.Message == nil {
		return nil
	}
	if before == nil || !same(before, s.Message) { // each look at a task brings its status once more
		if err := c.grow(fold.Size(s.Message.Parts), 0); err != nil {
			return err
		}
	}
	if s.State != a2a.TaskStateWorking && s.State != a2a.TaskStateSubmitted {
		return nil
	}
	text := plan.CleanLines(s.Message.Text(), maxStatus)
	if text == "" || text == c.reported {
		return nil
	}
	c.reported = text
	return c.x.t.Working(c.s.provenance(texts("→ " + c.s.Agent + ": " + text))...)
}

// maxStatus is how much of what an agent says while it works is shown, in runes.
const maxStatus = 2000

// chunk takes an artifact, or more of one. More of one that is not there is taken for the whole.
func (c *child) chunk(e *a2a.ArtifactUpdate) error {
	if e.Artifact == nil {
		return nil
	}
	before := c.told.Artifact(e.Artifact.ID)
	more := e.Append && before != nil
	if more && e.OnlyEnds() {
		return c.x.t.PutChunk(&a2a.Artifact{ID: c.s.artifactID(e.Artifact.ID)}, true, true)
	}
	if len(e.Artifact.Parts) == 0 {
		return nil
	}
	size, instead := fold.Size(e.Artifact.Parts), 0
	if !more {
		size, instead = fold.ArtifactSize(e.Artifact), fold.ArtifactSize(before)
	}
	if err := c.grow(size, instead); err != nil {
		return err
	}
	c.told.Add(e)
	return c.relay(e.Artifact, more, e.LastChunk)
}

// replacements is how many times the limit of an answer all versions of its artifacts may have together.
const replacements = 4

// grow counts what an agent answers with, in place of what it answered before, and refuses too much of it.
func (c *child) grow(size, instead int) error {
	c.held += size - instead
	c.passed += size
	if limit := c.x.h.opts.MaxAnswer; int64(c.held) > limit || int64(c.passed/replacements) > limit {
		return fmt.Errorf("it answered with more than %d bytes, which is the limit", limit)
	}
	return nil
}

// relay passes an artifact on, under the agent's name and an id that is the same after a restart.
func (c *child) relay(a *a2a.Artifact, more, last bool) error {
	if len(a.Parts) == 0 {
		return nil
	}
	own := &a2a.Artifact{ID: c.s.artifactID(a.ID), Parts: slices.Clone(a.Parts), Extensions: a.Extensions}
	if !more {
		own.Name = c.s.Agent + "/" + plan.Clean(cmp.Or(a.Name, string(a.ID)), plan.MaxName)
		own.Description = plan.CleanLines(a.Description, maxStatus)
		own.Metadata = maps.Clone(a.Metadata)
		if err := own.Metadata.Set(metaOrigin,
			origin{Agent: c.s.Agent, TaskID: c.task, Artifact: a.ID}); err != nil {
			return err
		}
	}
	return c.x.t.PutChunk(own, more, last)
}

func (s *step) artifactID(id a2a.ArtifactID) a2a.ArtifactID {
	sum := sha256.Sum256([]byte(s.Key + "\x00" + string(s.Child) + "\x00" + string(id)))
	return a2a.ArtifactID(s.ID + "-" + hex.EncodeToString(sum[:12]))
}

// conclude makes of what an agent's task came to what the step came to; x.mu is held.
func (c *child) conclude() error {
	s, message := c.s, c.told.Message()
	state := a2a.TaskStateCompleted
	var output []a2a.Part
	if message == nil {
		task := fold.ShowHistory(c.told.Task(), 0) // the last words are the answer of an agent that ends without any
		state, message = task.Status.State, task.Status.Message
		for _, a := range task.Artifacts {
			output = append(output, a.Parts...)
		}
	}
	var reply []a2a.Part
	if message != nil {
		reply = message.Parts
	}
	said := message.Text()
	s.Error, s.Lost, s.Rejected, s.Ask, s.Form = "", false, false, "", ""
	switch state {
	case a2a.TaskStateInputRequired, a2a.TaskStateAuthRequired:
		s.State = waiting
		if state == a2a.TaskStateAuthRequired {
			s.State = authWait
		}
		s.question, s.Ask, s.Form = reply, plan.Clean(said, plan.MaxShown), formID(reply)
		return nil
	case a2a.TaskStateCompleted:
		s.State = done
	case a2a.TaskStateCanceled:
		s.State, s.Error = canceled, cmp.Or(plan.Clean(said, plan.MaxShown), "it did not say why")
	case a2a.TaskStateRejected:
		s.Rejected = true
		return fmt.Errorf("it will not do that: %s", cmp.Or(said, "it did not say why"))
	default:
		return errors.New(cmp.Or(said, "it did not say why"))
	}
	s.closing, s.output, s.Relayed = reply, output, len(output) > 0 || s.Relayed
	if len(output) == 0 {
		s.output = reply
	}
	s.note()
	if len(c.x.state.current()) == 1 {
		return nil // the task may end with just these words
	}
	return c.x.answerAsArtifact(s)
}

// note keeps of a step's output what later steps and planners need.
func (s *step) note() {
	if v, ok := plan.ValueOf(s.output); ok {
		s.Value = &v
	}
	output, closing := a2a.Message{Parts: s.output}, a2a.Message{Parts: s.closing}
	s.Digest = plan.CleanLines(cmp.Or(output.Text(), closing.Text()), plan.MaxDigest)
	for _, p := range plan.Attachments(&output) {
		if len(s.Files) < maxFiles {
			s.Files = append(s.Files, plan.Clean(cmp.Or(p.Filename, plan.MediaType(p)), plan.MaxName))
		}
	}
}

const maxFiles = 20

// answerAsArtifact makes an artifact of what an agent said, as there are answers of others beside it; x.mu is held.
func (x *run) answerAsArtifact(s *step) error {
	if s.Relayed || s.State != done || len(s.closing) == 0 {
		return nil
	}
	a := &a2a.Artifact{ID: s.artifactID("answer"), Name: s.Agent + "/answer", Parts: s.closing}
	if err := a.Metadata.Set(metaOrigin, origin{Agent: s.Agent, TaskID: s.Child}); err != nil {
		return err
	}
	s.Relayed = true
	return x.t.PutArtifact(a)
}

// idForm is as much of a form as has its id, as the reimbursement agent of the first samples names it.
var idForm = agent.Form{Schema: `{"type":"object","properties":{"request_id":{"type":"string"}}}`}

// formID returns the id of the form in parts; "form" for one without an id, "" when there is no form.
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
