// SPDX-License-Identifier: Apache-2.0

// Package engine runs agents over a journal: it gives them turns, takes messages and cancels from each task's inbox,
// commits what they say, and lets any number of readers follow. What [Engine.Agent] returns is an a2a.Service.
//
// A task has at most one runner, which holds the task's lease while a turn is open. A runner commits what its agent
// queued, in order, many events at a time, and then publishes them to the task's ring. Readers are cursors: they read
// the ring's recent events, and the journal when they are behind those, so a slow reader holds up nobody.
package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/auth"
	"github.com/dragoman-a2a/dragoman/internal/hidden"
	"github.com/dragoman-a2a/dragoman/journal"
	"github.com/dragoman-a2a/dragoman/journal/memory"
)

// Options configure an [Engine]. The zero value is an engine in memory with safe limits.
type Options struct {
	// Journal keeps the tasks. Nil means one in memory that New makes and Shutdown closes.
	Journal journal.Journal
	// Authorizer says what a caller reaches. Nil means auth.BySubject.
	Authorizer auth.Authorizer
	// Logger gets a line for each turn (debug) and for what went wrong. Nil means slog.Default().
	Logger *slog.Logger
	// Node names this process as the holder of leases; it must be unique among those that share the journal. Empty
	// means the host's name and a random part.
	Node string
	// Waker connects the nodes that share a journal. Nil means that this is the only one.
	Waker journal.Waker

	// Push keeps the push configs of tasks and delivers to them; a *push.Sender over the same journal does. Nil means
	// that agents have no push notifications.
	Push Push

	LeaseTTL    time.Duration // how long a lease lasts without renewal; 0 means 10 s
	TurnLimit   time.Duration // how long a turn may take; 0 means 1 h
	CancelGrace time.Duration // how long a cancelled turn may clean up; 0 means 5 s
	Retention   time.Duration // how long waiting and finished tasks are kept; 0 means 30 days
	MaxWaiting  int           // messages that may wait for a running turn of one task; 0 means 16

	// MaxTurns is how many turns run at once. One owner gets three quarters of it. Further turns wait, while their
	// tasks are submitted, and begin in an order that goes round the owners; 10,000 may wait. Turns that callers within
	// this process start, such as agents that delegate, begin at once. 0 means no limit.
	//
	// A turn keeps its place while it waits, as in agent.Turn.Await. Agents of one engine that call each other over the
	// network need more places than such calls can hold.
	MaxTurns int

	// MaxHeld is how many bytes of messages above 64 KiB turns may hold: those they work on and those that wait for
	// them. A further one is refused as unavailable. One owner gets three quarters of it. 0 means 256 MiB.
	MaxHeld int64
	// MaxPage is how many bytes of tasks ListTasks shows on a page, which ends early then; a larger task has a page of
	// its own. 0 means 4 MiB.
	MaxPage int64
}

// The limits of what waits between an agent and its journal, of what a ring keeps for its readers, and of what one
// reader holds, who may never read on.
const (
	maxReaderEvents = 64
	maxReaderBytes  = 128 << 10
	maxQueuedEvents = 1000
	maxQueuedBytes  = 1 << 20
	maxRingEvents   = 2048
	maxRingBytes    = 1 << 20
)

