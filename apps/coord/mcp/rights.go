// SPDX-License-Identifier: Apache-2.0

package mcp

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/dragoman-a2a/dragoman/apps/coord"
)

// lookAgain is how often it is looked whether subscribers may still see what they have subscribed to, when they are
// told of nothing.
const lookAgain = 5 * time.Second

type subscription struct {
	place
	header    http.Header // of the call that made it
	principal string      // whose call that was
	leave     func()      // ends the presence by it
}

// toReaders lets a notification of a change go only to a connection that has subscribed to the resource, which may have
// ended just now, and may still read it: an inbox that was nobody's may be somebody else's by now.
func (w *watches) toReaders(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		session, ok := req.GetSession().(*sdk.ServerSession)
		params, updated := req.GetParams().(*sdk.ResourceUpdatedNotificationParams)
		if ok && updated && !w.mayKnow(ctx, session, params.URI) {
			return nil, nil
		}
		return next(ctx, method, req)
	}
}

func (w *watches) mayKnow(ctx context.Context, session *sdk.ServerSession, uri string) bool {
	w.mu.Lock()
	mine := w.sessions[session][uri]
	w.mu.Unlock()
	if mine == nil || mine.session == "" {
		return mine != nil
	}
	result, err := w.server.hub.Do(ctx, mine.project, mine.principal,
		coord.Check{Session: mine.session, Peek: true, Limit: 1})
	_, refused := result.(coord.Failure)
	return err == nil && !refused
}

// expel ends the connections of those who have subscribed to resources of a project and may not see it any more, as
// their token was revoked, or they have none and it takes one now. The SDK can end no subscription alone; a client that
// may see other projects connects again.
func (w *watches) expel(ctx context.Context, project string) {
	if w.server.opts.Authorize == nil {
		return
	}
	ctx = Describe(ctx, slog.String("resource", "subscription"))
	for session, headers := range w.subscribers(project) {
		for _, header := range headers {
			_, err := w.server.principal(ctx, header, project, true)
			// what cannot be found out now is looked at again
			if _, refused := errors.AsType[*RefusedError](err); !refused {
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

func (w *watches) dropAll(session *sdk.ServerSession) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for uri := range w.sessions[session] {
		w.drop(session, uri)
	}
}
