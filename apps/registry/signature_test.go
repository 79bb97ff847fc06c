// SPDX-License-Identifier: Apache-2.0

package registry_test

import (
	"context"
	"crypto/ed25519"
	"errors"
	"testing"

	"github.com/go-jose/go-jose/v4"

	"github.com/dragoman-a2a/dragoman/apps/registry"
	"github.com/dragoman-a2a/dragoman/card/signature"
)

// An entry says by which key its card is verified, over HTTP too and after a restart, and says so no longer when the
// agent shows a card that no trusted key signed.
func TestEntriesSayWhoSignedTheirCards(t *testing.T) {
	t.Parallel()
	public, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	signer, err := signature.NewSigner([]jose.JSONWebKey{{Key: private, KeyID: "team"}}, "")
	if err != nil {
		t.Fatal(err)
	}
	verifier, err := signature.NewVerifier(signature.VerifierOptions{
		Keys: []jose.JSONWebKey{{Key: public, KeyID: "team"}}})
	if err != nil {
		t.Fatal(err)
	}
	agent := newFake(t, simple("Rates", "convert money"))
	plain := agent.card
	sign := func() {
		signed, err := signer.Sign([]byte(plain))
		if err != nil {
			t.Fatal(err)
		}
		agent.set(string(signed))
	}
	sign()
	trust := signature.Trust{Policy: signature.Prefer, Verifier: verifier}
	options := registry.Options{Verify: trust.Verify(), Verifier: verifier}
	db := openDB(t, t.TempDir())
	client := serve(t, registryOn(t, db, options), nil, registry.ClientOptions{})
	check := func(want *registry.Signature) {
		t.Helper()
		for _, c := range []registry.Catalog{client, registryOn(t, db, options)} {
			e, err := c.Get(t.Context(), "Rates")
			if err != nil {
				t.Fatal(err)
			}
			if (e.Signature == nil) != (want == nil) || want != nil && *e.Signature != *want {
				t.Errorf("the signature is %+v, want %+v", e.Signature, want)
			}
		}
	}
	if _, _, err := client.Add(t.Context(), registry.Registration{URL: agent.URL}); err != nil {
		t.Fatal(err)
	}
	check(&registry.Signature{KeyID: "team", Form: string(signature.Form10)})
	agent.set(plain)
	if _, err := client.Check(t.Context(), "Rates"); err != nil {
		t.Fatal(err)
	}
	check(nil)

	// With the policy require such a card is refused, and the entry keeps the last one that was signed.
	sign()
	if _, err := client.Check(t.Context(), "Rates"); err != nil {
		t.Fatal(err)
	}
	trust.Policy = signature.Require
	strict := registryOn(t, db, registry.Options{Verify: trust.Verify(), Verifier: verifier})
	agent.set(plain)
	e, err := strict.Check(context.WithoutCancel(t.Context()), "Rates")
	if err != nil || e.Health.State != registry.HealthDown || e.Signature == nil {
		t.Errorf("%+v, error %v", e, err)
	}
	other := newFake(t, simple("Other", "other things"))
	_, _, err = strict.Add(t.Context(), registry.Registration{URL: other.URL})
	if e, ok := errors.AsType[*registry.Error](err); !ok {
		t.Errorf("a card without a signature: %v, %v", e, err)
	}
}
