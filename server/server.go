// SPDX-License-Identifier: Apache-2.0

// Package server serves any [a2a.Service] over HTTP, in every generation of A2A: the agent's card, the JSON-RPC and the
// HTTP+JSON binding, a page for people, and signs of health. Package server/grpc adds gRPC on the same port. A [Server]
// is an [http.Handler], to be mounted wherever its user likes, and can listen by itself with TLS, HTTP/2 and a drain at
// the end.
//
//	POST /                                  JSON-RPC, also at Options.JSONRPCPaths
//	GET  /                                  a page that shows the agent and what to type, or to programs the card
//	     /message:send, /tasks, ...         HTTP+JSON of 1.0; that of 0.3 is below /v1
//	GET  /.well-known/agent-card.json       the card, in the form of the generation that is asked for or of all
//	GET  /.well-known/agent.json            the same, where it was before 0.3
//	GET  /.well-known/oauth-protected-resource  how clients of OAuth get a token (RFC 9728), if the card has OAuth
//	GET  /.well-known/jwks.json             the keys of Options.PublicKeys
//	GET  /healthz                           200 as long as the process serves
//	GET  /readyz                            200, or 503 once the server drains or cannot keep tasks
//
// Every answer has a header X-Request-Id: that of the request if it is fit for a log, else a fresh one.
package server

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/auth/ratelimit"
	"github.com/dragoman-a2a/dragoman/internal/binding"
	"github.com/dragoman-a2a/dragoman/internal/binding/jsonrpc"
	"github.com/dragoman-a2a/dragoman/internal/binding/older"
	"github.com/dragoman-a2a/dragoman/internal/binding/rest"
	"github.com/dragoman-a2a/dragoman/internal/kit"
	"github.com/dragoman-a2a/dragoman/internal/wire"
)

// ReplayExtension is the URI of the extension under which a client resumes a stream where it was cut: it activates the
// extension and sends Last-Event-ID. Servers that stream declare it in their card.
const ReplayExtension = a2a.ReplayExtension

// A Server serves one Service. It must be made by [New].
type Server struct {
	service a2a.Service
	options *Options
	core    *binding.Core
	auditor *auditor        // nil when nothing is recorded
	jsonrpc *jsonrpc.Server // nil when not served
	rest    *rest.Server    // nil when not served

	crossOrigin *http.CrossOriginProtection

	profile *binding.Profile // of the static card; nil with CardFunc
	since   time.Time        // since when a static card is what it is
	cards   renderedCards
	signed  signedCards

	root     atomic.Pointer[string] // URL without Options.Path; "" means the request's host
	port     atomic.Pointer[string] // that is bound, where every address of the machine is; else nil
	draining atomic.Bool
	asked    atomic.Int64           // when /readyz was asked for last, in Unix nanoseconds
	unready  atomic.Pointer[string] // why the last /readyz said that the server is not ready; nil if it is
}

// New returns a Server for svc, whose card is that of the options or its own one, see [Carded]. It warns of a Service
// that wraps another one and hides its capabilities, see [Capable].
func New(svc a2a.Service, opts *Options) (*Server, error) {
	o, err := opts.withDefaults(svc)
	if err != nil {
		return nil, err
	}
	s := &Server{service: svc, options: o, since: time.Now().UTC().Truncate(time.Second),
		crossOrigin: crossOrigin(o.URL)}
	s.signed.signer = o.CardSigner
	s.root.Store(&o.URL)
	s.warnOfWrapper()
	if o.Handler == nil {
		o.Handler = s
	}
	if !o.RefuseReopening && slices.Contains(o.Generations, a2a.Generation01) {
		svc = reopening{svc}
	}
	svc = extended{svc, s}
	if o.Audit != nil {
		s.auditor = &auditor{log: o.Audit, logger: o.Logger}
	}
	l := o.Limits
	s.core = &binding.Core{
		Service: older.Service{Service: svc}, Profile: s.profileFor, Auth: ratelimit.Logins(o.Authenticator),
		LeaveScopes: o.LeaveScopes,
		Policy:      o.policy(s.auditor),
		BaseURL:     s.rootOf,
		MaxBody:     l.Body, MaxParts: l.Parts, MaxDepth: l.Depth,
		Generations:       o.Generations,
		AcceptUnversioned: o.AcceptUnversioned,
		Codes100:          o.Codes100,
		RawFiles:          o.RawFiles,
		Streams:           &binding.StreamLimits{PerOwner: l.StreamsPerOwner, Total: l.Streams},
		Requests: &binding.Budget{Total: l.RequestBytes, Wait: l.Wait, Stall: l.WriteTimeout,
			What: "requests"},
		Answers:   &binding.Budget{Total: l.AnswerBytes, Wait: l.Wait, Stall: l.WriteTimeout, What: "answers"},
		KeepAlive: l.KeepAlive, WriteTimeout: l.WriteTimeout, BodyTimeout: l.BodyTimeout,
	}
	if slices.Contains(o.Bindings, a2a.BindingJSONRPC) {
		s.jsonrpc = &jsonrpc.Server{Core: s.core}
	}
	if slices.Contains(o.Bindings, a2a.BindingHTTPJSON) {
		s.rest = &rest.Server{Core: s.core}
		if s.jsonrpc != nil {
			s.rest.Envelope = s.jsonrpc.ServeBody
		}
	}
	if err := s.bindGRPC(); err != nil {
		return nil, err
	}
	if o.Card != nil {
		card := s.derive(o.Card, "http://localhost")
		if err := card.Validate(); err != nil {
			return nil, fmt.Errorf("server: Options.Card: %w", err)
		}
		s.profile = profileOf(s, card)
	}
	return s, nil
}

