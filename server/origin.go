// SPDX-License-Identifier: Apache-2.0

package server

import (
	"fmt"
	"net/http"
	"net/url"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/httpserver"
)

// crossOrigin returns what tells requests that change something, and that a browser makes for a page of another origin,
// from all others. Programs that are no browsers send nothing that it looks at. Without it any page could, say, cancel
// a task of an agent on its reader's machine: CORS hides only the answer of a request as simple as that.
func crossOrigin(baseURL string) *http.CrossOriginProtection {
	protection := http.NewCrossOriginProtection()
	if u, err := url.Parse(baseURL); err == nil && u.Host != "" {
		protection.AddTrustedOrigin(u.Scheme + "://" + u.Host) // a proxy may have changed the request's host
	}
	return protection
}

// foreign answers a request that a page of another origin may not make. It returns true when it did.
func (s *Server) foreign(w http.ResponseWriter, r *http.Request) bool {
	if s.crossOrigin.Check(r) == nil || s.allowedOrigin(r.Header.Get("Origin")) != "" {
		return false
	}
	writeError(w, http.StatusForbidden, a2a.NewError(a2a.ErrPermissionDenied, fmt.Sprintf(
		"pages of the origin %.100q may not call this agent; its operator can add the origin to AllowedOrigins",
		r.Header.Get("Origin"))))
	return true
}

// localOnly lets through only what names this machine. A page can have its own name point at 127.0.0.1 (DNS rebinding);
// for the browser a server there is of the page's own origin then, but the request still names the page's host.
func (s *Server) localOnly() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !httpserver.IsLocal(r.Host) {
			s.core.Deadline(w, r)
			identify(w, r)
			writeError(w, http.StatusForbidden, a2a.NewError(a2a.ErrPermissionDenied, fmt.Sprintf(
				"this agent listens on its own machine only: call it as localhost or 127.0.0.1, not as %.100q; "+
					"behind a proxy, its operator must set its URL", r.Host)))
			return
		}
		s.options.Handler.ServeHTTP(w, r)
	})
}
