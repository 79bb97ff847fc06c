// SPDX-License-Identifier: Apache-2.0

package registry

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"log/slog"
	"maps"
	"math"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/auth"
	"github.com/dragoman-a2a/dragoman/card"
)

// HandlerOptions tunes what [NewHandler] returns. The zero value of each field means its default.
type HandlerOptions struct {
	// Authenticator knows the callers who may add, check and remove agents. Nil means everyone. Everyone may read.
	Authenticator auth.Authenticator
	// Policy decides about each request: the operation is ReadCatalogue or ChangeCatalogue, the agent "registry". A
	// reader without credentials is anonymous. Nil allows everything.
	Policy  auth.Policy
	MaxBody int64        // bytes of a request; 0 means 2 MiB
	Logger  *slog.Logger // nil means slog.Default()
}

type handler struct {
	catalog Catalog
	opts    HandlerOptions
	origin  *http.CrossOriginProtection
}

// An operation answers one request: with a status and a value to be encoded as JSON, nil for no body.
type operation func(h *handler, w http.ResponseWriter, r *http.Request) (status int, result any, err error)

// routes are the paths of the API and what their methods do. docs/registry.openapi.json describes each.
var routes = map[string]map[string]operation{
	"/v1/agents":                           {http.MethodGet: list, http.MethodPost: add},
	"/v1/agents/{agent}":                   {http.MethodGet: get, http.MethodDelete: remove},
	"/v1/agents/{agent}/card.json":         {http.MethodGet: getCard},
	"/v1/agents/{agent}/check":             {http.MethodPost: check},
	"/v1/agents/{agent}/versions":          {http.MethodGet: versions},
	"/v1/agents/{agent}/versions/{number}": {http.MethodGet: version},
	"/healthz":                             {http.MethodGet: healthy},
}

// NewHandler serves a catalogue over HTTP, as docs/registry.openapi.json describes. Errors are problems of RFC 9457.
// opts may be nil.
func NewHandler(catalog Catalog, opts *HandlerOptions) http.Handler {
	h := &handler{catalog: catalog, origin: http.NewCrossOriginProtection()}
	if opts != nil {
		h.opts = *opts
	}
	if h.opts.MaxBody == 0 {
		h.opts.MaxBody = 2 << 20
	}
	if h.opts.Logger == nil {
		h.opts.Logger = slog.Default()
	}
	mux := http.NewServeMux()
	for path, methods := range routes {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) { h.serve(w, r, methods) })
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		h.fail(w, r, failf(ErrNotFound, "nothing is at this path; agents are at /v1/agents"))
	})
	return mux
}

// serve answers a request for a path that there is.
func (h *handler) serve(w http.ResponseWriter, r *http.Request, methods map[string]operation) {
	w.Header().Set("X-Content-Type-Options", "nosniff")
	method := r.Method
	if method == http.MethodHead {
		method = http.MethodGet // net/http leaves the body out
	}
	do, ok := methods[method]
	if !ok {
		h.notAllowed(w, methods)
		return
	}
	if err := h.mayCall(r, method != http.MethodGet); err != nil {
		h.fail(w, r, err)
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, h.opts.MaxBody)
	status, result, err := do(h, w, r)
	if err != nil {
		h.fail(w, r, err)
		return
	}
	h.answer(w, r, status, result)
}

func (h *handler) notAllowed(w http.ResponseWriter, methods map[string]operation) {
	allowed := slices.Sorted(maps.Keys(methods))
	if slices.Contains(allowed, http.MethodGet) {
		allowed = append(allowed, http.MethodHead)
		slices.Sort(allowed)
	}
	list := strings.Join(allowed, ", ")
	w.Header().Set("Allow", list)
	writeProblem(w, &problem{"The path does not take this method", http.StatusMethodNotAllowed, "use " + list,
		"method-not-allowed"})
}

