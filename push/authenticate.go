// SPDX-License-Identifier: Apache-2.0

package push

import (
	"context"
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
)

// The headers of a notification.
const (
	HeaderToken     = "X-A2A-Notification-Token" // the token of the config
	HeaderAPIKey    = "X-API-Key"                // with the scheme ApiKey
	HeaderHMAC      = "X-Hub-Signature-256"      // with the scheme HMAC-SHA256: "sha256=" and hexadecimal digits
	HeaderID        = "Webhook-Id"               // the same for all tries of one notification
	HeaderTimestamp = "Webhook-Timestamp"        // seconds since 1970 at this try
	HeaderSignature = "Webhook-Signature"        // with the scheme StandardWebhooks
)

// A notification is one request to a webhook.
type notification struct {
	id    string
	body  []byte
	at    time.Time
	media string
}

// scheme is a way in which the sender proves itself to a webhook. The credentials are those of the config.
type scheme struct {
	check func(credentials string) error // nil: there must be some
	set   func(h http.Header, credentials string, n *notification)
}

// schemes has the known ones by their name in lower case.
var schemes = map[string]scheme{
	"bearer": {nil, func(h http.Header, c string, _ *notification) { h.Set("Authorization", "Bearer "+c) }},
	"basic": {nil, func(h http.Header, c string, _ *notification) {
		if strings.Contains(c, ":") { // has not been encoded
			c = base64.StdEncoding.EncodeToString([]byte(c))
		}
		h.Set("Authorization", "Basic "+c)
	}},
	"apikey": {nil, func(h http.Header, c string, _ *notification) { h.Set(HeaderAPIKey, c) }},
	"hmac-sha256": {nil, func(h http.Header, c string, n *notification) {
		h.Set(HeaderHMAC, "sha256="+hex.EncodeToString(mac([]byte(c), n.body)))
	}},
	"standardwebhooks": {
		func(c string) error { _, err := signatures(c, &notification{}); return err },
		func(h http.Header, c string, n *notification) {
			if all, err := signatures(c, n); err == nil {
				h.Set(HeaderSignature, all)
			}
		},
	},
}

// checkScheme refuses a scheme, in lower case, that is not known, and credentials that it cannot use. Bearer without
// credentials asks for signed tokens.
func checkScheme(name, credentials string, signs bool) error {
	if name == "" || name == "bearer" && credentials == "" && signs {
		return nil
	}
	known, ok := schemes[name]
	switch {
	case !ok:
		return a2a.InvalidParams("authentication.scheme",
			"is not known here; use Bearer, Basic, ApiKey, HMAC-SHA256 or StandardWebhooks")
	case credentials == "":
		return a2a.InvalidParams("authentication.credentials", "is required by the scheme")
	case known.check != nil:
		if err := known.check(credentials); err != nil {
			return a2a.InvalidParams("authentication.credentials", err.Error())
		}
	}
	return nil
}

func mac(key, text []byte) []byte {
	h := hmac.New(sha256.New, key)
	h.Write(text)
	return h.Sum(nil)
}

// The prefixes of keys of Standard Webhooks: a shared secret, and the halves of a key of Ed25519.
const (
	prefixSecret  = "whsec_"
	prefixPrivate = "whsk_"
	prefixPublic  = "whpk_"
)

// signedText returns what a signature of Standard Webhooks is of.
func signedText(id string, seconds int64, body []byte) []byte {
	return append([]byte(id+"."+strconv.FormatInt(seconds, 10)+"."), body...)
}

// signatures returns the value of Webhook-Signature: one signature for each of the keys, which are separated by spaces.
// While a key is replaced there are two.
func signatures(keys string, n *notification) (string, error) {
	text := signedText(n.id, n.at.Unix(), n.body)
	var all []string
	for _, key := range strings.Fields(keys) {
		encoded, private := strings.CutPrefix(key, prefixPrivate)
		raw, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(encoded, prefixSecret))
		if err != nil {
			return "", fmt.Errorf("must be keys in base64 that begin with %s or %s", prefixSecret, prefixPrivate)
		}
		switch {
		case private && len(raw) == ed25519.PrivateKeySize:
			all = append(all, "v1a,"+base64.StdEncoding.EncodeToString(ed25519.Sign(raw, text)))
		case private && len(raw) == ed25519.SeedSize:
			all = append(all,
				"v1a,"+base64.StdEncoding.EncodeToString(ed25519.Sign(ed25519.NewKeyFromSeed(raw), text)))
		case private:
			return "", fmt.Errorf("must have keys of %d or %d bytes after %s", ed25519.SeedSize,
				ed25519.PrivateKeySize, prefixPrivate)
		case len(raw) < 24 || len(raw) > 64:
			return "", fmt.Errorf("must have secrets of 24 to 64 bytes after %s", prefixSecret)
		default:
			all = append(all, "v1,"+base64.StdEncoding.EncodeToString(mac(raw, text)))
		}
	}
	return strings.Join(all, " "), nil
}

// challenge asks a webhook to return a random text, as agents of April 2025 did: its owner wants the notifications.
func (s *Sender) challenge(ctx context.Context, webhook string) error {
	u, err := url.Parse(webhook)
	if err != nil {
		return a2a.InvalidParams("url", "is not a URL")
	}
	token := rand.Text()
	query := u.Query()
	query.Set("validationToken", token)
	u.RawQuery = query.Encode()
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	refused := a2a.InvalidParams("url", "did not answer a GET request with the value of the parameter validationToken")
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), http.NoBody)
	if err != nil {
		return refused
	}
	resp, err := s.http.Do(req)
	if err != nil {
		return refused
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, 1<<10))
	if err != nil || resp.StatusCode != http.StatusOK || strings.TrimSpace(string(body)) != token {
		return refused
	}
	return nil
}
