// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/dragoman-a2a/dragoman/internal/cmdline"
)

// A newcomer mixes the schemes up, or serves with a certificate that nobody vouches for.
func TestCausesOfTLS(t *testing.T) {
	t.Parallel()
	plain := serveHandler(t, http.NotFound)
	secure := httptest.NewUnstartedServer(http.NotFoundHandler())
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.StartTLS()
	t.Cleanup(secure.Close)
	for name, test := range map[string]struct{ url, message, hint string }{
		"https to an http port": {"https" + strings.TrimPrefix(plain, "http"), "the server speaks plain HTTP there",
			"use " + plain},
		"http to an https port": {"http" + strings.TrimPrefix(secure.URL, "https"), "HTTP 400",
			"if the server speaks HTTPS, use " + secure.URL},
		"unknown authority": {secure.URL, "signed by an authority that this machine does not trust",
			"if you trust it"},
	} {
		got := run(t.Context(), "card", "get", "-a", test.url)
		first, hint, _ := strings.Cut(got.stderr, "\nHint: ")
		if got.code != cmdline.ExitUnreachable || !strings.Contains(first, test.message) ||
			!strings.HasPrefix(hint, test.hint) || strings.Contains(first, "Get ") {
			t.Errorf("%s: exit code %d:\n%s", name, got.code, got.stderr)
		}
	}
}
