// SPDX-License-Identifier: Apache-2.0

package signature

import (
	"cmp"
	"context"
	"crypto"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path"
	"slices"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-json-experiment/json"
	"golang.org/x/sync/singleflight"
	"golang.org/x/time/rate"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/guard"
)

// The errors of [Verifier.Verify], by which callers decide what to do.
var (
	ErrUnsigned = errors.New("the card has no signature")
	ErrNoKey    = errors.New("the card is signed with keys that are not trusted here")
	ErrInvalid  = errors.New("no signature of the card holds")
)

// VerifierOptions say whose signatures are trusted.
type VerifierOptions struct {
	// Keys are trusted public keys. A signature is looked up by its key's ID; a key without an ID is tried for each.
	Keys []jose.JSONWebKey
	// KeysURLs are prefixes of https URLs below which the keys that a signature names (jku) are fetched and trusted,
	// such as "https://keys.example.com/". Nil fetches none: whoever signs a card also writes its jku, so that it is
	// worth nothing by itself.
	KeysURLs []string
	// Networks are those in which keys are fetched: "public", "loopback" or "private", as in package registry. Empty
	// means "public". It does not count with an HTTPClient.
	Networks string
	// HTTPClient fetches keys. Its Timeout and CheckRedirect do not apply. Nil means one that reaches Networks.
	HTTPClient *http.Client
}

const (
	maxSignatures = 16               // of one card that are looked at
	maxKeySet     = 1 << 20          // bytes of a JWK set
	keepKeySet    = 5 * time.Minute  // that fetched keys are used again
	keepMissing   = 30 * time.Second // until keys are fetched again for one that is not among them
	maxKeySets    = 1000             // that are kept
	fetchTimeout  = 10 * time.Second // of a key set
	fetchEvery    = time.Second      // between two key sets, once fetchBurst are spent
	fetchBurst    = 20
)

// errPaced is the error of a fetch that comes too soon after others.
var errPaced = errors.New("many key sets were fetched a moment ago; try again in some seconds")

// A Verifier verifies the signatures of cards. It is safe for concurrent use.
type Verifier struct {
	opts   VerifierOptions
	client *http.Client
	limit  *rate.Limiter
	flight singleflight.Group // by URL

	mu      sync.Mutex
	fetched map[string]keySet // by URL
}

type keySet struct {
	keys  []jose.JSONWebKey
	err   error // the keys could not be fetched
	since time.Time
}

// NewVerifier returns a Verifier.
func NewVerifier(opts VerifierOptions) (*Verifier, error) {
	for _, prefix := range opts.KeysURLs {
		if u, err := url.Parse(prefix); err != nil || u.Scheme != "https" || u.Host == "" || u.Path == "" {
			return nil, fmt.Errorf("signature: VerifierOptions.KeysURLs: %q is not an https URL with a path, such as "+
				"https://keys.example.com/", prefix)
		}
	}
	networks := cmp.Or(guard.Networks(opts.Networks), guard.Public)
	if !networks.Valid() {
		return nil, fmt.Errorf("signature: VerifierOptions.Networks is %q; use %s, %s or %s", opts.Networks,
			guard.Public, guard.Loopback, guard.Private)
	}
	client := http.Client{Transport: guard.Transport(guard.Dial(networks))}
	if opts.HTTPClient != nil {
		client = *opts.HTTPClient
	}
	client.Timeout = fetchTimeout
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &Verifier{opts: opts, client: &client, fetched: map[string]keySet{},
		limit: rate.NewLimiter(rate.Every(fetchEvery), fetchBurst)}, nil
}

// Verified says which signature of a card holds.
type Verified struct {
	KeyID     string
	KeysURL   string // the key was fetched from; "" for a trusted key
	Algorithm string
	Form      Form // that the signature covers
	// Covered is the card with those members that the signature covers. Other ones, such as those of 0.3 beside a
	// signature over 1.0, may be anybody's: read the card from here.
	Covered []byte
}

// readable says how to write the members that a form covers as a card: some forms leave out required ones.
var readable = map[Form]Form{Form10: Form10, FormSDK: Form10, FormPython: Form10, FormWhole: FormWhole,
	Form03: FormWhole}

// header is what is read of a protected header.
type header struct {
	KeyID   string `json:"kid"`
	KeysURL string `json:"jku"`
	Alg     string `json:"alg"`
}

// Verify returns the first signature of a card that holds. The document is the card as it was served. The error is one
// of ErrUnsigned, ErrNoKey and ErrInvalid, or why the card or the keys cannot be read.
func (v *Verifier) Verify(ctx context.Context, document []byte) (*Verified, error) {
	var card struct {
		Signatures []a2a.AgentCardSignature `json:"signatures"`
	}
	if err := json.Unmarshal(document, &card); err != nil {
		return nil, fmt.Errorf("the card cannot be read: %w", err)
	}
	if len(card.Signatures) == 0 {
		return nil, ErrUnsigned
	}
	failure := ErrNoKey
	var trouble error // of fetching keys
	payloads := map[Form]string{}
	for _, s := range card.Signatures[:min(len(card.Signatures), maxSignatures)] {
		text, err := base64.RawURLEncoding.DecodeString(s.Protected)
		var h header
		if err != nil || json.Unmarshal(text, &h) != nil ||
			!slices.Contains(algorithms, jose.SignatureAlgorithm(h.Alg)) {
			failure = ErrInvalid
			continue
		}
		keys, from, err := v.keysFor(ctx, &h)
		if err != nil {
			trouble = err
			continue
		}
		for _, key := range keys {
			form, ok := holds(document, payloads, &s, &key)
			if ok {
				covered, err := Canonical(document, readable[form])
				return &Verified{h.KeyID, from, h.Alg, form, covered}, err
			}
			failure = ErrInvalid
		}
	}
	if failure == ErrNoKey && trouble != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoKey, trouble)
	}
	return nil, failure
}

