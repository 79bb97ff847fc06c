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
	origin := r.Header.Get("Origin")
	if origin == "" {
		return false
	}
	switch {
	case slices.Contains(s.options.AllowedOrigins, origin):
		h.Set("Access-Control-Allow-Origin", origin)
	case slices.Contains(s.options.AllowedOrigins, "*"):
		h.Set("Access-Control-Allow-Origin", "*")
	default:
		return false
	}
	h.Set("Access-Control-Expose-Headers", "A2A-Extensions, ETag, Retry-After, WWW-Authenticate, X-Request-Id")
	if r.Method != http.MethodOptions || r.Header.Get("Access-Control-Request-Method") == "" {
		return false
	}
	h.Set("Access-Control-Allow-Methods", "GET, HEAD, POST, DELETE")
	h.Set("Access-Control-Allow-Headers", "A2A-Extensions, A2A-Version, Authorization, Content-Type, Last-Event-ID, X-Request-Id")
	h.Set("Access-Control-Max-Age", "600")
	w.WriteHeader(http.StatusNoContent)
	return true
}
