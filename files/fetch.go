// SPDX-License-Identifier: Apache-2.0

package files

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/internal/guard"
)

// FetchOptions configure a [Fetcher]. The zero value fetches nothing but "data:" URLs.
type FetchOptions struct {
	// Allow lists how URLs begin that are fetched: "https://files.example.com", "https://example.com/exports/", or
	// "https://*.example.com" for all its subdomains. Redirects are held to the same list. http counts only where an
	// entry says it.
	Allow []string
	// Networks says where the URLs of the list may lead to: NetworksPublic, NetworksLoopback or NetworksPrivate, each
	// with those before it. "" means NetworksPublic: neither this machine nor its neighbours, whatever names resolve
	// to.
	Networks string
	// MediaTypes are what is taken, such as "text/csv" or "image/*". Nil means any.
	MediaTypes []string

	MaxBytes     int64         // of one file; 0 means 16 MiB
	MaxRedirects int           // followed for one file; 0 means 3, below 0 none
	Timeout      time.Duration // for one file, all of it; 0 means 30 s
}

// Where files may be fetched from.
const (
	NetworksPublic   = string(guard.Public)   // on the internet only
	NetworksLoopback = string(guard.Loopback) // and on this machine
	NetworksPrivate  = string(guard.Private)  // and in private networks
)

// Errors of a Fetcher, to be found with errors.Is.
var (
	ErrNotAllowed = errors.New("files: the URL is not on the list of what may be fetched")
	ErrMediaType  = errors.New("files: the file has a media type that is not taken")
)

// Fetcher fetches files whose URLs come from others, within limits. It is safe for concurrent use.
type Fetcher struct {
	opts   FetchOptions
	allow  []origin
	client *http.Client
}

// Fetched is a file that was fetched.
type Fetched struct {
	Content   []byte
	MediaType string // as its server says; "" when it does not
	Name      string // from its server or the URL; may be ""
	URL       string // after redirects; "data:" for those
}

// NewFetcher returns a Fetcher; nil options are the zero value. Errors: an entry of the list that is not the beginning
// of a URL, networks that are none of the constants, a negative limit.
func NewFetcher(opts *FetchOptions) (*Fetcher, error) {
	if opts == nil {
		opts = &FetchOptions{}
	}
	f := &Fetcher{opts: *opts}
	if opts.MaxBytes < 0 || opts.Timeout < 0 {
		return nil, errors.New("files: FetchOptions.MaxBytes and Timeout must not be negative")
	}
	if opts.Networks != "" && !guard.Networks(opts.Networks).Valid() {
		return nil, fmt.Errorf("files: FetchOptions.Networks is %q; use %s, %s or %s", opts.Networks, NetworksPublic,
			NetworksLoopback, NetworksPrivate)
	}
	f.opts.MaxBytes = cmp.Or(opts.MaxBytes, 16<<20)
	f.opts.MaxRedirects = cmp.Or(opts.MaxRedirects, 3)
	f.opts.Timeout = cmp.Or(opts.Timeout, 30*time.Second)
	for _, entry := range opts.Allow {
		o, err := parseOrigin(entry)
		if err != nil {
			return nil, err
		}
		f.allow = append(f.allow, o)
	}
	transport := guard.Transport(guard.Dial(guard.Networks(opts.Networks)))
	transport.DisableCompression = true // what is counted is what is kept
	transport.DisableKeepAlives = true  // one file from one place
	f.client = &http.Client{Transport: transport, CheckRedirect: f.redirect}
	return f, nil
}

