// SPDX-License-Identifier: Apache-2.0

// Package signature signs agent cards and verifies their signatures: JWS with detached payload over a canonical form
// of the card (A2A 1.0 §8.4).
package signature

import (
	"bytes"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/dragoman-a2a/dragoman/a2a"
)

// A Signer signs cards. It is safe for concurrent use.
type Signer struct {
	signers []jose.Signer
	tokens  jose.Signer // of the first key
	public  jose.JSONWebKeySet
}

// NewSigner returns a Signer for private keys, with each of which it signs: during a rotation these are the old and the
// new key. The ID of a key is its member kid, or else its thumbprint (RFC 7638). keysURL is where verifiers find the
// public keys, in a JWK set; it may be empty.
func NewSigner(keys []jose.JSONWebKey, keysURL string) (*Signer, error) {
	if u, err := url.Parse(keysURL); keysURL != "" && (err != nil || u.Scheme != "https" || u.Host == "") {
		return nil, fmt.Errorf("signature: the URL of the keys is %q; it must be an https URL", keysURL)
	}
	if len(keys) == 0 {
		return nil, errors.New("signature: a private key is needed to sign; there is none")
	}
	s := &Signer{}
	for _, key := range keys {
		if err := s.add(key, keysURL); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func (s *Signer) add(key jose.JSONWebKey, keysURL string) error {
	if key.IsPublic() || !key.Valid() {
		return errors.New("signature: a private key is needed to sign; this one is public or not valid")
	}
	if key.KeyID == "" {
		key.KeyID = thumbprint(&key)
	}
	alg, err := algorithmOf(&key)
	if err != nil {
		return err
	}
	options := (&jose.SignerOptions{}).WithType("JOSE")
	if keysURL != "" {
		options.WithHeader("jku", keysURL)
	}
	signing := jose.SigningKey{Algorithm: alg, Key: key}
	signer, err := jose.NewSigner(signing, options)
	if err != nil {
		return fmt.Errorf("signature: %w", err)
	}
	if s.tokens == nil {
		if s.tokens, err = jose.NewSigner(signing, (&jose.SignerOptions{}).WithType("JWT")); err != nil {
			return fmt.Errorf("signature: %w", err)
		}
	}
	s.signers = append(s.signers, signer)
	s.public.Keys = append(s.public.Keys, publicOf(key, alg))
	return nil
}

func publicOf(key jose.JSONWebKey, alg jose.SignatureAlgorithm) jose.JSONWebKey {
	public := key.Public()
	public.Algorithm, public.Use = string(alg), "sig"
	return public
}

// PublicKeys returns the JWK set to publish, so that others can verify.
func (s *Signer) PublicKeys() jose.JSONWebKeySet { return s.public }

// Token returns a JSON Web Token with these claims, which are a JSON object. The first key signs it.
func (s *Signer) Token(claims []byte) (string, error) {
	jws, err := s.tokens.Sign(claims)
	if err != nil {
		return "", fmt.Errorf("signature: %w", err)
	}
	return jws.CompactSerialize()
}

// Sign returns the document, which is a card, with its new signatures added to those that it has.
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
	more, err := s.Signatures(document)
	if err != nil {
		return nil, err
	}
	if card["signatures"], err = json.Marshal(append(all, more...)); err != nil {
		return nil, err
	}
	return json.Marshal(card, json.Deterministic(true))
}

// Signatures returns the new signatures of a document, which is a card. A card of 1.0, or one that has its members
// beside others, gets one by each key over Form10. If the official SDKs read the card as other bytes, because something
// in it is empty, such as the scopes of a security requirement, it gets another one over FormSDK. A card of 0.3 gets
// one over Form03.
func (s *Signer) Signatures(document []byte) ([]a2a.AgentCardSignature, error) {
	card, err := tree(document)
	if err != nil {
		return nil, fmt.Errorf("signature: the card cannot be signed: %w", err)
	}
	forms := []Form{Form03}
	if _, new := card["supportedInterfaces"]; new {
		forms = []Form{Form10, FormSDK}
	}
	var all []a2a.AgentCardSignature
	var signed []byte
	for _, form := range forms {
		payload, err := Canonical(document, form)
		if err != nil {
			return nil, fmt.Errorf("signature: the card cannot be signed: %w", err)
		}
		if bytes.Equal(payload, signed) {
			continue
		}
		for _, signer := range s.signers {
			one, err := sign(signer, payload)
			if err != nil {
				return nil, fmt.Errorf("signature: %w", err)
			}
			all = append(all, one)
		}
		signed = payload
	}
	return all, nil
}

func sign(signer jose.Signer, payload []byte) (one a2a.AgentCardSignature, err error) {
	jws, err := signer.Sign(payload)
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
