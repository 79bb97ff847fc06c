// SPDX-License-Identifier: Apache-2.0

// Package daemon is the coordinator as a program: the MCP endpoint, a page that shows what goes on, and what that page
// and other programs read.
package daemon

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/dragoman-a2a/dragoman/coord"
	coordmcp "github.com/dragoman-a2a/dragoman/coord/mcp"
	"github.com/dragoman-a2a/dragoman/internal/binding/sse"
)

//go:embed page.html page.css page.js
var page embed.FS

// Options are what a Daemon is made of.
type Options struct {
	Hub    *coord.Hub    // required
	Tokens *coord.Tables // who may call; nil when everybody may
	// Closed refuses all calls without a token, also those of projects that have none.
	Closed bool
	// OwnerKey is what the one who runs the coordinator shows to manage tokens; without it nobody can.
	OwnerKey string
	MCP      coordmcp.Options
	Logger   *slog.Logger // nil means slog.Default()
}

// A Daemon is an http.Handler:
//
//	/mcp                          the tools, over MCP
//	/                             a page for people
//	/healthz                      whether it runs
//	/api/projects                 the names of all projects
//	/api/projects/{project}       what goes on in one
//	/api/projects/{project}/events  what happens in one, as it happens
//	/api/projects/{project}/conflicts  which of some paths others have leased
//	/api/tokens                   tokens, with the key of the owner
type Daemon struct {
	opts Options
	mux  *http.ServeMux
	mcp  *coordmcp.Server
}

// New returns a Daemon.
func New(opts Options) *Daemon {
	if opts.Logger == nil {
		opts.Logger = slog.Default()
	}
	d := &Daemon{opts: opts, mux: http.NewServeMux()}
	opts.MCP.Authorize = d.authorize
	d.mcp = coordmcp.New(opts.Hub, &opts.MCP)
	d.mux.Handle("/mcp", d.mcp.Handler())
	d.mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, r *http.Request) {
		answer(w, map[string]string{"status": "ok", "version": opts.MCP.Version})
	})
	d.mux.HandleFunc("GET /{$}", servePage("page.html", "text/html; charset=utf-8"))
	d.mux.HandleFunc("GET /page.css", servePage("page.css", "text/css; charset=utf-8"))
	d.mux.HandleFunc("GET /page.js", servePage("page.js", "text/javascript; charset=utf-8"))
	d.mux.HandleFunc("GET /api/projects", d.serveProjects)
	d.mux.HandleFunc("GET /api/projects/{project}", d.serveProject)
	d.mux.HandleFunc("GET /api/projects/{project}/events", d.serveEvents)
	d.mux.HandleFunc("POST /api/projects/{project}/conflicts", d.serveConflicts)
	if opts.Tokens != nil && opts.OwnerKey != "" {
		d.mux.HandleFunc("GET /api/tokens", d.owner(d.serveTokens))
		d.mux.HandleFunc("POST /api/tokens", d.owner(d.createToken))
		d.mux.HandleFunc("DELETE /api/tokens", d.owner(d.revokeToken))
	}
	return d
}

// ServeHTTP answers one request.
func (d *Daemon) ServeHTTP(w http.ResponseWriter, r *http.Request) { d.mux.ServeHTTP(w, r) }

// Handle adds a handler, as [http.ServeMux.Handle] does: of what the Daemon does not know itself.
func (d *Daemon) Handle(pattern string, h http.Handler) { d.mux.Handle(pattern, h) }

// Authorize finds out who calls, for handlers that were added. Its error refuses the call. With reads the call changes
// nothing.
func (d *Daemon) Authorize(ctx context.Context, header http.Header, project string, reads bool) (principal string, err error) {
	return d.authorize(ctx, header, project, reads)
}

// MCP returns the MCP server, for other transports than HTTP.
func (d *Daemon) MCP() *coordmcp.Server { return d.mcp }

// errForbidden is why a caller is refused, without saying more than he knows.
var errForbidden = errors.New("this project needs a token that allows this; send it as Authorization: Bearer TOKEN")

// authorize finds out who calls. A project for which there is no token is open to all who reach the address.
func (d *Daemon) authorize(ctx context.Context, header http.Header, project string, reads bool) (string, error) {
	if d.opts.Tokens == nil {
		return "", nil
	}
	scheme, token, _ := strings.Cut(header.Get("Authorization"), " ")
	if token == "" || !strings.EqualFold(scheme, "Bearer") {
		needs, err := d.opts.Tokens.NeedsToken(ctx, project)
		if err != nil {
			return "", fmt.Errorf("look for the tokens of the project: %w", err)
		}
		if needs || d.opts.Closed {
			return "", errForbidden
		}
		return "", nil
	}
	grant, err := d.opts.Tokens.Token(ctx, token)
	switch {
	case errors.Is(err, coord.ErrNoToken):
		return "", errForbidden
	case err != nil:
		return "", err
	case grant.Project != "" && grant.Project != project, grant.Role == coord.RoleObserver && !reads:
		return "", errForbidden
	}
	return grant.Name, nil
}

