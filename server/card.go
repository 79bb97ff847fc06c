// SPDX-License-Identifier: Apache-2.0

package server

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/auth"
	"github.com/dragoman-a2a/dragoman/internal/binding"
	"github.com/dragoman-a2a/dragoman/internal/hidden"
	"github.com/dragoman-a2a/dragoman/internal/wire"
	"github.com/dragoman-a2a/dragoman/internal/wire/cards"
)

// Capable is what a Service implements to say which optional parts of the protocol it has. Without it a service
// streams, and has neither push notifications nor an extended card. Streaming left nil counts as true, the others as
// false. An extended card needs an Authenticator too. Extensions are added to those of the card; a service that can go
// on with a stream names [ReplayExtension] among them.
type Capable interface {
	Capabilities() a2a.AgentCapabilities
}

// Carded is a Service that has its agent's card, as that of an engine may. Then the Options need none. The card is
// public, and it must not change any more.
type Carded interface {
	AgentCard() *a2a.AgentCard
}

// warnOfWrapper warns of a Service that wraps another one and hides what that can do.
func (s *Server) warnOfWrapper() {
	if inner := hidden.By[a2a.Service, Capable](s.service); inner != nil {
		s.options.Logger.Warn("a service wraps another one and hides its capabilities, so the card offers streams "+
			"and nothing else; "+
			"pass them on with a method Capabilities() a2a.AgentCapabilities",
			"wrapper", fmt.Sprintf("%T", s.service), "wrapped", inner.String())
	}
}

// derive returns card with what the server knows better, so that the card cannot promise what is not there.
func (s *Server) derive(card *a2a.AgentCard, base string) *a2a.AgentCard {
	var can a2a.AgentCapabilities
	if svc, ok := s.service.(Capable); ok {
		can = svc.Capabilities()
	}
	if s.options.Authenticator == nil {
		can.ExtendedAgentCard = nil // it is for authenticated callers, and there are none
	}
	derived := *card
	derived.Signatures = nil
	derived.SupportedInterfaces = s.interfaces(base)
	derived.Capabilities = capabilities(card.Capabilities, can)
	derived.SecuritySchemes, derived.SecurityRequirements = s.security(card)
	derived.DefaultInputModes = modes(card.DefaultInputModes)
	derived.DefaultOutputModes = modes(card.DefaultOutputModes)
	return &derived
}

// security returns the credentials that the agent takes: those of its card or, where it names none, those that the
// Authenticator says, any one of which suffices.
func (s *Server) security(card *a2a.AgentCard) (map[string]a2a.SecurityScheme, []a2a.SecurityRequirement) {
	asks, ok := s.options.Authenticator.(auth.Schemed)
	if !ok || len(card.SecuritySchemes) > 0 || len(card.SecurityRequirements) > 0 {
		return card.SecuritySchemes, card.SecurityRequirements
	}
	schemes := asks.SecuritySchemes()
	var anyOf []a2a.SecurityRequirement
	for _, name := range slices.Sorted(maps.Keys(schemes)) {
		anyOf = append(anyOf, a2a.SecurityRequirement{name: nil})
	}
	return schemes, anyOf
}

// modes returns the media types of a card, of which the standard requires one at least.
func modes(declared []string) []string {
	if len(declared) == 0 {
		return []string{"text/plain"}
	}
	return declared
}

// interfaces returns how to reach the agent: in the newest generation first. That of 0.2 is that of 0.3.
func (s *Server) interfaces(base string) []a2a.AgentInterface {
	var all []a2a.AgentInterface
	for _, gen := range []a2a.Generation{a2a.Generation10, a2a.Generation03, a2a.Generation01} {
		if !s.core.Serves(gen) {
			continue
		}
		for _, b := range s.options.Bindings {
			if gen != a2a.Generation01 || b == a2a.BindingJSONRPC { // which is the only one that 0.1 has
				all = append(all, a2a.AgentInterface{URL: base, Binding: b, ProtocolVersion: string(gen)})
			}
		}
		all = append(all, s.interfacesOfGRPC(base, gen)...)
	}
	for _, other := range s.options.Interfaces {
		if other.URL == "" {
			other.URL = addressOf(base, other.Binding)
		}
		all = append(all, other)
	}
	return all
}

// withModes returns the skills of a card, each with the modes that it has of the card where it names none. Readers of
// old cards, such as fasta2a, require them.
func withModes(card *a2a.AgentCard) []a2a.AgentSkill {
	skills := slices.Clone(card.Skills)
	for i := range skills {
		s := &skills[i]
		if len(s.InputModes) == 0 {
			s.InputModes = card.DefaultInputModes
		}
		if len(s.OutputModes) == 0 {
			s.OutputModes = card.DefaultOutputModes
		}
	}
	return skills
}

