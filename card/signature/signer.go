// SPDX-License-Identifier: Apache-2.0

// Package signature signs agent cards and verifies their signatures: JWS with detached payload over a canonical form
// of the card (A2A 1.0 §8.4).
package signature

import (
	"bytes"
	"crypto"
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/dragoman-a2a/dragoman/a2a"
)

// A Signer signs cards with one key. It is safe for concurrent use.
type Signer struct {
	signer jose.Signer
	public jose.JSONWebKey
}

// NewSigner returns a Signer for a private key. Its ID is the member kid, or else the thumbprint of the key (RFC 7638).
// keysURL is where verifiers find the public key, in a JWK set; it may be empty.
func NewSigner(key jose.JSONWebKey, keysURL string) (*Signer, error) {
	if key.IsPublic() || !key.Valid() {
		return nil, errors.New("signature: a private key is needed to sign; this one is public or not valid")
	}
	if u, err := url.Parse(keysURL); keysURL != "" && (err != nil || u.Scheme != "https" || u.Host == "") {
		return nil, fmt.Errorf("signature: the URL of the keys is %q; it must be an https URL", keysURL)
	}
	if key.KeyID == "" {
		print, err := key.Thumbprint(crypto.SHA256)
		if err != nil {
			return nil, fmt.Errorf("signature: %w", err)
		}
		key.KeyID = base64.RawURLEncoding.EncodeToString(print)
	}
	alg, err := algorithmOf(&key)
	if err != nil {
		return nil, err
	}
	options := (&jose.SignerOptions{}).WithType("JOSE")
	if keysURL != "" {
		options.WithHeader("jku", keysURL)
	}
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: alg, Key: key}, options)
	if err != nil {
		return nil, fmt.Errorf("signature: %w", err)
	}
	return &Signer{signer, publicOf(key, alg)}, nil
}

func publicOf(key jose.JSONWebKey, alg jose.SignatureAlgorithm) jose.JSONWebKey {
	public := key.Public()
	public.Algorithm, public.Use = string(alg), "sig"
	return public
}

// PublicKeys returns the JWK set to publish, so that others can verify.
func (s *Signer) PublicKeys() jose.JSONWebKeySet {
	return jose.JSONWebKeySet{Keys: []jose.JSONWebKey{s.public}}
}

// Sign returns the document, which is a card, with signatures added to those that it has. A card of 1.0, or one that
// has its members beside others, gets one over Form10. If the official SDKs read the card as other bytes, because
// something in it is empty, such as the scopes of a security requirement, it gets a second one over FormSDK. A card of
// 0.3 gets one over Form03.
func (s *Signer) Sign(document []byte) ([]byte, error) {
	card := map[string]jsontext.Value{}
	if err := json.Unmarshal(document, &card); err != nil {
		return nil, fmt.Errorf("signature: the card is not valid JSON: %w", err)
	}
	var all []a2a.AgentCardSignature
	if card["signatures"] != nil {
		if err := json.Unmarshal(card["signatures"], &all); err != nil {
			return nil, fmt.Errorf("signature: the signatures that the card has cannot be read: %w", err)
		}
	}
	forms := []Form{Form03}
	if _, new := card["supportedInterfaces"]; new {
		forms = []Form{Form10, FormSDK}
	}
	var signed []byte
	for _, form := range forms {
		payload, err := Canonical(document, form)
		if err != nil {
			return nil, fmt.Errorf("signature: the card cannot be signed: %w", err)
		}
		if bytes.Equal(payload, signed) {
			continue
		}
		one, err := s.sign(payload)
		if err != nil {
			return nil, fmt.Errorf("signature: %w", err)
		}
		all, signed = append(all, one), payload
	}
	var err error
	if card["signatures"], err = json.Marshal(all); err != nil {
		return nil, err
	}
	return json.Marshal(card, json.Deterministic(true))
}

func (s *Signer) sign(payload []byte) (one a2a.AgentCardSignature, err error) {
	jws, err := s.signer.Sign(payload)
	if err != nil {
		return one, err
	}
	compact, err := jws.CompactSerialize()
	if err != nil {
		return one, err
	}
	parts := strings.Split(compact, ".")
	return a2a.AgentCardSignature{Protected: parts[0], Signature: parts[2]}, nil
}
