// SPDX-License-Identifier: Apache-2.0

package daemon

import (
	"errors"
	"net/http"
	"slices"
	"strings"
)

// guard refuses requests of pages of other sites, also with GET: they cost the coordinator something, and tell the page
// whether there is one. Only the page for people may be reached by a link of another site.
func guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		forPrograms := slices.ContainsFunc([]string{"/api/", "/a2a/", "/mcp"},
			func(prefix string) bool { return strings.HasPrefix(r.URL.Path, prefix) })
		if forPrograms && r.Header.Get("Sec-Fetch-Site") == "cross-site" {
			refuse(w, http.StatusForbidden, errors.New("pages of other sites may not ask the coordinator anything"))
			return
		}
		next.ServeHTTP(w, r)
	})
}
