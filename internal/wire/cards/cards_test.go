// SPDX-License-Identifier: Apache-2.0

package cards_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/wire/cards"
)

var update = flag.Bool("update", false, "write the golden files anew")

func ptr[T any](v T) *T { return &v }

func at(url, binding, version string) a2a.AgentInterface {
	return a2a.AgentInterface{URL: url, Binding: binding, ProtocolVersion: version}
}

// full has all that any form can say and some that only 1.0 can.
func full() *a2a.AgentCard {
	const base = "https://clock.example/"
	scopes := map[string]string{"read": "tell the time", "<&>": ""}
	return &a2a.AgentCard{
		Name: "Clock", Description: "Tells the time, \"exactly\".", Version: "2.1",
		SupportedInterfaces: []a2a.AgentInterface{
			{URL: base + "acme", Binding: a2a.BindingJSONRPC, Tenant: "acme", ProtocolVersion: "1.0"},
			at(base, a2a.BindingHTTPJSON, "1.0"),
			at(base+"rest", a2a.BindingHTTPJSON, "0.3"),
			at(base, a2a.BindingJSONRPC, "0.3"),
			at(base, a2a.BindingJSONRPC, "0.2"),
			at(base, a2a.BindingJSONRPC, "0.1"),
		},
		Provider:         &a2a.AgentProvider{Organization: "Clocks", URL: base},
		DocumentationURL: ptr(base + "docs"), IconURL: ptr(base + "icon.png"),
		Capabilities: a2a.AgentCapabilities{
			Streaming: ptr(true), PushNotifications: ptr(false), ExtendedAgentCard: ptr(true),
			Extensions: []a2a.AgentExtension{{URI: base + "ext", Description: "more", Required: true,
				Params: a2a.Metadata{"n": jsontext.Value("1.50")}}},
		},
		SecuritySchemes: map[string]a2a.SecurityScheme{
			"bearer": &a2a.HTTPAuthScheme{Description: "a token", Scheme: "Bearer", BearerFormat: "JWT"},
			"cert":   &a2a.MutualTLSScheme{Description: "a certificate"},
			"client": &a2a.OAuth2Scheme{Flow: &a2a.ClientCredentialsFlow{TokenURL: base + "t", RefreshURL: base + "r",
				Scopes: scopes}},
			"code": &a2a.OAuth2Scheme{MetadataURL: base + "m",
				Flow: &a2a.AuthorizationCodeFlow{AuthorizationURL: base + "a", TokenURL: base + "t", Scopes: scopes,
					PKCERequired: true}},
			"device": &a2a.OAuth2Scheme{Flow: &a2a.DeviceCodeFlow{DeviceAuthorizationURL: base + "d",
				TokenURL: base + "t", Scopes: scopes}},
			"implicit": &a2a.OAuth2Scheme{Flow: &a2a.ImplicitFlow{AuthorizationURL: base + "a", Scopes: scopes}},
			"key":      &a2a.APIKeyScheme{Location: "header", Name: "X-Key"},
			"oidc":     &a2a.OpenIDConnectScheme{URL: base + "oidc"},
			"password": &a2a.OAuth2Scheme{Flow: &a2a.PasswordFlow{TokenURL: base + "t", Scopes: scopes}},
		},
		SecurityRequirements: []a2a.SecurityRequirement{{"bearer": {}}, {"code": {"read"}, "cert": {}}},
		DefaultInputModes:    []string{"text/plain"}, DefaultOutputModes: []string{"text/plain", "image/png"},
		Skills: []a2a.AgentSkill{{
			ID: "now", Name: "Now", Description: "The time now.", Tags: []string{"time"},
			Examples:   []string{"What time is it?"},
			InputModes: []string{"text/plain"}, OutputModes: []string{"text/plain"},
			SecurityRequirements: []a2a.SecurityRequirement{{"key": {}}},
		}, {ID: "zone", Name: "Zone", Description: "The time elsewhere.", Tags: []string{"time", "place"}}},
		Signatures: []a2a.AgentCardSignature{{Protected: "e30", Signature: "c2ln",
			Header: a2a.Metadata{"kid": jsontext.Value(`"k"`)}}},
	}
}

// indent makes golden files readable.
func indent(t *testing.T, text []byte) []byte {
	t.Helper()
	v := jsontext.Value(text)
	if err := v.Indent(jsontext.WithIndent("  ")); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return append(v, '\n')
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s, -want +got:\n%s", name, diff)
	}
}

var forms = []cards.Form{cards.Form01, cards.Form02, cards.Form03, cards.Form10, cards.FormUnion}

// Each form of the full card and what it loses stay what people have looked at.
func TestGoldens(t *testing.T) {
	t.Parallel()
	for _, form := range forms {
		text, err := cards.Append([]byte("before"), full(), form)
		if err != nil {
			t.Fatal(err)
		}
		text, ok := bytes.CutPrefix(text, []byte("before"))
		if !ok {
			t.Errorf("%s: what was there before is gone", form)
		}
		golden(t, form.String()+".json", indent(t, text))
		lost := strings.Join(cards.Lost(full(), form), "\n")
		golden(t, form.String()+".lost", []byte(lost+"\n"))
		if got, err := cards.FormOf(text); got != form || err != nil {
			t.Errorf("the form of %s is taken for %v, %v", form, got, err)
		}
	}
}

// A card that is written in a form, read back and written in the same form again does not change.
func TestFormsAreStable(t *testing.T) {
	t.Parallel()
	for _, form := range forms {
		first, err := cards.Append(nil, full(), form)
		if err != nil {
			t.Fatal(err)
		}
		card, err := cards.Decode(first)
		if err != nil {
			t.Fatalf("%s: %v", form, err)
		}
		second, err := cards.Append(nil, card, form)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(indent(t, first)), string(indent(t, second))); diff != "" {
			t.Errorf("%s:\n%s", form, diff)
		}
		if ignored, err := cards.Ignored(first); len(ignored) > 0 || err != nil {
			t.Errorf("%s: Ignored %q, %v", form, ignored, err)
		}
	}
}

// The card that agent-framework-a2a 1.0.0b261022 and a2a-sdk 1.3.0 serve: the interface of 1.0 has no version.
func TestInterfaceWithoutVersionSpeaks10(t *testing.T) {
	t.Parallel()
	card, err := cards.Decode([]byte(`{"name":"af","description":"d",
	"supportedInterfaces":[{"url":"http://127.0.0.1:1/","protocolBinding":"JSONRPC"}],
		"version":"1.0.0","capabilities":{"streaming":true},"defaultInputModes":["text"],"defaultOutputModes":["text"],
		"preferredTransport":"JSONRPC","protocolVersion":"0.3","skills":[],"url":"http://127.0.0.1:1/"}`))
	if err != nil {
		t.Fatal(err)
	}
	want := []a2a.AgentInterface{
		{URL: "http://127.0.0.1:1/", Binding: a2a.BindingJSONRPC, ProtocolVersion: "1.0"},
		{URL: "http://127.0.0.1:1/", Binding: a2a.BindingJSONRPC, ProtocolVersion: "0.3"},
	}
	if diff := cmp.Diff(want, card.SupportedInterfaces); diff != "" {
		t.Error(diff)
	}
}
