// SPDX-License-Identifier: Apache-2.0

package a2abridge

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/apps/coord"
	"github.com/dragoman-a2a/dragoman/client"
)

// toAgent begins the names of A2A agents among sessions.
const toAgent = "a2a:"

// Limits of what sessions ask agents.
const (
	maxQuery     = 64 << 10 // bytes
	maxName      = 200      // bytes, as the coordinator takes
	maxAnswer    = 64 << 10 // bytes of an answer that a session gets
	maxPaused    = 1000     // conversations that are remembered because the agent has asked back
	pausedFor    = time.Hour
	nameWithin   = 10 * time.Second // for an agent to take a query
	cancelWithin = 5 * time.Second
)

type outside struct {
	opts    *Options
	client  client.Options
	ctx     context.Context // of exchanges, which may outlive the calls of sessions
	stop    context.CancelFunc
	running sync.WaitGroup
	room    chan struct{}

	mu     sync.Mutex
	ended  bool
	stamp  int64 // of the last id, in nanoseconds
	paused map[talk]*a2a.Task
}

// A talk is what goes on between a session of a principal and an agent.
type talk struct{ project, principal, session, agent string }

func newOutside(o *Options) *outside {
	out := &outside{opts: o, room: make(chan struct{}, o.MaxAsked), paused: make(map[talk]*a2a.Task)}
	out.client = client.Options{MaxAnswer: 4 << 20, HTTPClient: &http.Client{Transport: client.NewHTTPTransport()}}
	out.ctx, out.stop = context.WithCancel(context.Background())
	return out
}

func (out *outside) close() {
	out.mu.Lock()
	out.ended = true
	out.mu.Unlock()
	out.stop()
	out.running.Wait()
	out.client.HTTPClient.CloseIdleConnections()
}

// Ask answers a query to a session whose name begins with a2a:, as the coordinator does; handled reports whether it is
// one.
func (b *Bridge) Ask(ctx context.Context, project, principal string, q coord.Ask) (result coord.Result, handled bool,
	err error) {
	name, ok := strings.CutPrefix(q.To, toAgent)
	if !ok {
		return nil, false, nil
	}
	if f := check(&q); f != nil {
		return *f, true, nil
	}
	// The query is a heartbeat of the session, which has to be the caller's.
	alive, err := b.opts.Hub.Do(ctx, project, principal, coord.Heartbeat{Session: q.From})
	if f, refused := alive.(coord.Failure); err != nil || refused && f.Code != "" {
		return alive, true, err
	}
	ref, ok := b.outside.find(name)
	if !ok {
		return coord.Failure{Status: "not_found",
			Error: fmt.Sprintf("Agent %s not found in project %s; A2A agents that can be asked: %s", q.To, project,
				b.outside.names())}, true, nil
	}
	// else it has no inbox for a late answer
	begun, err := b.opts.Hub.Do(ctx, project, principal, coord.Begin{Session: q.From})
	if _, refused := begun.(coord.Failure); err != nil || refused {
		return begun, true, err
	}
	defer b.opts.Hub.Connect(project, q.From)()
	result, err = b.outside.ask(ctx, b.opts.Hub, talk{project, principal, q.From, ref}, &q)
	return result, true, err
}

func check(q *coord.Ask) *coord.Failure {
	why := ""
	switch {
	case q.From == "":
		why = "from_session is missing"
	case q.Query == "":
		why = "query is missing"
	case len(q.Query) > maxQuery:
		why = fmt.Sprintf("query is longer than %d bytes", maxQuery)
	case len(q.To) > maxName:
		why = fmt.Sprintf("to_session is longer than %d bytes: name the agent by its alias", maxName)
	case !utf8.ValidString(q.Query):
		why = "query is not UTF-8"
	case q.Timeout < 0:
		why = "timeout must be 0, for no wait, or more"
	default:
		return nil
	}
	return &coord.Failure{Status: "error", Error: why, Code: coord.CodeInvalid}
}

func (out *outside) find(name string) (ref string, ok bool) {
	if ref, ok = out.opts.Agents[name]; ok {
		return ref, true
	}
	for _, ref := range out.opts.Agents {
		if ref == name {
			return ref, true
		}
	}
	return "", false
}

func (out *outside) names() string {
	if len(out.opts.Agents) == 0 {
		return "none; whoever runs the coordinator names them to it with dragoman coord serve --a2a-agent ALIAS=URL"
	}
	var all []string
	for _, alias := range slices.Sorted(maps.Keys(out.opts.Agents)) {
		all = append(all, toAgent+alias)
	}
	return strings.Join(all, ", ")
}

