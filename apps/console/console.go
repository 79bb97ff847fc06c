// SPDX-License-Identifier: Apache-2.0

// Package console is a web application for conversations with agents. It calls them as a client of A2A, in whatever
// version they speak, and keeps what was said in a database, so that a conversation goes on after a reload of the page
// and after a restart of the server.
//
// [Console.ServeHTTP] serves the pages and their API below any path.
package console

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/auth"
	"github.com/dragoman-a2a/dragoman/card"
	"github.com/dragoman-a2a/dragoman/client"
	"github.com/dragoman-a2a/dragoman/store"
)

// Options are what a Console is made of.
type Options struct {
	Store  *store.DB      // required; the console does not close it
	Client client.Options // for calls of agents
	// Authenticator knows who may use the console; nil lets everyone who reaches it.
	Authenticator auth.Authenticator
	// Policy decides about each request: the operation is ReadConsole or, if it changes something or calls an agent,
	// UseConsole. The agent is "console". Nil allows everything.
	Policy auth.Policy
	Logger *slog.Logger // nil means slog.Default()
}

// A Console holds conversations with agents. Close it before the database.
type Console struct {
	tables  *tables
	options Options
	logger  *slog.Logger
	news    *news
	wire    *wireLog
	routes  handler

	ctx  context.Context // of the calls of agents
	stop context.CancelFunc
	work sync.WaitGroup

	mu      sync.Mutex
	clients map[string]*client.Client     // by agent
	cancels map[string]context.CancelFunc // of conversations in which a call is under way
}

// New returns a Console, and goes on with the tasks that were running when the last one was closed.
func New(ctx context.Context, o *Options) (*Console, error) {
	t, err := openTables(ctx, o.Store)
	if err != nil {
		return nil, err
	}
	c := &Console{tables: t, options: *o, logger: o.Logger, news: newNews(),
		clients: make(map[string]*client.Client), cancels: make(map[string]context.CancelFunc)}
	if c.logger == nil {
		c.logger = slog.Default()
	}
	if c.options.Client.HTTPClient == nil {
		c.options.Client.HTTPClient = &http.Client{Transport: client.NewHTTPTransport()}
	}
	if c.wire, err = openWire(ctx, t, c.logger); err != nil {
		return nil, fmt.Errorf("console: %w", err)
	}
	c.ctx, c.stop = context.WithCancel(context.WithoutCancel(ctx))
	c.routes = c.handler()
	running, err := t.running(ctx)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("console: %w", err), c.Close())
	}
	for _, conversation := range running {
		c.resume(conversation)
	}
	return c, nil
}

// Close ends the calls of agents. The next Console follows their tasks again.
func (c *Console) Close() error {
	c.stop()
	c.news.close()
	c.work.Wait()
	var errs []error
	for _, one := range c.clients {
		errs = append(errs, one.Close())
	}
	c.options.Client.HTTPClient.CloseIdleConnections()
	c.wire.close()
	return errors.Join(errs...)
}

// client returns the client of an agent, which all conversations with it share.
func (c *Console) client(ctx context.Context, id string) (*client.Client, error) {
	c.mu.Lock()
	found := c.clients[id]
	c.mu.Unlock()
	if found != nil {
		return found, nil
	}
	a, err := c.tables.agent(ctx, id)
	if err != nil {
		return nil, err
	}
	known, err := card.Decode(a.Card)
	if err != nil {
		return nil, fmt.Errorf("console: the card of %s cannot be read: %w", a.URL, err)
	}
	fresh, err := client.New(known, c.tapped(id))
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if found := c.clients[id]; found != nil { // another conversation was faster
		return found, fresh.Close()
	}
	c.clients[id] = fresh
	return fresh, nil
}

// forget drops the client of an agent, whose card has changed or which is removed.
func (c *Console) forget(id string) {
	c.mu.Lock()
	old := c.clients[id]
	delete(c.clients, id)
	c.mu.Unlock()
	if old != nil {
		_ = old.Close() // calls that are under way end by themselves
	}
}

// errBusy refuses a message while the agent works on the one before.
var errBusy = errors.New("the agent still works on the message before; wait for it, or cancel it")

// begin starts a call in a conversation, of which there is one at a time, on a goroutine of its own.
func (c *Console) begin(id string, call func(ctx context.Context)) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cancels[id] != nil {
		return errBusy
	}
	if err := c.ctx.Err(); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(c.ctx)
	c.cancels[id] = cancel
	c.work.Go(func() {
		defer func() {
			cancel()
			c.mu.Lock()
			delete(c.cancels, id)
			c.mu.Unlock()
		}()
		call(ctx)
	})
	return nil
}

// send says something in a conversation and follows what comes of it.
func (c *Console) send(ctx context.Context, id string, m *a2a.Message) error {
	conversation, err := c.tables.conversation(ctx, id)
	if err != nil {
		return err
	}
	m.ID, m.Role, m.ContextID = a2a.NewMessageID(), a2a.RoleUser, conversation.Context
	m.TaskID = ""
	if conversation.State == "input-required" || conversation.State == "auth-required" {
		m.TaskID = conversation.Task
	}
	request := &a2a.SendMessageRequest{Message: m}
	if err := request.Validate(); err != nil {
		return err
	}
	body, err := json.Marshal(m)
	if err != nil {
		return err
	}
	kept := make(chan error, 1)
	err = c.begin(id, func(ctx context.Context) {
		err := c.keep(ctx, id, step{kind: kindSaid, body: body, state: stateSending, title: titleOf(m)})
		kept <- err
		if err != nil {
			return
		}
		agent, err := c.client(ctx, conversation.Agent)
		if err != nil {
			c.fail(ctx, id, err)
			return
		}
		for u, err := range agent.Stream(ctx, request) {
			if !c.take(ctx, id, u, err) {
				return
			}
		}
	})
	if err != nil {
		return err
	}
	return <-kept
}

