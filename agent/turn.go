// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"context"
	"fmt"
	"mime"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/turn"
	"github.com/go-json-experiment/json"
)

// A Turn is one run of an agent: from a message (or a timer, or a wake-up) to the agent's return. It is safe for
// concurrent use; all it returns is read-only. Engines make Turns; package agenttest has one for tests of agents.
//
// Working, Artifact, the writer of NewArtifact and SetMetadata queue and return: the engine commits in order, many
// events in one commit. An event is visible only after its commit. The calls block while 1,000 events or 1 MiB wait,
// and fail once the turn is over. The first of these calls creates the task. An agent with a long job should call
// Working first.
type Turn struct {
	info    turn.Info
	backend turn.Backend
	stateMu sync.Mutex // one change of the task's state at a time
}

func init() {
	turn.New = func(info turn.Info, backend turn.Backend) any { return &Turn{info: info, backend: backend} }
	turn.Parts = func(t any) (turn.Info, turn.Backend) {
		of := t.(*Turn)
		return of.info, of.backend
	}
	turn.Recall = recallAll
}

// Message returns the message that started the turn; nil when a timer or a wake-up did, and in a Cancel.
func (t *Turn) Message() *a2a.Message { return t.info.Message }

// Text returns the texts of the message, joined by newlines: its text parts or, when it has none, those files in it
// that are UTF-8 text by their media type, such as text/plain, and by their content. It is "" without a message.
func (t *Turn) Text() string {
	if t.info.Message == nil {
		return ""
	}
	var texts, files []string
	for _, p := range t.info.Message.Parts {
		switch content := p.Content.(type) {
		case a2a.Text:
			texts = append(texts, string(content))
		case a2a.Raw:
			if isText(p.MediaType) && utf8.Valid(content) {
				files = append(files, string(content))
			}
		}
	}
	if texts == nil {
		texts = files
	}
	return strings.Join(texts, "\n")
}

// isText reports whether a media type is that of text in UTF-8, or in a charset that it does not name.
func isText(mediaType string) bool {
	kind, params, err := mime.ParseMediaType(mediaType)
	if err != nil || !strings.HasPrefix(kind, "text/") {
		return false
	}
	charset := strings.ToLower(params["charset"])
	return charset == "" || charset == "utf-8" || charset == "us-ascii"
}

// TaskID returns the id of the task, which may not have been created yet.
func (t *Turn) TaskID() a2a.TaskID { return t.info.TaskID }

// ContextID returns the id of the conversation the task belongs to.
func (t *Turn) ContextID() a2a.ContextID { return t.info.ContextID }

// Task returns the task as last committed, with its history and artifacts.
func (t *Turn) Task() *a2a.Task { return t.backend.Task() }

// Related returns the tasks that the message refers to, then other tasks of the context, those with the newest
// status first, 50 at most. Tasks that are not the caller's are not there.
func (t *Turn) Related(ctx context.Context) ([]*a2a.Task, error) { return t.backend.Related(ctx) }

// Caller returns who sent the message.
func (t *Turn) Caller() a2a.Identity { return t.info.Caller }

// Tenant returns the tenant of the request; "" when there is none.
func (t *Turn) Tenant() string { return t.info.Tenant }

// OutputModes returns the media types that the caller accepts; empty means any.
func (t *Turn) OutputModes() []string { return t.info.OutputModes }

// Accepts reports whether the caller accepts output of a media type such as "application/json".
func (t *Turn) Accepts(mediaType string) bool {
	if len(t.info.OutputModes) == 0 {
		return true
	}
	return slices.ContainsFunc(t.info.OutputModes, func(mode string) bool { return MatchMode(mode, mediaType) })
}

// Extensions returns the URIs of the extensions that the caller activated.
func (t *Turn) Extensions() []string { return t.info.Extensions }

// Generation returns the generation of the protocol that the message came through; "" from within the process.
func (t *Turn) Generation() a2a.Generation { return t.info.Generation }

