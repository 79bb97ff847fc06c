// SPDX-License-Identifier: Apache-2.0

// Package daemon is the coordinator as a program: the MCP endpoint, a page that shows what goes on, and what that page
// and other programs read.
package daemon

import (
	"cmp"
	"context"
	"embed"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/dragoman-a2a/dragoman/apps/coord"
	coordmcp "github.com/dragoman-a2a/dragoman/apps/coord/mcp"
	"github.com/dragoman-a2a/dragoman/auth"
	"github.com/dragoman-a2a/dragoman/internal/binding/sse"
	"github.com/dragoman-a2a/dragoman/internal/kit"
)

//go:embed page.css page.js
var pageFiles embed.FS

//go:embed page.html
var pageText string

var page = kit.New(pageText)

// Options are what a Daemon is made of.
type Options struct {
	Hub    *coord.Hub    // required
	Tokens *coord.Tables // who may call; nil when everybody may
	// Closed refuses all calls without a token, also those of projects that have none.
	Closed bool
	// Authenticator knows callers beside those with tokens, and Policy decides what each of them may do in a project:
	// the agent is the project, and the operation ManageProject, JoinProject or ObserveProject. Without a Policy they
	// may do everything. See [CheckCallers].
	Authenticator auth.Authenticator
	Policy        auth.Policy
	// OwnerKey lets the owner of the coordinator manage tokens; without it nobody can.
	OwnerKey string
	// Deleted drops the data that others keep of a deleted project, before the deletion is answered. Data made after
	// the time is that of the next project of the name. Nil when there is no such data.
	Deleted func(ctx context.Context, project string, before time.Time) error
	MCP     coordmcp.Options
	Logger  *slog.Logger // nil means slog.Default()
}

// A Daemon is an http.Handler. It serves the tools over MCP at /mcp, a page for people at /, and what the page and
// programs read and change below /api.
type Daemon struct {
	opts    Options
	mux     *http.ServeMux
	handler http.Handler // mux, for those who did not come from pages of others
	mcp     *coordmcp.Server
	audit   *coordmcp.Audit
	streams streams
}

// New returns a Daemon.
func New(opts Options) *Daemon {
	if opts.Logger == nil {
		opts.Logger = slog.Default()
	}
	d := &Daemon{opts: opts, mux: http.NewServeMux(), audit: coordmcp.NewAudit(opts.Logger)}
	opts.MCP.Authorize, opts.MCP.Known, opts.MCP.Sees, opts.MCP.Audit = d.Authorize, d.known, d.sees, d.audit
	d.mcp = coordmcp.New(opts.Hub, &opts.MCP)
	d.mux.Handle("/mcp", d.mcp.Handler())
	d.mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, r *http.Request) {
		answer(w, map[string]string{"status": "ok", "version": opts.MCP.Version})
	})
	d.mux.HandleFunc("GET /{$}", servePage)
	d.mux.HandleFunc("GET /page.css", serveFile("page.css", "text/css; charset=utf-8"))
	d.mux.HandleFunc("GET /page.js", serveFile("page.js", "text/javascript; charset=utf-8"))
	d.mux.HandleFunc("GET /.dragoman/", kit.Files)
	d.mux.HandleFunc("GET /api/projects", d.serveProjects)
	d.mux.HandleFunc("GET /api/projects/{project}", d.allow(mayLook, d.serveProject))
	d.mux.HandleFunc("DELETE /api/projects/{project}", d.allow(mayKeep, d.deleteProject))
	d.mux.HandleFunc("GET /api/projects/{project}/events", d.allow(mayLook, d.serveEvents))
	d.mux.HandleFunc("POST /api/projects/{project}/conflicts", d.allow(mayLook, d.serveConflicts))
	d.mux.HandleFunc("POST /api/projects/{project}/messages", d.allow(maySpeak, d.sendMessage))
	d.mux.HandleFunc("DELETE /api/projects/{project}/locks/{id}", d.allow(mayKeep, d.freeLock))
	d.mux.HandleFunc("DELETE /api/projects/{project}/agents/{session}", d.allow(mayKeep, d.retireAgent))
	d.mux.HandleFunc("GET /api/projects/{project}/settings", d.allow(mayLook, d.serveSettings))
	d.mux.HandleFunc("PUT /api/projects/{project}/settings", d.allow(mayKeep, d.changeSettings))
	if opts.Tokens != nil && opts.OwnerKey != "" {
		d.mux.HandleFunc("GET /api/tokens", d.owner(d.serveTokens))
		d.mux.HandleFunc("POST /api/tokens", d.owner(d.createToken))
		d.mux.HandleFunc("DELETE /api/tokens", d.owner(d.revokeToken))
	}
	d.handler = guard(http.NewCrossOriginProtection().Handler(d.mux))
	return d
}

