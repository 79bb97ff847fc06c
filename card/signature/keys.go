// SPDX-License-Identifier: Apache-2.0

package signature

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// algorithms are those that signatures may have: none with a shared secret.
var algorithms = []jose.SignatureAlgorithm{jose.ES256, jose.ES384, jose.ES512, jose.EdDSA,
	jose.PS256, jose.PS384, jose.PS512, jose.RS256, jose.RS384, jose.RS512}

// algorithmOf returns the algorithm that a key names, or the usual one of its kind.
func algorithmOf(key *jose.JSONWebKey) (jose.SignatureAlgorithm, error) {
	if key.Algorithm != "" {
		alg := jose.SignatureAlgorithm(key.Algorithm)
		if !slices.Contains(algorithms, alg) {
			return "", fmt.Errorf("signature: the key is for %s, which signs no cards; use one of %v", alg, algorithms)
		}
		return alg, nil
	}
	switch k := key.Public().Key.(type) {
	case *ecdsa.PublicKey:
		switch k.Curve {
		case elliptic.P256():
			return jose.ES256, nil
		case elliptic.P384():
			return jose.ES384, nil
		case elliptic.P521():
			return jose.ES512, nil
		}
	case ed25519.PublicKey:
		return jose.EdDSA, nil
	case *rsa.PublicKey:
		return jose.PS256, nil
	}
	return "", errors.New("signature: the key is of a kind that signs no cards; use an EC, Ed25519 or RSA key")
}

// ParseKeys reads keys from PEM, a JWK or a JWK set. They are private or public, as the text says. PEM may have several
// keys, as during a rotation, or one certificate.
func ParseKeys(text []byte) ([]jose.JSONWebKey, error) {
	if bytes.Contains(text, pemBegin) {
		return parseBlocks(text)
	}
	if !strings.HasPrefix(strings.TrimSpace(string(text)), "{") {
		return nil, errors.New("signature: the text is no key; give PEM, a JWK or a JWK set")
	}
	if keys, err := parseSet(text); err == nil && len(keys) > 0 {
		return keys, nil
	}
	var key jose.JSONWebKey
	if err := key.UnmarshalJSON(text); err != nil {
		return nil, fmt.Errorf("signature: the text is neither a JWK nor a JWK set: %w", err)
	}
	return []jose.JSONWebKey{key}, nil
}

var pemBegin = []byte("-----BEGIN ")

// parseBlocks reads all blocks of a PEM text, so that no key of the file is left out silently.
func parseBlocks(text []byte) ([]jose.JSONWebKey, error) {
	var keys []jose.JSONWebKey
	blocks, certificates := 0, 0
	for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
		blocks++
		switch block.Type {
		case "EC PARAMETERS": // OpenSSL writes the name of the curve before the key
			continue
		case "CERTIFICATE":
			certificates++
		}
		key, err := parsePEM(block)
		if err != nil {
			return nil, err
		}
		keys = append(keys, jose.JSONWebKey{Key: key})
	}
	switch {
	case blocks != bytes.Count(text, pemBegin):
		return nil, errors.New("signature: a PEM block is damaged; write the file anew")
	case len(keys) == 0:
		return nil, errors.New("signature: the PEM text has no key; give a private key, a public key or a certificate")
	case certificates > 0 && len(keys) > 1: // a chain: the keys of its authorities would count, too
		return nil, errors.New("signature: a certificate is not alone in its PEM text; put each in its own file")
	}
	return keys, nil
}

func parsePEM(block *pem.Block) (any, error) {
	switch block.Type {
	case "PRIVATE KEY":
		return x509.ParsePKCS8PrivateKey(block.Bytes)
	case "EC PRIVATE KEY":
		return x509.ParseECPrivateKey(block.Bytes)
	case "RSA PRIVATE KEY":
		return x509.ParsePKCS1PrivateKey(block.Bytes)
	case "PUBLIC KEY":
		return x509.ParsePKIXPublicKey(block.Bytes)
	case "CERTIFICATE":
		cert, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, err
		}
		return cert.PublicKey, nil
	}
	return nil, fmt.Errorf("signature: the PEM block %q is no key that signs cards", block.Type)
}

// parseSet reads a JWK set. Keys of kinds that are not known are left out (RFC 7517 §5).
func parseSet(text []byte) ([]jose.JSONWebKey, error) {
	var set struct {
		Keys []jsontext.Value `json:"keys"`
	}
	if err := json.Unmarshal(text, &set); err != nil {
		return nil, err
	}
	var keys []jose.JSONWebKey
	for _, text := range set.Keys {
		var key jose.JSONWebKey
		if key.UnmarshalJSON(text) == nil {
			keys = append(keys, key)
		}
	}
	return keys, nil
}
