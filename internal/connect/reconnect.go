// SPDX-License-Identifier: Apache-2.0

package connect

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/client"
	"github.com/dragoman-a2a/dragoman/internal/terminal"
	"github.com/dragoman-a2a/dragoman/internal/wire"
)

// A reconnect tells the user when the connection that a stream came by is lost, and when it is back: the client tries
// again for a while, in which a command would be silent.
type reconnect struct {
	*terminal.Terminal

	mu      sync.Mutex
	follows bool // a task, so that calls are repeated until the agent is there again
	lost    bool
}

// see is the interceptor that watches the calls of the client.
func (r *reconnect) see(ctx context.Context, call *client.Call, next client.Handler) (any, error) {
	res, err := next(ctx, call)
	_, failed := errors.AsType[*wire.ConnError](err)
	failed = failed || errors.Is(err, a2a.ErrUnavailable)
	r.mu.Lock()
	defer r.mu.Unlock()
	switch call.Operation {
	case wire.OpSubscribe.String():
		r.follows = true
	case wire.OpStreamMessage.String():
		r.follows = r.follows || err == nil
	}
	switch {
	case failed && r.follows && !r.lost && ctx.Err() == nil:
		r.lost = true
		r.Warn("lost the connection to the agent; reconnecting for up to %s", resumeTimeout)
	case err == nil && r.lost:
		r.lost = false
		r.Tell("Connected to the agent again.")
	}
	return res, err
}

// resumeTimeout is how long the client tries to go on with a stream.
var resumeTimeout = client.Options{}.Defaults().ResumeTimeout.Round(time.Second)