// ServeHTTP answers one request. One that changes something is refused when it comes from a page of another site.
func (d *Daemon) ServeHTTP(w http.ResponseWriter, r *http.Request) { d.handler.ServeHTTP(w, r) }

// Handle adds a handler, as [http.ServeMux.Handle] does: of what the Daemon does not know itself.
func (d *Daemon) Handle(pattern string, h http.Handler) { d.mux.Handle(pattern, h) }

// Look returns the principal of a caller that may read a project. Unlike Authorize it logs no refusal: it is for added
// handlers that refuse nothing to other callers.
func (d *Daemon) Look(ctx context.Context, header http.Header, project string) (principal string, err error) {
	g, err := d.grant(ctx, header, project)
	return g.Name, err
}

// MCP returns the MCP server, for other transports than HTTP.
func (d *Daemon) MCP() *coordmcp.Server { return d.mcp }

// Why callers are refused, without saying more than they know.
var (
	errNoToken error = &coordmcp.RefusedError{Why: "this project needs a token that allows this; send it as " +
		"Authorization: Bearer TOKEN"}
	errUnknown error = &coordmcp.RefusedError{Why: "the token is not known; it may have been revoked: ask who " +
		"runs the coordinator for one"}
	errElsewhere   error = &coordmcp.RefusedError{Why: "the token is for another project"}
	errOnlyObserve error = &coordmcp.RefusedError{Why: "the token is that of an observer, who may look only"}
)

func isRefused(err error) bool {
	_, refused := errors.AsType[*coordmcp.RefusedError](err)
	return refused
}

// grant returns the rights of a caller. In a project for which there is no token every caller may do everything.
func (d *Daemon) grant(ctx context.Context, header http.Header, project string) (coord.Grant, error) {
	everybody := coord.Grant{Role: coord.RoleAdmin}
	if d.opts.Tokens == nil {
		return everybody, nil
	}
	if g, err := d.byCallers(ctx, header, project); err == nil || isRefused(err) {
		return g, err
	}
	token := bearer(header)
	if token == "" {
		needs, err := d.opts.Tokens.NeedsToken(ctx, project)
		if err != nil {
			return coord.Grant{}, fmt.Errorf("look for the tokens of the project: %w", err)
		}
		if needs || d.opts.Closed {
			return coord.Grant{}, errNoToken
		}
		return everybody, nil
	}
	grant, err := d.opts.Tokens.Token(ctx, token)
	switch {
	case errors.Is(err, coord.ErrNoToken):
		return coord.Grant{}, errUnknown
	case err != nil:
		return coord.Grant{}, err
	case grant.Project != "" && grant.Project != project:
		return coord.Grant{Name: grant.Name}, errElsewhere
	}
	return grant, nil
}

func bearer(header http.Header) string {
	if scheme, token, _ := strings.Cut(header.Get("Authorization"), " "); strings.EqualFold(scheme, "Bearer") {
		return token
	}
	return ""
}

// known reports whether a caller may be admitted to some project: all with a token, and all where none is needed.
func (d *Daemon) known(header http.Header) bool {
	if d.opts.Tokens == nil || !d.opts.Closed {
		return true
	}
	if _, err := d.authenticate(header); err == nil {
		return true
	}
	_, err := d.opts.Tokens.Token(context.Background(), bearer(header))
	return err == nil
}

// Authorize returns the principal of a call, for the tools and added handlers. Its error refuses the call. With reads
// the call changes nothing.
func (d *Daemon) Authorize(ctx context.Context, header http.Header, project string, reads bool) (string, error) {
	g, err := d.grant(ctx, header, project)
	if err == nil && g.Role == coord.RoleObserver && !reads {
		err = errOnlyObserve
	}
	if isRefused(err) {
		d.audit.Refused(ctx, project, g.Name, err.Error())
	}
	if err != nil {
		return "", err
	}
	return g.Name, nil
}

// sees reports whether a caller may look at a project. A negative answer is no refusal: it asked for no single project.
func (d *Daemon) sees(ctx context.Context, header http.Header, project string) (bool, error) {
	_, err := d.grant(ctx, header, project)
	if isRefused(err) {
		return false, nil
	}
	return err == nil, err
}