// withoutGRPC drops the interfaces of gRPC, unless there are no others.
func withoutGRPC(all []a2a.AgentInterface) []a2a.AgentInterface {
	isGRPC := func(i a2a.AgentInterface) bool { return i.Binding == a2a.BindingGRPC }
	if kept := slices.DeleteFunc(slices.Clone(all), isGRPC); len(kept) > 0 {
		return kept
	}
	return all
}

// addressOf returns where a binding is on the host of a base URL: gRPC has no paths, and is named by host and port.
func addressOf(base, binding string) string {
	u, err := url.Parse(base)
	if err != nil || binding != a2a.BindingGRPC {
		return base
	}
	port := "80"
	if u.Scheme == "https" {
		port = "443"
	}
	return net.JoinHostPort(u.Hostname(), cmp.Or(u.Port(), port))
}

// capabilities joins what the card wants with what the service can: the card may only switch off.
func capabilities(wants, can a2a.AgentCapabilities) a2a.AgentCapabilities {
	streaming := isNot(false, wants.Streaming) && isNot(false, can.Streaming)
	push := isNot(false, wants.PushNotifications) && is(true, can.PushNotifications)
	caps := a2a.AgentCapabilities{Streaming: &streaming, PushNotifications: &push}
	if extended := isNot(false, wants.ExtendedAgentCard) && is(true, can.ExtendedAgentCard); extended {
		caps.ExtendedAgentCard = &extended
	}
	all := slices.Concat(wants.Extensions, can.Extensions)
	if !streaming {
		all = slices.DeleteFunc(all, func(e a2a.AgentExtension) bool { return e.URI == a2a.ReplayExtension })
	}
	for _, ext := range all {
		if !slices.ContainsFunc(caps.Extensions, func(e a2a.AgentExtension) bool { return e.URI == ext.URI }) {
			caps.Extensions = append(caps.Extensions, ext)
		}
	}
	return caps
}

func is(want bool, b *bool) bool    { return b != nil && *b == want }
func isNot(want bool, b *bool) bool { return !is(want, b) }

// profileOf returns what of a derived card requests are judged by.
func profileOf(s *Server, card *a2a.AgentCard) *binding.Profile {
	var metadata func(*binding.Exchange) string
	if resourceOf(card) != nil {
		metadata = func(x *binding.Exchange) string { return resourceURL(s, x) }
	}
	return &binding.Profile{
		Metadata:     metadata,
		Agent:        card.Name,
		Streaming:    is(true, card.Capabilities.Streaming),
		Push:         is(true, card.Capabilities.PushNotifications),
		ExtendedCard: is(true, card.Capabilities.ExtendedAgentCard),
		Extensions:   card.Capabilities.Extensions,
		Challenges:   auth.Challenges(card.Name, card.SecuritySchemes),
		Needs:        card.SecurityRequirements,
		SkillNeeds:   skillNeeds(card.Skills),
	}
}

// skillNeeds returns the security requirements of the skills that have any.
func skillNeeds(skills []a2a.AgentSkill) map[string][]a2a.SecurityRequirement {
	var needs map[string][]a2a.SecurityRequirement
	for i := range skills {
		if len(skills[i].SecurityRequirements) > 0 {
			if needs == nil {
				needs = map[string][]a2a.SecurityRequirement{}
			}
			needs[skills[i].ID] = skills[i].SecurityRequirements
		}
	}
	return needs
}

// A renderedCard is a card's bytes with what caches need.
type renderedCard struct {
	base string
	body []byte
	etag string
}

// A rendering is how a card is written: the form, and whether it lists gRPC.
type rendering struct {
	form cards.Form
	grpc bool
}

// renderedCards are the last card of each rendering. It is nearly always the next one, too.
type renderedCards struct {
	mu   sync.Mutex
	last map[rendering]*renderedCard
}

// get returns the card of a rendering for a base URL, nil if it was not the last one.
func (c *renderedCards) get(as rendering, base string) *renderedCard {
	c.mu.Lock()
	defer c.mu.Unlock()
	if card := c.last[as]; card != nil && card.base == base {
		return card
	}
	return nil
}

func (c *renderedCards) put(as rendering, card *renderedCard) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.last == nil {
		c.last = make(map[rendering]*renderedCard)
	}
	c.last[as] = card
}