// allow reports whether the caller may look at a project, and answers if not.
func (d *Daemon) allow(w http.ResponseWriter, r *http.Request, project string) bool {
	if _, err := d.authorize(r.Context(), r.Header, project, true); err != nil {
		w.Header().Set("WWW-Authenticate", "Bearer")
		refuse(w, http.StatusUnauthorized, err)
		return false
	}
	return true
}

func (d *Daemon) serveProjects(w http.ResponseWriter, r *http.Request) {
	names, err := d.opts.Hub.Projects(r.Context())
	if err != nil {
		d.fail(w, err)
		return
	}
	shown := []string{}
	for _, name := range names {
		if _, err := d.authorize(r.Context(), r.Header, name, true); err == nil {
			shown = append(shown, name)
		}
	}
	answer(w, map[string]any{"projects": shown})
}

// serveProject answers with all that people want to see at once.
func (d *Daemon) serveProject(w http.ResponseWriter, r *http.Request) {
	project := r.PathValue("project")
	if !d.allow(w, r, project) {
		return
	}
	view := map[string]any{"project": project}
	for name, c := range map[string]coord.Command{
		"agents": coord.ListAgents{}, "todos": coord.AllTodos{}, "locks": coord.ListLocks{},
		"changes": coord.RecentChanges{}, "interfaces": coord.ListInterfaces{},
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

// keepAlive is how often a silent stream says that it is there.
const keepAlive = 15 * time.Second

// serveEvents streams what happens, after the event that Last-Event-ID or the parameter after names, else from now on.
func (d *Daemon) serveEvents(w http.ResponseWriter, r *http.Request) {
	project := r.PathValue("project")
	if !d.allow(w, r, project) {
		return
	}
	after, err := strconv.ParseInt(firstOf(r.Header.Get("Last-Event-ID"), r.URL.Query().Get("after"), "0"), 10, 64)
	if err != nil || after < 0 {
		refuse(w, http.StatusBadRequest, errors.New("after must be the number of an event"))
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-cache")
	control := http.NewResponseController(w)
	if err := control.Flush(); err != nil { // the reader knows that it is there
		return
	}
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	lines := make(chan []byte)
	go func() {
		defer close(lines)
		for e, err := range d.opts.Hub.Events(ctx, project, after) {
			text, encoding := json.Marshal(&e)
			if err != nil || encoding != nil {
				return
			}
			select {
			case lines <- sse.AppendEvent(nil, strconv.FormatInt(e.Seq, 10), text):
			case <-ctx.Done():
				return
			}
		}
	}()
	ticker := time.NewTicker(keepAlive)
	defer ticker.Stop()
	for {
		var line []byte
		select {
		case next, more := <-lines:
			if !more {
				return
			}
			line = next
		case <-ticker.C:
			line = []byte(": here\n\n")
		}
		control.SetWriteDeadline(time.Now().Add(keepAlive)) // a connection without deadlines writes as long as it takes
		if _, err := w.Write(line); err != nil {
			cancel()
			for range lines { // lets the other end
			}
			return
		}
		if err := control.Flush(); err != nil {
			cancel()
		}
	}
}

func firstOf(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}

// pagePolicy lets the page load its own files and nothing else: what agents write is shown, and never run.
const pagePolicy = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

func servePage(name, mediaType string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Type", mediaType)
		h.Set("Content-Security-Policy", pagePolicy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cache-Control", "no-cache")
		http.ServeFileFS(w, r, page, name)
	}
}

func (d *Daemon) fail(w http.ResponseWriter, err error) {
	if bad, ok := errors.AsType[*coord.BadProjectError](err); ok {
		refuse(w, http.StatusBadRequest, bad)
		return
	}
	d.opts.Logger.Error("a request failed", slog.String("error", err.Error()))
	refuse(w, http.StatusInternalServerError, errors.New("internal error; the log has more"))
}

func refuse(w http.ResponseWriter, status int, err error) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.MarshalWrite(w, map[string]string{"status": "error", "error": err.Error()}) // the caller may be gone
}

func answer(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	json.MarshalWrite(w, v, json.Deterministic(true)) // the caller may be gone
}
