// SPDX-License-Identifier: Apache-2.0

package files

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/go-json-experiment/json"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/internal/turn"
	"github.com/dragoman-a2a/dragoman/journal"
)

// WantFiles is the member of metadata, of a message or of its request, by which a client asks how it gets files: with
// the value "url" all of them by URL, with "inline" none, without it those that are large.
const WantFiles = "desiredOutputFiles"

// inline01 is how many bytes a part may have that stays in the message for callers of 0.1: its clients do not follow
// links.
const inline01 = 4 << 20

// Agent returns a, whose files the store keeps. The agent makes parts of bytes as ever, and reads them as such in its
// task and in related ones. Bytes that it returns from a turn by Turn.Reply stay where they are, because there may be
// no task.
//
// Serve the result with [Store.Service], or readers see references that only the store can read.
func (s *Store) Agent(a agent.Agent) agent.Agent { return &keeper{s, a} }

type keeper struct {
	store *Store
	agent agent.Agent
}

// Run runs the agent with a turn whose files are kept.
func (k *keeper) Run(ctx context.Context, t *agent.Turn) error {
	t, b := k.turn(ctx, t)
	err := k.agent.Run(ctx, t)
	b.reclaim()
	out, ok := errors.AsType[*turn.Outcome](err)
	if !ok {
		return err
	}
	if out.Kind == turn.Reply { // there may be no task that files could belong to
		b.limit = -1
	}
	kept := *out
	if kept.Parts, _, err = b.keep(out.Parts); err != nil {
		return err
	}
	return &kept
}

// Cancel implements [agent.Canceler] for agents that do.
func (k *keeper) Cancel(ctx context.Context, t *agent.Turn) error {
	if c, ok := k.agent.(agent.Canceler); ok {
		t, _ = k.turn(ctx, t)
		return c.Cancel(ctx, t)
	}
	return nil
}

// Resumable implements [agent.Resumable] for agents that do.
func (k *keeper) Resumable() bool {
	r, ok := k.agent.(agent.Resumable)
	return ok && r.Resumable()
}

// Delegates implements [agent.Delegator] for agents that do.
func (k *keeper) Delegates() map[string]a2a.Service {
	if d, ok := k.agent.(agent.Delegator); ok {
		return d.Delegates()
	}
	return nil
}

func (k *keeper) turn(ctx context.Context, t *agent.Turn) (*agent.Turn, *backend) {
	info, inner := turn.Parts(t)
	b := &backend{Backend: inner, ctx: ctx, store: k.store, limit: k.store.opts.Threshold}
	b.key.Agent, b.key.Tenant, b.key.Owner, b.key.ID = info.Agent, info.Tenant, info.Owner, info.TaskID
	switch wanted(info) {
	case "url":
		b.limit = 0
	case "inline":
		b.limit = -1
	default:
		if info.Generation == a2a.Generation01 && b.limit >= 0 {
			b.limit = max(b.limit, inline01)
		}
	}
	return turn.New(info, b).(*agent.Turn), b
}

func wanted(info turn.Info) (how string) {
	if info.Message != nil && json.Unmarshal(info.Message.Metadata[WantFiles], &how) == nil {
		return how
	}
	how = ""
	json.Unmarshal(info.Metadata[WantFiles], &how)
	return how
}

// backend keeps the files of what goes through it, and gives the agent bytes in their place.
type backend struct {
	turn.Backend
	ctx      context.Context
	store    *Store
	key      journal.Key
	limit    int // bytes that a part may have in the journal; below 0 any number
	replaced replaced
}

func (b *backend) Status(state a2a.TaskState, m *a2a.Message) error {
	m, put, err := b.message(m)
	if err != nil {
		return err
	}
	err = b.Backend.Status(state, m)
	if err != nil {
		b.discard(put)
	}
	return err
}

func (b *backend) Pause(ctx context.Context, state a2a.TaskState, m *a2a.Message) (*a2a.Message, error) {
	m, _, err := b.message(m)
	if err != nil {
		return nil, err
	}
	return b.Backend.Pause(ctx, state, m) // which may fail although the task shows the message
}

func (b *backend) Artifact(a *a2a.Artifact, appendParts, last bool) error {
	parts, put, err := b.keep(a.Parts)
	if err != nil {
		return err
	}
	kept := *a
	kept.Parts = parts
	b.replaced.seen(a.ID, b.Backend.Task)
	if err := b.Backend.Artifact(&kept, appendParts, last); err != nil {
		b.discard(put)
		return err
	}
	if b.replaced.note(a.ID, parts, appendParts) > maxReplaced {
		b.reclaim()
	}
	return nil
}

func (b *backend) message(m *a2a.Message) (shown *a2a.Message, put []*File, err error) {
	if m == nil {
		return nil, nil, nil
	}
	kept := *m
	kept.Parts, put, err = b.keep(m.Parts)
	return &kept, put, err
}