// serveCard serves the card (A2A 1.0 §8.2, §8.6) in the form of the generation that the request names, or in the form
// for requests that name none that is served.
func (s *Server) serveCard(w http.ResponseWriter, r *http.Request) {
	w.Header().Add("Vary", wire.HeaderVersion+", Accept")
	gen, _ := s.core.Version(r) // a card in another form than was asked for tells more than an error
	card, err := s.render(r, rendering{form: s.cardForm(gen), grpc: s.options.CardGRPC ||
		wire.Accepts(r.Header, wire.MediaTypeGRPC)})
	if err != nil {
		e := a2a.AsError(err)
		status := wire.RowOf(e.Kind).HTTP
		if status >= 500 {
			s.options.Logger.LogAttrs(r.Context(), slog.LevelError, "no card", slog.String("error", e.Error()))
		}
		writeError(w, status, e)
		return
	}
	h := w.Header()
	h.Set("Content-Type", wire.MediaTypeJSON)
	h.Set("Etag", card.etag)
	maxAge := "max-age=" + strconv.Itoa(int(s.options.CardMaxAge/time.Second))
	var since time.Time
	if s.options.CardFunc == nil {
		h.Set("Cache-Control", "public, "+maxAge)
		since = s.since
	} else {
		h.Set("Cache-Control", "private, "+maxAge) // it may be for this caller only
		h.Add("Vary", strings.Join(credentialHeaders(s.options.Authenticator), ", "))
	}
	http.ServeContent(w, r, "", since, bytes.NewReader(card.body)) // answers 304 and HEAD
}

// cardForm returns the form of the card for a request that names a generation, or "".
func (s *Server) cardForm(gen a2a.Generation) cards.Form {
	switch cmp.Or(gen, s.options.CardGeneration, s.only()) {
	case a2a.Generation01:
		return cards.Form01
	case a2a.Generation02:
		return cards.Form02
	case a2a.Generation03:
		return cards.Form03
	case a2a.Generation10:
		return cards.Form10
	}
	return cards.FormUnion
}

// only returns the generation that is served alone, or "". That of 0.2 is that of 0.3.
func (s *Server) only() a2a.Generation {
	for _, gen := range []a2a.Generation{a2a.Generation10, a2a.Generation03, a2a.Generation01} {
		if !slices.ContainsFunc(s.options.Generations, func(other a2a.Generation) bool {
			return other != gen && (other != a2a.Generation02 || gen != a2a.Generation03)
		}) {
			return gen
		}
	}
	return ""
}

// render returns the card for r as bytes.
func (s *Server) render(r *http.Request, as rendering) (*renderedCard, error) {
	base, err := s.baseURL(r)
	if err != nil {
		return nil, err
	}
	static := s.options.CardFunc == nil
	if last := s.cards.get(as, base); static && last != nil {
		return last, nil
	}
	card, err := s.card(r.Context(), r, base)
	if err != nil {
		return nil, err
	}
	if !as.grpc {
		card.SupportedInterfaces = withoutGRPC(card.SupportedInterfaces)
	}
	if as.form != cards.Form10 {
		card.Skills = withModes(card)
	}
	body, err := cards.Append(nil, card, as.form)
	if err != nil {
		return nil, fmt.Errorf("encoding the card: %w", err)
	}
	if body, err = s.signed.inBody(body, as.form); err != nil {
		return nil, err
	}
	hash := sha256.Sum256(body)
	rendered := &renderedCard{base: base, body: body, etag: `"` + hex.EncodeToString(hash[:16]) + `"`}
	if static {
		s.cards.put(as, rendered)
	}
	return rendered, nil
}

// baseURL returns the URL under which the maker of r reaches the server, without a slash at the end.
func (s *Server) baseURL(r *http.Request) (string, error) {
	root, err := s.rootURL(r.Host, r.TLS != nil)
	return root + s.options.Path, err
}

// rootURL returns the URL of what the server is mounted in, for a request that names a host.
func (s *Server) rootURL(host string, secure bool) (string, error) {
	if root := *s.root.Load(); root != "" {
		return root, nil
	}
	if len(host) > 255 || !validHost.MatchString(host) {
		return "", a2a.NewError(a2a.ErrInvalidRequest, "the Host header is not a host with an optional port")
	}
	if secure {
		return "https://" + host, nil
	}
	return "http://" + host, nil
}

// rootOf returns the root's URL for a call, by the rule of the card; "" when its host is none. A call at a port of the
// binding's own names that port, where nothing else is.
func (s *Server) rootOf(x *binding.Exchange) string {
	host := x.R.Host
	if port := s.port.Load(); x.OwnPort && port != nil {
		name, _, err := net.SplitHostPort(host)
		if err != nil {
			name = strings.Trim(host, "[]")
		}
		host = net.JoinHostPort(name, *port)
	}
	root, err := s.rootURL(host, x.R.TLS != nil)
	if err != nil {
		return ""
	}
	return root
}

var validHost = regexp.MustCompile(`^([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?$`)
