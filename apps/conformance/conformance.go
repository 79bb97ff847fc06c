// SPDX-License-Identifier: Apache-2.0

// Package conformance holds any agent against the standard, over the wire: it sends what a client may send, and what no
// client should, and reads the answers by the letter. It shares no code with our own client, server or codecs, which
// would forgive our own faults.
//
//	conformance.go   a run: the agent's card, then each of its interfaces
//	check.go         what a check is, and what comes of one
//	report.go        all that came of a run; junit.go writes it for build servers
//	session.go       what the checks of an interface share: its tasks
//	dialect.go       requests and answers in the form of a generation over a transport
//	wire.go          HTTP, and what was said by it; stream.go reads server-sent events
//	shape.go         what the objects of the protocol must be like
//	*_checks.go      the checks
//
// Checks say [Options.Text] to the agent, and touch only the tasks that this makes.
package conformance

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// The generations that agents are held against.
const (
	Profile10 = "1.0"
	Profile03 = "0.3"
)

// The transports over which checks speak.
const (
	JSONRPC  = "JSONRPC"
	HTTPJSON = "HTTP+JSON"
)

// Options say what to check. The zero value checks all that the agent's card offers.
type Options struct {
	// Profile is [Profile10] or [Profile03]. Empty means 1.0 if the card has an interface of it, else 0.3.
	Profile string
	// Transports are those to check. Nil means all that the card lists for the profile: JSON-RPC and HTTP+JSON, for 0.3
	// JSON-RPC alone.
	Transports []string
	// Text is what checks say to the agent. Empty means "conformance check".
	Text string
	// Ask is what makes the agent ask back: checks of open tasks need that. Empty means Text.
	Ask string
	// Header goes with each request to the agent, for credentials. The card is fetched without it.
	// Values of seven characters and more are never shown.
	Header http.Header
	// AnyHost allows an agent that is not on this machine. Checks make tasks and errors, so only its owner should say
	// so.
	AnyHost bool
	// HTTPClient makes the requests. Nil means [http.DefaultClient]. Redirects are never followed.
	HTTPClient *http.Client
	// Timeout is how long an answer may take, and a stream of a task that comes to its end. 0 means 10 seconds.
	Timeout time.Duration
	// Each is called with each result as it comes. Nil ignores them.
	Each func(Result)
}

// Defaults returns the options as they count, with what is left open filled in.
func (o Options) Defaults() Options {
	o.Text = cmp.Or(o.Text, "conformance check")
	o.Ask = cmp.Or(o.Ask, o.Text)
	o.Timeout = cmp.Or(o.Timeout, 10*time.Second)
	client := http.Client{}
	if o.HTTPClient != nil {
		client = *o.HTTPClient
	}
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	o.HTTPClient = &client
	return o
}

// check returns an error that names the option that is wrong.
func (o *Options) check() error {
	if !slices.Contains([]string{"", Profile10, Profile03}, o.Profile) {
		return fmt.Errorf("conformance: Profile is %q; use %s or %s", o.Profile, Profile10, Profile03)
	}
	for _, t := range o.Transports {
		if t != JSONRPC && t != HTTPJSON {
			return fmt.Errorf("conformance: Transports has %q; use %s or %s", t, JSONRPC, HTTPJSON)
		}
	}
	if o.Timeout < 0 {
		return fmt.Errorf("conformance: Timeout is %v", o.Timeout)
	}
	return nil
}

// A HostError says that an agent is not on this machine, and that Options.AnyHost is not set.
type HostError struct{ Host string }

func (e *HostError) Error() string {
	return fmt.Sprintf("%s is not this machine: checks make tasks and errors there, so its owner has to allow them",
		e.Host)
}

// A CardError says that there is no card to begin with.
type CardError struct {
	URL string
	Err error
}

func (e *CardError) Error() string { return fmt.Sprintf("no agent card at %s: %v", e.URL, e.Err) }

// Unwrap returns why.
func (e *CardError) Unwrap() error { return e.Err }

// Run checks the agent at a base URL, or at the URL of its card, which ends in .json. An error means that nothing could
// be checked: *HostError, *CardError, or the end of ctx. The faults of the agent are in the report.
func Run(ctx context.Context, agent string, options *Options) (*Report, error) {
	if options == nil {
		options = &Options{}
	}
	if err := options.check(); err != nil {
		return nil, err
	}
	base, err := url.Parse(agent)
	if err != nil || base.Host == "" || base.Scheme != "http" && base.Scheme != "https" {
		return nil, fmt.Errorf("conformance: %q is no URL of an agent; use one such as http://127.0.0.1:8080", agent)
	}
	o := options.Defaults()
	r := &run{options: o, host: base.Hostname(), report: &Report{URL: base.Redacted()}, wire: newWire(&o)}
	if !r.mayReach(base) {
		return nil, &HostError{Host: base.Hostname()}
	}
	if err := r.readCard(ctx, cardURL(base)); err != nil {
		return nil, err
	}
	if err := r.all(ctx); err != nil {
		return nil, err
	}
	return r.report, nil
}

