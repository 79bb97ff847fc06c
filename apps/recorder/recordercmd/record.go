// SPDX-License-Identifier: Apache-2.0

// Package recordercmd holds the commands that record the traffic of an agent, play it back and compare recordings.
package recordercmd

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/dragoman-a2a/dragoman/apps/recorder"
	"github.com/dragoman-a2a/dragoman/internal/cmdline"
	"github.com/dragoman-a2a/dragoman/internal/connect"
	"github.com/dragoman-a2a/dragoman/internal/terminal"
)

// recordings are the commands that record, play and compare.
type recordings struct{ *connect.Caller }

// Commands returns the commands record, replay and diff. They take some of the flags of a caller.
func Commands(caller *connect.Caller) []*cobra.Command {
	c := &recordings{caller}
	return []*cobra.Command{c.recordCommand(), c.replayCommand(), c.diffCommand()}
}

type recordOptions struct {
	cmdline.ListenOptions
	callers  cmdline.CallerOptions
	upstream string
	cassette string
}

const recordLong = `record is a proxy in front of an agent. It writes the conversation to a file, the
cassette, in JSON lines. It passes JSON-RPC and HTTP+JSON of every protocol
version, and streams as they come. It puts its own address into the agent's card.
It does not pass gRPC. When it is ready it prints one line to standard error:
recording AGENT to FILE at URL.

A cassette has placeholders such as ${task.1} for ids and times, and [redacted]
for credentials, so you can keep it beside the tests of a program. record writes
each line before a client sees the answer.

record passes the credentials of clients on to the agent. With --token or --access
it checks them itself and passes none on.

Play a cassette with replay, and hold two against each other with diff.`

func (c *recordings) recordCommand() *cobra.Command {
	var o recordOptions
	cmd := &cobra.Command{
		Use:     "record",
		Short:   "Record the traffic between clients and an agent",
		Long:    recordLong,
		Example: "  dragoman record -a http://127.0.0.1:8080 --addr 127.0.0.1:8091 --cassette talk.jsonl",
		Args:    cmdline.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return c.record(cmd.Context(), &o) },
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVarP(&o.upstream, connect.FlagAgentCard, "a", "", "the agent: its URL, or the URL of its card")
	flags.StringVar(&o.cassette, "cassette", "", "file to write; it must not exist")
	flags.StringVar(&o.Addr, "addr", "127.0.0.1:8091", "address to listen on; port 0 picks a free port")
	flags.StringVar(&o.URL, "url", "", "base URL under which clients reach the recorder (default: the address it "+
		"listens on)")
	o.callers.NoRules = true
	o.callers.Add(flags)
	c.insecureFlag(flags)
	return cmd
}

func (c *recordings) insecureFlag(flags *pflag.FlagSet) {
	flags.AddFlag(c.Flags().Lookup("insecure"))
}

// record records until ctx ends.
func (c *recordings) record(ctx context.Context, o *recordOptions) (err error) {
	if o.upstream == "" {
		return cmdline.Usagef("no agent is named").WithHint("give its URL with -a")
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
	file, err := c.newCassette("cassette", o.cassette)
	if err != nil {
		return err
	}
	defer func() { err = closeCassette(file, err) }()
	url := o.ReachedAt(ln)
	recorder, err := recorder.NewRecorder(o.upstream, url, c.recording(file))
	if err != nil {
		return cmdline.Usagef("-a: %v", err)
	}
	if err := recorder.Look(ctx); err != nil {
		c.Warn("the agent's card cannot be fetched now: %v", err)
	}
	fmt.Fprintf(c.Err, "recording %s to %s at %s\n", terminal.Inline(o.upstream), terminal.Inline(o.cassette), url)
	return serveUntil(ctx, ln, cmdline.KeepPagesOut("recorder", ln, o.URL, callers.Guard("recorder", recorder)))
}

// recording returns the options of a recording to a file.
func (c *recordings) recording(file *os.File) *recorder.Options {
	return &recorder.Options{
		Transport: c.HTTPClient().Transport,
		Out:       file,
		Stopped:   func(err error) { c.Warn("nothing more is recorded: %v", err) },
	}
}

// newCassette opens a file that a flag names, to write a cassette to it. One that exists is left alone.
func (c *recordings) newCassette(flag, name string) (*os.File, error) {
	if name == "" {
		return nil, cmdline.Usagef("--%s is missing: the file to write", flag)
	}
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	switch {
	case errors.Is(err, os.ErrExist):
		return nil, cmdline.Usagef("--%s: %s exists already", flag,
			name).WithHint("name another file, or remove this one")
	case err != nil:
		return nil, cmdline.Usagef("--%s: %v", flag, err)
	}
	return file, nil
}

// noExchange is how large a cassette is at most that has its first line only.
const noExchange = 64

// closeCassette closes a cassette that a command wrote which ended with err. If that came before anything was recorded,
// the file goes, so that the next try can have its name.
func closeCassette(file *os.File, err error) error {
	info, unknown := file.Stat()
	failed := file.Close()
	if err != nil && unknown == nil && info.Size() <= noExchange {
		failed = errors.Join(failed, os.Remove(file.Name()))
	}
	if failed == nil { // so that a failure stays one
		return err
	}
	return errors.Join(err, failed)
}

// closeAfter is how long open requests may take to end when a recorder or a player is stopped.
const closeAfter = 2 * time.Second

func serveUntil(ctx context.Context, ln net.Listener, h http.Handler) error {
	srv := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute}
	stopped := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(stopped)
		ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeAfter)
		defer cancel()
		if srv.Shutdown(ending) != nil {
			srv.Close()
		}
	})
	err := srv.Serve(ln)
	if stop() { // the server failed by itself
		return err
	}
	<-stopped
	return nil
}
