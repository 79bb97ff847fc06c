// SPDX-License-Identifier: Apache-2.0

package registry

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/dragoman-a2a/dragoman/internal/origin"
)

// DefaultAddr is the address of a registry unless someone names another one.
const DefaultAddr = "127.0.0.1:8095"

// ClientOptions tunes a [Client]. The zero value of each field means its default.
type ClientOptions struct {
	HTTPClient *http.Client  // nil means http.DefaultClient
	Token      string        // sent as Authorization: Bearer; "" for none
	Timeout    time.Duration // of one call; 0 means 45 s, which covers an agent that is slow in everything
	MaxAnswer  int64         // bytes of an answer; 0 means 16 MiB
}

// Defaults returns the options with every zero value replaced by what it means.
func (o ClientOptions) Defaults() ClientOptions {
	if o.HTTPClient == nil {
		o.HTTPClient = http.DefaultClient
	}
	o.Timeout = cmp.Or(o.Timeout, 45*time.Second)
	o.MaxAnswer = cmp.Or(o.MaxAnswer, 16<<20)
	return o
}

const maxRedirects = 5

// A Client is a [Catalog] over HTTP. It must be made by [NewClient].
type Client struct {
	base *url.URL
	opts ClientOptions
}

var _ Catalog = (*Client)(nil)

// NewClient returns a client of the registry at a base URL such as http://127.0.0.1:8095, to whose path the API's is
// appended. opts may be nil.
func NewClient(baseURL string, opts *ClientOptions) (*Client, error) {
	var o ClientOptions
	if opts != nil {
		o = *opts
	}
	base, err := url.Parse(baseURL)
	if err != nil || base.Host == "" || base.Scheme != "http" && base.Scheme != "https" || base.RawQuery != "" ||
		base.Fragment != "" {
		return nil, fmt.Errorf("registry: %q is no URL of a registry; give one such as http://127.0.0.1:8095", baseURL)
	}
	o = o.Defaults()
	web := *o.HTTPClient
	web.CheckRedirect = func(next *http.Request, via []*http.Request) error {
		if len(via) > maxRedirects || origin.Of(next.URL.String()) != origin.Of(baseURL) {
			return http.ErrUseLastResponse // the token is for this registry
		}
		return nil
	}
	o.HTTPClient = &web
	return &Client{base: base, opts: o}, nil
}

// List implements [Catalog].
func (c *Client) List(ctx context.Context, q Query) (*Page, error) {
	page, _, err := call[Page](ctx, c, http.MethodGet, q.values(), nil, "agents")
	return page, err
}

// Search returns the first page of what fits a text, the best first.
func (c *Client) Search(ctx context.Context, text string) (*Page, error) {
	return c.List(ctx, Query{Text: text})
}

// Get implements [Catalog].
func (c *Client) Get(ctx context.Context, name string) (*Entry, error) {
	e, _, err := call[Entry](ctx, c, http.MethodGet, nil, nil, "agents", name)
	return e, err
}

// Check implements [Catalog].
func (c *Client) Check(ctx context.Context, name string) (*Entry, error) {
	e, _, err := call[Entry](ctx, c, http.MethodPost, nil, nil, "agents", name, "check")
	return e, err
}

// Add implements [Catalog].
func (c *Client) Add(ctx context.Context, r Registration) (*Entry, bool, error) {
	e, status, err := call[Entry](ctx, c, http.MethodPost, nil, r, "agents")
	return e, status == http.StatusCreated, err
}

// Remove implements [Catalog].
func (c *Client) Remove(ctx context.Context, name string) error {
	_, _, err := call[struct{}](ctx, c, http.MethodDelete, nil, nil, "agents", name)
	return err
}

// Versions implements [Catalog].
func (c *Client) Versions(ctx context.Context, name string, size int, pageToken string) (*VersionPage, error) {
	page, _, err := call[VersionPage](ctx, c, http.MethodGet, pageValues(size, pageToken), nil, "agents", name,
		"versions")
	return page, err
}

