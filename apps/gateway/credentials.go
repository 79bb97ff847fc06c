// SPDX-License-Identifier: Apache-2.0

package gateway

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/client"
	"github.com/dragoman-a2a/dragoman/internal/wire"
)

// requestKey is the key of the headers of a request in its context. Where credentials go is known later.
type requestKey struct{}

// credentials is the Authenticator of a gateway that leaves its callers to its upstreams. It judges nothing, and tells
// callers apart by what they send.
type credentials []*upstream

func (c credentials) Authenticate(r *http.Request) (a2a.Identity, error) {
	names := []string{"Authorization", "Cookie"}
	for _, u := range c {
		names = u.keyHeaders(names)
	}
	hash := sha256.New()
	found := false
	for _, name := range names {
		for _, value := range r.Header.Values(name) {
			found = true
			hash.Write([]byte(name + "\x00" + value + "\x00"))
		}
	}
	if !found {
		return a2a.Identity{}, nil
	}
	return a2a.Identity{Subject: "credentials:" + hex.EncodeToString(hash.Sum(nil))}, nil
}

// keyHeaders appends the headers in which the upstream wants API keys.
func (u *upstream) keyHeaders(names []string) []string {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.found == nil {
		return names
	}
	for _, name := range slices.Sorted(maps.Keys(u.found.SecuritySchemes)) {
		key, ok := u.found.SecuritySchemes[name].(*a2a.APIKeyScheme)
		if ok && strings.EqualFold(key.Location, "header") && !slices.Contains(names, key.Name) {
			names = append(names, key.Name)
		}
	}
	return names
}

// passOn is the interceptor that hands on what a caller's request has beside its body: the extensions that it
// activates, the tenant, and credentials, of which only those for which the upstream's card names a scheme. An upstream
// that cannot be reached it puts into words for callers, who must not read its address.
func (c *calling) passOn(ctx context.Context, call *client.Call, next client.Handler) (any, error) {
	if in, ok := ctx.Value(requestKey{}).(http.Header); ok && !c.hides {
		for _, scheme := range c.card.SecuritySchemes {
			pass(call.Params, in, scheme)
		}
	}
	caller := a2a.CallFrom(ctx)
	passExtensions(call.Params, caller.Extensions)
	op := wire.OperationOf(call.Operation)
	if c.alone && call.Interface.Tenant == "" && caller.Tenant != "" && op != wire.OpExtendedCard {
		*op.Subject(call.Request).Tenant = caller.Tenant // the request is a copy that nobody else has
	}
	res, err := next(ctx, call)
	if conn, ok := errors.AsType[*wire.ConnError](err); ok && !conn.Sent {
		err = &a2a.Error{Kind: a2a.ErrUnavailable, Message: awayText, Cause: err}
	}
	if c.hides && (errors.Is(err, a2a.ErrUnauthenticated) || errors.Is(err, a2a.ErrPermissionDenied)) {
		err = &a2a.Error{Kind: a2a.ErrInvalidAgentResponse, Cause: err,
			Message: "the agent refuses the gateway, which calls it with credentials of its own; tell the gateway's " +
				"operator"}
	}
	if origins, ok := errors.AsType[*client.OriginError](err); ok {
		c.logger.LogAttrs(ctx, slog.LevelWarn,
			"credentials of a caller are not sent to another origin than the card's; allow it with --credentials-to",
			slog.String("card", origins.Card), slog.String("interface", origins.Interface))
		err = &a2a.Error{Kind: a2a.ErrUnavailable, Cause: origins, Message: "the gateway does not send " +
			"credentials to this agent, whose card is at another origin; the operator of the gateway can allow it"}
	}
	return res, err
}

// passExtensions adds extensions to those that the client activates itself.
func passExtensions(params http.Header, extensions []string) {
	if len(extensions) == 0 {
		return
	}
	name := wire.HeaderExtensions
	if params.Get(wire.HeaderVersion) != string(a2a.Generation10) {
		name = wire.HeaderExtensions03
	}
	var all []string
	for _, uri := range append(strings.Split(params.Get(name), ","), extensions...) {
		if uri = strings.TrimSpace(uri); uri != "" && !slices.Contains(all, uri) {
			all = append(all, uri)
		}
	}
	params.Set(name, strings.Join(all, ","))
}

func pass(out, in http.Header, scheme a2a.SecurityScheme) {
	switch scheme := scheme.(type) {
	case *a2a.HTTPAuthScheme:
		passAuthorization(out, in, scheme.Scheme)
	case *a2a.OAuth2Scheme, *a2a.OpenIDConnectScheme:
		passAuthorization(out, in, "Bearer")
	case *a2a.APIKeyScheme:
		switch strings.ToLower(scheme.Location) {
		case "header":
			if values := in.Values(scheme.Name); len(values) > 0 && mayPass(scheme.Name) {
				out[http.CanonicalHeaderKey(scheme.Name)] = values
			}
		case "cookie":
			passCookie(out, in, scheme.Name)
		}
	}
}

// notKeys are headers that mean something by themselves, whatever a card calls an API key.
var notKeys = []string{"Host", "Accept", "Connection", "Transfer-Encoding", "Cookie", "Upgrade", "Te", "Trailer",
	"Keep-Alive", "Forwarded", "Via", "Expect", "Origin", "Traceparent", "Tracestate",
	"A2a-Version", "A2a-Extensions", "X-A2a-Extensions", "Last-Event-Id", "X-Request-Id"}

func mayPass(name string) bool {
	name = http.CanonicalHeaderKey(name)
	for _, family := range []string{"Proxy-", "X-Forwarded-", "Grpc-", "Sec-", "Content-"} {
		if strings.HasPrefix(name, family) {
			return false
		}
	}
	return !slices.Contains(notKeys, name)
}

func passAuthorization(out, in http.Header, scheme string) {
	for _, value := range in.Values("Authorization") {
		if used, _, _ := strings.Cut(value, " "); strings.EqualFold(used, scheme) {
			out.Set("Authorization", value)
		}
	}
}

func passCookie(out, in http.Header, name string) {
	r := http.Request{Header: in}
	if c, err := r.Cookie(name); err == nil {
		o := http.Request{Header: out}
		o.AddCookie(&http.Cookie{Name: c.Name, Value: c.Value})
	}
}
