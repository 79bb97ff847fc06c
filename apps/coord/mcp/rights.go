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

// lookAgain is how often the rights of subscribers are checked when there is no change to tell.
const lookAgain = 5 * time.Second

type subscription struct {
	place
	header    http.Header // of the call that made it
	principal string      // whose call that was
	leave     func()      // ends the presence by it
}

// toReaders sends a notification only to a connection that has subscribed to the resource and may still read it: an
// inbox may have another owner by now.
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

// expel ends the connections of subscribers that may not see a project any more, as their token was revoked, or a token
// is needed now. The SDK can end no subscription alone.
func (w *watches) expel(ctx context.Context, project string) {
	ctx = Describe(ctx, slog.String("resource", "subscription"))
	for session, headers := range w.subscribers(project) {
		for _, header := range headers {
			_, err := w.server.opts.Authorize(ctx, header, project, true)
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
