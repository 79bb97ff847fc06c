// SPDX-License-Identifier: Apache-2.0

package signature_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/dragoman-a2a/dragoman/card/signature"
	"github.com/dragoman-a2a/dragoman/internal/guard"
)

func TestTrust(t *testing.T) {
	t.Parallel()
	signer := newSigner(t, "k", "")
	signed := string(sign(t, signer, []byte(card10)))
	tampered := strings.Replace(signed, "tells the time", "tells all", 1)
	mixed := strings.Replace(signed, "{", `{"url":"https://mallory.example",`, 1)
	v := verifier(t, signer.PublicKeys().Keys...)
	for _, c := range []struct {
		policy signature.Policy
		card   string
		want   error
		warned bool
	}{
		{signature.Off, tampered, nil, false},
		{signature.Prefer, tampered, nil, true},
		{signature.Prefer, card10, nil, true},
		{signature.Prefer, signed, nil, false},
		{signature.Require, tampered, signature.ErrInvalid, false},
		{signature.Require, card10, signature.ErrUnsigned, false},
		{signature.Require, signed, nil, false},
		{"", card10, signature.ErrUnsigned, false},
	} {
		warned := false
		trust := &signature.Trust{Policy: c.policy, Verifier: v, Warn: func(string, error) { warned = true }}
		if _, err := trust.Check(t.Context(), "a", []byte(c.card)); !errors.Is(err, c.want) || warned != c.warned {
			t.Errorf("%s: %v, warned %t: %s", c.policy, err, warned, c.card)
		}
	}
	trust := &signature.Trust{Policy: signature.Require, Verifier: v}
	got, err := trust.Check(t.Context(), "a", []byte(mixed))
	if err != nil || strings.Contains(string(got), "mallory") {
		t.Errorf("members that no signature covers: %s, %v", got, err)
	}
	if _, err := v.Verify(t.Context(), got); err != nil {
		t.Errorf("the next reader cannot verify %s: %v", got, err)
	}
}

// Many who wait for the same keys fetch them once, a failure is kept for a while, and fetches are paced.
func TestFetchesOfKeys(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	release := make(chan struct{})
	signer := newSigner(t, "k", "https://unused.example/")
	srv := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		if r.URL.Path != "/keys.json" {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		<-release
		json.NewEncoder(w).Encode(signer.PublicKeys())
	}))
	defer srv.Close()
	v, err := signature.NewVerifier(signature.VerifierOptions{KeysURLs: []string{srv.URL + "/"},
		HTTPClient: srv.Client()})
	if err != nil {
		t.Fatal(err)
	}
	signedFor := func(path string) []byte { return sign(t, newSigner(t, "other", srv.URL+path), []byte(card10)) }
	card := signedFor("/keys.json")
	var all sync.WaitGroup
	for range 10 {
		all.Go(func() {
			if _, err := v.Verify(t.Context(), card); !errors.Is(err, signature.ErrNoKey) {
				t.Error(err)
			}
		})
	}
	close(release)
	all.Wait()
	if n := asked.Load(); n != 1 {
		t.Errorf("the keys were fetched %d times", n)
	}
	asked.Store(0)
	for range 3 {
		if _, err := v.Verify(t.Context(), signedFor("/broken")); !errors.Is(err, signature.ErrNoKey) {
			t.Error(err)
		}
	}
	if n := asked.Load(); n != 1 {
		t.Errorf("keys that cannot be had were asked for %d times", n)
	}
	asked.Store(0)
	for i := range 50 {
		if _, err := v.Verify(t.Context(), signedFor(fmt.Sprintf("/%d", i))); !errors.Is(err, signature.ErrNoKey) {
			t.Error(err)
		}
	}
	if n := asked.Load(); n > 30 {
		t.Errorf("50 cards made the verifier fetch %d key sets", n)
	}
}

// Without a client of the user, keys in private networks are out of reach.
func TestKeysInPrivateNetworks(t *testing.T) {
	t.Parallel()
	card := sign(t, newSigner(t, "k", "https://127.0.0.1:1/keys.json"), []byte(card10))
	for _, c := range []struct {
		networks guard.Networks
		refused  bool
	}{{"", true}, {guard.Public, true}, {guard.Loopback, false}} {
		v, err := signature.NewVerifier(signature.VerifierOptions{KeysURLs: []string{"https://127.0.0.1:1/"},
			Networks: string(c.networks)})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := v.Verify(t.Context(), card); errors.Is(err, guard.ErrRefused) != c.refused {
			t.Errorf("%q: %v", c.networks, err)
		}
	}
	if _, err := signature.NewVerifier(signature.VerifierOptions{Networks: "all"}); err == nil {
		t.Error("unknown networks are taken")
	}
}
