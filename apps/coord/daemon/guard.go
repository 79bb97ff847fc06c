// SPDX-License-Identifier: Apache-2.0

package daemon

import (
	"errors"
	"net/http"
	"strings"
)

// guard refuses what pages of other sites fetch, also with GET: that costs the coordinator something, and tells the
// page whether there is one. Only the page for people may be reached by a link of another site.
func guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Sec-Fetch-Site") == "cross-site" && costs(r.URL.Path) {
			refuse(w, http.StatusForbidden, errors.New("pages of other sites may not ask the coordinator anything"))
			return
		}
		next.ServeHTTP(w, r)
	})
}

func costs(path string) bool {
	for _, prefix := range []string{"/api/", "/a2a/", "/mcp"} {
		if strings.HasPrefix(path, prefix) {
			return true
		}
	}
	return false
}
