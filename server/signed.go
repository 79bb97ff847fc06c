// SPDX-License-Identifier: Apache-2.0

package server

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/wire/cards"
)

// KeysPath is where the keys of Options.PublicKeys are.
const KeysPath = "/.well-known/jwks.json"

// CardSigner signs cards.
type CardSigner interface {
	// Signatures returns the signatures of a card in JSON, as it is served without them.
	Signatures(document []byte) ([]a2a.AgentCardSignature, error)
}

// maxSigned is how many cards' signatures are kept: each card that differs by caller, host name or form has its own.
const maxSigned = 256

// signedCards makes the signatures of cards, and keeps them by the hash of the card.
type signedCards struct {
	signer     CardSigner // nil: cards are not signed
	mu         sync.Mutex
	byDocument map[[sha256.Size]byte][]a2a.AgentCardSignature
}

// signaturesOf returns the signatures of a card, which are made once.
func (c *signedCards) signaturesOf(document []byte) ([]a2a.AgentCardSignature, error) {
	key := sha256.Sum256(document)
	c.mu.Lock()
	known, ok := c.byDocument[key]
	c.mu.Unlock()
	if ok {
		return known, nil
	}
	made, err := c.signer.Signatures(document)
	if err != nil {
		return nil, &a2a.Error{Kind: a2a.ErrInternal, Cause: fmt.Errorf("signing the card: %w", err)}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.byDocument == nil || len(c.byDocument) >= maxSigned {
		c.byDocument = map[[sha256.Size]byte][]a2a.AgentCardSignature{}
	}
	c.byDocument[key] = made
	return made, nil
}

// inBody adds signatures to a card in a form that has them.
func (c *signedCards) inBody(body []byte, form cards.Form) ([]byte, error) {
	if c.signer == nil || form == cards.Form01 || form == cards.Form02 {
		return body, nil
	}
	signatures, err := c.signaturesOf(body)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(signatures)
	if err != nil {
		return nil, err
	}
	body = append(bytes.TrimSuffix(body, []byte("}")), `,"signatures":`...)
	return append(append(body, text...), '}'), nil
}

// inCard adds signatures to an extended card that a client of a generation gets.
func (c *signedCards) inCard(card *a2a.AgentCard, gen a2a.Generation) error {
	form := cards.Form10
	switch {
	case c.signer == nil:
		return nil
	case gen == a2a.Generation03:
		form = cards.Form03
		// Those of 1.0 are not in the form of 0.3, but would make the signatures count for the form of 1.0.
		card.SupportedInterfaces = slices.DeleteFunc(slices.Clone(card.SupportedInterfaces),
			func(i a2a.AgentInterface) bool { return i.ProtocolVersion == string(a2a.Generation10) })
	case gen != a2a.Generation10:
		return nil
	}
	document, err := cards.Append(nil, card, form)
	if err != nil {
		return fmt.Errorf("encoding the card: %w", err)
	}
	card.Signatures, err = c.signaturesOf(document)
	return err
}

func serveKeys(s *Server, w http.ResponseWriter, r *http.Request) {
	if s.options.PublicKeys == nil {
		http.NotFound(w, r)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "application/jwk-set+json")
	h.Set("Cache-Control", "public, max-age="+strconv.Itoa(int(s.options.CardMaxAge/time.Second)))
	http.ServeContent(w, r, "", s.since, bytes.NewReader(s.options.PublicKeys))
}
