// SPDX-License-Identifier: Apache-2.0

package cmdline

import (
	"fmt"
	"net"
	"net/http"
	"net/url"

	"github.com/dragoman-a2a/dragoman/internal/httpserver"
)

// LocalOnly lets through only requests that name this machine. On a loopback address, a browser can be led to call a
// server by the name of another site, and then shows that site what the server says.
func LocalOnly(what string, h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !httpserver.IsLocal(r.Host) {
			message := fmt.Sprintf("this %s listens for its own machine only; call it as localhost or 127.0.0.1, not "+
				"as %.100q", what, r.Host)
			http.Error(w, message, http.StatusForbidden)
			return
		}
		h.ServeHTTP(w, r)
	})
}

// KeepPagesOut keeps web pages from a server that has no checks of its own, by the rules of package server: a page of
// another origin changes nothing there, and on a loopback address without a URL each request names this machine.
func KeepPagesOut(what string, ln net.Listener, baseURL string, h http.Handler) http.Handler {
	protection := http.NewCrossOriginProtection()
	if u, err := url.Parse(baseURL); err == nil && u.Host != "" {
		protection.AddTrustedOrigin(u.Scheme + "://" + u.Host) // a proxy may have changed the request's host
	}
	protection.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Error(w, fmt.Sprintf("pages of the origin %.100q may not call this %s", r.Header.Get("Origin"), what),
			http.StatusForbidden)
	}))
	h = protection.Handler(h)
	if IsLoopback(ln.Addr()) && baseURL == "" {
		h = LocalOnly(what, h)
	}
	return h
}