// Version implements [Catalog].
func (c *Client) Version(ctx context.Context, name string, number int) (*Version, error) {
	v, _, err := call[Version](ctx, c, http.MethodGet, nil, nil, "agents", name, "versions", strconv.Itoa(number))
	return v, err
}

// call sends one request and decodes its answer, which may be empty.
func call[T any](ctx context.Context, c *Client, method string, query url.Values, body any, path ...string) (*T, int,
	error) {
	ctx, cancel := context.WithTimeoutCause(ctx, c.opts.Timeout,
		fmt.Errorf("the registry did not answer within %v", c.opts.Timeout))
	defer cancel()
	req, err := c.request(ctx, method, query, body, path)
	if err != nil {
		return nil, 0, err
	}
	resp, err := c.opts.HTTPClient.Do(req)
	if err != nil {
		return nil, 0, c.unreachable(ctx, err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(resp.Body, c.opts.MaxAnswer+1))
	switch {
	case err != nil:
		return nil, 0, c.unreachable(ctx, err)
	case int64(len(raw)) > c.opts.MaxAnswer:
		return nil, 0, fmt.Errorf("registry: the answer of %s is larger than %d bytes", c.base.Redacted(),
			c.opts.MaxAnswer)
	case resp.StatusCode >= 300:
		return nil, 0, problemIn(resp, raw)
	}
	result := new(T)
	if method == http.MethodDelete { // its answer has no body
		return result, resp.StatusCode, nil
	}
	if err := json.Unmarshal(raw, result); err != nil {
		return nil, 0, fmt.Errorf("registry: unexpected answer of %s: %w", c.base.Redacted(), err)
	}
	return result, resp.StatusCode, nil
}

// CardURL returns where the registry has the card of an agent, which it knows by an id, an alias or a URL. It makes
// no request.
func (c *Client) CardURL(name string) (string, error) {
	at, err := c.at("agents", name, "card.json")
	if err != nil {
		return "", err
	}
	return at.String(), nil
}

// at returns the URL of a path below that of the API.
func (c *Client) at(path ...string) (*url.URL, error) {
	at := *c.base
	at.RawPath = strings.TrimSuffix(at.EscapedPath(), "/") + "/v1"
	at.Path = strings.TrimSuffix(at.Path, "/") + "/v1"
	for _, segment := range path {
		if segment == "" || segment == "." || segment == ".." {
			return nil, failf(ErrInvalid, "%q names no agent; give an id, an alias or a URL", segment)
		}
		at.Path += "/" + segment
		at.RawPath += "/" + url.PathEscape(segment)
	}
	return &at, nil
}

func (c *Client) request(ctx context.Context, method string, query url.Values, body any, path []string) (*http.Request,
	error) {
	at, err := c.at(path...)
	if err != nil {
		return nil, err
	}
	at.RawQuery = query.Encode()
	var content io.Reader
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			return nil, fmt.Errorf("registry: encode the request: %w", err)
		}
		content = bytes.NewReader(b)
	}
	req, err := http.NewRequestWithContext(ctx, method, at.String(), content)
	if err != nil {
		return nil, fmt.Errorf("registry: %w", err)
	}
	req.Header.Set("Accept", "application/json")
	if method == http.MethodPost {
		req.Header.Set("Content-Type", "application/json")
	}
	if c.opts.Token != "" {
		req.Header.Set("Authorization", "Bearer "+c.opts.Token)
	}
	return req, nil
}

// UnreachableError says that a registry did not answer.
type UnreachableError struct {
	URL string // of the registry
	Err error
}

// Error returns which registry it was, and why.
func (e *UnreachableError) Error() string {
	return fmt.Sprintf("the registry at %s cannot be reached: %v", e.URL, e.Err)
}

// Unwrap returns the cause.
func (e *UnreachableError) Unwrap() error { return e.Err }

func (c *Client) unreachable(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err // the rest repeats what is said anyway
	}
	return &UnreachableError{URL: c.base.Redacted(), Err: err}
}
