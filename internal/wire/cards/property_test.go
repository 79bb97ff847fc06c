// SPDX-License-Identifier: Apache-2.0

package cards_test

import (
	"bytes"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/wire/cards"
)

// gen draws cards that a form can carry without a loss; of form 0 any card.
type gen struct {
	*rapid.T
	form cards.Form
}

// texts remembers its name when it is first asked for it, without a lock: tests that share it do not run in parallel.
var texts = rapid.OneOf(rapid.String(),
	rapid.SampledFrom([]string{"", "\u2028", "\U0001F600", "\x00\"\\/", "<a&b>", "\r\n"}))

func (g gen) text() string           { return texts.Draw(g.T, "text") }
func (g gen) yes(what string) bool   { return rapid.Bool().Draw(g.T, what) }
func (g gen) word() string           { return rapid.StringMatching(`[a-z]{1,8}`).Draw(g.T, "word") }
func (g gen) url() string            { return "https://" + g.word() + ".example/" }
func (g gen) texts(min int) []string { return rapid.SliceOfN(texts, min, 3).Draw(g.T, "texts") }
func (g gen) count(what string) int  { return rapid.IntRange(0, 3).Draw(g.T, what) }

func (g gen) modes(min int) []string {
	return rapid.SliceOfN(rapid.SampledFrom([]string{"text/plain", "image/png", "application/json", "*/*"}), min,
		3).Draw(g.T, "modes")
}

func (g gen) flag() *bool {
	if !g.yes("set") {
		return nil
	}
	return ptr(g.yes("flag"))
}

func (g gen) optional() *string {
	if !g.yes("set") {
		return nil
	}
	return ptr(g.text())
}

func (g gen) scopes() map[string]string {
	return rapid.MapOfN(texts, texts, 0, 2).Draw(g.T, "scopes")
}

func (g gen) metadata() a2a.Metadata {
	if !g.yes("metadata") {
		return nil
	}
	return a2a.Metadata{g.text(): jsontext.Value(
		rapid.SampledFrom([]string{"1.50", `"x"`, `{"a":[]}`, "null"}).Draw(g.T, "value"))}
}

func (g gen) interfaces() []a2a.AgentInterface {
	version := map[cards.Form]string{cards.Form01: "0.1", cards.Form02: "0.2", cards.Form03: "0.3"}[g.form]
	if g.form == cards.Form01 {
		return []a2a.AgentInterface{at(g.url(), a2a.BindingJSONRPC, version)}
	}
	var list []a2a.AgentInterface
	seen := make(map[string]bool)
	for range 1 + g.count("interfaces") {
		iface := at(g.url(), rapid.SampledFrom(
			[]string{"JSONRPC", "GRPC", "HTTP+JSON", "https://own.example/binding"}).Draw(g.T, "binding"), version)
		if version == "" {
			iface.ProtocolVersion = rapid.SampledFrom([]string{"1.0", "1.1", "0.3", "0.3.0", "0.2", "0.1"}).Draw(g.T,
				"version")
			iface.Tenant = rapid.SampledFrom([]string{"", "acme"}).Draw(g.T, "tenant")
		}
		if key := iface.URL + iface.Binding; version == "" || !seen[key] {
			seen[key] = true
			list = append(list, iface)
		}
	}
	return list
}

func (g gen) flow() a2a.OAuthFlow {
	switch rapid.IntRange(0, 4).Draw(g.T, "flow") {
	case 0:
		return &a2a.AuthorizationCodeFlow{AuthorizationURL: g.text(), TokenURL: g.text(), RefreshURL: g.text(),
			Scopes: g.scopes(), PKCERequired: g.form == 0 && g.yes("pkce")}
	case 1:
		return &a2a.ClientCredentialsFlow{TokenURL: g.text(), RefreshURL: g.text(), Scopes: g.scopes()}
	case 2:
		return &a2a.ImplicitFlow{AuthorizationURL: g.text(), RefreshURL: g.text(), Scopes: g.scopes()}
	case 3:
		if g.form == 0 {
			return &a2a.DeviceCodeFlow{DeviceAuthorizationURL: g.text(), TokenURL: g.text(), RefreshURL: g.text(),
				Scopes: g.scopes()}
		}
	}
	return &a2a.PasswordFlow{TokenURL: g.text(), RefreshURL: g.text(), Scopes: g.scopes()}
}

func (g gen) scheme() a2a.SecurityScheme {
	switch rapid.IntRange(0, 4).Draw(g.T, "scheme") {
	case 0:
		return &a2a.APIKeyScheme{Description: g.text(),
			Location: rapid.SampledFrom([]string{"query", "header", "cookie"}).Draw(g.T, "in"), Name: g.text()}
	case 1:
		s := &a2a.OAuth2Scheme{Description: g.text(), Flow: g.flow()}
		if g.form != cards.Form02 {
			s.MetadataURL = g.text()
		}
		return s
	case 2:
		return &a2a.OpenIDConnectScheme{Description: g.text(), URL: g.text()}
	case 3:
		if g.form != cards.Form02 { // which has no such type
			return &a2a.MutualTLSScheme{Description: g.text()}
		}
	}
	return &a2a.HTTPAuthScheme{Description: g.text(), Scheme: g.word(), BearerFormat: g.text()}
}

