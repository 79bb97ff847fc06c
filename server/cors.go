// SPDX-License-Identifier: Apache-2.0

package server

import (
	"net/http"
	"slices"
)

// cors adds what a browser needs to let a page of an allowed origin call the server. It returns true when it answered
// the request: a browser that asks beforehand.
func (s *Server) cors(w http.ResponseWriter, r *http.Request) bool {
	if len(s.options.AllowedOrigins) == 0 {
		return false
	}
	h := w.Header()
	h.Add("Vary", "Origin")
	allow := s.allowedOrigin(r.Header.Get("Origin"))
	if allow == "" {
		return false
	}
	h.Set("Access-Control-Allow-Origin", allow)
	h.Set("Access-Control-Expose-Headers", "A2A-Extensions, ETag, Retry-After, WWW-Authenticate, X-Request-Id")
	if r.Method != http.MethodOptions || r.Header.Get("Access-Control-Request-Method") == "" {
		return false
	}
	h.Set("Access-Control-Allow-Methods", "GET, HEAD, POST, DELETE")
	h.Set("Access-Control-Allow-Headers", "A2A-Extensions, A2A-Version, Authorization, Content-Type, Last-Event-ID, "+
		"X-Request-Id")
	h.Set("Access-Control-Max-Age", "600")
	w.WriteHeader(http.StatusNoContent)
	return true
}

// allowedOrigin returns how to tell a browser that pages of the origin may call the server, or "" when they may not.
func (s *Server) allowedOrigin(origin string) string {
	switch {
	case origin == "":
		return ""
	case slices.Contains(s.options.AllowedOrigins, origin):
		return origin
	case slices.Contains(s.options.AllowedOrigins, "*"):
		return "*"
	}
	return ""
}