// mayCall refuses callers who may not read or change the catalogue, and changes by pages of other origins: any page
// could otherwise add agents to a registry on its reader's machine.
func (h *handler) mayCall(r *http.Request, changes bool) error {
	if changes && h.origin.Check(r) != nil {
		return failf(ErrForbidden, "pages of another origin may not change the catalogue")
	}
	if h.opts.Authenticator == nil || r.URL.Path == "/healthz" {
		return nil
	}
	access := auth.Access{Agent: "registry", Operation: "ReadCatalogue", Call: &a2a.Call{}}
	if changes {
		access.Operation = "ChangeCatalogue"
	}
	var unknown, err error
	access.Call.Identity, unknown = h.opts.Authenticator.Authenticate(r)
	switch {
	case unknown != nil && changes:
		err = unknown
	case h.opts.Policy != nil:
		if err = h.opts.Policy.Decide(r.Context(), access); err != nil && unknown != nil {
			err = unknown
		}
	}
	kinds := map[a2a.Kind]Kind{a2a.ErrUnauthenticated: ErrUnauthenticated, a2a.ErrPermissionDenied: ErrForbidden,
		a2a.ErrUnavailable: ErrUnavailable, a2a.ErrRateLimited: ErrRateLimited}
	if e := a2a.AsError(err); e != nil && kinds[e.Kind] != "" {
		return &Error{Kind: kinds[e.Kind], Detail: e.PublicMessage(), RetryAfter: e.RetryAfter}
	}
	return err
}

func (h *handler) answer(w http.ResponseWriter, r *http.Request, status int, result any) {
	if result == nil {
		w.WriteHeader(status)
		return
	}
	body, ok := result.(jsontext.Value)
	if !ok {
		var err error
		if body, err = json.Marshal(result, json.Deterministic(true)); err != nil {
			h.fail(w, r, err)
			return
		}
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body) // a caller who left hears nothing
}

// fail answers with an error. It logs one that is not of the catalogue, and the caller learns only that.
func (h *handler) fail(w http.ResponseWriter, r *http.Request, err error) {
	e, ok := errors.AsType[*Error](err)
	if tooLarge, is := errors.AsType[*http.MaxBytesError](err); is {
		e, ok = failf(ErrTooLarge, "the request may have %d bytes", tooLarge.Limit), true
	}
	if !ok && r.Context().Err() != nil {
		e, ok = failf(ErrUnavailable, "the registry is shutting down, or the caller left"), true
	}
	if !ok {
		h.opts.Logger.ErrorContext(r.Context(), "request failed", "method", r.Method, "path", r.URL.Path, "error", err)
		e = failf(ErrInternal, "the registry failed; its log says why")
	}
	s := statuses[e.Kind]
	if s.status == 0 {
		s = statuses[ErrInternal]
	}
	if e.Kind == ErrUnauthenticated {
		var schemes map[string]a2a.SecurityScheme
		if asks, ok := h.opts.Authenticator.(auth.Schemed); ok {
			schemes = asks.SecuritySchemes()
		}
		w.Header()["Www-Authenticate"] = auth.Challenges("registry", schemes)
	}
	if e.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(e.RetryAfter.Seconds()))))
	}
	writeProblem(w, &problem{s.title, s.status, e.Detail, e.Kind})
}

func list(h *handler, _ http.ResponseWriter, r *http.Request) (int, any, error) {
	var q Query
	values := parametersOf(r)
	for _, p := range q.parameters() {
		*p.value = values.take(p.name)
	}
	if q.PageSize, q.PageToken = values.page(); values.err != nil {
		return 0, nil, values.err
	}
	page, err := h.catalog.List(r.Context(), q)
	return http.StatusOK, page, err
}

func add(h *handler, w http.ResponseWriter, r *http.Request) (int, any, error) {
	registration, err := registrationIn(r)
	if err != nil {
		return 0, nil, err
	}
	e, created, err := h.catalog.Add(r.Context(), *registration)
	if err != nil {
		return 0, nil, err
	}
	w.Header().Set("Location", "/v1/agents/"+url.PathEscape(e.ID))
	if created {
		return http.StatusCreated, e, nil
	}
	return http.StatusOK, e, nil
}

// registrationIn reads a registration. Its card may be of any generation.
func registrationIn(r *http.Request) (*Registration, error) {
	if mediaType, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil ||
		mediaType != "application/json" {
		return nil, failf(ErrInvalid, "the body must have Content-Type: application/json")
	}
	var body struct {
		URL   string         `json:"url"`
		Card  jsontext.Value `json:"card"`
		Alias string         `json:"alias"`
	}
	if err := json.UnmarshalRead(r.Body, &body, json.RejectUnknownMembers(true)); err != nil {
		if _, is := errors.AsType[*http.MaxBytesError](err); is {
			return nil, err
		}
		return nil, failf(ErrInvalid, "the body is no registration: %s", reason(err))
	}
	reg := &Registration{URL: body.URL, Alias: body.Alias}
	if len(body.Card) > 0 && !bytes.Equal(body.Card, []byte("null")) {
		var err error
		if reg.Card, err = card.Decode(body.Card); err != nil {
			return nil, failf(ErrCardInvalid, "the card cannot be used: %s", reason(err))
		}
	}
	return reg, nil
}