// Fetch fetches a file. Errors: ErrNotAllowed, ErrTooLarge, ErrMediaType; others say what the file's server answered.
// You may show their texts to the caller that gave the URL.
func (f *Fetcher) Fetch(ctx context.Context, rawURL string) (*Fetched, error) {
	if len(rawURL) >= 5 && strings.EqualFold(rawURL[:5], "data:") {
		got, err := decodeDataURI("data:"+rawURL[5:], f.opts.MaxBytes)
		if err != nil {
			return nil, err
		}
		return got, f.takes(got.MediaType)
	}
	u, err := url.Parse(rawURL)
	if err != nil {
		return nil, errors.New("files: that is not a URL")
	}
	u = normalize(u)
	if err := f.check(u); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, f.opts.Timeout)
	defer cancel()
	got, err := f.get(ctx, u)
	if err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return nil, fmt.Errorf("files: the file did not come within %v", f.opts.Timeout)
	}
	return got, err
}

// check holds a URL against the list.
func (f *Fetcher) check(u *url.URL) error {
	if u.User != nil {
		return fmt.Errorf("%w: it has a name or password in it", ErrNotAllowed)
	}
	if !slices.ContainsFunc(f.allow, func(o origin) bool { return o.covers(u) }) {
		return ErrNotAllowed
	}
	return nil
}

func (f *Fetcher) redirect(req *http.Request, via []*http.Request) error {
	if len(via) > max(0, f.opts.MaxRedirects) {
		return errors.New("files: the URL leads from one place to the next too often")
	}
	req.Header.Del("Referer") // which would tell one server of the other
	req.URL = normalize(req.URL)
	return f.check(req.URL)
}

func (f *Fetcher) get(ctx context.Context, u *url.URL) (*Fetched, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, errors.New("files: that is not a URL")
	}
	req.Header.Set("Accept", cmp.Or(strings.Join(f.opts.MediaTypes, ", "), "*/*"))
	res, err := f.client.Do(req)
	if err != nil {
		return nil, explain(err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("files: its server answers %d %s", res.StatusCode, http.StatusText(res.StatusCode))
	}
	mediaType := cleanType(res.Header.Get("Content-Type"))
	if err := f.takes(mediaType); err != nil {
		return nil, err
	}
	if res.ContentLength > f.opts.MaxBytes {
		return nil, tooLarge(f.opts.MaxBytes)
	}
	content, err := io.ReadAll(io.LimitReader(res.Body, f.opts.MaxBytes+1))
	if err != nil {
		return nil, errors.New("files: the file broke off")
	}
	if int64(len(content)) > f.opts.MaxBytes {
		return nil, tooLarge(f.opts.MaxBytes)
	}
	return &Fetched{Content: content, MediaType: mediaType, Name: nameOf(res), URL: res.Request.URL.String()}, nil
}

func tooLarge(limit int64) error {
	return fmt.Errorf("%w: it has more than %d bytes", ErrTooLarge, limit)
}

// explain leaves out of an error what it says of the network here, which is not for whoever sent the URL.
func explain(err error) error {
	if errors.Is(err, ErrNotAllowed) || errors.Is(err, guard.ErrRefused) {
		return fmt.Errorf("%w, or leads to where it must not", ErrNotAllowed)
	}
	if e, ok := errors.AsType[*url.Error](err); ok && strings.HasPrefix(e.Err.Error(), "files: ") {
		return e.Err
	}
	return errors.New("files: its server cannot be reached")
}

func (f *Fetcher) takes(mediaType string) error {
	if len(f.opts.MediaTypes) == 0 || slices.ContainsFunc(f.opts.MediaTypes,
		func(m string) bool { return agent.MatchMode(m, mediaType) }) {
		return nil
	}
	return fmt.Errorf("%w: %q; taken are %s", ErrMediaType, mediaType, strings.Join(f.opts.MediaTypes, ", "))
}

// nameOf returns the file's name, as its server or its URL has it.
func nameOf(res *http.Response) string {
	_, params, err := mime.ParseMediaType(res.Header.Get("Content-Disposition"))
	if name := cleanName(params["filename"]); err == nil && name != "" {
		return name
	}
	if res.Request.URL.Path == "" {
		return ""
	}
	return cleanName(path.Base(res.Request.URL.Path))
}