type run struct {
	options Options
	host    string // that the user named
	wire    *wire
	card    *reply // the answer with the card
	report  *Report
}

// mayReach reports whether checks may speak to a URL: this machine or, if its owner allows it, the host that was named.
func (r *run) mayReach(u *url.URL) bool {
	host := u.Hostname()
	if ip := net.ParseIP(host); strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback() {
		return true
	}
	return r.options.AnyHost && strings.EqualFold(host, r.host)
}

// cardURL is where the card of an agent is (A2A 1.0 §14.3).
func cardURL(base *url.URL) string {
	if strings.HasSuffix(base.Path, ".json") {
		return base.String()
	}
	return base.JoinPath("/.well-known/agent-card.json").String()
}

// readCard fetches the card: in the form of 1.0 unless the profile is 0.3 or the agent has no interface of 1.0.
func (r *run) readCard(ctx context.Context, at string) error {
	wanted := cmp.Or(r.options.Profile, Profile10)
	err := r.fetchCard(ctx, at, wanted)
	if err == nil && r.options.Profile == "" && len(interfaces(r.cardObject(), Profile10)) == 0 &&
		len(interfaces(r.cardObject(), Profile03)) > 0 {
		wanted = Profile03
		err = r.fetchCard(ctx, at, wanted)
	}
	r.options.Profile = wanted
	return err
}

func (r *run) fetchCard(ctx context.Context, at, profile string) error {
	header := http.Header{"Accept": {"application/json"}}
	if profile == Profile10 {
		header.Set("A2A-Version", Profile10)
	}
	bare := *r.wire
	bare.header = nil // cards are for everybody; credentials are for the interfaces that they name
	ex, err := bare.do(ctx, http.MethodGet, at, header, nil)
	if err != nil {
		return &CardError{URL: at, Err: err}
	}
	r.card = &reply{exchange: ex}
	r.card.value, r.card.problem = decode(ex.answer)
	if ex.status != http.StatusOK {
		return &CardError{URL: at, Err: fmt.Errorf("HTTP status %d", ex.status)}
	}
	if r.cardObject() == nil {
		return &CardError{URL: at, Err: fmt.Errorf("the answer is no JSON object: %s",
			cmp.Or(r.card.problem, shorten(ex.answer, 80)))}
	}
	return nil
}

func (r *run) cardObject() object { return asObject(r.card.value) }

// all runs the checks of the card, and then those of each interface.
func (r *run) all(ctx context.Context) error {
	card := r.session(ctx, &dialect{profile: r.options.Profile})
	if err := r.each(card, cardChecks); err != nil {
		return err
	}
	r.report.Agent = text(r.cardObject(), "name")
	for _, i := range interfaces(r.cardObject(), r.options.Profile) {
		if i.profile != r.options.Profile || len(r.options.Transports) > 0 &&
			!slices.Contains(r.options.Transports, i.transport) {
			continue
		}
		if err := r.interfaceAt(ctx, i); err != nil {
			return err
		}
	}
	if !slices.ContainsFunc(r.report.Results, func(result Result) bool { return result.Transport != "" }) {
		return &CardError{URL: r.card.exchange.url,
			Err: fmt.Errorf("the card has no interface of %s over %s that checks speak",
				r.options.Profile, cmp.Or(strings.Join(r.options.Transports, " or "), JSONRPC+" or "+HTTPJSON))}
	}
	return nil
}

func (r *run) session(ctx context.Context, d *dialect) *session {
	return &session{ctx: ctx, options: &r.options, wire: r.wire, card: r.card, dialect: d}
}

func (r *run) interfaceAt(ctx context.Context, d dialect) error {
	at, err := url.Parse(d.base)
	if err != nil || !r.mayReach(at) {
		r.add(Result{
			Check: reachCheck.name, Title: reachCheck.title, Profile: d.profile, Transport: d.transport, Outcome: Skip,
			Reason: fmt.Sprintf("the card says it is at %s, which is neither this machine nor the host that was named",
				shorten([]byte(d.base), 200)),
		})
		return nil
	}
	s := r.session(ctx, &d)
	if result := r.one(s, &reachCheck); result.Outcome != Pass || ctx.Err() != nil {
		return ctx.Err()
	}
	defer s.tidy()
	return r.each(s, slices.Concat(formChecks, sendChecks, taskChecks, listChecks, streamChecks, pushChecks,
		extendedChecks))
}

func (r *run) each(s *session, checks []check) error {
	for i := range checks {
		if checks[i].concerns(s) {
			r.one(s, &checks[i])
		}
		if s.ctx.Err() != nil {
			return s.ctx.Err()
		}
	}
	return nil
}

// one runs a check and notes what came of it.
func (r *run) one(s *session, c *check) Result {
	result := c.do(s)
	if s.ctx.Err() == nil {
		r.add(result)
	}
	return result
}

func (r *run) add(result Result) {
	r.report.Results = append(r.report.Results, result)
	if r.options.Each != nil {
		r.options.Each(result)
	}
}