func (g gen) requirements() []a2a.SecurityRequirement {
	var list []a2a.SecurityRequirement
	for range g.count("requirements") {
		list = append(list, rapid.MapOfN(texts, rapid.SliceOfN(texts, 0, 2), 0, 2).Draw(g.T, "requirement"))
	}
	return list
}

// secure draws what a card says of security.
func (g gen) secure(c *a2a.AgentCard) {
	if g.form == cards.Form01 {
		for _, name := range rapid.SliceOfNDistinct(
			rapid.SampledFrom([]string{"Bearer", "Basic", "OAuth2", "MutualTLS", "ApiKey"}), 0, 3, rapid.ID).Draw(g.T,
			"names") {
			if c.SecuritySchemes == nil {
				c.SecuritySchemes = make(map[string]a2a.SecurityScheme)
			}
			switch name {
			case "OAuth2":
				c.SecuritySchemes[name] = &a2a.HTTPAuthScheme{Scheme: "Bearer"}
			case "MutualTLS":
				c.SecuritySchemes[name] = &a2a.MutualTLSScheme{}
			default:
				c.SecuritySchemes[name] = &a2a.HTTPAuthScheme{Scheme: name}
			}
			c.SecurityRequirements = append(c.SecurityRequirements, a2a.SecurityRequirement{name: nil})
		}
		return
	}
	for range g.count("schemes") {
		if c.SecuritySchemes == nil {
			c.SecuritySchemes = make(map[string]a2a.SecurityScheme)
		}
		c.SecuritySchemes[g.text()] = g.scheme()
	}
	c.SecurityRequirements = g.requirements()
}

func (g gen) card() *a2a.AgentCard {
	c := &a2a.AgentCard{
		Name: g.text(), Description: g.text(), Version: g.text(), DocumentationURL: g.optional(),
		SupportedInterfaces: g.interfaces(),
		DefaultInputModes:   g.modes(1), DefaultOutputModes: g.modes(1),
		Capabilities: a2a.AgentCapabilities{Streaming: g.flag(), PushNotifications: g.flag()},
	}
	if g.yes("provider") {
		c.Provider = &a2a.AgentProvider{URL: g.text(), Organization: g.text()}
	}
	g.secure(c)
	for range g.count("skills") {
		s := a2a.AgentSkill{ID: g.text(), Name: g.text(), Description: g.text(), Tags: g.texts(0), Examples: g.texts(0),
			InputModes: g.modes(0), OutputModes: g.modes(0)}
		if g.form == 0 || g.form == cards.Form03 {
			s.SecurityRequirements = g.requirements()
		}
		c.Skills = append(c.Skills, s)
	}
	if g.form != cards.Form01 {
		c.IconURL, c.Capabilities.ExtendedAgentCard = g.optional(), g.flag()
		for range g.count("extensions") {
			c.Capabilities.Extensions = append(c.Capabilities.Extensions,
				a2a.AgentExtension{URI: g.text(), Description: g.text(), Required: g.yes("required"),
					Params: g.metadata()})
		}
	}
	if (g.form == 0 || g.form == cards.Form03) && g.yes("signed") {
		c.Signatures = []a2a.AgentCardSignature{{Protected: g.text(), Signature: g.text(), Header: g.metadata()}}
	}
	return c
}

// If Lost reports nothing for a form, a card comes back unchanged from that form.
func TestWhatAFormCarriesComesBack(t *testing.T) {
	for _, form := range []cards.Form{cards.Form01, cards.Form02, cards.Form03} {
		t.Run(form.String(), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				card := gen{t, form}.card()
				if lost := cards.Lost(card, form); lost != nil {
					t.Fatalf("Lost: %q", lost)
				}
				text := written(t, card, form)
				got := read(t, text)
				if diff := cmp.Diff(card, got, cmpopts.EquateEmpty()); diff != "" {
					t.Fatalf("-sent +decoded\n%s\n%s", diff, text)
				}
			})
		})
	}
}

// Any card comes back from form 1.0 and from the union, except for signatures that are not for that form.
func TestAnyCardComesBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		card := gen{T: t}.card()
		united := read(t, written(t, card, cards.FormUnion))
		pure := read(t, written(t, card, cards.Form10))
		if cards.SignedForm(card) != cards.Form10 {
			card.Signatures = nil
		}
		if diff := cmp.Diff(card, pure, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("1.0: -sent +decoded\n%s", diff)
		}
		card.Signatures = nil
		if diff := cmp.Diff(card, united, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("union: -sent +decoded\n%s", diff)
		}
	})
}

// In each form any card is what its schema wants, and what was read of it is written as it was.
func TestAnyCardInEachForm(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		card := gen{T: t}.card()
		for _, form := range forms {
			text := written(t, card, form)
			fits(t, form, text, card)
			again := written(t, read(t, text), form)
			if !bytes.Equal(text, again) {
				t.Fatalf("%s: written as\n%s\nread and written as\n%s", form, text, again)
			}
		}
	})
}

func written(t rapid.TB, card *a2a.AgentCard, form cards.Form) []byte {
	t.Helper()
	text, err := cards.Append(nil, card, form)
	if err != nil {
		t.Fatalf("%s: %v", form, err)
	}
	return text
}

func read(t rapid.TB, text []byte) *a2a.AgentCard {
	t.Helper()
	card, err := cards.Decode(text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return card
}
