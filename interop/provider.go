// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"errors"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"

	"github.com/go-jose/go-jose/v4"
	oidcpkg "github.com/zitadel/oidc/v3/pkg/oidc"
	"github.com/zitadel/oidc/v3/pkg/op"

	"github.com/zitadel/oidc/v3/example/server/exampleop"
	"github.com/zitadel/oidc/v3/example/server/storage"
)

// provider is the OpenID provider of zitadel/oidc with its example storage. Access tokens of its client "cli" are JSON
// Web Tokens, those of "agent" are opaque, and its key changes when a test says so.
type provider struct {
	*storage.Storage
	url   string
	close func()

	mu  sync.Mutex
	key *signingKey
}

type signingKey struct {
	id      string
	private *rsa.PrivateKey
}

func (k *signingKey) SignatureAlgorithm() jose.SignatureAlgorithm { return jose.RS256 }
func (k *signingKey) Algorithm() jose.SignatureAlgorithm          { return jose.RS256 }
func (k *signingKey) Use() string                                 { return "sig" }
func (k *signingKey) ID() string                                  { return k.id }
func (k *signingKey) Key() any                                    { return k.private }

// publicKey is that of a signingKey.
type publicKey struct{ *signingKey }

func (k publicKey) Key() any { return k.private.Public() }

func (p *provider) SigningKey(context.Context) (op.SigningKey, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.key, nil
}

func (p *provider) KeySet(context.Context) ([]op.Key, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return []op.Key{publicKey{p.key}}, nil
}

// rotate replaces the key that signs tokens.
func (p *provider) rotate(id string) error {
	private, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.key = &signingKey{id, private}
	return nil
}

// clientOf makes the client "cli" one whose access tokens are JSON Web Tokens, and lets it sign in with a device.
type clientOf struct{ op.Client }

func (clientOf) AccessTokenType() op.AccessTokenType { return op.AccessTokenTypeJWT }
func (c clientOf) GrantTypes() []oidcpkg.GrantType {
	return append(slices.Clone(c.Client.GrantTypes()), oidcpkg.GrantTypeDeviceCode)
}

// anyPort lets the client "agent" sign in from any port of the machine, as installed programs do.
type anyPort struct{ op.Client }

func (anyPort) ApplicationType() op.ApplicationType { return op.ApplicationTypeNative }

func (p *provider) GetClientByClientID(ctx context.Context, id string) (op.Client, error) {
	c, err := p.Storage.GetClientByClientID(ctx, id)
	switch {
	case err != nil:
		return nil, err
	case id == "cli":
		return clientOf{c}, nil
	}
	return anyPort{c}, nil
}

// ClientCredentials lets the program "sid1" get JSON Web Tokens for itself.
func (p *provider) ClientCredentials(ctx context.Context, id, secret string) (op.Client, error) {
	c, err := p.Storage.ClientCredentials(ctx, id, secret)
	if err != nil {
		return nil, err
	}
	return clientOf{c}, nil
}

// newProvider starts a provider at a free port of this machine, which ends with close.
func newProvider() (*provider, error) {
	srv := httptest.NewUnstartedServer(nil)
	p := &provider{url: "http://" + srv.Listener.Addr().String(), close: srv.Close}
	p.Storage = storage.NewStorageWithClients(storage.NewUserStore(p.url), map[string]*storage.Client{
		"cli":   storage.NativeClient("cli", "http://127.0.0.1/callback"),
		"agent": storage.WebClient("agent", "secret", "http://127.0.0.1/callback"),
	})
	if err := p.rotate("first"); err != nil {
		return nil, errors.Join(err, srv.Listener.Close())
	}
	srv.Config.Handler = exampleop.SetupServer(p.url, p, slog.New(slog.DiscardHandler), false)
	srv.Start()
	return p, nil
}

// startGuarded starts a provider, and an agent that takes its tokens only, and returns the URL of the agent.
func (l *lab) startGuarded(ctx context.Context) (string, error) {
	p, err := newProvider()
	if err != nil {
		return "", err
	}
	l.stops = append(l.stops, p.close)
	access := filepath.Join(l.cache, "access.yaml")
	file := fmt.Sprintf("callers:\n  - oidc: {issuer: %q, audience: [sid1]}\n", p.url)
	if err := os.WriteFile(access, []byte(file), 0o600); err != nil {
		return "", err
	}
	return l.startServer(ctx, exec.CommandContext(ctx, l.dragoman, "serve", "--agent", "currency", "--card-grpc",
		"--addr", "127.0.0.1:0", "--data-dir", ":memory:", "--access", access))
}