// Defaults returns the options with every zero value replaced by what it means.
func (o Options) Defaults() Options {
	if o.Authorizer == nil {
		o.Authorizer = auth.BySubject
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	if o.Node == "" {
		host, _ := os.Hostname()
		o.Node = fmt.Sprintf("%s/%d/%s", host, os.Getpid(), a2a.NewMessageID()[24:])
	}
	o.LeaseTTL = cmp.Or(o.LeaseTTL, 10*time.Second)
	o.TurnLimit = cmp.Or(o.TurnLimit, time.Hour)
	o.CancelGrace = cmp.Or(o.CancelGrace, 5*time.Second)
	o.Retention = cmp.Or(o.Retention, 30*24*time.Hour)
	o.MaxWaiting = cmp.Or(o.MaxWaiting, 16)
	o.MaxHeld = cmp.Or(o.MaxHeld, 256<<20)
	o.MaxPage = cmp.Or(o.MaxPage, 4<<20)
	return o
}

// Engine runs agents. Make one with [New] and end it with [Engine.Shutdown].
type Engine struct {
	opts    Options
	journal journal.Journal
	owned   bool // New made the journal
	log     *slog.Logger

	ctx  context.Context // ends when the engine is closed
	stop context.CancelFunc

	readers readerCount
	quiet   chan struct{} // closed once no turn runs any more: readers see what there is, and wait for nothing

	budget messageBudget
	queue  turnQueue

	turnsCtx  context.Context // what turns run under; ends when Shutdown has waited long enough
	stopTurns context.CancelCauseFunc

	loops   sync.WaitGroup
	kicks   chan struct{} // the claim loop should look now
	timer   wakeTimer
	turns   sync.WaitGroup // open turns; Add under drainMu
	drainMu sync.RWMutex
	drained atomic.Bool // no new turns

	mu       sync.RWMutex
	agents   map[string]*service
	runners  runnerSet
	rings    ringSet
	secrets  secrets
	granting sync.Map // IDs of grants that are being kept
	cache    taskCache
	shutdown sync.Once

	unobserve func() // ends the count of what waits
}

// New returns an engine and starts its upkeep: taking over what runs nowhere, renewing leases, and removing what is
// past its retention. Error: a negative limit, by the name of its field.
func New(opts *Options) (*Engine, error) {
	var o Options
	if opts != nil {
		o = *opts
	}
	if err := o.validate(); err != nil {
		return nil, err
	}
	e := &Engine{opts: o.Defaults(), agents: map[string]*service{}, kicks: make(chan struct{}, 1),
		quiet: make(chan struct{})}
	e.log, e.budget.max, e.queue.max = e.opts.Logger, e.opts.MaxHeld, e.opts.MaxTurns
	e.journal = e.opts.Journal
	if e.journal == nil {
		e.journal, e.owned = memory.New(nil), true
	}
	observe(e)
	e.ctx, e.stop = context.WithCancel(context.Background())
	e.turnsCtx, e.stopTurns = context.WithCancelCause(context.Background())
	e.timer.kick = e.kick
	for _, loop := range []func(){e.claimLoop, e.renewLoop, e.pruneLoop, e.listenLoop} {
		e.loops.Go(loop)
	}
	return e, nil
}

func (o *Options) validate() error {
	for name, value := range map[string]int64{
		"LeaseTTL": int64(o.LeaseTTL), "TurnLimit": int64(o.TurnLimit), "CancelGrace": int64(o.CancelGrace),
		"Retention": int64(o.Retention), "MaxWaiting": int64(o.MaxWaiting),
		"MaxTurns": int64(o.MaxTurns), "MaxHeld": o.MaxHeld, "MaxPage": o.MaxPage,
	} {
		if value < 0 {
			return fmt.Errorf("engine: Options.%s is negative", name)
		}
	}
	return nil
}

// AgentOptions configure one agent of an engine.
type AgentOptions struct {
	// Card is what the agent says of itself. A server over the Service serves it, so its own options need none; and the
	// engine holds messages against the media types that it names for the agent and its skills, text/plain where it
	// leaves them open. Nil means that any are taken.
	Card *a2a.AgentCard
	// ExtendedCard returns the card for one caller whom the server knows (A2A 1.0 §3.1.11): each may get another one.
	// The server completes it as it does the public card. ExtendedCard runs for each request of that card, and for each
	// message that names a skill which is not on the public card. Such a message is taken only if the caller's card has
	// the skill, and the caller the scopes that it needs there. A nil card means that the caller has none. If
	// ExtendedCard is nil, nobody has.
	ExtendedCard func(ctx context.Context, caller a2a.Identity) (*a2a.AgentCard, error)
	// AnyInput switches the check of input media types off.
	AnyInput bool
	// AllowAgentRole takes messages that callers send in the role of the agent. Otherwise they are refused with
	// a2a.ErrInvalidParams, because in the task's history nothing tells them from what the agent has said itself.
	AllowAgentRole bool
	// TakesCredentials lets clients send credentials in messages to tasks that wait for an authorization, if they
	// activate [a2a.CredentialsExtension], which the card declares. The turn alone gets them, see
	// agent.Turn.Credentials: history and journal have a placeholder. Otherwise such messages are refused.
	TakesCredentials bool
}

// A Service is an agent of an engine.
type Service interface {
	a2a.Service
	// Capabilities returns the optional parts of the protocol that the service has, for the card.
	Capabilities() a2a.AgentCapabilities
	// AgentCard returns the card of AgentOptions, nil if there is none.
	AgentCard() *a2a.AgentCard
	// Scope asks the engine's Authorizer what a call reaches; operation is as in [auth.Access]. Every lookup of the
	// service is in that scope.
	Scope(ctx context.Context, operation, tenant string) (journal.Scope, error)
}

// Agent makes a Service of an agent under a name, which is part of the key of each of its tasks and must not change
// between restarts. From then on the engine takes up the agent's interrupted and due tasks. Agent panics when the name
// is empty or taken, as both are mistakes of the program. It warns of an agent that wraps another one and hides that
// this is an [agent.Canceler] or [agent.Resumable].
func (e *Engine) Agent(name string, a agent.Agent, opts *AgentOptions) Service {
	if opts == nil {
		opts = &AgentOptions{}
	}
	s := &service{e: e, name: name, agent: a, modes: newModes(opts), agentRole: opts.AllowAgentRole, card: opts.Card,
		extended: opts.ExtendedCard, credentials: opts.TakesCredentials}
	s.warnOfWrapper()
	if d, ok := a.(agent.Delegator); ok {
		s.peers.named = d.Delegates()
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if name == "" {
		panic("engine: an agent needs a name")
	}
	if _, taken := e.agents[name]; taken {
		panic("engine: two agents are called " + name)
	}
	e.agents[name] = s
	e.kick()
	return s
}

// warnOfWrapper warns of what the agent's author would look for in vain.
func (s *service) warnOfWrapper() {
	warn := func(inner reflect.Type, lost, method string) {
		if inner != nil {
			s.e.log.Warn("an agent wraps another one and hides "+lost+"; pass it on with a method "+method,
				"agent", s.name, "wrapper", fmt.Sprintf("%T", s.agent), "wrapped", inner.String())
		}
	}
	warn(hidden.By[agent.Agent, agent.Canceler](s.agent), "its Cancel, which is not called",
		"Cancel(context.Context, *agent.Turn) error")
	warn(hidden.By[agent.Agent, agent.Delegator](s.agent),
		"its Delegates, so that what it delegated before a restart is not cancelled",
		"Delegates() map[string]a2a.Service")
	warn(hidden.By[agent.Agent, agent.Resumable](s.agent), "that it is resumable: turns that a restart interrupts fail",
		"Resumable() bool")
}

func (e *Engine) agentNames() []string {
	e.mu.RLock()
	defer e.mu.RUnlock()
	return slices.Collect(maps.Keys(e.agents))
}

func (e *Engine) service(name string) *service {
	e.mu.RLock()
	defer e.mu.RUnlock()
	return e.agents[name]
}

// Wake makes a suspended task go on. The token is that of agent.Turn.WakeToken; it is a name and no secret, so the
// caller sees to it who may wake. Waking a task that is not suspended does nothing. Errors: a2a.ErrInvalidParams for
// what is no token, a2a.ErrTaskNotFound.
func (e *Engine) Wake(ctx context.Context, token string) error {
	key, err := parseWakeToken(token)
	if err != nil {
		return err
	}
	head, err := e.journal.Head(ctx, key)
	if err != nil {
		return wireError(err)
	}
	_, err = e.journal.Enqueue(ctx, key, journal.Input{Kind: journal.InputWake, Time: now(),
		IdempotencyKey: onceAt("wake", head)}, 0)
	switch {
	case errors.Is(err, journal.ErrFinished):
		return nil
	case err != nil:
		return wireError(err)
	}
	e.ensureRunnerNow(ctx, key)
	return nil
}

// Ready returns nil if the engine takes messages, else why not: it drains, or its journal cannot keep tasks now. It
// is for server.Options.Ready.
func (e *Engine) Ready(ctx context.Context) error {
	if e.drained.Load() {
		return errDraining()
	}
	if j, ok := e.Journal().(interface{ Ready(context.Context) error }); ok {
		return wireError(j.Ready(ctx))
	}
	return nil
}

// Journal returns the journal that the engine runs over.
func (e *Engine) Journal() journal.Journal {
	if observed, ok := e.journal.(*observedJournal); ok {
		return observed.Journal
	}
	return e.journal
}

// enter registers a turn that is about to start; it refuses while the engine drains.
func (e *Engine) enter() error {
	e.drainMu.RLock()
	defer e.drainMu.RUnlock()
	if e.drained.Load() {
		return errDraining()
	}
	e.turns.Add(1)
	return nil
}

// Shutdown lets open turns come to their end until ctx does, and then releases the rest: turns of resumable agents
// are taken up again by the next engine on this journal, the others end as failed. New messages are refused
// meanwhile. Readers see all that was committed; those that would wait for more are cut. It returns ctx's error when
// turns had to be released. The Journal that Options named is left open.
func (e *Engine) Shutdown(ctx context.Context) error {
	var err error
	e.shutdown.Do(func() { err = e.drain(ctx) })
	return err
}

func (e *Engine) drain(ctx context.Context) error {
	e.drainMu.Lock()
	e.drained.Store(true)
	e.drainMu.Unlock()

	ended := make(chan struct{})
	go func() { e.turns.Wait(); close(ended) }()
	var err error
	select {
	case <-ended:
	case <-ctx.Done():
		err = ctx.Err()
		e.interruptAll(ended)
	}
	e.stopTurns(agent.ErrShutdown)
	close(e.quiet)
	select {
	case <-e.readers.none():
	case <-atLeast(ctx, time.Second):
	}
	e.mu.Lock() // after spawn, before the wait for what it started
	e.stop()
	e.mu.Unlock()
	e.loops.Wait()
	e.unobserve()
	e.timer.stop()
	if e.owned {
		err = errors.Join(err, e.journal.Close())
	}
	return err
}

// interruptAll ends the turns that would not end by themselves.
func (e *Engine) interruptAll(ended <-chan struct{}) {
	var wg sync.WaitGroup
	for _, r := range e.runners.all() {
		r.mu.Lock()
		t := r.turn
		r.mu.Unlock()
		if t != nil { // else outcome sees to its first turn
			wg.Go(t.interrupt)
		}
	}
	wg.Wait()
	e.stopTurns(agent.ErrShutdown)
	// Agents that heed their context return now; those that do not are fenced off and left behind.
	select {
	case <-ended:
	case <-time.After(time.Second):
	}
}

// atLeast returns a channel that is closed when ctx ends, but not before d has passed.
func atLeast(ctx context.Context, d time.Duration) <-chan struct{} {
	over := make(chan struct{})
	time.AfterFunc(d, func() { context.AfterFunc(ctx, func() { close(over) }) })
	return over
}

// now is the time of statuses and events: UTC, in the milliseconds that the wire carries, so that what is stored and
// what clients see compare the same.
func now() time.Time { return time.Now().UTC().Truncate(time.Millisecond) }

// wireError makes of a journal's error what a client may see.
func wireError(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, journal.ErrNotFound):
		return &a2a.Error{Kind: a2a.ErrTaskNotFound, Cause: err}
	case errors.Is(err, journal.ErrBadPageToken):
		return a2a.InvalidParams("pageToken", "is not one that this list gave out; start again without one")
	case errors.Is(err, journal.ErrFull):
		full := &a2a.Error{Kind: a2a.ErrUnavailable, Message: noRoom(err), RetryAfter: 10 * time.Second, Cause: err}
		if _, ok := errors.AsType[*journal.QuotaError](err); ok { // others find room
			full.Kind, full.RetryAfter = a2a.ErrRateLimited, time.Minute
		}
		return full
	case errors.Is(err, journal.ErrUnavailable):
		return &a2a.Error{Kind: a2a.ErrUnavailable, Message: "the server cannot keep tasks now; try again later",
			RetryAfter: 10 * time.Second, Cause: err}
	case errors.Is(err, journal.ErrClosed):
		return &a2a.Error{Kind: a2a.ErrUnavailable, Cause: err}
	}
	return a2a.AsError(err)
}

// noRoom says what a caller can do about an ErrFull.
func noRoom(err error) string {
	if quota, ok := errors.AsType[*journal.QuotaError](err); ok {
		return fmt.Sprintf("your tasks may take %d bytes on this server, and there is no room for this; "+
			"cancel tasks that you do not need, and try again when the server has removed old ones", quota.Bytes)
	}
	return "the server has no room for more; try again later"
}