func describe(r *http.Request) context.Context {
	call := []slog.Attr{slog.String("request", r.Pattern)}
	if session := r.PathValue("session"); session != "" {
		call = append(call, slog.String("session", session))
	}
	return coordmcp.Describe(r.Context(), call...)
}

// A handler serves a request of the holder of a grant.
type handler func(w http.ResponseWriter, r *http.Request, g coord.Grant)

// allow returns a handler that refuses callers in other than some roles.
func (d *Daemon) allow(roles []string, serve handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		project := r.PathValue("project")
		g, err := d.grant(r.Context(), r.Header, project)
		switch {
		case err == nil && slices.Contains(roles, g.Role):
			serve(w, r, g)
		case err == nil:
			why := fmt.Errorf("your token is that of an %s; this takes one whose role is %s", g.Role,
				strings.Join(roles, " or "))
			d.audit.Refused(describe(r), project, g.Name, why.Error())
			refuse(w, http.StatusForbidden, why)
		case isRefused(err):
			d.audit.Refused(describe(r), project, g.Name, err.Error())
			w.Header().Set("WWW-Authenticate", "Bearer")
			refuse(w, http.StatusUnauthorized, err)
		default:
			d.fail(w, err)
		}
	}
}

// The roles of those who may look, speak, and look after a project.
var (
	mayLook  = []string{coord.RoleObserver, coord.RoleAgent, coord.RoleAdmin}
	maySpeak = []string{coord.RoleAgent, coord.RoleAdmin}
	mayKeep  = []string{coord.RoleAdmin}
)

func (d *Daemon) serveProjects(w http.ResponseWriter, r *http.Request) {
	names, err := d.opts.Hub.Projects(r.Context())
	if err != nil {
		d.fail(w, err)
		return
	}
	shown, alive, locked := []string{}, []string{}, d.opts.Closed
	running := d.opts.Hub.Alive()
	for _, name := range names {
		sees, err := d.sees(r.Context(), r.Header, name)
		switch {
		case err != nil:
			d.fail(w, err)
			return
		case !sees:
			locked = true
			continue
		}
		shown = append(shown, name)
		if slices.Contains(running, name) {
			alive = append(alive, name)
		}
	}
	answer(w, map[string]any{"projects": shown, "alive": alive, "locked": locked}) // locked: a token may show more
}

// serveProject answers with all that the page shows of a project.
func (d *Daemon) serveProject(w http.ResponseWriter, r *http.Request, g coord.Grant) {
	project := r.PathValue("project")
	view := map[string]any{"project": project, "role": g.Role}
	for name, c := range map[string]coord.Command{
		"agents": coord.ListAgents{}, "todos": coord.AllTodos{}, "locks": coord.ListLocks{}, "waits": coord.ListWaits{},
		"changes": coord.RecentChanges{}, "interfaces": coord.ListInterfaces{}, "settings": coord.GetSettings{},
	} {
		result, err := d.opts.Hub.Do(r.Context(), project, "", c)
		if err != nil {
			d.fail(w, err)
			return
		}
		view[name] = result
	}
	answer(w, view)
}

