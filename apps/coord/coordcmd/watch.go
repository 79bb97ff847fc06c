// SPDX-License-Identifier: Apache-2.0

package coordcmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/spf13/cobra"

	"github.com/dragoman-a2a/dragoman/apps/coord"
	"github.com/dragoman-a2a/dragoman/internal/binding/sse"
	"github.com/dragoman-a2a/dragoman/internal/cmdline"
	"github.com/dragoman-a2a/dragoman/internal/terminal"
)

const coordWatchLong = `watch prints the events of a project as they happen, one on each line. With -o json each line is a
JSON object. It starts with the event after --after. If the connection to the coordinator breaks,
watch reconnects and continues. If the project was deleted in the meantime, watch continues with
the first event of the new project.`

const watchRetry = time.Second

type watchOptions struct {
	after int64
	count int
	paths map[string][]string // of leases and claims, by id: what ends them names no more than that
}

func (c *commands) watchCommand(o *coordOptions) *cobra.Command {
	var w watchOptions
	cmd := &cobra.Command{
		Use: "watch", Short: "Print what happens in a project", Long: coordWatchLong, Args: cmdline.NoArgs,
		Example: "  dragoman coord watch\n  dragoman coord watch --project shop --after 120 -o json",
		RunE:    func(cmd *cobra.Command, _ []string) error { return c.watch(cmd.Context(), o, &w) },
	}
	cmd.Flags().Int64Var(&w.after, "after", 0, "number of the event to continue after; 0 starts with the first one")
	cmd.Flags().IntVar(&w.count, "count", 0, "stop after this many events; 0 continues until Ctrl-C")
	return cmd
}

var errEnough = errors.New("enough")

func (c *commands) watch(ctx context.Context, o *coordOptions, w *watchOptions) error {
	if w.after < 0 || w.count < 0 {
		return cmdline.Usagef("--after and --count must not be below 0")
	}
	if _, err := o.place(ctx, c.Dir); err != nil {
		return err
	}
	if _, _, err := c.healthOf(ctx, o); err != nil {
		return err
	}
	seen := 0
	w.paths = make(map[string][]string)
	for {
		err := c.watchOnce(ctx, o, w.after, func(e *coord.Event, text []byte) error {
			if w.after = e.Seq; e.Kind == coord.KindEnded {
				w.after = 0 // another one may begin under the name
			}
			seen++
			if err := c.showHappening(e, text, w.pathsOf(e)); err != nil {
				return err
			}
			if w.count > 0 && seen == w.count {
				return errEnough
			}
			return nil
		})
		switch _, own := errors.AsType[*cmdline.Failure](err); {
		case errors.Is(err, errEnough):
			return nil
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case own || c.Out.Err != nil:
			return cmp.Or(err, c.Out.Err)
		}
		select {
		case <-time.After(watchRetry):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// watchOnce reads one stream of events. A failure is one that no later try mends.
func (c *commands) watchOnce(ctx context.Context, o *coordOptions, after int64,
	each func(*coord.Event, []byte) error) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet,
		o.url+projectPath(o.project)+"/events?after="+strconv.FormatInt(after, 10), nil)
	if err != nil {
		return err
	}
	resp, err := o.withToken(c.web).Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		err := coordStatus(o, resp)
		if resp.StatusCode >= http.StatusInternalServerError {
			return errors.New(err.Error())
		}
		return err
	}
	for stream := sse.NewReader(resp.Body, 0); ; {
		event, err := stream.Next()
		if err != nil {
			return err
		}
		var e coord.Event
		if json.Unmarshal(event.Data, &e) != nil {
			continue
		}
		if err := each(&e, event.Data); err != nil {
			return err
		}
	}
}

// pathsOf returns the paths that an event is about without naming them, and keeps in mind those that it names.
func (w *watchOptions) pathsOf(e *coord.Event) []string {
	switch {
	case e.Lease != nil:
		w.paths[e.Lease.ID] = e.Lease.Paths
	case e.Claim != nil:
		w.paths[e.Claim.ID] = e.Claim.Paths
	default:
		paths := w.paths[e.ID]
		delete(w.paths, e.ID)
		return paths
	}
	return nil
}

func (c *commands) showHappening(e *coord.Event, text []byte, paths []string) error {
	if c.AsJSON {
		_, err := c.Out.Write(append(text[:len(text):len(text)], '\n'))
		return err
	}
	words := []string{strconv.FormatInt(e.Seq, 10), e.Time.Local().Format(time.DateTime), string(e.Kind), e.Session}
	if paths != nil {
		words = append(append(words, paths...), e.Text)
	} else {
		words = append(words, detailsOf(e)...)
	}
	words = slices.DeleteFunc(words, func(word string) bool { return word == "" })
	_, err := fmt.Fprintln(c.Out, terminal.Inline(strings.Join(words, " ")))
	return err
}

func detailsOf(e *coord.Event) []string {
	switch {
	case e.Agent != nil:
		return []string{e.Agent.Branch, e.Agent.Description}
	case e.Lease != nil:
		if e.Lease.Description == "" {
			return e.Lease.Paths
		}
		return append(e.Lease.Paths[:len(e.Lease.Paths):len(e.Lease.Paths)], "("+e.Lease.Description+")")
	case e.Claim != nil:
		return e.Claim.Paths
	case e.Todo != nil:
		return []string{e.Todo.Status, e.Todo.Text}
	case e.Query != nil:
		return []string{"to", e.Query.To + ":", e.Query.Text}
	case e.Message != nil:
		return []string{"to", strings.Join(e.To, ", ") + ":", e.Message.Text}
	case e.Interface != nil:
		return []string{e.Interface.Name}
	}
	return []string{e.ID, e.Text}
}
