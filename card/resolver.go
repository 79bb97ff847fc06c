// SPDX-License-Identifier: Apache-2.0

package card

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/retry"
	"github.com/dragoman-a2a/dragoman/internal/wire"
)

// Options tunes a [Resolver]. The zero value of each field means its default.
type Options struct {
	HTTPClient *http.Client  // nil means http.DefaultClient. Its Timeout and CheckRedirect do not apply
	Timeout    time.Duration // of one attempt to fetch a card; 0 means 10 s
	MaxBytes   int64         // size of a card; 0 means 1 MiB
	MaxCached  int           // cards in the cache; 0 means 256, less than 0 none
	Lifetime   time.Duration // how long a card is good whose server says nothing of caching; 0 means 1 min
	// how often a fetch is repeated when the server cannot be reached or is busy; 0 means 2, less than 0 never
	Retries int
	// Verify judges each card that Resolve or Fetch brings, and returns those of its members that may be read. Nil
	// reads all. Check of signature.Trust is one. The ref is the card's URL or file.
	Verify func(ctx context.Context, ref string, document []byte) ([]byte, error)
}

const (
	defaultTimeout   = 10 * time.Second
	defaultMaxBytes  = 1 << 20
	defaultMaxCached = 256
	defaultLifetime  = time.Minute
	defaultRetries   = 2
	maxRedirects     = 5
)

// Defaults returns the options with every zero value replaced by what it means.
func (o Options) Defaults() Options {
	if o.HTTPClient == nil {
		o.HTTPClient = http.DefaultClient
	}
	o.Timeout = orDefault(o.Timeout, defaultTimeout)
	o.MaxBytes = orDefault(o.MaxBytes, defaultMaxBytes)
	o.MaxCached = orDefault(o.MaxCached, defaultMaxCached)
	o.Lifetime = orDefault(o.Lifetime, defaultLifetime)
	o.Retries = orDefault(o.Retries, defaultRetries)
	return o
}

// A Resolver finds the cards that references name. It is safe for concurrent use.
type Resolver struct {
	opts  Options
	http  *http.Client
	retry retry.Policy
	cache *cache
}

// NewResolver returns a Resolver. opts may be nil.
func NewResolver(opts *Options) *Resolver {
	r := &Resolver{}
	if opts != nil {
		r.opts = *opts
	}
	r.opts = r.opts.Defaults()
	o := &r.opts
	client := *o.HTTPClient
	client.Timeout = 0 // Options.Timeout counts, and its error says so
	client.CheckRedirect = checkRedirect
	r.http = &client
	r.retry = retry.Policy{Tries: 1 + o.Retries, First: 100 * time.Millisecond, Max: time.Second,
		MaxWait: 5 * time.Second}
	r.cache = newCache(o.MaxCached)
	return r
}

func orDefault[T comparable](value, standard T) T {
	var zero T
	if value == zero {
		return standard
	}
	return value
}

// Resolve returns the card that ref names, which is shared and must not be changed. A reference is one of
//
//   - a URL whose path ends in .json: the card itself;
//   - any other URL: an agent's base URL, to whose path [WellKnownPath] is appended, and [OlderPath] if that finds
//     nothing;
//   - a host, with a port and a path if need be: as https URL, or http when the host is this machine;
//   - a file:// URL, a path that is absolute or begins with a dot, or the name of a file that is there.
//
// The card may be of any generation, see [Decode]. Redirects are followed to the same scheme or from http to https.
// Fetched cards are cached as RFC 9111 says; files are not. An error is an [*Error], or the context's.
func (r *Resolver) Resolve(ctx context.Context, ref string) (*a2a.AgentCard, error) {
	p, err := parse(ref)
	if err != nil {
		return nil, &Error{Ref: ref, Kind: ErrReference, Err: err}
	}
	c, err := r.find(ctx, p)
	if err == nil || ctx.Err() != nil {
		return c, err
	}
	return nil, failure(ref, p, err)
}

func (r *Resolver) find(ctx context.Context, p place) (*a2a.AgentCard, error) {
	if p.url == nil {
		return r.fromFile(ctx, p.file)
	}
	if c := r.fresh(p.older); c != nil {
		return c, nil // where the agent had its card a moment ago
	}
	return withOlder(p, func(url string) (*a2a.AgentCard, error) { return r.fromURL(ctx, url) })
}

// fresh returns the card at a URL if it is in the cache and good, else nil.
func (r *Resolver) fresh(url string) *a2a.AgentCard {
	if known := r.cache.get(url); known != nil && known.fresh(time.Now()) {
		return known.card
	}
	return nil
}

