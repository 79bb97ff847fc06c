// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/cmdline"
)

// Each kind of login is sent to the agent, is shown nowhere, and is gone after the logout.
func TestLogin(t *testing.T) {
	t.Parallel()
	bearer := func(r *http.Request) string {
		token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		return token
	}
	idp := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch {
		case r.URL.Path == "/device":
			fmt.Fprint(w, `{"device_code":"d","user_code":"u","verification_uri":"http://x","interval":1,`+
				`"expires_in":60}`)
		case r.FormValue("grant_type") == "refresh_token":
			fmt.Fprintf(w, `{"access_token":%q,"token_type":"Bearer","expires_in":3600}`, testKey)
		default: // has expired at once
			fmt.Fprint(w, `{"access_token":"old","token_type":"Bearer","expires_in":1,"refresh_token":"hunter-r"}`)
		}
	}))
	t.Cleanup(idp.Close)
	for name, test := range map[string]struct {
		scheme a2a.SecurityScheme
		given  func(*http.Request) string
		login  []string
	}{
		"bearer": {&a2a.HTTPAuthScheme{Scheme: "Bearer"}, bearer, nil},
		"api-key": {&a2a.APIKeyScheme{Location: "header", Name: "X-Team"},
			func(r *http.Request) string { return r.Header.Get("X-Team") }, nil},
		"basic": {&a2a.HTTPAuthScheme{Scheme: "basic"}, func(r *http.Request) string {
			user, password, _ := r.BasicAuth()
			return strings.TrimPrefix(user, "ann") + password
		}, []string{"--user", "ann"}},
		"oauth": {&a2a.OAuth2Scheme{Flow: &a2a.DeviceCodeFlow{DeviceAuthorizationURL: idp.URL + "/device",
			TokenURL: idp.URL + "/token"}}, bearer,
			[]string{"--device", "--client-id", "cli", "--auth-server", idp.URL}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url, other := serveKeyed(t, test.scheme, test.given), serveKeyed(t, test.scheme, test.given)
			env := map[string]string{"XDG_CONFIG_HOME": t.TempDir()}
			file := filepath.Join(env["XDG_CONFIG_HOME"], "a2a-cli", "logins.json")
			do := func(want int, args ...string) result {
				t.Helper()
				got := runWith(t.Context(), env, testKey+"\n", args...)
				if got.code != want || strings.Contains(got.stdout+got.stderr, "hunter") {
					t.Fatalf("%q: %+v", args, got)
				}
				return got
			}
			do(cmdline.ExitUsage, "auth", "login", url) // two schemes
			do(cmdline.ExitOK, append([]string{"auth", "login", url, "--scheme", "k"}, test.login...)...)
			do(cmdline.ExitOK, "send", "-a", url, "--text", "hi", "--debug")
			do(cmdline.ExitAuth, "send", "-a", other, "--text", "hi")
			do(cmdline.ExitAuth, "send", "-a", url, "--text", "hi", "--bearer", "wrong") // a flag counts first
			status := do(cmdline.ExitOK, "auth", "status", "-o", "json")
			if !strings.Contains(status.stdout, `"kind": "`+name+`"`) {
				t.Errorf("%+v", status)
			}
			if name == "oauth" {
				text, err := os.ReadFile(file)
				if err != nil || !strings.Contains(string(text), testKey) {
					t.Errorf("the refreshed token is not kept: %v", err)
				}
				gone := strings.NewReplacer("hunter-r", "", `"expiry":"2`, `"expiry":"1`).Replace(string(text))
				if err := os.WriteFile(file, []byte(gone), 0o600); err != nil {
					t.Fatal(err)
				}
				got := do(cmdline.ExitAuth, "send", "-a", url, "--text", "hi")
				if !strings.Contains(got.stderr, "auth login "+url) {
					t.Errorf("%+v", got)
				}
			}
			do(cmdline.ExitOK, "auth", "logout", url)
			do(cmdline.ExitUsage, "auth", "logout", url)
			do(cmdline.ExitAuth, "send", "-a", url, "--text", "hi")
			do(cmdline.ExitUsage, "auth", "login", "http://agent.example.com")
		})
	}
}