// ask asks an agent and waits as long as the query says. An answer that comes later goes to the inbox.
func (out *outside) ask(ctx context.Context, hub *coord.Hub, with talk, q *coord.Ask) (coord.Result, error) {
	select {
	case out.room <- struct{}{}:
	default:
		return coord.Failure{Status: "error",
			Error: fmt.Sprintf("there are %d queries to A2A agents, which is the limit", out.opts.MaxAsked),
			Code:  coord.CodeLimit}, nil
	}
	id := out.id(q.From)
	exchange, cancel := context.WithTimeout(out.ctx, coord.MaxWait)
	answer := make(chan coord.Result, 1)
	left := make(chan wants, 1) // told, once, what of it goes to the inbox
	if !out.begin(func() {
		defer func() { <-out.room }()
		defer cancel()
		answer <- out.exchange(exchange, with, q)
		if want := <-left; want != nothing {
			out.deliver(hub, with.project, q, id, want, <-answer)
		}
	}) {
		cancel()
		<-out.room
		return coord.Failure{Status: "error", Error: "The coordinator is shutting down; try again",
			Code: coord.CodeShutdown}, nil
	}
	if !q.Wait {
		left <- anything
		return coord.Sent{Status: "sent", ID: id}, nil
	}
	timeout := min(q.Timeout, coord.MaxWait)
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	select {
	case result := <-answer:
		if ctx.Err() == nil {
			left <- nothing
			return result, nil
		}
		answer <- result // which nobody has taken
	case <-timer.C:
		left <- anything
		return coord.Unanswered{Status: "timeout",
			Error: fmt.Sprintf("No response received within %v seconds", timeout.Seconds()), ID: id}, nil
	case <-ctx.Done():
	}
	if errors.Is(context.Cause(ctx), coord.ErrDisconnected) {
		left <- anything
	} else {
		cancel() // nobody needs the answer any more
		left <- answers
	}
	return nil, context.Cause(ctx)
}

// wants is what a call that has returned leaves for the inbox of who asked.
type wants int

const (
	nothing  wants = iota // the call has it
	answers               // only an answer, which may have come as the call was canceled
	anything              // also why there is none
)

// begin runs an exchange that close waits for. It reports false once the bridge is closed.
func (out *outside) begin(f func()) bool {
	out.mu.Lock()
	defer out.mu.Unlock()
	if !out.ended {
		out.running.Go(f)
	}
	return !out.ended
}

// id makes the id of a query, as the coordinator's are.
func (out *outside) id(from string) string {
	out.mu.Lock()
	defer out.mu.Unlock()
	out.stamp = max(time.Now().UnixNano(), out.stamp+1)
	return fmt.Sprintf("%s-%d.%09d", from, out.stamp/1e9, out.stamp%1e9)
}

// deliver puts an answer that came late into the inbox of who asked.
func (out *outside) deliver(hub *coord.Hub, project string, q *coord.Ask, id string, want wants, result coord.Result) {
	text := ""
	switch r := result.(type) {
	case coord.Received:
		text = r.Response
	case coord.Failure:
		if want == answers {
			return
		}
		text = r.Error
	}
	if out.ctx.Err() != nil {
		return
	}
	text = cmp.Or(text, "(The agent answered without a text.)")
	done, err := hub.Do(out.ctx, project, "",
		coord.Respond{From: q.To, External: true, To: q.From, MessageID: id, Response: text})
	if f, refused := done.(coord.Failure); refused {
		err = errors.New(f.Error)
	}
	if err != nil {
		out.opts.Logger.Warn("the late answer of an A2A agent is lost", slog.String("project", project),
			slog.String("agent", q.To), slog.String("error", err.Error()))
	}
}

func (out *outside) exchange(ctx context.Context, with talk, q *coord.Ask) coord.Result {
	c, err := client.Dial(ctx, with.agent, &out.client)
	if err != nil {
		return out.failed(q.To, err)
	}
	defer c.Close()
	m := a2a.NewMessage(a2a.RoleUser, a2a.TextPart(q.Query))
	before := out.resume(with)
	if before != nil {
		m.TaskID, m.ContextID = before.ID, before.ContextID
	}
	message, task, err := send(ctx, c, m)
	switch {
	case err != nil:
		return out.failed(q.To, err)
	case message != nil:
		return received(textOf(message.Parts))
	}
	return out.outcome(with, task)
}

