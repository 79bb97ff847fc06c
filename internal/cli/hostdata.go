// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/journal"
	"github.com/dragoman-a2a/dragoman/store/sqlite"
)

// maxOwnHosts is how many hosts of one user may run at once on one data folder, beside one that is served.
const maxOwnHosts = 16

// openHost opens where a host keeps its tasks. One process has a folder at a time. Several hosts that are there for
// their users alone take a folder each: the first free one, or the one with the task or context that goes on.
func (c *command) openHost(ctx context.Context, o *hostOptions) (*kept, error) {
	if !o.alone || o.data == inMemory {
		o.agent = agentHost
		return c.openJournal(ctx, &o.serveOptions)
	}
	opened, inUse, err := c.openOwn(ctx, o, o.taskID != "" || o.contextID != "")
	switch {
	case err != nil || opened != nil:
		return opened, err
	case inUse > 0:
		f := &failure{exit: exitFailure, code: codeInternal,
			message: fmt.Sprintf("no host that has ended knows this task or context; %d that run may know it", inUse)}
		return nil, f.withHint("go on in the host that has it, or end that one first")
	}
	opened, _, err = c.openOwn(ctx, o, false) // a host that says that it knows no such task
	return opened, err
}

// openOwn opens the first folder that no process has, or the first one that knows the task or context. It returns nil
// when none does, and how many folders it could not look into.
func (c *command) openOwn(ctx context.Context, o *hostOptions, known bool) (opened *kept, inUse int, err error) {
	for n := 1; n <= maxOwnHosts; n++ {
		name := agentHost // which is also that of a host that is served
		if n > 1 {
			name += "-" + itoa(n)
		}
		folder, err := c.dataFolder(o.data, name)
		if err != nil {
			return nil, 0, err
		}
		if _, err := os.Stat(folder); known && errors.Is(err, fs.ErrNotExist) {
			break
		}
		opened, err := c.openFolder(ctx, folder)
		if _, locked := errors.AsType[*sqlite.LockedError](err); locked {
			inUse++
			if known || n < maxOwnHosts {
				continue
			}
		}
		if err != nil {
			return nil, inUse, explainFolder(folder, err)
		}
		if !known {
			return opened, inUse, nil
		}
		has, err := o.knownIn(ctx, opened.journal)
		if has && err == nil {
			return opened, inUse, nil
		}
		if err := errors.Join(err, opened.close()); err != nil {
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
