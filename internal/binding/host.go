// SPDX-License-Identifier: Apache-2.0

package binding

import (
	"log/slog"
	"net/http"
	"slices"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/auth"
	"github.com/dragoman-a2a/dragoman/internal/wire"
)

// A Host is what a server lends to a binding that another package adds to it.
type Host struct {
	Core *Core
	// Exchange runs one request: it catches panics and writes the request's line into the log. The ResponseWriter takes
	// headers; whether it takes more is the binding's business.
	Exchange func(w http.ResponseWriter, r *http.Request, serve func(*Exchange))
	Logger   *slog.Logger

	StreamsPerConn int           // that one connection may have open
	HeaderTimeout  time.Duration // for a connection to become one of the protocol
	IdleTimeout    time.Duration // for a connection without a request
}

// RoutePackage finds out what a request of the gRPC binding asks for. Its package belongs to one generation, so that a
// version which says otherwise is an error; 0.3 was published before requests had versions (A2A 1.0 §3.6.2).
func (c *Core) RoutePackage(r *http.Request, gen a2a.Generation, op wire.Operation) (Route, *a2a.Error) {
	route := Route{Operation: op, Generation: gen}
	requested, e := c.Version(r)
	switch {
	case e != nil:
		return route, e
	case requested == gen, requested == "" && (gen != a2a.Generation10 || c.AcceptUnversioned):
		return route, nil
	case requested == "":
		return route, c.unversioned()
	}
	return route, c.versionError(string(requested), "the version of the request is not that of its gRPC package, "+
		string(gen))
}

// Expect makes room for a large request of which no more than the beginning has arrived.
func (c *Core) Expect(x *Exchange, bytes int64) (e *a2a.Error) {
	x.room, e = c.Requests.take(x.R.Context(), auth.Owner(x.identity), bytes, false)
	return e
}

// Moving says that the request for which Expect made room is read from now on, and how to end that. moved is to be told
// of what has come, and still that all has come; still returns an error if the request was ended for moving too slowly.
func (c *Core) Moving(x *Exchange, cut func()) (moved func(bytes int), still func() *a2a.Error) {
	room := x.room
	room.moving(cut)
	return func(bytes int) { room.move(bytes) }, func() *a2a.Error {
		if room.still() {
			return nil
		}
		room.release()
		return c.tooSlow("message", nil)
	}
}

// Count makes room for a request that has arrived already, if it is large and was not expected.
func (c *Core) Count(x *Exchange, bytes int) (e *a2a.Error) {
	if x.room == nil && bytes > SmallBody {
		x.room, e = c.Requests.take(x.R.Context(), auth.Owner(x.identity), int64(bytes), true)
	}
	x.room.shrink(int64(bytes))
	return e
}

// Active reports whether the request activates an extension of the agent.
func (x *Exchange) Active(uri string) bool {
	return x.call != nil && slices.Contains(x.call.Extensions, uri)
}

// Left notes that the caller of a request that answers once did not wait for the answer, and reports whether it is so.
func (x *Exchange) Left() bool {
	if x.Cut == nil && !shuttingDown(x) {
		x.Cut = x.R.Context().Err()
	}
	return x.Cut != nil
}

// Note lets the log name a task that the request has just made.
func (x *Exchange) Note(result any) { noteResult(x, result) }