// withOlder calls get with the URL of a place, and when there is nothing with the one that 0.1 and 0.2 have.
func withOlder[T any](p place, get func(url string) (T, error)) (T, error) {
	found, err := get(p.url.String())
	if p.older == "" || !errors.Is(err, ErrNotFound) {
		return found, err
	}
	older, errOfOlder := get(p.older)
	if errors.Is(errOfOlder, ErrNotFound) {
		return found, err
	}
	return older, errOfOlder
}

// Raw returns the bytes of the card that ref names, see [Resolver.Resolve], unchanged: in the form that is served to
// a request that asks for none. The bytes may not be a card at all. Raw does not use the cache. An error is an
// [*Error], or the context's.
func (r *Resolver) Raw(ctx context.Context, ref string) ([]byte, error) {
	p, err := parse(ref)
	if err != nil {
		return nil, &Error{Ref: ref, Kind: ErrReference, Err: err}
	}
	raw, err := r.raw(ctx, p)
	if err == nil || ctx.Err() != nil {
		return raw, err
	}
	return nil, failure(ref, p, err)
}

func (r *Resolver) raw(ctx context.Context, p place) ([]byte, error) {
	if p.url == nil {
		return r.readFile(p.file)
	}
	return withOlder(p, func(url string) ([]byte, error) {
		got, err := retry.Do(ctx, r.retry, func(ctx context.Context) (*answer, error) {
			return r.get(ctx, url, http.Header{}, false)
		}, mayRetry)
		if err != nil {
			return nil, err
		}
		return got.raw, nil
	})
}

func failure(ref string, p place, err error) error {
	e, ok := errors.AsType[*Error](err)
	if !ok {
		e = &Error{Kind: ErrUnreachable, Err: err}
	}
	e.Ref, e.URL = ref, p.String()
	return e
}

func (r *Resolver) fromFile(ctx context.Context, name string) (*a2a.AgentCard, error) {
	raw, err := r.readFile(name)
	if err != nil {
		return nil, err
	}
	return r.decode(ctx, name, raw)
}

func (r *Resolver) readFile(name string) ([]byte, error) {
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &Error{Kind: ErrNotFound, Err: errors.New("no such file")}
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return r.read(f)
}

func (r *Resolver) fromURL(ctx context.Context, url string) (*a2a.AgentCard, error) {
	if c := r.fresh(url); c != nil {
		return c, nil
	}
	known := r.cache.get(url)
	found, err := retry.Do(ctx, r.retry, func(ctx context.Context) (*entry, error) {
		return r.fetch(ctx, url, known)
	}, mayRetry)
	if err != nil {
		return nil, err
	}
	if found.store {
		r.cache.put(url, found)
	} else {
		r.cache.drop(url)
	}
	return found.card, nil
}

// busy wraps the error of a server that could not answer now.
type busy struct {
	error
	after time.Duration
}

func (b *busy) Unwrap() error { return b.error }

func mayRetry(err error) (time.Duration, bool) {
	if b, ok := errors.AsType[*busy](err); ok {
		return b.after, true
	}
	return 0, false
}

// fetch asks for a card, or whether the one that is known is still good.
func (r *Resolver) fetch(ctx context.Context, url string, known *entry) (*entry, error) {
	header := http.Header{wire.HeaderVersion: {string(a2a.Generation10)}}
	if known != nil {
		known.ask(header)
	}
	got, err := r.get(ctx, url, header, known != nil)
	if err != nil {
		return nil, err
	}
	if got.raw == nil {
		return known.refreshed(got.header, got.asked, r.opts.Lifetime), nil
	}
	c, err := r.decode(ctx, url, got.raw)
	if err != nil {
		return nil, err
	}
	return newEntry(c, got.header, got.asked, r.opts.Lifetime), nil
}

// answer is what a server said to a request for a card.
type answer struct {
	raw    []byte // nil when the card that is known is still good
	header http.Header
	asked  time.Time
}

// get sends one request. An answer without a card is an error unless it may be that nothing has changed.
func (r *Resolver) get(ctx context.Context, url string, header http.Header, conditional bool) (*answer, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, r.opts.Timeout, fmt.Errorf("no answer within %v", r.opts.Timeout))
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, &Error{Kind: ErrReference, Err: err}
	}
	req.Header = header
	req.Header.Set("Accept", wire.MediaTypeJSON+", "+wire.MediaTypeGRPC)
	asked := time.Now()
	resp, err := r.http.Do(req)
	if err != nil {
		return nil, unreachable(ctx, err)
	}
	defer resp.Body.Close()
	if resp.StatusCode == http.StatusNotModified && conditional {
		return &answer{header: resp.Header, asked: asked}, nil
	}
	if resp.StatusCode != http.StatusOK {
		return nil, refused(resp)
	}
	raw, err := r.read(resp.Body)
	if err != nil {
		return nil, unreachable(ctx, err)
	}
	return &answer{raw: raw, header: resp.Header, asked: asked}, nil
}

