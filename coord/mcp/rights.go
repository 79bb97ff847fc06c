// SPDX-License-Identifier: Apache-2.0

package mcp

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// lookAgain is how often it is looked whether subscribers may still see what they have subscribed to, when they are told
// of nothing.
const lookAgain = 5 * time.Second

// A subscription is that of a connection to a resource.
type subscription struct {
	project string
	header  http.Header // of the call that made it
	leave   func()      // ends the presence by it
}

// expel ends the connections of those who have subscribed to resources of a project and may not see it any more, as their
// token was revoked, or they have none and it takes one now. The SDK can end no subscription alone; a client that may see
// other projects connects again.
func (w *watches) expel(ctx context.Context, project string) {
	if w.server.opts.Authorize == nil {
		return
	}
	ctx = Describe(ctx, slog.String("resource", "subscription"))
	for session, headers := range w.subscribers(project) {
		for _, header := range headers {
			if _, err := w.server.principal(ctx, header, project, true); err == nil || ctx.Err() != nil {
				continue
			}
			w.dropAll(session)
			end(ctx, session)
			break
		}
	}
}

// endWithin is how long the end of a connection is waited for, which waits for its calls.
const endWithin = time.Second

// end ends a connection, which is told of nothing then.
func end(ctx context.Context, session *sdk.ServerSession) {
	ctx, cancel := context.WithTimeout(ctx, endWithin)
	go func() {
		defer cancel()
		session.Close() // how it ended is nothing to us
	}()
	<-ctx.Done()
}

// subscribers returns the headers of the subscriptions to resources of a project, by connection.
func (w *watches) subscribers(project string) map[*sdk.ServerSession][]http.Header {
	w.mu.Lock()
	defer w.mu.Unlock()
	all := make(map[*sdk.ServerSession][]http.Header)
	for session, mine := range w.sessions {
		for _, s := range mine {
			if s.project == project {
				all[session] = append(all[session], s.header)
			}
		}
	}
	return all
}

// dropAll ends the subscriptions of a connection.
func (w *watches) dropAll(session *sdk.ServerSession) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for uri := range w.sessions[session] {
		w.drop(session, uri)
	}
}