// resume follows the task of a conversation that was left while it ran.
func (c *Console) resume(conversation Conversation) {
	err := c.begin(conversation.ID, func(ctx context.Context) {
		if conversation.State == stateSending || conversation.Task == "" {
			c.fail(ctx, conversation.ID, errStopped)
			return
		}
		agent, err := c.client(ctx, conversation.Agent)
		if err != nil {
			c.fail(ctx, conversation.ID, err)
			return
		}
		for u, err := range agent.Follow(ctx, &a2a.SubscribeRequest{ID: conversation.Task}) {
			if !c.take(ctx, conversation.ID, u, err) {
				return
			}
		}
	})
	if err != nil {
		c.logger.Error("a conversation was not resumed", "conversation", conversation.ID, "error", err)
	}
}

var errStopped = errors.New("the console was stopped before the agent answered; send the message again")

// stateSending is that of a conversation whose message has no answer yet.
const stateSending = "sending"

// take keeps what came of a call, and reports whether to go on.
func (c *Console) take(ctx context.Context, id string, u client.Update, err error) bool {
	if err != nil {
		c.fail(ctx, id, err)
		return false
	}
	s := step{kind: kindEvent}
	if s.body, err = a2a.AppendStreamResponse(nil, u.Event); err != nil {
		c.fail(ctx, id, err)
		return false
	}
	switch e := u.Event.(type) {
	case *a2a.Task:
		s.task, s.ctx, s.state = e.ID, e.ContextID, nameOf(e.Status.State)
	case *a2a.StatusUpdate:
		s.task, s.ctx, s.state = e.TaskID, e.ContextID, nameOf(e.Status.State)
	case *a2a.ArtifactUpdate:
		s.task, s.ctx = e.TaskID, e.ContextID
	case *a2a.Message:
		s.ctx, s.state = e.ContextID, "completed"
	}
	if err := c.keep(ctx, id, s); err != nil {
		c.logger.Error("an event was not kept", "conversation", id, "error", err)
		return false
	}
	return true
}

// fail keeps why a call came to nothing. A console that is being closed follows the task again when it starts.
func (c *Console) fail(ctx context.Context, id string, err error) {
	if c.ctx.Err() != nil {
		return
	}
	s := step{kind: kindError, body: problemOf(err).json(), state: "failed"}
	if errors.Is(err, context.Canceled) {
		return // by cancel, which keeps what it made of the task
	}
	if err := c.keep(context.WithoutCancel(ctx), id, s); err != nil && !errors.Is(err, errUnknown) {
		c.logger.Error("an error was not kept", "conversation", id, "error", err)
	}
}

// keep appends an entry and tells those who look.
func (c *Console) keep(ctx context.Context, id string, s step) error {
	if err := c.tables.append(ctx, id, time.Now(), s); err != nil {
		return err
	}
	c.news.tell(id)
	return nil
}

// cancel cancels the task of a conversation, and leaves its stream when the agent has confirmed it.
func (c *Console) cancel(ctx context.Context, id string) error {
	conversation, err := c.tables.conversation(ctx, id)
	if err != nil {
		return err
	}
	if conversation.Task != "" {
		agent, err := c.client(ctx, conversation.Agent)
		if err != nil {
			return err
		}
		task, err := agent.CancelTask(ctx, &a2a.CancelTaskRequest{ID: conversation.Task})
		if err != nil {
			return err
		}
		c.take(ctx, id, client.Update{StreamEvent: a2a.StreamEvent{Event: task}}, nil)
	}
	c.mu.Lock()
	stop := c.cancels[id]
	c.mu.Unlock()
	if stop != nil {
		stop()
	}
	return nil
}

// titleOf returns the first words of a message.
func titleOf(m *a2a.Message) string {
	const most = 80
	words := []rune(strings.Join(strings.Fields(m.Text()), " "))
	if len(words) > most {
		return string(words[:most-1]) + "…"
	}
	if len(words) == 0 {
		return "Files and forms"
	}
	return string(words)
}

// nameOf returns a state as people read it.
func nameOf(s a2a.TaskState) string {
	return strings.ReplaceAll(strings.ToLower(strings.TrimPrefix(s.String(), "TASK_STATE_")), "_", "-")
}

// Add adds the agent at an address, as people do on the page.
func (c *Console) Add(ctx context.Context, url string) error {
	a, _, err := c.fetch(ctx, url)
	if err == nil {
		_, err = c.tables.putAgent(ctx, a)
	}
	return err
}

// Leave ends the streams of all pages, which come back to the next console. Calls of agents go on until Close.
func (c *Console) Leave() {
	c.news.close()
	c.wire.news.close()
}