// send sends a message and waits for what comes of it.
func send(ctx context.Context, c *client.Client, m *a2a.Message) (*a2a.Message, *a2a.Task, error) {
	req := &a2a.SendMessageRequest{Message: m}
	sending, stop := ctx, context.CancelFunc(func() {})
	if m.TaskID == "" {
		// The agent is to name the task at once, and is heard to the end of that: what has no name cannot be cancelled.
		req.Configuration = &a2a.SendConfiguration{ReturnImmediately: true}
		sending, stop = context.WithTimeout(context.WithoutCancel(ctx), nameWithin)
	}
	defer stop()
	result, err := c.SendMessage(sending, req)
	if err != nil {
		return nil, nil, err
	}
	task, ok := result.(*a2a.Task)
	if !ok {
		message, _ := result.(*a2a.Message)
		return message, nil, nil
	}
	if task.Status.State.Terminal() || task.Status.State.Interrupted() {
		return nil, task, nil
	}
	ended, err := c.Wait(ctx, task.ID)
	if err != nil && ctx.Err() != nil {
		end, stop := context.WithTimeout(context.WithoutCancel(ctx), cancelWithin)
		defer stop()
		c.CancelTask(end, &a2a.CancelTaskRequest{ID: task.ID}) // its outcome interests nobody any more
	}
	return nil, ended, err
}

// askedBack is what a session is told beside a question of an agent.
const askedBack = "\n\n(The agent asks this back. Answer it with another query_agent to it within an hour: that goes " +
	"on with the same task.)"

// outcome makes the result of a task. A question of the agent is its answer for now; the session's next query goes on
// from there.
func (out *outside) outcome(with talk, task *a2a.Task) coord.Result {
	said := ""
	if task.Status.Message != nil {
		said = textOf(task.Status.Message.Parts)
	}
	switch state := task.Status.State; {
	case state == a2a.TaskStateInputRequired:
		out.pause(with, task)
		return received(shorten(said, maxAnswer-len(askedBack)) + askedBack)
	case state != a2a.TaskStateCompleted:
		why := strings.ToLower(strings.ReplaceAll(strings.TrimPrefix(state.String(), "TASK_STATE_"), "_", "-"))
		return failure("Agent did not answer: the task is " + why + ". " + said)
	}
	var texts []string
	for _, a := range task.Artifacts {
		if text := textOf(a.Parts); text != "" {
			texts = append(texts, text)
		}
	}
	if len(texts) == 0 {
		texts = append(texts, said)
	}
	return received(strings.Join(texts, "\n"))
}

// pause remembers a task that waits for the session's next query.
func (out *outside) pause(with talk, task *a2a.Task) {
	out.mu.Lock()
	defer out.mu.Unlock()
	if len(out.paused) >= maxPaused {
		clear(out.paused) // what is deleted begins again
	}
	kept := &a2a.Task{ID: task.ID, ContextID: task.ContextID}
	kept.Status.Timestamp = time.Now()
	out.paused[with] = kept
}

// resume returns the task that waits for a session's next query, if there is one.
func (out *outside) resume(with talk) *a2a.Task {
	out.mu.Lock()
	defer out.mu.Unlock()
	task := out.paused[with]
	delete(out.paused, with)
	if task == nil || time.Since(task.Status.Timestamp) > pausedFor {
		return nil
	}
	return task
}

// failed is the result of a query that the agent of a name did not answer.
func (out *outside) failed(name string, err error) coord.Result {
	if e, ok := errors.AsType[*a2a.Error](err); ok && e.Remote {
		return failure("Agent " + name + " did not answer: " + e.Message)
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return failure("Agent " + name + " did not answer in time")
	}
	if out.ctx.Err() == nil {
		out.opts.Logger.Warn("an A2A agent cannot be reached", slog.String("agent", name),
			slog.String("error", err.Error()))
	}
	return failure("Agent " + name + " cannot be reached; the log of the coordinator says why")
}

func failure(why string) coord.Failure {
	return coord.Failure{Status: "error", Error: strings.TrimSpace(shorten(why, 2000))}
}

func received(text string) coord.Received {
	return coord.Received{Status: "received", Response: shorten(text, maxAnswer)}
}

// shorten returns the beginning of a text, without half a character, and says so.
func shorten(text string, limit int) string {
	const more = " ... (the answer was longer)"
	if len(text) <= limit {
		return text
	}
	return strings.ToValidUTF8(text[:limit-len(more)], "") + more
}

// textOf returns the texts and the data of parts. Texts that follow each other are pieces of one.
func textOf(parts []a2a.Part) string {
	var b strings.Builder
	piece := true
	for _, p := range parts {
		var text string
		isText := false
		switch c := p.Content.(type) {
		case a2a.Text:
			text, isText = string(c), true
		case a2a.Data:
			text = string(c)
		case a2a.URL:
			text = "[file at " + string(c) + "]"
		default:
			continue
		}
		if b.Len() > 0 && !(piece && isText) {
			b.WriteByte('\n')
		}
		b.WriteString(text)
		piece = isText
	}
	return b.String()
}
