// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/dragoman-a2a/dragoman/apps/coord"
	coordmcp "github.com/dragoman-a2a/dragoman/apps/coord/mcp"
)

// A proxy listens to the coordinator on a line: a session of MCP that stays open, apart from its calls, of which each stands
// for itself. The line is what the coordinator takes for a sign of life of the proxy's sessions, however short a time that
// waits for one, and what subscriptions are on. When it breaks there is another one as soon as there is a coordinator.

// lineVersion is the revision of MCP that lines speak: the last one that has sessions, as without them the SDK does not
// tell that a subscription was refused, or has ended.
const lineVersion = "2025-11-25"

// Times of lines. A coordinator that waits for signs of life for less than minAlive could take sessions for dead whose line
// broke, as when it is started again.
const (
	lineSoon     = 100 * time.Millisecond // until a line that broke is opened again
	lineLater    = time.Second            // the same, when that has failed often
	lineSteady   = 10 * time.Second       // a line that held for so long does not fail often
	minAlive     = 3 * lineLater
	presentEvery = 30 * time.Second // between two signs of life on a line, which find out what it has not noticed itself
)

// dialLine opens a line.
func (c *command) dialLine(ctx context.Context, o *coordOptions, options *sdk.ClientOptions) (*sdk.ClientSession, error) {
	web := c.coordHTTP(o)
	next := web.Transport
	if next == nil {
		next = http.DefaultTransport
	}
	session, err := sdk.NewClient(&sdk.Implementation{Name: "dragoman", Version: version()}, options).Connect(ctx, &sdk.StreamableClientTransport{
		Endpoint: o.url + "/mcp", HTTPClient: &http.Client{Transport: &patient{next}}, MaxRetries: -1,
	}, &sdk.ClientSessionOptions{ProtocolVersion: lineVersion})
	if err != nil {
		return nil, coordUnreachable(o, err)
	}
	return session, nil
}

// patient waits for the beginning of an answer, and no longer than coordPatience: the SDK opens the stream of a session
// without a limit of time.
type patient struct{ next http.RoundTripper }

func (p *patient) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(r.Context())
	timer := time.AfterFunc(coordPatience, func() { cancel(context.DeadlineExceeded) })
	resp, err := p.next.RoundTrip(r.WithContext(ctx))
	if !timer.Stop() && err != nil {
		err = errors.Join(err, context.Cause(ctx))
	}
	if err != nil {
		cancel(nil)
		return nil, err
	}
	resp.Body = &cancelBody{resp.Body, cancel}
	return resp, nil
}

// A cancelBody ends its request when it is closed.
type cancelBody struct {
	io.ReadCloser
	cancel context.CancelCauseFunc
}

func (b *cancelBody) Close() error {
	defer b.cancel(nil)
	return b.ReadCloser.Close()
}

// listening returns the line, and opens it when there is none.
func (p *proxy) listening(ctx context.Context) (*sdk.ClientSession, error) {
	select {
	case p.opening <- struct{}{}:
		defer func() { <-p.opening }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	if line := p.currentLine(); line != nil {
		return line, nil
	}
	dialling, cancel := context.WithTimeout(ctx, coordPatience)
	defer cancel()
	line, err := p.openLine(dialling)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.line = line
	return line, nil
}

// currentLine returns the line, nil when there is none.
func (p *proxy) currentLine() *sdk.ClientSession {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.line
}

// hangUp closes a line.
func (p *proxy) hangUp(line *sdk.ClientSession) {
	p.leave(line)
	line.Close() // there may be nothing on the other side
}

// leave has nobody use a line any more.
func (p *proxy) leave(line *sdk.ClientSession) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.line == line {
		p.line = nil
	}
}

// onLine does something on the line, and once more on a new one when the line was dead. It starts the coordinator if need
// be.
func (p *proxy) onLine(ctx context.Context, f func(*sdk.ClientSession) error) error {
	line, err := p.listening(ctx)
	if err == nil {
		if err = f(line); err == nil || saidBy(err) != nil || ctx.Err() != nil {
			return err
		}
		p.leave(line)
		go line.Close() // which waits for the other side
	}
	if p.start != nil {
		if err := p.start(ctx); err != nil {
			return err
		}
	}
	if line, err = p.listening(ctx); err != nil {
		return err
	}
	return f(line)
}

// stay keeps a line, as long as the process that started this one is there, from when somebody needs one.
func (p *proxy) stay(ctx context.Context, every time.Duration, parent int) {
	defer func() {
		if line := p.currentLine(); line != nil {
			p.hangUp(line)
		}
	}()
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	wait := lineSoon
	for ctx.Err() == nil && os.Getppid() == parent {
		if !p.needsLine() {
			select {
			case <-ctx.Done():
			case <-p.wake:
			case <-ticker.C:
			}
			continue
		}
		begun := time.Now()
		if line, err := p.listening(ctx); err == nil {
			p.hold(ctx, line, ticker, parent)
			p.hangUp(line)
		}
		if time.Since(begun) > lineSteady {
			wait = lineSoon
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
		}
		wait = min(2*wait, lineLater)
	}
}

// needsLine reports whether there is anything to say or to hear on a line.
func (p *proxy) needsLine() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.present)+len(p.watching) > 0
}

