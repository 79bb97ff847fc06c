// SPDX-License-Identifier: Apache-2.0

package e2e_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/apps/gateway"
	"github.com/dragoman-a2a/dragoman/engine"
	"github.com/dragoman-a2a/dragoman/internal/wire"
	"github.com/dragoman-a2a/dragoman/server"
	"github.com/dragoman-a2a/dragoman/server/grpc"
)

// startDisclosing serves an agent that shows each caller a skill of its own, but bob nothing.
func startDisclosing(t *testing.T) *stack {
	t.Helper()
	s := start(t, inMemory(t), nil)
	public := scriptCard()
	extended := func(_ context.Context, caller a2a.Identity) (*a2a.AgentCard, error) {
		if caller.Subject == "bob" {
			return nil, nil
		}
		card := public.Clone()
		card.Signatures = []a2a.AgentCardSignature{{}}
		card.SupportedInterfaces = []a2a.AgentInterface{{URL: "http://elsewhere.example"}}
		for _, id := range []string{"of-" + caller.Subject, "scoped"} {
			card.Skills = append(card.Skills, a2a.AgentSkill{ID: id, Name: id, Description: id, Tags: []string{id}})
		}
		card.Skills[len(card.Skills)-1].SecurityRequirements = []a2a.SecurityRequirement{{"user": {"admin"}}}
		return card, nil
	}
	svc := s.engine.Agent("disclosing", s.script, &engine.AgentOptions{Card: public, ExtendedCard: extended})
	s.url = s.serveService(t, svc, public, nil, func(o *server.Options) {
		byHeader(o)
		o.GRPC, o.CardGRPC = grpc.New(nil), true
	})
	return s
}

// serveGateway serves a gateway to the stack, and returns its URL.
func (s *stack) serveGateway(t *testing.T) string {
	t.Helper()
	ready := make(chan string, 1)
	g, err := gateway.New([]gateway.Upstream{{Card: s.url}}, &gateway.Options{Logger: quiet,
		Server: server.Options{Logger: quiet, GRPC: grpc.New(nil), CardGRPC: true, DrainTimeout: 10 * time.Millisecond,
			OnReady: func(_ net.Addr, url string) { ready <- url }}})
	if err != nil {
		t.Fatal(err)
	}
	return runServer(t, s.client, ready, func(ctx context.Context) error {
		return errors.Join(g.ListenAndServe(ctx, "127.0.0.1:0"), g.Close())
	})
}

// Each caller gets an extended card of its own in every protocol version and binding, also through a gateway. The
// server completes it as it does the public card. A skill that a caller does not see is not there for that caller.
func TestExtendedCardByCaller(t *testing.T) {
	t.Parallel()
	direct := startDisclosing(t)
	front := *direct
	front.url = direct.serveGateway(t)
	for where, s := range map[string]*stack{"direct": direct, "gateway": &front} {
		for user, wants := range map[string]bool{"alice": true, "carol": true, "bob": false, "": false} {
			for name, c := range s.readers(t, user) {
				if strings.HasPrefix(name, "0.1") {
					continue // has no extended card
				}
				ofPublic := len(c.Card().Skills)
				card, err := c.ExtendedCard(t.Context(), &a2a.ExtendedCardRequest{})
				switch {
				case !wants && user == "" && !errors.Is(err, a2a.ErrUnauthenticated):
					t.Errorf("%s %s: an anonymous caller gets %v", where, name, err)
				case !wants && user == "bob" && !errors.Is(err, a2a.ErrExtendedCardNotConfigured):
					t.Errorf("%s %s: bob gets %v", where, name, err)
				case !wants:
					continue
				case err != nil:
					t.Errorf("%s %s: %s gets %v", where, name, user, err)
					continue
				case len(card.Skills) != ofPublic+2 || card.Skills[ofPublic].ID != "of-"+user:
					t.Errorf("%s %s: %s sees %v", where, name, user, card.Skills)
				}
				if len(card.Signatures) > 0 || !*card.Capabilities.ExtendedAgentCard {
					t.Errorf("%s %s: signatures %v, capabilities %v", where, name, card.Signatures, card.Capabilities)
				}
				for _, iface := range card.SupportedInterfaces {
					if !strings.HasSuffix(s.url, strings.TrimPrefix(iface.URL, "http://")) {
						t.Errorf("%s %s: names the address %s", where, name, iface.URL)
					}
				}
			}
		}
		for name, c := range s.readers(t, "alice") {
			for skill, want := range map[string]error{"of-alice": nil, "of-bob": a2a.ErrInvalidParams,
				"none": a2a.ErrInvalidParams, "scoped": a2a.ErrPermissionDenied, "": nil} {
				req := text("a")
				if skill != "" {
					if err := req.Message.Metadata.Set("skillId", skill); err != nil {
						t.Fatal(err)
					}
				}
				_, err := c.SendMessage(t.Context(), req)
				if !errors.Is(err, want) {
					t.Errorf("%s %s: alice uses %q: %v", where, name, skill, err)
				}
			}
		}
	}
}

// No cache keeps the card of one caller for another one.
func TestExtendedCardIsNotCached(t *testing.T) {
	t.Parallel()
	s := startDisclosing(t)
	for path, gen := range map[string]a2a.Generation{"/extendedAgentCard": "1.0", "/v1/card": "0.3",
		"/agent/authenticatedExtendedCard": "0.2"} {
		for user, status := range map[string]int{"alice": http.StatusOK, "": http.StatusUnauthorized} {
			req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+path, nil)
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set(wire.HeaderVersion, string(gen))
			req.Header.Set("X-User", user)
			res, err := s.client.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			res.Body.Close()
			if res.StatusCode != status || res.Header.Get("Cache-Control") != "no-store" {
				t.Errorf("%s for %q: %d %v", path, user, res.StatusCode, res.Header)
			}
		}
	}
}
