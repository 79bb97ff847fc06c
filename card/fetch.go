// SPDX-License-Identifier: Apache-2.0

package card

import (
	"context"
	"errors"
	"net/http"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/retry"
)

// Fetched is what a server answered that was asked for a card, and with what to ask it again.
type Fetched struct {
	Card *a2a.AgentCard // nil when Unchanged
	Raw  []byte         // the card as it came, or what Options.Verify lets through; nil when Unchanged

	URL          string // where the card is
	ETag         string // of RFC 9110 §8.8.3; "" when the server has none
	LastModified string // of RFC 9110 §8.8.2; likewise
	Unchanged    bool   // the server said that the card is what it was
}

// Fetch asks for the card at a URL, see [Resolver.Resolve], in the form that is served to who asks for none, which
// names all interfaces of an agent that speaks several generations. Files are refused, so that references of strangers
// can be fetched. The cache has no part in it: known, unless nil, is what an earlier Fetch brought, of which the URL,
// the ETag and LastModified count, and the server is asked only whether that has changed. An error is an [*Error], or
// the context's.
func (r *Resolver) Fetch(ctx context.Context, ref string, known *Fetched) (*Fetched, error) {
	p, err := parse(ref)
	if err == nil && p.url == nil {
		err = errors.New("it is a file; give a URL")
	}
	if err != nil {
		return nil, &Error{Ref: ref, Kind: ErrReference, Err: err}
	}
	found, err := withOlder(p, func(url string) (*Fetched, error) { return r.fetchAgain(ctx, url, known) })
	if err == nil || ctx.Err() != nil {
		return found, err
	}
	return nil, failure(ref, p, err)
}

func (r *Resolver) fetchAgain(ctx context.Context, url string, known *Fetched) (*Fetched, error) {
	old := entry{}
	if known != nil && known.URL == url {
		old.etag, old.modified = known.ETag, known.LastModified
	}
	got, err := retry.Do(ctx, r.retry, func(ctx context.Context) (*answer, error) {
		header := http.Header{}
		old.ask(header)
		return r.get(ctx, url, header, len(header) > 0)
	}, mayRetry)
	if err != nil {
		return nil, err
	}
	found := &Fetched{URL: url, ETag: got.header.Get("ETag"), LastModified: got.header.Get("Last-Modified")}
	if got.raw == nil {
		found.Unchanged = true
		found.ETag = orDefault(found.ETag, old.etag)
		found.LastModified = orDefault(found.LastModified, old.modified)
		return found, nil
	}
	if found.Raw, err = r.Trusted(ctx, url, got.raw); err != nil {
		return nil, err
	}
	if found.Card, err = decode(found.Raw); err != nil {
		return nil, err
	}
	return found, nil
}