// serveEvents streams what happens: after the event that Last-Event-ID or the parameter after names, or from so many
// events ago as the parameter last says, else from now on. The stream ends when the reader may not look any more.
func (d *Daemon) serveEvents(w http.ResponseWriter, r *http.Request, g coord.Grant) {
	closed, ok := d.streams.open(g)
	if !ok {
		tooManyStreams(w)
		return
	}
	defer closed()
	follower := d.opts.Hub.Follow(r.PathValue("project"))
	after, err := d.after(r)
	switch {
	case errors.Is(err, strconv.ErrSyntax) || errors.Is(err, strconv.ErrRange):
		refuse(w, http.StatusBadRequest, errors.New("after must be the number of an event, and last how many"))
		return
	case err != nil:
		d.fail(w, err)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-cache")
	if err := http.NewResponseController(w).Flush(); err != nil { // the reader knows that it is there
		return
	}
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	lines := make(chan line)
	go func() {
		defer close(lines)
		for e, err := range follower.Events(ctx, after) {
			text, encoding := json.Marshal(&e)
			if err != nil || encoding != nil {
				return
			}
			select {
			case lines <- line{sse.AppendEvent(nil, strconv.FormatInt(e.Seq, 10), text), e.Kind == coord.KindEnded}:
			case <-ctx.Done():
				return
			}
			if e.Kind == coord.KindEnded { // who may see the next project of the name is to be asked anew
				return
			}
		}
	}()
	d.stream(w, r, lines, follower)
	cancel()
	for range lines { // lets the other end
	}
}

const (
	// lookAgain is how often a silent stream sends a comment, and the rights of its reader are checked.
	lookAgain  = 5 * time.Second
	writeLimit = 15 * time.Second
	// askAgain is the pause before the next try when the rights of a reader cannot be read.
	askAgain = time.Second
)

type line struct {
	text []byte
	last bool // the project has ended, which all learn who could look until then, though its tokens went with it
}

// stream writes lines until there are no more, or the reader has gone or may not look any more.
func (d *Daemon) stream(w http.ResponseWriter, r *http.Request, lines <-chan line, follower coord.Follower) {
	control := http.NewResponseController(w)
	ticker := time.NewTicker(lookAgain)
	defer ticker.Stop()
	for {
		changed := d.tokensChange() // before it is looked, so that none is missed
		next := line{text: []byte(": here\n\n")}
		select {
		case l, more := <-lines:
			if !more {
				return
			}
			next = l
		case <-ticker.C:
		case <-changed:
		}
		if !next.last && !d.maySee(r) {
			if !follower.Ended() {
				return
			}
			if next = lastOf(lines); !next.last {
				return
			}
		}
		// a connection without deadlines writes as long as it takes
		control.SetWriteDeadline(time.Now().Add(writeLimit))
		if _, err := w.Write(next.text); err != nil {
			return
		}
		if err := control.Flush(); err != nil {
			return
		}
	}
}

// maySee reports whether the reader of a stream may still look. It waits as long as the rights cannot be read.
func (d *Daemon) maySee(r *http.Request) bool {
	for {
		may, err := d.sees(r.Context(), r.Header, r.PathValue("project"))
		if err == nil {
			return may
		}
		select {
		case <-time.After(askAgain):
		case <-r.Context().Done():
			return false
		}
	}
}

// lastOf returns the last line of a project that has ended, without those before it.
func lastOf(lines <-chan line) line {
	for l := range lines {
		if l.last {
			return l
		}
	}
	return line{}
}

// tokensChange returns a channel that is closed when who may do what changes next.
func (d *Daemon) tokensChange() <-chan struct{} {
	if d.opts.Tokens == nil {
		return nil
	}
	return d.opts.Tokens.TokensChange()
}

func (d *Daemon) after(r *http.Request) (int64, error) {
	if text := cmp.Or(r.Header.Get("Last-Event-ID"), r.URL.Query().Get("after")); text != "" {
		n, err := strconv.ParseUint(text, 10, 63)
		return int64(n), err
	}
	back, err := strconv.ParseUint(cmp.Or(r.URL.Query().Get("last"), "0"), 10, 63)
	if err != nil {
		return 0, err
	}
	newest, err := d.opts.Hub.Last(r.Context(), r.PathValue("project"))
	return max(0, newest-int64(back)), err
}

func servePage(w http.ResponseWriter, _ *http.Request) {
	err := kit.Write(w, page, kit.Page{
		Title: "Dragoman coordination", Section: "Coordination", Styles: []string{"page.css"},
		Scripts: []string{"page.js"},
	})
	if err != nil {
		http.Error(w, "the page cannot be shown", http.StatusInternalServerError)
	}
}

func serveFile(name, mediaType string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		kit.SetHeaders(w.Header())
		w.Header().Set("Content-Type", mediaType)
		http.ServeFileFS(w, r, pageFiles, name)
	}
}

func (d *Daemon) fail(w http.ResponseWriter, err error) {
	bad, isBad := errors.AsType[*coord.BadProjectError](err)
	switch {
	case isBad:
		refuse(w, http.StatusBadRequest, bad)
	case errors.Is(err, coord.ErrClosed):
		refuse(w, http.StatusServiceUnavailable, errors.New("the coordinator is shutting down; try again"))
	case errors.Is(err, coord.ErrNotKept): // which the hub has logged, once for all callers
		refuse(w, http.StatusServiceUnavailable, errors.New("the coordinator cannot store events now, for example "+
			"because the disk is full; its log says why"))
	default:
		d.opts.Logger.Error("a request failed", slog.String("error", err.Error()))
		refuse(w, http.StatusInternalServerError, errors.New("internal error; the log has more"))
	}
}

func refuse(w http.ResponseWriter, status int, err error) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.MarshalWrite(w, coord.Failure{Status: "error", Error: err.Error()}) // the caller may be gone
}

func answer(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	json.MarshalWrite(w, v, json.Deterministic(true)) // the caller may be gone
}
