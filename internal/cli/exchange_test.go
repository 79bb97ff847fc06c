// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
	"github.com/go-json-experiment/json"

	"github.com/dragoman-a2a/dragoman/internal/clitest"
	"github.com/dragoman-a2a/dragoman/internal/cmdline"
	"github.com/dragoman-a2a/dragoman/server/audit"
)

// exchanger is an identity provider that exchanges tokens (RFC 8693), with the program that asks as the actor.
type exchanger struct {
	*httptest.Server
	t   *testing.T
	key *ecdsa.PrivateKey
}

func newExchanger(t *testing.T) *exchanger {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	e := &exchanger{t: t, key: key}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /keys", func(w http.ResponseWriter, _ *http.Request) {
		json.MarshalWrite(w, jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: key.Public(), KeyID: "k",
			Algorithm: "ES256"}}})
	})
	mux.HandleFunc("POST /token", func(w http.ResponseWriter, r *http.Request) {
		id, secret, _ := r.BasicAuth()
		subject, err := jwt.ParseSigned(r.FormValue("subject_token"), []jose.SignatureAlgorithm{jose.ES256})
		var of jwt.Claims
		if err == nil {
			err = subject.Claims(key.Public(), &of)
		}
		if err != nil || id != "host" || secret != testKey ||
			r.FormValue("grant_type") != "urn:ietf:params:oauth:grant-type:token-exchange" {
			http.Error(w, `{"error":"invalid_request"}`, http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"access_token":%q,"token_type":"Bearer","expires_in":300,
			"issued_token_type":"urn:ietf:params:oauth:token-type:access_token"}`,
			e.token(of.Subject, r.FormValue("audience"), map[string]any{"sub": id}))
	})
	e.Server = httptest.NewServer(mux)
	t.Cleanup(e.Close)
	return e
}

// token returns a token for a user.
func (e *exchanger) token(subject, audience string, act map[string]any) string {
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: jose.JSONWebKey{Key: e.key, KeyID: "k"}},
		nil)
	if err != nil {
		e.t.Error(err)
		return ""
	}
	claims := map[string]any{"iss": e.URL, "sub": subject, "aud": audience, "client_id": "cli",
		"exp": time.Now().Add(time.Hour).Unix()}
	if act != nil {
		claims["act"] = act
	}
	text, err := jwt.Signed(signer).Claims(claims).Serialize()
	if err != nil {
		e.t.Error(err)
	}
	return text
}

// A host acts for each of its users by a token of that user for the agent, and the agent's audit log has the chain. The
// host's own login is not used, and the token for the host does not open the agent.
func TestHostActsForItsUsers(t *testing.T) {
	t.Parallel()
	idp, dir := newExchanger(t), t.TempDir()
	env := map[string]string{"XDG_CONFIG_HOME": dir, "XDG_DATA_HOME": dir, "DRAGOMAN_CLIENT_SECRET": testKey}
	ctx, stop := context.WithCancel(context.Background())
	var servers sync.WaitGroup
	end := sync.OnceFunc(func() { stop(); servers.Wait() })
	t.Cleanup(end)
	serve := func(at string, args ...string) {
		t.Helper()
		access := filepath.Join(dir, at[len(at)-5:]+".yaml")
		text := fmt.Sprintf("callers:\n  - oidc: {issuer: %q, jwks: %q, audience: [%q]}\n", idp.URL,
			idp.URL+"/keys", at)
		if err := os.WriteFile(access, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		servers.Go(func() {
			if got := runWith(ctx, env, "", append(args, "--access", access)...); ctx.Err() == nil ||
				strings.Contains(got.stdout+got.stderr, testKey) {
				t.Errorf("%+v", got)
			}
		})
		clitest.Await(t, func() bool { return run(t.Context(), "card", "get", "-a", at).code == cmdline.ExitOK })
	}
	agentAt, hostAt := "http://"+clitest.FreeAddress(t), "http://"+clitest.FreeAddress(t)
	log := filepath.Join(dir, "audit.log")
	serve(agentAt, "serve", "--exec", "cat", "--addr", agentAt[len("http://"):], "--data-dir", cmdline.InMemory,
		"--audit", log)
	serve(hostAt, "host", agentAt, "--serve", hostAt[len("http://"):], "--data-dir", cmdline.InMemory,
		"--token-exchange", idp.URL+"/token", "--client-id", "host")

	for _, user := range []string{"ann", "bob"} {
		token := idp.token(user, hostAt, nil)
		if got := run(t.Context(), "send", "-a", hostAt, "--bearer", token, "--text", "@Command hello"); got.code !=
			cmdline.ExitOK || !strings.Contains(got.stdout, "hello") {
			t.Errorf("%s: %+v", user, got)
		}
		if got := run(t.Context(), "send", "-a", agentAt, "--bearer", token, "--text", "@Command hello"); got.code !=
			cmdline.ExitAuth {
			t.Errorf("the token of %s for the host opens the agent: %+v", user, got)
		}
	}
	end()
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	acted := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		var r audit.Record
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		if r.Result == "ok" && r.Subject != "" {
			acted[r.Subject] = slices.Equal(r.Actors, []string{"host"})
		}
	}
	if !acted["ann"] || !acted["bob"] || len(acted) != 2 {
		t.Errorf("the chains of actors are not in the log:\n%s", text)
	}
}

func TestExchangeWithoutItsOptions(t *testing.T) {
	t.Parallel()
	const at = "https://idp.example.com/token"
	for _, args := range [][]string{
		{"--token-exchange", at},
		{"--serve", "127.0.0.1:0", "--token-exchange", at},
		{"--serve", "127.0.0.1:0", "--token", "x", "--token-exchange", at},
		{"--serve", "127.0.0.1:0", "--access", "x", "--token-exchange", at, "--client-id", "host"}, // no secret
		{"--serve", "127.0.0.1:0", "--access", "x", "--token-exchange", "http://idp.example.com/token"},
	} {
		if got := run(t.Context(), append([]string{"host", "http://127.0.0.1:1"}, args...)...); got.code !=
			cmdline.ExitUsage || !strings.Contains(got.stderr, "token-exchange") {
			t.Errorf("%q: %+v", args, got)
		}
	}
}
