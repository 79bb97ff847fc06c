// SPDX-License-Identifier: Apache-2.0

// Package benchcmd holds the command that measures an agent under load.
package benchcmd

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/url"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/client"
	"github.com/dragoman-a2a/dragoman/internal/cmdline"
	"github.com/dragoman-a2a/dragoman/internal/connect"
	"github.com/dragoman-a2a/dragoman/internal/loadgen"
	"github.com/dragoman-a2a/dragoman/internal/terminal"
)

// benchOptions are the flags of bench.
type benchOptions struct {
	loadgen.Options
	text    string
	stream  bool
	timeout time.Duration // of one message
	ownHost bool
}

const benchLong = `bench sends messages to an agent at a steady rate and prints how long the answers take.

Each message has a time at which it is due. The measurement starts at that time, so an agent
that stalls gets no discount. If --concurrency messages are open, further messages wait. bench
counts a message that is still waiting at the end as not sent.

bench stops after --duration or after --count messages. Press Ctrl-C to stop earlier and print
the results so far. The percentiles leave out failed messages, which bench counts by kind. A task
that ends as failed or rejected counts as failed. A task that asks for input counts as answered.

bench sends to this machine only. To measure an agent on another machine that you own, pass
--i-own-this-host.`

const benchExample = `  dragoman bench http://127.0.0.1:8080
  dragoman bench http://127.0.0.1:8080 --rate 200 --duration 30s --text "1 USD in GBP" --stream
  dragoman bench http://127.0.0.1:8080 --count 100 -o json`

// benchCommand is the command.
type benchCommand struct{ *connect.Caller }

// Command returns the command bench.
func Command(caller *connect.Caller) *cobra.Command {
	c := &benchCommand{caller}
	o := benchOptions{Options: loadgen.Options{Drain: 10 * time.Second}}
	cmd := &cobra.Command{
		Use:     "bench [URL]",
		Short:   "Measure how long an agent takes under a steady load",
		Long:    benchLong,
		Example: benchExample,
		Args: func(_ *cobra.Command, rest []string) error {
			if len(rest) == 0 {
				return nil
			}
			return cmdline.Usagef("bench takes the URL of one agent, and here is %q", rest[0]).
				WithHint("name the agent with -a and the text with --text")
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return c.bench(cmd.Context(), &o) },
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.Float64Var(&o.Rate, "rate", 50, "messages a second")
	flags.DurationVar(&o.Duration, "duration", 10*time.Second, "duration of the run")
	flags.IntVar(&o.Count, "count", 0, "most messages to send; 0 means no limit")
	flags.IntVar(&o.Concurrency, "concurrency", 64, "most messages that may be open at once")
	flags.StringVar(&o.text, "text", "Hello", "the message")
	flags.BoolVar(&o.stream, "stream", false, "request a stream and also measure its first event")
	flags.DurationVar(&o.timeout, "request-timeout", 30*time.Second, "time limit of one message")
	flags.BoolVar(&o.ownHost, connect.FlagOwnHost, false, "send to an agent that is not on this machine")
	c.Flags().VisitAll(func(f *pflag.Flag) {
		switch f.Name {
		case "timeout", "poll-interval", "verbose", "debug": // which are about one call
		default:
			flags.AddFlag(f)
		}
	})
	return cmd
}

// bench measures until the run is over, or ctx is.
func (c *benchCommand) bench(ctx context.Context, o *benchOptions) error {
	if err := o.Check(); err != nil {
		return cmdline.Usagef("%v", err).WithHint("see --rate, --duration, --count and --concurrency")
	}
	if o.timeout <= 0 {
		return cmdline.Usagef("--request-timeout is %v; it must be above 0", o.timeout)
	}
	if c.Agent == "" {
		return connect.NoAgent()
	}
	if u, err := url.Parse(c.Agent); err == nil && u.Host != "" {
		if err := o.allow(ctx, u.Hostname()); err != nil {
			return err
		}
	}
	agent, err := c.Dial(ctx)
	if err != nil {
		return err
	}
	defer agent.Close()
	for _, at := range agent.Card().SupportedInterfaces { // any of them may be called when others are not there
		if err := o.allow(ctx, hostOf(at.URL)); err != nil {
			return err
		}
	}
	if o.stream && !connect.Streams(agent.Card()) {
		return cmdline.Usagef("the agent's card offers no streams").WithHint("leave --stream out")
	}
	measured, err := loadgen.Run(ctx, o.Options, o.message(agent), c.kindOf)
	if err != nil {
		return err
	}
	return c.showReport(o, measured)
}

// hostOf returns the host of an interface, whose address is a URL, or for gRPC host and port.
func hostOf(address string) string {
	if u, err := url.Parse(address); err == nil && u.Host != "" {
		return u.Hostname()
	}
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return address
	}
	return host
}

// allow refuses a host that is not this machine, unless the user owns it.
func (o *benchOptions) allow(ctx context.Context, host string) error {
	if o.ownHost {
		return nil
	}
	addrs, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	if err != nil {
		return &cmdline.Failure{Exit: cmdline.ExitUnreachable, Code: cmdline.CodeUnreachable,
			Message: fmt.Sprintf("the host %s is not known: %v", host, err)}
	}
	for _, addr := range addrs {
		if !addr.Unmap().IsLoopback() {
			return cmdline.Usagef("%s is not on this machine: load on another owner's machine is an attack", host).
				WithHint("if it is yours, say so with --" + connect.FlagOwnHost)
		}
	}
	return nil
}

// errTaskFailed counts tasks that did not bring what they should.
var errTaskFailed = errors.New("the task failed")

