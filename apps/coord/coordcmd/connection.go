// SPDX-License-Identifier: Apache-2.0

package coordcmd

import (
	"context"
	"errors"
	"os"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/dragoman-a2a/dragoman/apps/coord"
	coordmcp "github.com/dragoman-a2a/dragoman/apps/coord/mcp"
	"github.com/dragoman-a2a/dragoman/internal/cmdline"
)

// A proxy listens to the coordinator on a connection: a session of MCP that stays open beside its calls. The connection
// is the heartbeat of the proxy's sessions and carries subscriptions. If it breaks, the proxy opens another one.

// connectionVersion is the last revision of MCP with sessions. Without them the SDK does not tell that a subscription
// was refused, or has ended.
const connectionVersion = "2025-11-25"

// Times of connections. With a session timeout below minSessionTimeout, a restart of the coordinator could make
// sessions stale.
const (
	redialSoon        = 100 * time.Millisecond // until a connection that broke is opened again
	redialLater       = time.Second            // the same, when that has failed often
	steadyAfter       = 10 * time.Second       // a connection that held for so long does not fail often
	minSessionTimeout = 3 * redialLater
	// between two heartbeats on a connection, which find out what it has not noticed itself
	presentEvery = 30 * time.Second
)

func (c *commands) dialConnection(ctx context.Context, o *coordOptions, options *sdk.ClientOptions) (*sdk.ClientSession,
	error) {
	session, err := sdk.NewClient(&sdk.Implementation{Name: "dragoman", Version: cmdline.Version()},
		options).Connect(ctx, &sdk.StreamableClientTransport{
		Endpoint: o.url + "/mcp", HTTPClient: o.withToken(c.patient), MaxRetries: -1,
	}, &sdk.ClientSessionOptions{ProtocolVersion: connectionVersion})
	if err != nil {
		return nil, coordUnreachable(o, err)
	}
	return session, nil
}

// listening returns the connection, and opens it when there is none.
func (p *proxy) listening(ctx context.Context) (*sdk.ClientSession, error) {
	select {
	case p.opening <- struct{}{}:
		defer func() { <-p.opening }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	if conn := p.currentConnection(); conn != nil {
		return conn, nil
	}
	dialling, cancel := context.WithTimeout(ctx, coordPatience)
	defer cancel()
	conn, err := p.openConnection(dialling)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.conn = conn
	return conn, nil
}

func (p *proxy) currentConnection() *sdk.ClientSession {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.conn
}

func (p *proxy) close(conn *sdk.ClientSession) {
	p.detach(conn)
	conn.Close() // there may be nothing on the other side
}

// detach has nobody use a connection any more.
func (p *proxy) detach(conn *sdk.ClientSession) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.conn == conn {
		p.conn = nil
	}
}

// withConnection calls f with the connection, and once more with a new one if the connection was dead. It starts the
// coordinator if need be.
func (p *proxy) withConnection(ctx context.Context, f func(*sdk.ClientSession) error) error {
	conn, err := p.listening(ctx)
	if err == nil {
		if err = f(conn); err == nil || saidBy(err) != nil || ctx.Err() != nil {
			return err
		}
		p.detach(conn)
		go conn.Close() // which waits for the other side
	}
	if p.start != nil {
		if err := p.start(ctx); err != nil {
			return err
		}
	}
	if conn, err = p.listening(ctx); err != nil {
		return err
	}
	return f(conn)
}

// stay keeps a connection, as long as the process that started this one is there, from when somebody needs one.
func (p *proxy) stay(ctx context.Context, every time.Duration, parent int) {
	defer func() {
		if conn := p.currentConnection(); conn != nil {
			p.close(conn)
		}
	}()
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	wait := redialSoon
	for ctx.Err() == nil && os.Getppid() == parent {
		if !p.needsConnection() {
			select {
			case <-ctx.Done():
			case <-p.wake:
			case <-ticker.C:
			}
			continue
		}
		begun := time.Now()
		if conn, err := p.listening(ctx); err == nil {
			p.hold(ctx, conn, ticker, parent)
			p.close(conn)
		}
		if time.Since(begun) > steadyAfter {
			wait = redialSoon
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
		}
		wait = min(2*wait, redialLater)
	}
}

// needsConnection reports whether there is anything to say or to hear on a connection.
func (p *proxy) needsConnection() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.present)+len(p.watching) > 0
}