// Where the card is, and where it was before 0.3.
const (
	cardPath    = "/.well-known/agent-card.json"
	oldCardPath = "/.well-known/agent.json"
)

var nosniff = []string{"nosniff"}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.core.Deadline(w, r)
	identify(w, r)
	h := w.Header()
	h["X-Content-Type-Options"] = nosniff
	if r.TLS != nil {
		h.Set("Strict-Transport-Security", "max-age=31536000")
	}
	if s.cors(w, r) || s.foreign(w, r) {
		return
	}
	if s.isGRPC(r) {
		s.options.GRPC.ServeHTTP(w, r)
		return
	}
	path := r.URL.Path
	if path == oldCardPath && (s.core.Serves(a2a.Generation01) || s.core.Serves(a2a.Generation02)) {
		path = cardPath
	}
	if slices.Contains(s.options.JSONRPCPaths, path) {
		path = "/"
	}
	switch path {
	case cardPath:
		if allowed(w, r, http.MethodGet, http.MethodHead) {
			s.serveCard(w, r)
		}
	case resourcePath:
		if allowed(w, r, http.MethodGet, http.MethodHead) {
			serveResource(s, w, r)
		}
	case KeysPath:
		if allowed(w, r, http.MethodGet, http.MethodHead) {
			serveKeys(s, w, r)
		}
	case "/healthz":
		if allowed(w, r, http.MethodGet, http.MethodHead) {
			writeHealth(w, http.StatusOK, "ok\n")
		}
	case "/readyz":
		if allowed(w, r, http.MethodGet, http.MethodHead) {
			s.serveReady(w, r)
		}
	case "", "/":
		s.serveBase(w, r)
	default:
		if kit.Has(path) {
			if allowed(w, r, http.MethodGet, http.MethodHead) {
				kit.Files(w, r)
			}
			return
		}
		if s.rest == nil {
			writeError(w, http.StatusNotFound, a2a.NewError(a2a.ErrMethodNotFound,
				"nothing is at this path; the agent card, at "+cardPath+", names the agent's endpoints"))
			return
		}
		s.exchange(w, r, s.rest.Serve)
	}
}

// serveBase serves the base URL: JSON-RPC, a page for people who open it in a browser, and the card for programs that
// take the agent's URL for that of its card.
func (s *Server) serveBase(w http.ResponseWriter, r *http.Request) {
	methods := []string{http.MethodGet, http.MethodHead}
	if s.jsonrpc != nil {
		methods = append(methods, http.MethodPost)
	}
	switch {
	case !allowed(w, r, methods...):
	case r.Method == http.MethodPost:
		s.exchange(w, r, s.jsonrpc.Serve)
	case wire.Accepts(r.Header, wire.MediaTypeHTML):
		w.Header().Add("Vary", "Accept")
		if r.URL.Path == "" { // the links of the page are relative to a folder
			http.Redirect(w, r, strings.TrimSuffix(r.RequestURI, "?"+r.URL.RawQuery)+"/", http.StatusFound)
			return
		}
		s.servePage(w, r)
	default:
		s.serveCard(w, r)
	}
}

// exchange runs one request of a binding and logs it.
func (s *Server) exchange(w http.ResponseWriter, r *http.Request, serve func(*binding.Exchange)) {
	start := time.Now()
	x := &binding.Exchange{W: w, R: r, RequestID: identify(w, r)}
	defer func() {
		if p := recover(); p != nil {
			s.recovered(x, p)
		}
		x.Done()
		if s.auditor != nil {
			s.auditor.record(x, start)
		}
		s.log(x, time.Since(start))
	}()
	serve(x)
}

// recovered answers a panic in the server's own code; those of the service are caught further in.
func (s *Server) recovered(x *binding.Exchange, p any) {
	if p == http.ErrAbortHandler {
		panic(p)
	}
	x.Err = binding.PanicError(p)
	if x.Status == 0 {
		x.Status = http.StatusInternalServerError
		writeError(x.W, x.Status, x.Err)
	}
}