// unreachable sorts what net/http says: what this side decided is final, all else may pass.
func unreachable(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if own, ok := errors.AsType[*Error](err); ok {
		return own
	}
	return &busy{error: err}
}

// refused makes an error of a status that is not 200.
func refused(resp *http.Response) error {
	err := fmt.Errorf("the server answered HTTP %s%s", resp.Status, says(resp))
	switch resp.StatusCode {
	case http.StatusNotFound, http.StatusGone:
		return &Error{Kind: ErrNotFound, Err: err}
	case http.StatusUnauthorized, http.StatusForbidden:
		return &Error{Kind: ErrUnauthorized, Err: err}
	case http.StatusServiceUnavailable, http.StatusTooManyRequests:
		return &busy{error: err, after: retry.After(resp.Header)}
	}
	return err
}

// If a server has no card, maxRead limits how much of its answer the resolver reads, and maxSaid how much of it the
// error shows, both in bytes.
const (
	maxRead = 4 << 10
	maxSaid = 300
)

// says returns a server's reason for having no card: the first line of its answer, or the message of a JSON error in
// A2A's format (A2A 1.0 §11.6). It returns "" for a standard text, which adds nothing.
func says(resp *http.Response) string {
	kind, _, err := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if err != nil || kind != "text/plain" && kind != "application/json" {
		return ""
	}
	raw, _ := io.ReadAll(io.LimitReader(resp.Body, maxRead)) // what came of it will do
	if kind == "application/json" {
		var status struct {
			Error struct {
				Message string `json:"message"`
			} `json:"error"`
		}
		if json.Unmarshal(raw, &status) != nil {
			return ""
		}
		raw = []byte(status.Error.Message)
	}
	line, _, _ := strings.Cut(strings.TrimSpace(string(raw[:min(len(raw), maxSaid)])), "\n")
	line = strings.TrimSpace(strings.ToValidUTF8(line, ""))
	if line == "" || line == "404 page not found" || strings.EqualFold(line, http.StatusText(resp.StatusCode)) {
		return ""
	}
	return fmt.Sprintf(", and says %q", line)
}

func (r *Resolver) read(body io.Reader) ([]byte, error) {
	raw, err := io.ReadAll(io.LimitReader(body, r.opts.MaxBytes+1))
	if err != nil {
		return nil, err
	}
	if int64(len(raw)) > r.opts.MaxBytes {
		return nil, &Error{Kind: ErrInvalid, Err: fmt.Errorf("it is larger than %d bytes", r.opts.MaxBytes)}
	}
	return raw, nil
}

// decode reads a card that is to be trusted.
func (r *Resolver) decode(ctx context.Context, ref string, raw []byte) (*a2a.AgentCard, error) {
	raw, err := r.Trusted(ctx, ref, raw)
	if err != nil {
		return nil, err
	}
	return decode(raw)
}

// Trusted returns the members of a card that may be read by Options.Verify. An error is an [*Error] of ErrUntrusted, or
// the context's.
func (r *Resolver) Trusted(ctx context.Context, ref string, raw []byte) ([]byte, error) {
	if r.opts.Verify == nil {
		return raw, nil
	}
	raw, err := r.opts.Verify(ctx, ref, raw)
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		return nil, &Error{Ref: ref, Kind: ErrUntrusted, Err: err}
	}
	return raw, nil
}

func decode(raw []byte) (*a2a.AgentCard, error) {
	c, err := Decode(raw)
	if err != nil {
		return nil, &Error{Kind: ErrInvalid, Err: err}
	}
	return c, nil
}

func checkRedirect(req *http.Request, via []*http.Request) error {
	last := via[len(via)-1].URL
	if len(via) > maxRedirects {
		return &Error{Kind: ErrUnreachable, Err: fmt.Errorf("more than %d redirects", maxRedirects)}
	}
	if last.Scheme == "https" && req.URL.Scheme != "https" {
		return &Error{Kind: ErrUnreachable,
			Err: fmt.Errorf("a redirect leads from https to %s, which is not followed", req.URL.Scheme)}
	}
	if req.URL.Scheme != "http" && req.URL.Scheme != "https" {
		return &Error{Kind: ErrUnreachable, Err: fmt.Errorf("a redirect leads to a %s address", req.URL.Scheme)}
	}
	return nil
}