func get(h *handler, _ http.ResponseWriter, r *http.Request) (int, any, error) {
	e, err := h.catalog.Get(r.Context(), r.PathValue("agent"))
	return http.StatusOK, e, err
}

// getCard serves an agent's card alone, where clients of the protocol can be pointed to.
func getCard(h *handler, w http.ResponseWriter, r *http.Request) (int, any, error) {
	e, err := h.catalog.Get(r.Context(), r.PathValue("agent"))
	if err != nil {
		return 0, nil, err
	}
	body, err := e.Card.AppendJSON(nil)
	if err != nil {
		return 0, nil, err
	}
	sum := sha256.Sum256(body)
	etag := `"` + hex.EncodeToString(sum[:16]) + `"`
	w.Header().Set("ETag", etag)
	w.Header().Set("Cache-Control", "no-cache")
	if slices.Contains(strings.Split(r.Header.Get("If-None-Match"), ", "), etag) {
		return http.StatusNotModified, nil, nil
	}
	return http.StatusOK, jsontext.Value(body), nil
}

func check(h *handler, _ http.ResponseWriter, r *http.Request) (int, any, error) {
	e, err := h.catalog.Check(r.Context(), r.PathValue("agent"))
	return http.StatusOK, e, err
}

func remove(h *handler, _ http.ResponseWriter, r *http.Request) (int, any, error) {
	return http.StatusNoContent, nil, h.catalog.Remove(r.Context(), r.PathValue("agent"))
}

func versions(h *handler, _ http.ResponseWriter, r *http.Request) (int, any, error) {
	values := parametersOf(r)
	size, token := values.page()
	if values.err != nil {
		return 0, nil, values.err
	}
	page, err := h.catalog.Versions(r.Context(), r.PathValue("agent"), size, token)
	return http.StatusOK, page, err
}

func version(h *handler, _ http.ResponseWriter, r *http.Request) (int, any, error) {
	number, err := strconv.Atoi(r.PathValue("number"))
	if err != nil || number < 1 {
		return 0, nil, failf(ErrInvalid, "%q is no number of a version", clip(r.PathValue("number"), 100))
	}
	v, err := h.catalog.Version(r.Context(), r.PathValue("agent"), number)
	return http.StatusOK, v, err
}

// healthy asks for the shortest list there is: a registry that cannot read its database is not healthy.
func healthy(h *handler, _ http.ResponseWriter, r *http.Request) (int, any, error) {
	if _, err := h.catalog.List(r.Context(), Query{PageSize: 1}); err != nil {
		return 0, nil, err
	}
	return http.StatusOK, map[string]string{"status": "ok"}, nil
}

// parameters are those of a request's URL that were not taken yet, and the first thing that is wrong with them.
type parameters struct {
	left url.Values
	err  error
}

func parametersOf(r *http.Request) *parameters {
	values, err := url.ParseQuery(r.URL.RawQuery)
	p := &parameters{left: values}
	if err != nil {
		p.refuse("the query of the URL cannot be read: %s", reason(err))
	}
	return p
}

func (p *parameters) refuse(format string, args ...any) {
	if p.err == nil {
		p.err = failf(ErrInvalid, format, args...)
	}
}

func (p *parameters) take(name string) string {
	if n := len(p.left[name]); n > 1 {
		p.refuse("%s is given %d times; give it once", name, n)
	}
	value := p.left.Get(name)
	p.left.Del(name)
	return value
}

// page takes the parameters of a page, and refuses those that are left then: one that is mistyped would list what was
// not asked for.
func (p *parameters) page() (size int, token string) {
	if text := p.take("pageSize"); text != "" {
		var err error
		if size, err = strconv.Atoi(text); err != nil || size < 1 {
			p.refuse("pageSize is %q; it is a number from 1 to %d", clip(text, 100), MaxPageSize)
		}
	}
	token = p.take("pageToken")
	for name := range p.left {
		p.refuse("there is no parameter %q here", clip(name, 100))
	}
	return size, token
}
