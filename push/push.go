// SPDX-License-Identifier: Apache-2.0

// Package push tells webhooks about tasks (A2A 1.0 §4.3.3): it keeps the push configs of an engine's tasks and delivers
// the tasks' events. Give a [Sender] to engine.Options.Push; the engine's agents then declare push notifications.
//
// A config is a cursor of the journal, so it is as durable as the task. Its events are delivered at least once and in
// order. A delivery that fails is tried again by the schedule, also after a restart.
package push

import (
	"cmp"
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/guard"
	"github.com/dragoman-a2a/dragoman/journal"
)

// KeySize is the length of Options.Key in bytes.
const KeySize = 32

// MaxConfigs is how many push configs a task may have.
const MaxConfigs = 100

// Options configure a [Sender].
type Options struct {
	// Journal has the tasks and keeps the configs. It is that of the engine.
	Journal journal.Journal
	// Key encrypts the secrets of configs, with [KeySize] bytes. Nil means a random key: after a restart the secrets
	// cannot be read, which suits a journal in memory only.
	Key []byte
	// AllowPrivate lets webhooks be in private networks and on this machine, and have http URLs. It is for development.
	AllowPrivate bool
	// Allow has host names, addresses and prefixes such as 10.1.0.0/16 of private networks and this machine that
	// webhooks may have besides public ones. A name may mean any address there. URLs are https all the same.
	Allow []string
	// Shown returns an event as clients see it. base is the URL at which the config was made. Nil shows it as it is.
	Shown func(key journal.Key, base string, ev a2a.Event) a2a.Event
	// Signer signs notifications whose config has no credentials for the header Authorization. Nil signs none.
	Signer Signer
	// Logger gets a line for each delivery that failed. Nil means slog.Default().
	Logger *slog.Logger

	Workers  int             // deliveries at one time; 0 means 256
	PerHost  int             // deliveries to one host at one time; 0 means 8
	Timeout  time.Duration   // of a delivery; 0 means 15 s (A2A 1.0 §4.3.3 wants 10 to 30 s)
	Schedule []time.Duration // waits before each further try; nil means that of Standard Webhooks, 5 s to 24 h
	Poll     time.Duration   // how long the search for due configs may wait; 0 means 1 s
}

// schedule is what Standard Webhooks recommends: about 75 hours.
var schedule = []time.Duration{5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour,
	10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour}

// Sender keeps push configs and delivers to them. Make one with [New] and end it with [Sender.Shutdown]. It is safe for
// concurrent use.
type Sender struct {
	opts    Options
	journal journal.Journal
	log     *slog.Logger
	http    *http.Client
	permit  *guard.Permit
	seal    cipher.AEAD

	ctx   context.Context // ends with Shutdown
	stop  context.CancelFunc
	loops sync.WaitGroup
	jobs  sync.WaitGroup
	nudge chan struct{} // there may be something to deliver

	mu      sync.Mutex
	busy    map[jobKey]bool  // what is delivered to or waits for its host
	hosts   map[string]*host // those with something to do, or that are slowed down
	running int
}

// New returns a Sender, which begins to deliver what is due.
func New(opts Options) (*Sender, error) {
	if opts.Journal == nil {
		return nil, errors.New("push: Options.Journal is missing")
	}
	permit, err := guard.ParsePermit(opts.Allow)
	if err != nil {
		return nil, fmt.Errorf("push: Options.Allow: %w", err)
	}
	if opts.Key == nil {
		opts.Key = make([]byte, KeySize)
		rand.Read(opts.Key)
	}
	if len(opts.Key) != KeySize {
		return nil, fmt.Errorf("push: Options.Key has %d bytes; give %d random ones", len(opts.Key), KeySize)
	}
	block, err := aes.NewCipher(opts.Key)
	if err != nil {
		return nil, err
	}
	seal, err := cipher.NewGCM(block)
	if err != nil {
		return nil, err
	}
	if opts.Logger == nil {
		opts.Logger = slog.Default()
	}
	if opts.Schedule == nil {
		opts.Schedule = schedule
	}
	opts.Workers, opts.PerHost = cmp.Or(opts.Workers, 256), cmp.Or(opts.PerHost, 8)
	opts.Timeout, opts.Poll = cmp.Or(opts.Timeout, 15*time.Second), cmp.Or(opts.Poll, time.Second)
	transport := guard.Transport(permit.Dial(opts.networks(), nil))
	transport.MaxIdleConnsPerHost, transport.ResponseHeaderTimeout = opts.PerHost, 0
	s := &Sender{
		opts: opts, journal: opts.Journal, log: opts.Logger, permit: permit, seal: seal,
		http: &http.Client{
			Timeout: opts.Timeout, Transport: transport,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		nudge: make(chan struct{}, 1), busy: make(map[jobKey]bool), hosts: make(map[string]*host),
	}
	s.ctx, s.stop = context.WithCancel(context.Background())
	s.loops.Go(s.dispatchLoop)
	return s, nil
}

func (o *Options) networks() guard.Networks {
	if o.AllowPrivate {
		return guard.Private
	}
	return guard.Public
}

// Notify says that a task may have new events. It does not block.
func (s *Sender) Notify() {
	select {
	case s.nudge <- struct{}{}:
	default:
	}
}

// Shutdown ends deliveries. What was not delivered stays due for the next Sender on this journal. It returns the error
// of ctx when that ends before the deliveries have.
func (s *Sender) Shutdown(ctx context.Context) error {
	s.stop()
	ended := make(chan struct{})
	go func() {
		s.loops.Wait()
		s.jobs.Wait()
		s.http.CloseIdleConnections()
		close(ended)
	}()
	select {
	case <-ended:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