// RequestMetadata returns the metadata of the request that brought the message, which is not the message's own.
func (t *Turn) RequestMetadata() a2a.Metadata { return t.info.Metadata }

// Skill returns the id of the skill that the message names in its metadata as "skillId"; "" when it names none.
func (t *Turn) Skill() string {
	if t.info.Message == nil {
		return ""
	}
	return t.info.Message.SkillID()
}

// Attempt returns how often this turn was started: above 1 when a crash or a shutdown interrupted it before.
func (t *Turn) Attempt() int { return t.info.Attempt }

// WakeToken returns the token that engine.Wake takes to wake the task after [Turn.Suspend]. It names the task and its
// owner in the clear, so keep it from other callers.
func (t *Turn) WakeToken() string { return t.backend.WakeToken() }

// Working says that the task is being worked on, and how, as parts of a status message. Without parts it only sets
// the state. A task that was not there yet is there then, for callers to see and to cancel: an agent that works for
// long calls it first.
func (t *Turn) Working(parts ...a2a.Part) error {
	return t.backend.Status(a2a.TaskStateWorking, t.say(parts))
}

// Artifact adds an artifact with a name and a fresh id.
func (t *Turn) Artifact(name string, parts ...a2a.Part) error {
	return t.PutArtifact(&a2a.Artifact{ID: a2a.NewArtifactID(), Name: name, Parts: parts})
}

// PutArtifact adds an artifact, or replaces the one with its id. The artifact belongs to the turn from then on.
func (t *Turn) PutArtifact(a *a2a.Artifact) error {
	if a.ID == "" {
		return fmt.Errorf("agent: artifact %q has no id", a.Name)
	}
	if len(a.Parts) == 0 {
		return fmt.Errorf("agent: artifact %q has no parts", a.ID)
	}
	return t.backend.Artifact(a, false, true)
}

// PutChunk is [Turn.PutArtifact] for an agent that passes on the stream of another source. The parts of a are the
// beginning of the artifact with its id or, with more, are appended to it. last says that no more parts follow; with
// more and last there may be no parts. The artifact belongs to the turn from then on. For a stream of the agent's
// own, [Turn.NewArtifact] is easier.
func (t *Turn) PutChunk(a *a2a.Artifact, more, last bool) error {
	if a.ID == "" {
		return fmt.Errorf("agent: a chunk of artifact %q has no id", a.Name)
	}
	if len(a.Parts) == 0 && !(more && last) {
		return fmt.Errorf("agent: a chunk of artifact %q has no parts", a.ID)
	}
	return t.backend.Artifact(a, more, last)
}

// SetMetadata sets a member of the task's metadata; a nil value removes it.
func (t *Turn) SetMetadata(key string, value any) error {
	raw, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("agent: metadata %q: %w", key, err)
	}
	return t.backend.Metadata(a2a.Metadata{key: raw})
}

// SaveTask keeps v, as JSON, for later turns of this task. It returns after the commit.
func (t *Turn) SaveTask(ctx context.Context, v any) error {
	raw, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("agent: state of the task: %w", err)
	}
	return t.changeTaskState(ctx, func(s *taskState) { s.Agent = raw })
}

// SaveContext keeps v, as JSON, for later tasks of this context. It returns after the commit. Tasks of one context
// run at once: the last save wins.
func (t *Turn) SaveContext(ctx context.Context, v any) error {
	raw, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("agent: state of the context: %w", err)
	}
	return t.backend.Save(ctx, nil, raw)
}

// Flush returns once all that the turn has queued is committed. An agent calls it before it does anything outside that
// must not outlive its task.
func (t *Turn) Flush(ctx context.Context) error { return t.backend.Save(ctx, nil, nil) }

// LoadTask reads what SaveTask kept into v and reports whether there was anything.
func (t *Turn) LoadTask(ctx context.Context, v any) (bool, error) {
	s, err := t.loadTaskState(ctx)
	return decodeState(s.Agent, err, v)
}

