// SPDX-License-Identifier: Apache-2.0

package push_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/go-jose/go-jose/v4"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/card/signature"
	"github.com/dragoman-a2a/dragoman/push"
)

// tokenOf verifies the token of a notification with published keys.
func tokenOf(t *testing.T, r request, keys jose.JSONWebKeySet) (kid string, claims map[string]any) {
	t.Helper()
	text, ok := strings.CutPrefix(r.header.Get("Authorization"), "Bearer ")
	if !ok {
		t.Fatalf("there is no token: %q", r.header.Get("Authorization"))
	}
	jws, err := jose.ParseSignedCompact(text, []jose.SignatureAlgorithm{jose.ES256, jose.RS256})
	if err != nil {
		t.Fatal(err)
	}
	kid = jws.Signatures[0].Header.KeyID
	if len(keys.Key(kid)) != 1 {
		t.Fatalf("the key %q is not published once", kid)
	}
	payload, err := jws.Verify(keys.Key(kid)[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(payload, &claims); err != nil {
		t.Fatal(err)
	}
	return kid, claims
}

// The first key signs, both are published, and the token tells of the task, the body, the time and the try.
func TestTokens(t *testing.T) {
	t.Parallel()
	ec, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	rsaKey, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	keys := []jose.JSONWebKey{{Key: ec, KeyID: "ec"}, {Key: rsaKey, KeyID: "rsa", Algorithm: string(jose.RS256)}}
	for _, first := range []string{"ec", "rsa"} {
		signer, err := signature.NewSigner(keys, "")
		if err != nil {
			t.Fatal(err)
		}
		keys[0], keys[1] = keys[1], keys[0]
		for _, gen := range []a2a.Generation{a2a.Generation10, a2a.Generation03, a2a.Generation01} {
			t.Run(first+" "+string(gen), func(t *testing.T) {
				t.Parallel()
				hook := newWebhook(t, func(n int, w http.ResponseWriter, _ *http.Request) {
					if n == 1 {
						w.WriteHeader(http.StatusInternalServerError)
					}
				})
				b := newBed(t, push.Options{Signer: signer, Schedule: []time.Duration{time.Millisecond}})
				ctx := a2a.WithCall(t.Context(), &a2a.Call{Generation: gen, BaseURL: "https://agent.example"})
				task := b.send(t, ctx, "ask", &a2a.PushConfig{URL: hook.URL + "/hook",
					Authentication: &a2a.PushAuthentication{Scheme: "bearer"}})
				ids := map[any]bool{}
				for _, r := range hook.until(t, func(got []request) bool { return len(got) >= 2 })[:2] {
					kid, got := tokenOf(t, r, signer.PublicKeys())
					sum := sha256.Sum256(r.body)
					var audience any = hook.URL + "/hook"
					if gen == a2a.Generation01 {
						audience = nil
					}
					for name, want := range map[string]any{"iss": "https://agent.example", "aud": audience,
						"taskId": string(task.ID), "request_body_sha256": hex.EncodeToString(sum[:])} {
						if got[name] != want {
							t.Errorf("%s is %v, want %v", name, got[name], want)
						}
					}
					issued, expires := got["iat"].(float64), got["exp"].(float64)
					age := time.Since(time.Unix(int64(issued), 0))
					if age.Abs() > time.Minute || expires-issued != 300 {
						t.Errorf("issued at %v, expires at %v", issued, expires)
					}
					if ids[got["jti"]] || kid != first {
						t.Errorf("signed by %q, want %q; jti %v", kid, first, got["jti"])
					}
					ids[got["jti"]] = true
				}
			})
		}
	}
}

// Credentials of a config come before tokens. A sender without a key refuses configs that demand tokens.
func TestTokensGiveWay(t *testing.T) {
	t.Parallel()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	signer, err := signature.NewSigner([]jose.JSONWebKey{{Key: key}}, "")
	if err != nil {
		t.Fatal(err)
	}
	hook := newWebhook(t, nil)
	newBed(t, push.Options{Signer: signer}).send(t, t.Context(), "ask", &a2a.PushConfig{URL: hook.URL,
		Authentication: &a2a.PushAuthentication{Scheme: "Bearer", Credentials: "x"}})
	got := hook.until(t, func(got []request) bool { return len(got) > 0 })
	if h := got[0].header.Get("Authorization"); h != "Bearer x" {
		t.Errorf("Authorization is %q", h)
	}
	_, err = newBed(t, push.Options{}).SendMessage(t.Context(), &a2a.SendMessageRequest{
		Message: a2a.NewMessage(a2a.RoleUser, a2a.TextPart("ask")),
		Configuration: &a2a.SendConfiguration{PushConfig: &a2a.PushConfig{URL: hook.URL,
			Authentication: &a2a.PushAuthentication{Scheme: "Bearer"}}}})
	if e, ok := err.(*a2a.Error); !ok || e.Kind != a2a.ErrInvalidParams {
		t.Errorf("error %v", err)
	}
}

// A receiver takes a token once, of this body, for this audience, from the keys that are published now.
func TestReceiverOfTokens(t *testing.T) {
	t.Parallel()
	newSigner := func() *signature.Signer {
		key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		signer, err := signature.NewSigner([]jose.JSONWebKey{{Key: key}}, "")
		if err != nil {
			t.Fatal(err)
		}
		return signer
	}
	before, after, stranger := newSigner(), newSigner(), newSigner()
	published := before
	keys := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		json.NewEncoder(w).Encode(published.PublicKeys())
	}))
	defer keys.Close()
	taken := 0
	r := &push.Receiver{Receive: func(context.Context, *push.Received) error { taken++; return nil }}
	r.Tokens, r.Audience = oidc.NewRemoteKeySet(t.Context(), keys.URL), "hook"
	const body = `{"statusUpdate":{"taskId":"t","contextId":"c","status":{"state":"TASK_STATE_WORKING"}}}`
	sum, now := sha256.Sum256([]byte(body)), time.Now().Unix()
	good := map[string]any{"aud": "hook", "iat": now, "exp": now + 60,
		"request_body_sha256": hex.EncodeToString(sum[:])}
	for _, test := range []struct {
		name          string
		by, published *signature.Signer // nil: no token
		claim         string            // that differs
		value         any
		status, taken int
	}{
		{"no token", nil, before, "", nil, 401, 0},
		{"good", before, before, "", nil, 204, 1},
		{"replayed", before, before, "jti", "good", 403, 1},
		{"other key", stranger, before, "", nil, 403, 1},
		{"other body", before, before, "request_body_sha256", "00", 403, 1},
		{"no body", before, before, "request_body_sha256", nil, 403, 1},
		{"other audience", before, before, "aud", "other", 403, 1},
		{"no audience", before, before, "aud", nil, 403, 1},
		{"no jti", before, before, "jti", nil, 403, 1},
		{"old", before, before, "iat", now - 3600, 403, 1},
		{"of the future", before, before, "iat", now + 3600, 403, 1},
		{"expired", before, before, "exp", now - 1, 403, 1},
		{"audiences", before, before, "aud", []string{"other", "hook"}, 204, 2},
		{"rotated", after, after, "", nil, 204, 3},
	} {
		published = test.published
		req := httptest.NewRequest("POST", "/", strings.NewReader(body))
		if test.by != nil {
			all := map[string]any{"jti": test.name}
			for name, value := range good {
				all[name] = value
			}
			if test.claim != "" {
				all[test.claim] = test.value
			}
			text, err := json.Marshal(all)
			if err != nil {
				t.Fatal(err)
			}
			token, err := test.by.Token(text)
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Authorization", "Bearer "+token)
		}
		w := httptest.NewRecorder()
		r.ServeHTTP(w, req)
		if w.Code != test.status || taken != test.taken {
			t.Errorf("%s: %d %s with %d taken, want %d with %d", test.name, w.Code, w.Body, taken, test.status,
				test.taken)
		}
	}
}
