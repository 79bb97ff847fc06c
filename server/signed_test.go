// SPDX-License-Identifier: Apache-2.0

package server_test

import (
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/go-jose/go-jose/v4"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/card/signature"
	"github.com/dragoman-a2a/dragoman/server"
)

// counting is a signer that counts.
type counting struct {
	*signature.Signer
	times atomic.Int32
}

func (c *counting) Signatures(document []byte) ([]a2a.AgentCardSignature, error) {
	c.times.Add(1)
	return c.Signer.Signatures(document)
}

func TestSignedCards(t *testing.T) {
	t.Parallel()
	_, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	signer, err := signature.NewSigner([]jose.JSONWebKey{{Key: private, KeyID: "k"}}, "")
	if err != nil {
		t.Fatal(err)
	}
	keys, err := json.Marshal(signer.PublicKeys())
	if err != nil {
		t.Fatal(err)
	}
	counts := &counting{Signer: signer}
	ts := serve(t, &fake{caps: can()}, func(o *server.Options) {
		o.Generations = nil
		o.CardSigner, o.PublicKeys = counts, keys
		asAlice(o)
	})
	published, err := signature.ParseKeys([]byte(do(t, ts, "GET", server.KeysPath, "").body))
	if err != nil {
		t.Fatal(err)
	}
	verifier, err := signature.NewVerifier(signature.VerifierOptions{Keys: published})
	if err != nil {
		t.Fatal(err)
	}
	result := func(got reply) string {
		var answer struct{ Result json.RawMessage }
		if err := json.Unmarshal([]byte(got.body), &answer); err != nil {
			t.Fatal(err)
		}
		return string(answer.Result)
	}
	cards := func() map[string]string {
		return map[string]string{
			"1.0":               do(t, ts, "GET", cardPath, "").body,
			"union":             do(t, ts, "GET", cardPath, "", "A2A-Version:").body,
			"0.3":               do(t, ts, "GET", cardPath, "", "A2A-Version: 0.3").body,
			"extended, JSON":    do(t, ts, "GET", "/extendedAgentCard", "").body,
			"extended, JSONRPC": result(rpc(t, ts, "GetExtendedAgentCard", "")),
			"extended, 0.3": result(do(t, ts, "POST", "/", `{"jsonrpc":"2.0","id":1,`+
				`"method":"agent/getAuthenticatedExtendedCard"}`, "A2A-Version: 0.3")),
		}
	}
	for name, text := range cards() {
		got, err := verifier.Verify(t.Context(), []byte(text))
		if err != nil || got.Form == signature.Form03 != strings.HasSuffix(name, "0.3") {
			t.Errorf("%s: %+v, %v: %s", name, got, err, text)
		}
		changed := strings.Replace(text, "Answers tests", "Answers all", 1)
		if _, err := verifier.Verify(t.Context(), []byte(changed)); !errors.Is(err, signature.ErrInvalid) {
			t.Errorf("%s, changed: %v", name, err)
		}
	}
	before := counts.times.Load()
	cards()
	if made := counts.times.Load() - before; made != 0 {
		t.Errorf("%d signatures of cards that have not changed", made)
	}
	if text := do(t, ts, "GET", cardPath, "", "A2A-Version: 0.1").body; strings.Contains(text, `"signatures"`) {
		t.Errorf("0.1 has no signatures: %s", text)
	}
	if got := do(t, serve(t, &fake{}, nil), "GET", server.KeysPath, ""); got.status != 404 {
		t.Errorf("without keys: %d", got.status)
	}
}