// holds reports whether a signature is one with a key over some form of the document.
func holds(document []byte, payloads map[Form]string, s *a2a.AgentCardSignature, key *jose.JSONWebKey) (Form, bool) {
	for _, form := range Forms() {
		payload, known := payloads[form]
		if !known {
			canonical, err := Canonical(document, form)
			if err == nil {
				payload = base64.RawURLEncoding.EncodeToString(canonical)
			}
			payloads[form] = payload
		}
		if payload == "" {
			continue
		}
		jws, err := jose.ParseSignedCompact(s.Protected+"."+payload+"."+s.Signature, algorithms)
		if err != nil {
			return "", false
		}
		if _, err := jws.Verify(key); err == nil {
			return form, true
		}
	}
	return "", false
}

// keysFor returns the keys that a signature may be by, and where they come from.
func (v *Verifier) keysFor(ctx context.Context, h *header) (keys []jose.JSONWebKey, from string, err error) {
	switch keys = matching(v.opts.Keys, h); {
	case len(keys) > 0:
		return keys, "", nil
	case h.KeysURL == "":
		return nil, "", fmt.Errorf("none of the trusted keys has the ID %.100q and is for %s", h.KeyID, h.Alg)
	case !v.allows(h.KeysURL):
		return nil, "", fmt.Errorf("the key %.100q is not among the trusted ones, and keys are not fetched from %.200q",
			h.KeyID, h.KeysURL)
	}
	v.mu.Lock()
	kept := v.fetched[h.KeysURL]
	v.mu.Unlock()
	if age := time.Since(kept.since); age < keepKeySet {
		// A key that is not among them may be a new one, which is worth another look, but not for every card.
		if keys = matching(kept.keys, h); len(keys) > 0 || age < keepMissing {
			return keys, h.KeysURL, kept.err
		}
	}
	select {
	case got := <-v.flight.DoChan(h.KeysURL, func() (any, error) { return v.fetch(h.KeysURL) }):
		all, _ := got.Val.([]jose.JSONWebKey)
		return matching(all, h), h.KeysURL, got.Err
	case <-ctx.Done():
		return nil, "", context.Cause(ctx)
	}
}

// matching returns the keys of a set that a signature may be by: not those for another use, nor of an expired
// certificate (A2A 1.0 §8.4.3).
func matching(all []jose.JSONWebKey, h *header) []jose.JSONWebKey {
	now := time.Now()
	var keys []jose.JSONWebKey
	for _, key := range all {
		switch {
		case key.KeyID != "" && h.KeyID != "" && key.KeyID != h.KeyID && thumbprint(&key) != h.KeyID,
			key.Use != "" && key.Use != "sig",
			key.Algorithm != "" && key.Algorithm != h.Alg,
			!key.Valid():
			continue
		case len(key.Certificates) > 0 &&
			(now.After(key.Certificates[0].NotAfter) || now.Before(key.Certificates[0].NotBefore)):
			continue
		}
		keys = append(keys, key.Public())
	}
	return keys
}

func thumbprint(key *jose.JSONWebKey) string {
	print, err := key.Thumbprint(crypto.SHA256)
	if err != nil {
		return ""
	}
	return base64.RawURLEncoding.EncodeToString(print)
}

// allows reports whether keys are fetched from a URL: it is below one of the prefixes, segment by segment.
func (v *Verifier) allows(keysURL string) bool {
	u, err := url.Parse(keysURL)
	if err != nil || u.User != nil || u.Fragment != "" || u.RawQuery != "" || u.EscapedPath() != path.Clean(u.Path) {
		return false // a path that a server may read in another way than is compared here
	}
	return slices.ContainsFunc(v.opts.KeysURLs, func(prefix string) bool {
		p, err := url.Parse(prefix)
		return err == nil && u.Scheme == p.Scheme && u.Host == p.Host &&
			(u.Path == p.Path || below(u.Path, p.Path))
	})
}

func below(path, prefix string) bool {
	if prefix[len(prefix)-1] != '/' {
		prefix += "/"
	}
	return len(path) > len(prefix) && path[:len(prefix)] == prefix
}

// fetch returns the keys at a URL, and keeps them, or the failure, for a while. It does not end with the caller that
// began it, as others may wait for it.
func (v *Verifier) fetch(keysURL string) ([]jose.JSONWebKey, error) {
	if !v.limit.Allow() {
		return nil, errPaced
	}
	keys, err := v.get(keysURL)
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.fetched) >= maxKeySets {
		clear(v.fetched)
	}
	v.fetched[keysURL] = keySet{keys, err, time.Now()}
	return keys, err
}

func (v *Verifier) get(keysURL string) ([]jose.JSONWebKey, error) {
	answer, err := v.client.Get(keysURL)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s answers %s", keysURL, answer.Status)
	}
	body, err := io.ReadAll(io.LimitReader(answer.Body, maxKeySet))
	if err != nil {
		return nil, err
	}
	keys, err := parseSet(body)
	if err != nil {
		return nil, fmt.Errorf("%s has no JWK set: %w", keysURL, err)
	}
	return keys, nil
}
