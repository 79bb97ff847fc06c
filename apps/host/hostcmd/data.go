// SPDX-License-Identifier: Apache-2.0

package hostcmd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/cmdline"
	"github.com/dragoman-a2a/dragoman/internal/storage"
	"github.com/dragoman-a2a/dragoman/journal"
	"github.com/dragoman-a2a/dragoman/store/sqlite"
)

// maxOwnHosts is how many hosts of one user may run at once on one data folder, beside one that is served.
const maxOwnHosts = 16

// openHost opens the folder in which a host keeps its tasks. One process has a folder at a time. A host that is served
// has the folder host. A host for one user has one of its own: a free one, or the one with the task or context to
// continue.
func (c *hostCommand) openHost(ctx context.Context, o *hostOptions, logger *slog.Logger) (*storage.Journal, error) {
	if !o.alone || o.Data == cmdline.InMemory {
		return storage.Open(ctx, c.Run, o.Data, agentHost, logger, nil)
	}
	if cmdline.IsDatabase(o.Data) {
		return nil, cmdline.Usagef("a host for one user keeps its tasks in a folder, and --%s is a database",
			cmdline.FlagDataDir).WithHint("leave --" + cmdline.FlagDataDir + " out, or serve the host with --serve")
	}
	if o.taskID != "" || o.contextID != "" {
		opened, inUse, err := c.findOwn(ctx, o)
		switch {
		case err != nil || opened != nil:
			return opened, err
		case inUse > 0:
			f := &cmdline.Failure{Exit: cmdline.ExitFailure, Code: cmdline.CodeInternal,
				Message: fmt.Sprintf("no stopped host has this task or context; one of the %d running hosts may have "+
					"it", inUse)}
			return nil, f.WithHint("continue in the host that has it, or stop that host first")
		}
	}
	return c.openFree(ctx, o) // for an unknown task too: the host answers that it does not know it
}

// ownFolder returns the folder of a host for one user: n is from 1 to maxOwnHosts.
func (c *hostCommand) ownFolder(o *hostOptions, n int) (string, error) {
	return c.DataFolder(o.Data, agentHost+"-"+cmdline.Itoa(n+1))
}

// openFree opens the first folder for one user that no process has.
func (c *hostCommand) openFree(ctx context.Context, o *hostOptions) (*storage.Journal, error) {
	for n := 1; ; n++ {
		folder, err := c.ownFolder(o, n)
		if err != nil {
			return nil, err
		}
		opened, err := storage.OpenFolder(ctx, c.Run, folder, nil, nil)
		if err == nil {
			return opened, nil
		}
		if _, locked := errors.AsType[*sqlite.LockedError](err); !locked || n == maxOwnHosts {
			return nil, cmdline.ExplainFolder(folder, err)
		}
	}
}

// findOwn opens the folder that knows the task or context: one for one user, or else that of a host that was served. It
// returns nil when none does, and how many folders it could not look into.
func (c *hostCommand) findOwn(ctx context.Context, o *hostOptions) (opened *storage.Journal, inUse int, err error) {
	for n := 1; n <= maxOwnHosts+1; n++ {
		folder, err := c.ownFolder(o, n)
		if n > maxOwnHosts {
			folder, err = c.DataFolder(o.Data, agentHost)
		}
		if err != nil {
			return nil, 0, err
		}
		if _, err := os.Stat(folder); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		opened, err := storage.OpenFolder(ctx, c.Run, folder, nil, nil)
		if _, locked := errors.AsType[*sqlite.LockedError](err); locked {
			inUse++
			continue
		}
		if err != nil {
			return nil, inUse, cmdline.ExplainFolder(folder, err)
		}
		has, err := o.knownIn(ctx, opened)
		if has && err == nil {
			return opened, inUse, nil
		}
		if err := errors.Join(err, opened.Close()); err != nil {
			return nil, inUse, err
		}
	}
	return nil, inUse, nil
}

// knownIn reports whether a journal has the task that the options name, or else one of the context that they name.
func (o *hostOptions) knownIn(ctx context.Context, j journal.Journal) (bool, error) {
	scope := journal.Scope{Agent: agentHost} // callers of such a host are anonymous
	if o.taskID == "" {
		page, err := j.List(ctx, scope, journal.Query{ContextID: a2a.ContextID(o.contextID), Limit: 1})
		return err == nil && len(page.Heads) > 0, err
	}
	_, err := j.Head(ctx, journal.Key{Scope: scope, ID: a2a.TaskID(o.taskID)})
	if errors.Is(err, journal.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}
