// SPDX-License-Identifier: Apache-2.0

package grpc

import (
	"context"
	"net/http"
	"net/textproto"
	"net/url"
	"strings"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/peer"
)

// requestOf returns a call as the HTTP request that it is: authenticators and what else looks at requests do not know
// one from the other. A call that came over net/http has the real one. There is no body to be read.
func requestOf(ctx context.Context) *http.Request {
	if o, ok := ctx.Value(originKey{}).(*http.Request); ok {
		r := o.WithContext(ctx)
		r.Body = http.NoBody
		return r
	}
	method, _ := grpc.Method(ctx)
	r := (&http.Request{
		Method: http.MethodPost, URL: &url.URL{Path: method}, RequestURI: method,
		Proto: "HTTP/2.0", ProtoMajor: 2, ContentLength: -1,
		Header: http.Header{}, Body: http.NoBody,
	}).WithContext(ctx)
	md, _ := metadata.FromIncomingContext(ctx)
	for name, values := range md {
		if !strings.HasPrefix(name, ":") {
			r.Header[textproto.CanonicalMIMEHeaderKey(name)] = values
		}
	}
	if authority := md.Get(":authority"); len(authority) > 0 {
		r.Host = authority[0]
	}
	if p, ok := peer.FromContext(ctx); ok {
		r.RemoteAddr = p.Addr.String()
		if info, ok := p.AuthInfo.(credentials.TLSInfo); ok {
			r.TLS = &info.State
		}
	}
	return r
}

// originKey is the key under which the context of a call has the http.Request that it came with.
type originKey struct{}

// bodyKey is the key under which it has the body that came over net/http.
type bodyKey struct{}

// headersOf returns the header of an answer as metadata.
func headersOf(h http.Header) metadata.MD {
	md := make(metadata.MD, len(h))
	for name, values := range h {
		md[strings.ToLower(name)] = values
	}
	return md
}
