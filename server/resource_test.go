// SPDX-License-Identifier: Apache-2.0

package server_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/auth"
	"github.com/dragoman-a2a/dragoman/server"
)

// A refusal names the metadata that tells clients of OAuth how to get a token (RFC 9728 §5.1).
func TestProtectedResourceMetadata(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		scheme  a2a.SecurityScheme
		servers []string // nil: there is no metadata
	}{
		"openid": {&a2a.OpenIDConnectScheme{URL: "https://idp.example/realms/one/.well-known/openid-configuration"},
			[]string{"https://idp.example/realms/one"}},
		"oauth": {&a2a.OAuth2Scheme{Flow: &a2a.ClientCredentialsFlow{TokenURL: "https://idp.example/token",
			Scopes: map[string]string{"pay": "pays"}},
			MetadataURL: "https://idp.example/.well-known/oauth-authorization-server/one"},
			[]string{"https://idp.example/one"}},
		"bearer": {&a2a.HTTPAuthScheme{Scheme: "Bearer"}, nil},
	} {
		card := aCard()
		card.SecuritySchemes = map[string]a2a.SecurityScheme{"s": c.scheme}
		card.SecurityRequirements = []a2a.SecurityRequirement{{"s": {"pay"}}}
		url := serve(t, &fake{}, func(o *server.Options) {
			o.Card = card
			o.Authenticator = auth.AuthenticatorFunc(func(*http.Request) (a2a.Identity, error) {
				return a2a.Identity{}, a2a.NewError(a2a.ErrUnauthenticated, "no")
			})
		}).URL
		for _, r := range []struct{ method, path, body string }{
			{"POST", "/", `{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"t"}}`}, {"GET", "/tasks/t", ""},
		} {
			req, err := http.NewRequestWithContext(t.Context(), r.method, url+r.path, strings.NewReader(r.body))
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Content-Type", "application/json")
			req.Header.Set("A2A-Version", "1.0")
			answer, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			answer.Body.Close()
			challenge := answer.Header.Get("WWW-Authenticate")
			_, at, named := strings.Cut(challenge, `, resource_metadata="`)
			if answer.StatusCode != http.StatusUnauthorized || named != (c.servers != nil) {
				t.Fatalf("%s, %s: %s, %q", name, r.path, answer.Status, challenge)
			}
			if !named {
				at = url + "/.well-known/oauth-protected-resource"
			}
			found, err := http.Get(strings.TrimSuffix(at, `"`))
			if err != nil {
				t.Fatal(err)
			}
			defer found.Body.Close()
			if found.StatusCode == http.StatusNotFound && !named {
				continue
			}
			var said struct {
				Resource string   `json:"resource"`
				Servers  []string `json:"authorization_servers"`
				Scopes   []string `json:"scopes_supported"`
			}
			if err := json.UnmarshalRead(found.Body, &said); err != nil || said.Resource != url ||
				!slices.Equal(said.Servers, c.servers) || !slices.Equal(said.Scopes, []string{"pay"}) {
				t.Errorf("%s: %s, %+v, %v", name, found.Status, said, err)
			}
		}
	}
}