// log writes the request's line, see Options.Logger.
func (s *Server) log(x *binding.Exchange, took time.Duration) {
	level := levelOf(x)
	ctx := x.R.Context()
	if !s.options.Logger.Enabled(ctx, level) {
		return
	}
	attrs := []slog.Attr{
		slog.String("request", x.RequestID), slog.String("operation", x.Operation.String()),
		slog.Int("status", x.Status), slog.Duration("took", took),
	}
	for _, optional := range [...]struct{ key, value string }{
		{"task", string(x.Task)}, {"context", string(x.Context)}, {"tenant", x.Tenant}, {"trace", x.Trace()},
	} {
		if optional.value != "" {
			attrs = append(attrs, slog.String(optional.key, clip(optional.value)))
		}
	}
	if x.Err != nil {
		attrs = append(attrs, slog.String("error", x.Err.Error()))
		if p, ok := errors.AsType[*binding.Panic](x.Err); ok {
			attrs = append(attrs, slog.String("stack", string(p.Stack)))
		}
	}
	if x.Cut != nil {
		attrs = append(attrs, slog.String("cut", x.Cut.Error()))
	}
	s.options.Logger.LogAttrs(ctx, level, "request", attrs...)
}

// clip keeps what a caller sent, and may have been refused for, to the size of a log's line: that of the longest id.
func clip(s string) string {
	if len(s) > a2a.MaxIDLength {
		return strings.ToValidUTF8(s[:a2a.MaxIDLength], "") + "..."
	}
	return s
}

// levelOf returns the level of a request's line.
func levelOf(x *binding.Exchange) slog.Level {
	switch {
	case x.Err == nil && x.Cut == nil:
		return slog.LevelDebug
	case x.Cut != nil: // what the service made of a caller who left is nobody's fault
		return slog.LevelInfo
	case x.Err.Kind == a2a.ErrUnavailable || x.Err.Kind == a2a.ErrTimeout:
		return slog.LevelWarn
	case wire.RowOf(x.Err.Kind).HTTP >= 500:
		return slog.LevelError
	}
	return slog.LevelInfo
}

// identify returns the request's id, which the answer's header has from then on.
func identify(w http.ResponseWriter, r *http.Request) string {
	h := w.Header()
	if id := h["X-Request-Id"]; len(id) == 1 {
		return id[0]
	}
	id := requestID(r)
	h["X-Request-Id"] = []string{id}
	return id
}

// requestID returns the id that a proxy gave the request, if it is fit for a log, else a fresh one.
func requestID(r *http.Request) string {
	if id := r.Header.Get("X-Request-Id"); saneID(id) {
		return id
	}
	var b [8]byte
	rand.Read(b[:])
	return hex.EncodeToString(b[:])
}

func saneID(id string) bool {
	if id == "" || len(id) > 128 {
		return false
	}
	for _, c := range []byte(id) {
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
		if !letter && !strings.ContainsRune("-_.:/+=@", rune(c)) {
			return false
		}
	}
	return true
}

// allowed answers a request with 405 unless its method is one of those.
func allowed(w http.ResponseWriter, r *http.Request, methods ...string) bool {
	if slices.Contains(methods, r.Method) {
		return true
	}
	w.Header().Set("Allow", strings.Join(methods, ", "))
	writeError(w, http.StatusMethodNotAllowed,
		a2a.NewError(a2a.ErrMethodNotFound, "this path takes "+strings.Join(methods, ", ")))
	return false
}

// writeError answers, in the form of the HTTP+JSON binding, what never reached a binding.
func writeError(w http.ResponseWriter, status int, e *a2a.Error) {
	w.Header().Set("Content-Type", wire.MediaTypeJSON)
	w.WriteHeader(status)
	w.Write(wire.AppendStatusError(nil, status, "", e))
}

// serveReady says whether the server can take requests.
func (s *Server) serveReady(w http.ResponseWriter, r *http.Request) {
	s.asked.Store(time.Now().UnixNano())
	if s.draining.Load() {
		writeHealth(w, http.StatusServiceUnavailable, "draining\n")
		return
	}
	if s.options.Ready != nil {
		err := s.options.Ready(r.Context())
		s.logReady(r.Context(), err)
		if err != nil {
			writeHealth(w, http.StatusServiceUnavailable, "not ready: "+a2a.AsError(err).Message+"\n")
			return
		}
	}
	writeHealth(w, http.StatusOK, "ready\n")
}

// logReady logs whether the server is ready, and why not, if that has changed since the last request.
func (s *Server) logReady(ctx context.Context, err error) {
	if err == nil {
		if s.unready.Load() != nil && s.unready.Swap(nil) != nil {
			s.options.Logger.InfoContext(ctx, "ready again")
		}
		return
	}
	why := err.Error()
	if was := s.unready.Swap(&why); was == nil || *was != why {
		s.options.Logger.WarnContext(ctx, "not ready", "error", err)
	}
}

func writeHealth(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	w.Write([]byte(text))
}

// profileFor returns what the card promises to the maker of r.
func (s *Server) profileFor(r *http.Request) (*binding.Profile, error) {
	if s.profile != nil {
		return s.profile, nil
	}
	card, err := s.card(r.Context(), r, "http://localhost")
	if err != nil {
		return nil, err
	}
	return profileOf(s, card), nil
}

// card returns the derived card for the maker of r.
func (s *Server) card(ctx context.Context, r *http.Request, base string) (*a2a.AgentCard, error) {
	if s.options.CardFunc == nil {
		return s.derive(s.options.Card, base), nil
	}
	card, err := s.options.CardFunc(ctx, r)
	if err != nil {
		return nil, err
	}
	return s.derive(card, base), nil
}
