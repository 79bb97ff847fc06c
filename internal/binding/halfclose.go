// SPDX-License-Identifier: Apache-2.0

package binding

import (
	"context"
	"fmt"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
)

// A caller of HTTP/1 may close its sending side after the request and still read the answer, as nc -N does. To net/http
// that looks the same as a caller that has gone, and it ends the context of the request. Only a write tells the two
// apart. HTTP/2 closes the sending side of each request, and resets the streams of callers that have gone.

type serverKey struct{}

// Serving returns ctx for http.Server.BaseContext. The requests of such a server go on when their callers close the
// sending side; they end with ctx, and with its cause.
func Serving(ctx context.Context) context.Context { return context.WithValue(ctx, serverKey{}, ctx) }

// outlast lets the request's context outlast the sending side of its caller: until the caller has had no answer for
// KeepAlive. Once a stream is open its writes find out whether the caller reads, see [streamWriter.probe].
func (c *Core) outlast(x *Exchange) {
	server, ok := x.R.Context().Value(serverKey{}).(context.Context)
	if !ok || x.R.ProtoMajor > 1 {
		return
	}
	x.closed = x.R.Context()
	ctx, end := context.WithCancelCause(context.WithoutCancel(x.closed))
	waiting, opened := context.WithCancel(ctx)
	forgetServer := context.AfterFunc(server, func() { end(context.Cause(server)) })
	forgetCaller := context.AfterFunc(x.closed, func() {
		select {
		case <-time.After(c.KeepAlive):
			end(halfClosed(c.KeepAlive))
		case <-waiting.Done():
		}
	})
	x.R = x.R.WithContext(ctx)
	x.opened = opened
	x.over = func() {
		forgetServer()
		forgetCaller()
		end(nil)
	}
}

// halfClosed is the cause with which the context of a request ends whose caller is not waited for any longer.
func halfClosed(waited time.Duration) error {
	return &a2a.Error{Kind: a2a.ErrTimeout, Message: fmt.Sprintf("the caller closed its side of the connection and "+
		"the answer took more than %v after that; "+
		"leave the connection open, or ask for a stream", waited)}
}