// awake has stay look again at what a connection is needed for.
func (p *proxy) awake() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// hold says on a connection that the sessions are alive, until it breaks or nobody needs it any more.
func (p *proxy) hold(ctx context.Context, conn *sdk.ClientSession, ticker *time.Ticker, parent int) {
	broken := make(chan struct{})
	go func() {
		defer close(broken)
		conn.Wait() // why it ended is nothing to us
	}()
	for os.Getppid() == parent && p.beatAll(ctx, conn, elsewhere(p, p.present, conn)) {
		p.resubscribe(ctx, conn)
		select {
		case <-ctx.Done():
			return
		case <-broken:
			return
		case <-p.wake:
		case <-ticker.C:
			if !p.needsConnection() || !p.beatAll(ctx, conn, p.sessions()) || !p.answers(ctx, conn) {
				return
			}
		}
	}
}

// answers reports whether there is somebody on the other side of a connection.
func (p *proxy) answers(ctx context.Context, conn *sdk.ClientSession) bool {
	ctx, cancel := context.WithTimeout(ctx, coordPatience)
	defer cancel()
	return conn.Ping(ctx, nil) == nil
}

// elsewhere returns the keys of sessions or subscriptions that are not bound to a connection.
func elsewhere[K comparable](p *proxy, of map[K]*binding, conn *sdk.ClientSession) (keys []K) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for key, at := range of {
		if at.conn != conn {
			keys = append(keys, key)
		}
	}
	return keys
}

// beatAll says that sessions are alive, and reports whether the connection is.
func (p *proxy) beatAll(ctx context.Context, conn *sdk.ClientSession, keys [][2]string) bool {
	for _, key := range keys {
		if !p.beat(ctx, conn, key) {
			return false
		}
	}
	return true
}

// beat sends a heartbeat, which binds the session to the connection, and reports whether the connection lives. It drops
// a session that is not registered or has another owner.
func (p *proxy) beat(ctx context.Context, conn *sdk.ClientSession, key [2]string) bool {
	p.mu.Lock()
	at := p.present[key]
	p.mu.Unlock()
	if at == nil {
		return true // it has left
	}
	ctx, cancel := context.WithTimeout(ctx, coordPatience)
	defer cancel()
	a, err := p.coord.callAnswer(ctx, conn, "heartbeat", map[string]any{"project_id": key[0], "session_name": key[1]})
	refused, ok := errors.AsType[*refusedError](err)
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case ok && refused.code != coord.CodeForbidden:
		// such as by a coordinator that ends, after which there is another connection
		at.conn = conn
	case !ok && err != nil:
		return false
	case !ok && a.Status != "not_found":
		at.conn = conn
	case p.present[key] == at: // else it has registered meanwhile
		delete(p.present, key)
	}
	return true
}

// resubscribe renews the subscriptions of another connection, and tells the client that the resources may have changed.
func (p *proxy) resubscribe(ctx context.Context, conn *sdk.ClientSession) {
	for _, uri := range elsewhere(p, p.watching, conn) {
		one, cancel := context.WithTimeout(ctx, coordPatience)
		if conn.Subscribe(one, &sdk.SubscribeParams{URI: uri}) == nil {
			p.watched(uri, conn)
		}
		p.server.ResourceUpdated(one, &sdk.ResourceUpdatedNotificationParams{URI: uri})
		cancel()
	}
}

func (p *proxy) watched(uri string, conn *sdk.ClientSession) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if at := p.watching[uri]; at != nil { // else it was unsubscribed
		at.conn = conn
	}
}

func (p *proxy) subscribe(ctx context.Context, req *sdk.SubscribeRequest) error {
	ctx, cancel := context.WithTimeout(ctx, redialPatience)
	defer cancel()
	uri := req.Params.URI
	p.mu.Lock()
	known := p.watching[uri] != nil
	if !known {
		p.watching[uri] = &binding{} // before the request, as the connection may break just then
	}
	p.mu.Unlock()
	err := p.withConnection(ctx, func(conn *sdk.ClientSession) error {
		err := conn.Subscribe(ctx, &sdk.SubscribeParams{URI: uri})
		if err == nil {
			p.watched(uri, conn)
		}
		return err
	})
	if err == nil {
		p.awake()
	} else if !known {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.watching, uri)
	}
	return plainError(err)
}

// unsubscribe passes on the end of a subscription. One whose connection is dead has ended.
func (p *proxy) unsubscribe(ctx context.Context, req *sdk.UnsubscribeRequest) error {
	p.mu.Lock()
	delete(p.watching, req.Params.URI)
	conn := p.conn
	p.mu.Unlock()
	if conn == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, coordPatience)
	defer cancel()
	if said := saidBy(conn.Unsubscribe(ctx, &sdk.UnsubscribeParams{URI: req.Params.URI})); said != nil {
		return said
	}
	return nil
}

// asWatched returns the spelling of a resource's URI with which the client has subscribed.
func (p *proxy) asWatched(uri string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.watching[uri] != nil {
		return uri
	}
	for other := range p.watching {
		if coordmcp.SameResource(uri, other) {
			return other
		}
	}
	return uri
}
