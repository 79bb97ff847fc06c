// SPDX-License-Identifier: Apache-2.0

package recordercmd

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/dragoman-a2a/dragoman/apps/recorder"
	"github.com/dragoman-a2a/dragoman/internal/cmdline"
	"github.com/dragoman-a2a/dragoman/internal/connect"
	"github.com/dragoman-a2a/dragoman/internal/terminal"
)

type replayOptions struct {
	cmdline.ListenOptions
	callers  cmdline.CallerOptions
	against  string
	cassette string
	timeout  time.Duration
}

const replayLong = `replay plays back a cassette of record: as the agent, or with --against as the client.

As the agent, replay answers each recorded request once. It matches requests by method, path and
body; ids and times that the client generates may differ. A request that is not in the cassette
gets an error with the expected request. When replay is ready, it prints one line to standard
error: serving FILE at URL.

As the client, replay sends the recorded requests to an agent in order. It records the responses
in another cassette, which diff can compare with the first one. Cassettes hold no credentials: if
the agent requires them, pass --bearer or --svc-param.`

const replayExample = `  dragoman replay talk.jsonl --addr 127.0.0.1:8092
  dragoman replay talk.jsonl --against http://127.0.0.1:8080 --cassette now.jsonl`

func (c *recordings) replayCommand() *cobra.Command {
	var o replayOptions
	cmd := &cobra.Command{
		Use:     "replay FILE",
		Short:   "Play back a recording as the agent or as the client",
		Long:    replayLong,
		Example: replayExample,
		Args:    cassettes(1),
		RunE:    func(cmd *cobra.Command, args []string) error { return c.replay(cmd.Context(), args[0], &o) },
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVar(&o.Addr, "addr", "127.0.0.1:8092", "address to listen on as the agent; port 0 picks a free port")
	flags.StringVar(&o.URL, "url", "", "base URL under which clients reach the agent (default: the address it "+
		"listens on)")
	o.callers.NoRules = true
	o.callers.Add(flags)
	flags.StringVar(&o.against, "against", "", "play the client against the agent at this URL")
	flags.StringVar(&o.cassette, "cassette", "", "with --against: file to write; it must not exist")
	flags.DurationVar(&o.timeout, "replay-timeout", 5*time.Minute, "with --against: time limit of the whole replay")
	for _, name := range []string{"bearer", connect.FlagSvcParam} {
		flags.AddFlag(c.Flags().Lookup(name))
	}
	c.insecureFlag(flags)
	return cmd
}

// cassettes accepts the names of n files.
func cassettes(n int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == n {
			return nil
		}
		want := "one cassette"
		if n > 1 {
			want = fmt.Sprintf("%d cassettes", n)
		}
		return cmdline.Usagef("%s takes the files of %s, and here are %d", cmd.CommandPath(), want,
			len(args)).WithHint("record writes them")
	}
}

func (c *recordings) openCassette(name string) (*recorder.Cassette, error) {
	tape, err := recorder.Open(name)
	if err != nil {
		return nil, cmdline.Usagef("%v", err)
	}
	if tape.Cut {
		c.Warn("%s ends in the middle of a line, which replay ignores: the recorder was killed", name)
	}
	return tape, nil
}

func (c *recordings) replay(ctx context.Context, name string, o *replayOptions) error {
	tape, err := c.openCassette(name)
	if err != nil {
		return err
	}
	if o.against != "" {
		return c.playClient(ctx, tape, o)
	}
	if o.cassette != "" {
		return cmdline.Usagef("--cassette is for --against").WithHint(
			"to record a client against this cassette, put record in front of it")
	}
	ln, err := o.ListenChecked(ctx)
	if err != nil {
		return err
	}
	defer ln.Close() // the server does that too
	callers, err := o.callers.Read(c.Terminal, &o.ListenOptions, ln.Addr())
	if err != nil {
		return err
	}
	url := o.ReachedAt(ln)
	player := recorder.NewPlayer(tape, url, func(why string) { c.Warn("%s", why) })
	fmt.Fprintf(c.Err, "serving %s at %s\n", terminal.Inline(name), url)
	err = serveUntil(ctx, ln, cmdline.KeepPagesOut("player", ln, o.URL, callers.Guard("player", player)))
	if left := player.Left(); left > 0 {
		c.Tell("Requests of the cassette that nobody made: %d", left)
	}
	return err
}

// playClient makes the recorded requests of an agent.
func (c *recordings) playClient(ctx context.Context, tape *recorder.Cassette, o *replayOptions) (err error) {
	params, err := c.Params()
	if err != nil {
		return err
	}
	if o.timeout <= 0 {
		return cmdline.Usagef("--replay-timeout is %v; it must be above 0", o.timeout)
	}
	file, err := c.newCassette("cassette", o.cassette)
	if err != nil {
		return err
	}
	defer func() { err = closeCassette(file, err) }()
	ctx, cancel := context.WithTimeout(ctx, o.timeout)
	defer cancel()
	err = recorder.Replay(ctx, tape, o.against, params, c.recording(file))
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return &cmdline.Failure{Exit: cmdline.ExitTimeout, Code: cmdline.CodeTimeout,
			Message: fmt.Sprintf("the replay did not end within %v", o.timeout),
			Hint:    "see how far it came in " + o.cassette + ", or give it more time with --replay-timeout"}
	case err != nil && ctx.Err() == nil:
		return &cmdline.Failure{Exit: cmdline.ExitUnreachable, Code: cmdline.CodeUnreachable, Message: err.Error(),
			Hint: "check the address of --against and that the agent runs"}
	case err != nil:
		return err
	}
	c.Tell("Replayed %d requests to %s", len(tape.Exchanges), o.cassette)
	return nil
}