// keep returns parts with references in place of the bytes that are to be had by URL, and the files that are new. On an
// error there are none.
func (b *backend) keep(parts []a2a.Part) (kept []a2a.Part, put []*File, err error) {
	kept = parts
	for i, p := range parts {
		switch c := p.Content.(type) {
		case a2a.URL:
			err = b.own(string(c))
		case a2a.Raw:
			if b.limit < 0 || len(c) <= b.limit {
				continue
			}
			var f *File
			if f, err = b.put(c, File{MediaType: p.MediaType, Name: p.Filename}); err != nil {
				break
			}
			if put = append(put, f); len(put) == 1 {
				kept = slices.Clone(parts)
			}
			kept[i], err = byReference(p, f)
		}
		if err != nil {
			b.discard(put)
			return nil, nil, err
		}
	}
	return kept, put, nil
}

// put puts a file into the store. Where there is no room, what artifacts have replaced makes some. The errors are for
// callers, too.
func (b *backend) put(content []byte, about File) (*File, error) {
	f, err := b.store.Put(b.ctx, b.key, bytes.NewReader(content), about)
	if (errors.Is(err, ErrQuota) || errors.Is(err, ErrFull)) && b.reclaim() {
		f, err = b.store.Put(b.ctx, b.key, bytes.NewReader(content), about)
	}
	if err == nil {
		return f, nil
	}
	why, o := "", b.store.opts
	switch {
	case errors.Is(err, ErrTooLarge):
		why = fmt.Sprintf("Files may have %d bytes here.", o.MaxFile)
	case errors.Is(err, ErrQuota):
		why = fmt.Sprintf("The files of all tasks of one caller may have %d bytes, until the oldest tasks are removed.",
			o.MaxOwner)
	case errors.Is(err, ErrFull):
		why = "There is no room until old tasks are removed."
	default:
		return nil, err
	}
	return nil, agent.Public(fmt.Sprintf("The file %s of %d bytes cannot be kept. %s To get it without a place here, "+
		"ask with \"desiredOutputFiles\": \"inline\" in the message's metadata.", urlName(about.Name), len(content),
		why), err)
}

// discard removes files that nothing will refer to. It leaves files that it cannot remove to the next sweep.
func (b *backend) discard(put []*File) {
	for _, f := range put {
		b.remove(f.ID)
	}
}

func (b *backend) remove(id string) {
	if !isOf(b.key, id) {
		return // another task's: that this one refers to it, by an agent without a store, gives it no right to the file
	}
	if err := b.store.removeFile(id); err != nil {
		b.store.opts.Logger.Warn("a file that no artifact refers to cannot be removed now", "file", id, "error", err)
	}
}

// reclaim removes the files of replaced artifacts after the journal has committed their replacements, and reports
// whether it removed any. If the commit fails, it leaves the files to the next sweep.
func (b *backend) reclaim() bool {
	ids := b.replaced.take()
	if len(ids) == 0 || b.Backend.Save(b.ctx, nil, nil) != nil { // which returns after the commit
		return false
	}
	named := namedIn(b.Backend.Task())
	ids = slices.DeleteFunc(ids, func(id string) bool { return named[id] })
	for _, id := range ids {
		b.remove(id)
	}
	return len(ids) > 0
}

// own refuses references to files of other tasks: an agent that repeats what it reads would give away whatever a
// caller names.
func (b *backend) own(url string) error {
	id, _, ok := parseReference(url)
	if !ok {
		return nil
	}
	content, f, err := b.store.Open(id)
	if err != nil {
		return err
	}
	content.Close()
	if f.Key != b.key {
		return fmt.Errorf("%w in this task", ErrNotFound)
	}
	return nil
}

// byReference returns a part that refers to a file and says how to check it.
func byReference(p a2a.Part, f *File) (a2a.Part, error) {
	p.Content = a2a.URL(referenceTo(f))
	meta := a2a.Metadata{}
	maps.Copy(meta, p.Metadata)
	p.Metadata = meta
	return p, errors.Join(meta.Set("size", f.Size), meta.Set("sha256", f.SHA256))
}

// Task returns the task with the bytes of its files, as the agent made them.
func (b *backend) Task() *a2a.Task { return view(b.inline).task(b.Backend.Task()) }

// Related does the same for other tasks.
func (b *backend) Related(ctx context.Context) ([]*a2a.Task, error) {
	tasks, err := b.Backend.Related(ctx)
	if err != nil {
		return nil, err
	}
	return each("", tasks, func(_ a2a.TaskID, t *a2a.Task) *a2a.Task { return view(b.inline).task(t) }), nil
}

// inline replaces a reference with the file's bytes. It keeps a reference to a file that it cannot read.
func (b *backend) inline(task a2a.TaskID, p a2a.Part) a2a.Part {
	id, _, ok := parseReference(string(p.Content.(a2a.URL)))
	if !ok {
		return p
	}
	var content []byte
	err := ErrNotFound
	if isOf(journal.Key{Scope: b.key.Scope, ID: task}, id) {
		content, err = b.store.read(id)
	}
	if err != nil {
		b.store.opts.Logger.Warn("a file of a task cannot be read", "task", task, "error", err)
		return p
	}
	p.Content = a2a.Raw(content)
	return p
}