// LoadContext reads what SaveContext kept into v and reports whether there was anything.
func (t *Turn) LoadContext(ctx context.Context, v any) (bool, error) {
	raw, err := t.backend.ContextState(ctx)
	return decodeState(raw, err, v)
}

func decodeState(raw []byte, err error, v any) (bool, error) {
	if err != nil || raw == nil {
		return false, err
	}
	if err := json.Unmarshal(raw, v); err != nil {
		return false, fmt.Errorf("agent: saved state: %w", err)
	}
	return true, nil
}

// Ask ends the turn with a question: return t.Ask(parts...). The next message starts the next turn.
func (t *Turn) Ask(parts ...a2a.Part) error { return &turn.Outcome{Kind: turn.Ask, Parts: parts} }

// NeedAuth ends the turn because the agent needs an authorization, which the parts explain (A2A 1.0 §7.6.1).
// [Turn.Authorize] has parts that programs understand.
func (t *Turn) NeedAuth(parts ...a2a.Part) error {
	return &turn.Outcome{Kind: turn.NeedAuth, Parts: parts}
}

// Suspend ends the turn but not the work: the task stays working until a message comes, or someone calls engine.Wake,
// or the time has come; a zero time means no timer.
func (t *Turn) Suspend(until time.Time) error {
	return &turn.Outcome{Kind: turn.Suspend, Until: until}
}

// Complete ends the turn and completes the task, with the parts as its last status message: return
// t.Complete(parts...). Results belong in artifacts, which callers look for; this is for what is said about them, or
// for an agent whose answer is a sentence. Without parts it does what returning nil does.
func (t *Turn) Complete(parts ...a2a.Part) error {
	return &turn.Outcome{Kind: turn.Complete, Parts: parts}
}

// Reply ends the turn with a message instead of a task: return t.Reply(parts...). When the task exists already, it is
// completed with that message, as by [Turn.Complete].
func (t *Turn) Reply(parts ...a2a.Part) error { return &turn.Outcome{Kind: turn.Reply, Parts: parts} }

// Await asks a question and waits for the answer within the turn; for short waits. The task is input-required
// meanwhile, and working again when Await returns. A restart ends the wait but not the task: the message then starts a
// new turn. Its error is the context's, or that the turn is over.
func (t *Turn) Await(ctx context.Context, parts ...a2a.Part) (*a2a.Message, error) {
	return t.backend.Pause(ctx, a2a.TaskStateInputRequired, t.say(parts))
}

// AwaitAuth is Await for an authorization: the task is auth-required meanwhile. It returns a nil message if a grant let
// the task go on, see [Turn.NewGrant].
func (t *Turn) AwaitAuth(ctx context.Context, parts ...a2a.Part) (*a2a.Message, error) {
	return t.backend.Pause(ctx, a2a.TaskStateAuthRequired, t.say(parts))
}

// Next takes the next message that was sent to the task while this turn runs, and waits for one if there is none.
func (t *Turn) Next(ctx context.Context) (*a2a.Message, error) { return t.backend.Next(ctx) }

// say returns a message of the agent, nil without parts.
func (t *Turn) say(parts []a2a.Part) *a2a.Message {
	if len(parts) == 0 {
		return nil
	}
	m := a2a.NewMessage(a2a.RoleAgent, parts...)
	m.TaskID, m.ContextID = t.info.TaskID, t.info.ContextID
	return m
}

// MatchMode reports whether a mode of a card or a request, which may be a media type, a range such as "image/*", or
// the old word "text", covers a media type. Parameters such as charset do not count.
func MatchMode(mode, mediaType string) bool {
	mode, mediaType = baseType(mode), baseType(mediaType)
	if mode == mediaType || mode == "*/*" || mode == "*" {
		return true
	}
	kind, isRange := strings.CutSuffix(mode, "/*")
	return isRange && strings.HasPrefix(mediaType, kind+"/")
}

func baseType(s string) string {
	if base, _, err := mime.ParseMediaType(s); err == nil {
		s = base
	}
	if s == "text" {
		return "text/plain"
	}
	return strings.ToLower(s)
}