// message returns what is sent again and again.
func (o *benchOptions) message(agent *client.Client) loadgen.Request {
	return func(ctx context.Context, first func()) error {
		ctx, cancel := context.WithTimeout(ctx, o.timeout)
		defer cancel()
		req := &a2a.SendMessageRequest{Message: a2a.NewMessage(a2a.RoleUser, a2a.TextPart(o.text))}
		if o.stream {
			return sendStream(ctx, agent, req, first)
		}
		result, err := agent.SendMessage(ctx, req)
		if err != nil {
			return err
		}
		return outcome(result)
	}
}

// sendStream sends a message and reads the stream to its end.
func sendStream(ctx context.Context, agent *client.Client, req *a2a.SendMessageRequest, first func()) error {
	events, err := agent.StreamMessage(ctx, req)
	if err != nil {
		return err
	}
	seen := false
	for ev, err := range events {
		if err != nil {
			return err
		}
		if !seen {
			first()
			seen = true
		}
		if err := outcome(ev.Event); err != nil {
			return err
		}
	}
	return nil
}

// outcome returns errTaskFailed for an event that says so.
func outcome(event any) error {
	var state a2a.TaskState
	switch e := event.(type) {
	case *a2a.Task:
		state = e.Status.State
	case *a2a.StatusUpdate:
		state = e.Status.State
	}
	if state == a2a.TaskStateFailed || state == a2a.TaskStateRejected {
		return errTaskFailed
	}
	return nil
}

// kindOf names the kind under which an error is counted.
func (c *benchCommand) kindOf(err error) string {
	if errors.Is(err, errTaskFailed) {
		return cmdline.CodeOther + "TASK_FAILED"
	}
	return c.Failure(err).Code
}

// A measurement is a report as it is printed: durations in milliseconds.
type measurement struct {
	Agent       string         `json:"agent"`
	Rate        float64        `json:"rate"`
	Planned     int            `json:"planned"`
	Succeeded   int            `json:"succeeded"`
	Failed      int            `json:"failed"`
	Errors      map[string]int `json:"errors"`
	Unfinished  int            `json:"unfinished"`
	NotSent     int            `json:"notSent"`
	Interrupted bool           `json:"interrupted"`
	Seconds     float64        `json:"seconds"`
	Throughput  float64        `json:"throughput"`
	Latency     *percentiles   `json:"latencyMs"`
	First       *percentiles   `json:"firstEventMs,omitzero"`
}

type percentiles struct {
	Min  float64 `json:"min"`
	Mean float64 `json:"mean"`
	P50  float64 `json:"p50"`
	P90  float64 `json:"p90"`
	P99  float64 `json:"p99"`
	P999 float64 `json:"p99.9"`
	Max  float64 `json:"max"`
}

func inMillis(p loadgen.Percentiles) *percentiles {
	if p.N == 0 {
		return nil
	}
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	return &percentiles{ms(p.Min), ms(p.Mean), ms(p.P50), ms(p.P90), ms(p.P99), ms(p.P999), ms(p.Highest)}
}

// showReport prints what was measured. A run in which nothing succeeded has failed.
func (c *benchCommand) showReport(o *benchOptions, r *loadgen.Report) error {
	m := measurement{
		Agent: connect.WithoutUser(c.Agent), Rate: o.Rate, Planned: r.Planned, Succeeded: r.Succeeded,
		Failed: r.Failed, Errors: r.Errors,
		Unfinished: r.Unfinished, NotSent: r.NotSent, Interrupted: r.Interrupted,
		Seconds: float64(r.Elapsed.Milliseconds()) / 1000, Throughput: r.Throughput(), Latency: inMillis(r.Latency),
		First: inMillis(r.First),
	}
	var err error
	if c.AsJSON {
		err = c.ShowValue(&m)
	} else {
		err = c.ShowText(m.text)
	}
	switch {
	case err != nil:
		return err
	case r.Interrupted:
		return cmdline.ErrLeft
	case r.Succeeded == 0:
		return &cmdline.Failure{Exit: cmdline.ExitFailure, Code: cmdline.CodeInternal,
			Message: "no message was answered", Hint: "see what the agent says with " +
				terminal.CommandLine(append(c.CommandFor("send", ""), "--text", o.text))}
	}
	return nil
}

func (m *measurement) text(p *terminal.Printer) {
	p.Field(0, "Agent", m.Agent)
	p.Field(0, "Messages", fmt.Sprintf("%d in %.1f s, %g a second wanted", m.Planned, m.Seconds, m.Rate))
	p.Field(0, "Answered", fmt.Sprintf("%d, %.1f a second", m.Succeeded, m.Throughput))
	p.Field(0, "Failed", fmt.Sprint(m.Failed))
	for _, kind := range slices.Sorted(maps.Keys(m.Errors)) {
		p.Field(1, kind, fmt.Sprint(m.Errors[kind]))
	}
	if m.Unfinished > 0 {
		p.Field(0, "Still open at the end", fmt.Sprint(m.Unfinished))
	}
	if m.NotSent > 0 {
		p.Field(0, "Not sent, for want of a place", fmt.Sprint(m.NotSent))
	}
	m.Latency.text(p, "Answer")
	m.First.text(p, "First event")
}

func (q *percentiles) text(p *terminal.Printer, label string) {
	if q == nil {
		return
	}
	p.Field(0, label, fmt.Sprintf("p50 %.2f ms, p90 %.2f ms, p99 %.2f ms, p99.9 %.2f ms, max %.2f ms", q.P50, q.P90,
		q.P99, q.P999, q.Max))
}