// awake has stay look again at what a line is needed for.
func (p *proxy) awake() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// hold says on a line that the sessions are alive, until it breaks or nobody needs it any more.
func (p *proxy) hold(ctx context.Context, line *sdk.ClientSession, ticker *time.Ticker, parent int) {
	broken := make(chan struct{})
	go func() {
		defer close(broken)
		line.Wait() // why it ended is nothing to us
	}()
	for os.Getppid() == parent && p.beatAll(ctx, line, p.sessionsElsewhere(line)) {
		p.watchAgain(ctx, line)
		select {
		case <-ctx.Done():
			return
		case <-broken:
			return
		case <-p.wake:
		case <-ticker.C:
			if !p.needsLine() || !p.beatAll(ctx, line, p.sessions()) || !p.answers(ctx, line) {
				return
			}
		}
	}
}

// answers reports whether there is somebody on the other side of a line.
func (p *proxy) answers(ctx context.Context, line *sdk.ClientSession) bool {
	ctx, cancel := context.WithTimeout(ctx, coordPatience)
	defer cancel()
	return line.Ping(ctx, nil) == nil
}

// sessionsElsewhere returns the sessions that are not bound to a line.
func (p *proxy) sessionsElsewhere(line *sdk.ClientSession) [][2]string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var keys [][2]string
	for key, at := range p.present {
		if at.line != line {
			keys = append(keys, key)
		}
	}
	return keys
}

// beatAll says that sessions are alive, and reports whether the line is.
func (p *proxy) beatAll(ctx context.Context, line *sdk.ClientSession, keys [][2]string) bool {
	for _, key := range keys {
		if !p.beat(ctx, line, key) {
			return false
		}
	}
	return true
}

// beat says that a session is alive, which binds it to the line, and reports whether the line is. A session that is not
// registered, or is somebody else's by now, is no longer ours.
func (p *proxy) beat(ctx context.Context, line *sdk.ClientSession, key [2]string) bool {
	p.mu.Lock()
	at := p.present[key]
	p.mu.Unlock()
	if at == nil {
		return true // it has left
	}
	ctx, cancel := context.WithTimeout(ctx, coordPatience)
	defer cancel()
	a, err := p.coord.callAnswer(ctx, line, "heartbeat", map[string]any{"project_id": key[0], "session_name": key[1]})
	refused, ok := errors.AsType[*refusedError](err)
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case ok && refused.code != coord.CodeForbidden: // such as by a coordinator that ends, after which there is another line
		at.line = line
	case !ok && err != nil:
		return false
	case !ok && a.Status != "not_found":
		at.line = line
	case p.present[key] == at: // else it has registered meanwhile
		delete(p.present, key)
	}
	return true
}

// watchAgain subscribes to what was subscribed to on another line. The client is told that it has changed, as nobody told
// it meanwhile; what the coordinator grants no more is read in vain.
func (p *proxy) watchAgain(ctx context.Context, line *sdk.ClientSession) {
	for _, uri := range p.watchedElsewhere(line) {
		one, cancel := context.WithTimeout(ctx, coordPatience)
		if line.Subscribe(one, &sdk.SubscribeParams{URI: uri}) == nil {
			p.watched(uri, line)
		}
		p.server.ResourceUpdated(one, &sdk.ResourceUpdatedNotificationParams{URI: uri})
		cancel()
	}
}

// watchedElsewhere returns the resources that are subscribed to, but not on a line.
func (p *proxy) watchedElsewhere(line *sdk.ClientSession) []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var uris []string
	for uri, on := range p.watching {
		if on != line {
			uris = append(uris, uri)
		}
	}
	return uris
}

// watched notes that a resource is subscribed to on a line, unless nobody wants that any more.
func (p *proxy) watched(uri string, line *sdk.ClientSession) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, wanted := p.watching[uri]; wanted {
		p.watching[uri] = line
	}
}

// subscribe passes on a subscription.
func (p *proxy) subscribe(ctx context.Context, req *sdk.SubscribeRequest) error {
	ctx, cancel := context.WithTimeout(ctx, redialPatience)
	defer cancel()
	uri := req.Params.URI
	p.mu.Lock()
	_, known := p.watching[uri]
	if !known {
		p.watching[uri] = nil // before it is asked for, as the line may break just then
	}
	p.mu.Unlock()
	err := p.onLine(ctx, func(line *sdk.ClientSession) error {
		err := line.Subscribe(ctx, &sdk.SubscribeParams{URI: uri})
		if err == nil {
			p.watched(uri, line)
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

// unsubscribe passes on the end of a subscription. One whose line is dead has ended.
func (p *proxy) unsubscribe(ctx context.Context, req *sdk.UnsubscribeRequest) error {
	p.mu.Lock()
	delete(p.watching, req.Params.URI)
	line := p.line
	p.mu.Unlock()
	if line == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, coordPatience)
	defer cancel()
	if said := saidBy(line.Unsubscribe(ctx, &sdk.UnsubscribeParams{URI: req.Params.URI})); said != nil {
		return said
	}
	return nil
}

// asWatched returns the URI that the client has used for a resource when it subscribed, which another spelling of it means
// as well.
func (p *proxy) asWatched(uri string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, exact := p.watching[uri]; exact {
		return uri
	}
	for other := range p.watching {
		if coordmcp.SameResource(uri, other) {
			return other
		}
	}
	return uri
}
