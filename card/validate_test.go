// SPDX-License-Identifier: Apache-2.0

package card_test

import (
	"encoding/base64"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/dragoman-a2a/dragoman/card"
)

// The members that cards of all generations share.
const common = `"name":"Clock","description":"Tells the time.","version":"2.1","provider":{"organization":"Clocks",` +
	`"url":"https://clock.example"},` +
	`"capabilities":{"streaming":true},"defaultInputModes":["text/plain"],"defaultOutputModes":["text/plain"],` +
	`"skills":[{"id":"now","name":"Now","description":"The time now.","tags":["time"],"inputModes":["text/plain"]}]`

// A card of each form with which nothing is wrong, open at the end.
var fine = map[card.Form]string{
	card.Form01: `{` + common + `,"url":"https://clock.example/","authentication":{"schemes":["Bearer"]}`,
	card.Form02: `{` + common + `,"url":"https://clock.example/","protocolVersion":"0.2.6"`,
	card.Form03: `{` + common +
		`,"url":"https://clock.example/","protocolVersion":"0.3.0","preferredTransport":"JSONRPC",` +
		`"additionalInterfaces":[{"url":"https://clock.example/","transport":"JSONRPC"},{"url":"clock.example:443",` +
		`"transport":"GRPC"}]`,
	card.Form10: `{` + common +
		`,"supportedInterfaces":[{"url":"https://clock.example/","protocolBinding":"JSONRPC","protocolVersion":"1.0"}]`,
	card.FormUnion: `{` + common + `,"url":"https://clock.example/","protocolVersion":"0.3.0","supportedInterfaces":[` +
		`{"url":"https://clock.example/","protocolBinding":"JSONRPC","protocolVersion":"1.0"},` +
		`{"url":"https://clock.example/","protocolBinding":"JSONRPC","protocolVersion":"0.3"}]`,
}

func TestNothingIsWrongWithFineCards(t *testing.T) {
	t.Parallel()
	texts := make(map[string]string)
	for form, text := range fine {
		texts[string(form)] = text + "}"
		if got, err := card.FormOf([]byte(text + "}")); got != form || err != nil {
			t.Errorf("%s is taken for %s, %v", form, got, err)
		}
		for _, other := range card.Forms {
			converted, _, err := card.Convert([]byte(text+"}"), other)
			if err != nil {
				t.Fatal(err)
			}
			if card.HasErrors(card.Validate(converted)) {
				t.Errorf("%s converted to %s: %v", form, other, card.Validate(converted))
			}
		}
	}
	for name, text := range texts {
		if got := card.Validate([]byte(text)); got != nil {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// What Append writes of a card with everything in it is fine in each form, but for flows that are deprecated.
func TestFullCardsAreFine(t *testing.T) {
	t.Parallel()
	for _, form := range card.Forms {
		text, err := os.ReadFile("../internal/wire/cards/testdata/" + string(form) + ".json")
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range card.Validate(text) {
			if p.Rule != "CARD-AUTH-005" && !(p.Rule == "CARD-SIG-001" && form == card.Form10) &&
				p.Rule != "CARD-SIG-002" {
				t.Errorf("%s: %+v", form, p)
			}
		}
	}
}

func TestCardsOfTheDocuments(t *testing.T) {
	t.Parallel()
	archive, err := txtar.ParseFile("../internal/wire/cards/testdata/seeds.txtar")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][]string{
		"april-2025": {"CARD-AUTH-007 authentication.schemes"},
		"0.1.0":      {"CARD-AUTH-006 authentication.credentials"},
		"0.2.1":      nil,
	}
	for _, f := range archive.Files {
		if strings.HasSuffix(f.Name, ".original") {
			if got := card.Validate(f.Data); len(got) != 1 || got[0].Rule != "CARD-JSON-001" {
				t.Errorf("%s: %v", f.Name, got)
			}
			continue
		}
		if diff := cmp.Diff(want[f.Name], found(f.Data)); diff != "" {
			t.Errorf("%s: %s", f.Name, diff)
		}
	}
}

// found returns each problem as its rule and its path.
func found(text []byte) []string {
	var list []string
	for _, p := range card.Validate(text) {
		list = append(list, strings.TrimSpace(p.Rule+" "+p.Path))
	}
	return list
}

func base64url(text string) string { return base64.RawURLEncoding.EncodeToString([]byte(text)) }

// bad has cards and what is wrong with them. A text that does not begin with a brace is added to a fine card of the
// form; one with => replaces what stands before it there.
var bad = []struct {
	form card.Form
	text string
	want []string
}{
	{"", ``, []string{"CARD-JSON-001"}},
	{"", `{]`, []string{"CARD-JSON-001"}},
	{"", `[{}]`, []string{"CARD-JSON-001"}},
	{"", `{"name":"x","name":"y"}`, []string{"CARD-JSON-001"}},
	{"", `{"a":{"b":1,"b":2}}`, []string{"CARD-JSON-001"}},
	{"", "{\"name\":\"\xff\"}", []string{"CARD-JSON-001"}},
	{"", `{}`, []string{"CARD-REQ-001 name", "CARD-REQ-001 description", "CARD-REQ-001 supportedInterfaces",
		"CARD-REQ-001 version",
		"CARD-REQ-001 capabilities", "CARD-REQ-001 defaultInputModes", "CARD-REQ-001 defaultOutputModes",
		"CARD-REQ-001 skills",
		"CARD-REQ-003 supportedInterfaces"}},
	{"", `{"url":"https://a.example/"}`, []string{"CARD-REQ-001 name", "CARD-REQ-001 version",
		"CARD-REQ-001 capabilities", "CARD-REQ-001 skills"}},
	{"", `{"url":"","protocolVersion":"0.3.0"}`,
		[]string{"CARD-REQ-001 name", "CARD-REQ-001 description", "CARD-REQ-002 url",
			"CARD-REQ-001 version", "CARD-REQ-001 capabilities", "CARD-REQ-001 defaultInputModes",
			"CARD-REQ-001 defaultOutputModes",
			"CARD-REQ-001 skills", "CARD-REQ-003 url", "CARD-IFACE-004 preferredTransport"}},
	{card.Form01, `,"authentication":{"schemes":["Bearer"]}=>`, []string{"CARD-FORM-001"}},

	{card.Form10, `"name":"Clock"=>"name":7`, []string{"CARD-JSON-002 name"}},
	{card.Form10, `"streaming":true=>"streaming":"yes"`, []string{"CARD-JSON-002 capabilities.streaming"}},
	{card.Form10, `{"streaming":true}=>[]`, []string{"CARD-JSON-002 capabilities"}},
	{card.Form10, `"tags":["time"]=>"tags":"time"`, []string{"CARD-JSON-002 skills[0].tags"}},
	{card.Form10, `"securitySchemes":[]`, []string{"CARD-JSON-002 securitySchemes"}},
	{card.Form10, `"securitySchemes":{"a":7}`, []string{"CARD-JSON-002 securitySchemes.a"}},
	{card.Form10, `"securitySchemes":{"a":{"oauth2SecurityScheme":{"flows":7}}}`,
		[]string{"CARD-JSON-002 securitySchemes.a.oauth2SecurityScheme.flows"}},
	{card.Form10, `"documentationUrl":7,"defaultInputModes"=>"defaultInputModes"`, nil},
	{card.Form10, `"documentationUrl":7`, []string{"CARD-JSON-002 documentationUrl"}},
	{card.Form10, `"description":"Tells the time."=>"description":""`, []string{"CARD-REQ-002 description"}},
	{card.Form10, `"tags":["time"]=>"tags":[]`, []string{"CARD-REQ-002 skills[0].tags"}},
	{card.Form10, `"organization":"Clocks",=>`, []string{"CARD-REQ-001 provider.organization"}},
	{card.Form01, `,"url":"https://clock.example"}=>}`, nil},
	{card.Form10, `,"url":"https://clock.example"}=>}`, []string{"CARD-REQ-001 provider.url"}},

	{card.Form10, `"security":[{}]`, []string{"CARD-AUTH-008 security"}},
	{card.Form03, `"securityRequirements":[{}]`, []string{"CARD-AUTH-008 securityRequirements"}},
	{card.Form10, `"tags":["time"]=>"tags":["time"],"security":[]`, []string{"CARD-AUTH-008 skills[0].security"}},
	{card.Form10, `"preferredTransport":"JSONRPC"`, []string{"CARD-FORM-002 preferredTransport"}},
	{card.Form10, `"streaming":true=>"stateTransitionHistory":true`,
		[]string{"CARD-FORM-002 capabilities.stateTransitionHistory"}},
	{card.Form03, `"authentication":{"schemes":[]}`, []string{"CARD-FORM-002 authentication"}},
	{card.Form03, `"streaming":true=>"extendedAgentCard":true`,
		[]string{"CARD-FORM-002 capabilities.extendedAgentCard"}},
	{card.Form02, `"tags":["time"]=>"tags":["time"],"security":[]`, []string{"CARD-FORM-002 skills[0].security"}},
	{card.Form10, `"nmae":1,"x":{}`, []string{"CARD-FORM-003 nmae", "CARD-FORM-003 x"}},
	{card.Form10, `"iconUrl"=>"icon_url"`, nil},
	{card.Form10, `"icon_url":"https://a.example/i"`, []string{"CARD-FORM-004 icon_url"}},
	{card.Form10, `"protocolBinding"=>"protocol_binding"`,
		[]string{"CARD-FORM-004 supportedInterfaces[0].protocol_binding"}},
	{card.Form03, `"icon_url":"https://a.example/i"`, []string{"CARD-FORM-003 icon_url"}},
	{card.Form10, `"iconUrl":null`, []string{"CARD-FORM-005 iconUrl"}},
	{card.Form01, `"documentationUrl":null`, nil},

	{card.Form10,
		`"supportedInterfaces":[=>"supportedInterfaces":[{"url":"https://clock.example/","protocolBinding":"JSONRPC",` +
			`"protocolVersion":"1.0"},`,
		[]string{"CARD-IFACE-001 supportedInterfaces[1]"}},
	{card.Form03,
		`{"url":"clock.example:443","transport":"GRPC"}=>{"url":"https://clock.example/","transport":"JSONRPC"}`,
		[]string{"CARD-IFACE-001 additionalInterfaces[1]"}},
	{card.Form03, `{"url":"https://clock.example/","transport":"JSONRPC"},=>`,
		[]string{"CARD-IFACE-002 additionalInterfaces"}},
	{card.Form10, `"protocolBinding":"JSONRPC"=>"protocolBinding":"json-rpc"`,
		[]string{"CARD-IFACE-003 supportedInterfaces[0].protocolBinding"}},
	{card.Form10, `"protocolBinding":"JSONRPC"=>"protocolBinding":"urn:x:pigeons"`, nil},
	{card.Form03, `"transport":"GRPC"=>"transport":"gRPC"`,
		[]string{"CARD-IFACE-003 additionalInterfaces[1].transport", "CARD-URL-001 additionalInterfaces[1].url"}},
	{card.Form03, `"preferredTransport":"JSONRPC",=>`, []string{"CARD-IFACE-004 preferredTransport"}},
	{card.FormUnion, `"protocolVersion":"0.3"}=>"protocolVersion":"1.1"}`, []string{"CARD-IFACE-005 url"}},
	{card.Form10, `"protocolBinding"=>"tenant":"tasks","protocolBinding"`,
		[]string{"CARD-IFACE-006 supportedInterfaces[0].tenant"}},
	{card.Form10,
		`"supportedInterfaces":[{"url":"https://clock.example/","protocolBinding":"JSONRPC",` +
			`"protocolVersion":"1.0"}]=>"supportedInterfaces":[]`,
		[]string{"CARD-REQ-002 supportedInterfaces", "CARD-REQ-003 supportedInterfaces"}},

	{card.Form10, `"defaultInputModes":["text/plain"]=>"defaultInputModes":["text","a/b; q","*/*",7]`,
		[]string{"CARD-MODE-001 defaultInputModes[0]", "CARD-MODE-001 defaultInputModes[1]",
			"CARD-JSON-002 defaultInputModes[3]"}},
	{card.Form10, `"inputModes":["text/plain"]=>"inputModes":["text/"]`,
		[]string{"CARD-MODE-001 skills[0].inputModes[0]"}},
	{card.Form03, `"skills":[=>"skills":[{"id":"now","name":"N","description":"D","tags":["t"]},`,
		[]string{"CARD-SKILL-001 skills[1].id"}},
	{card.Form10, `{"streaming":true}=>{"extensions":[{"uri":"u"},{"uri":"u"},{}]}`,
		[]string{"CARD-REQ-001 capabilities.extensions[2].uri", "CARD-EXT-001 capabilities.extensions[1].uri"}},

	{card.Form10, `"url":"https://clock.example/"=>"url":"clock.example"`,
		[]string{"CARD-URL-001 supportedInterfaces[0].url"}},
	{card.Form02, `"url":"https://clock.example/"=>"url":"/rpc"`, []string{"CARD-URL-001 url"}},
	{card.Form10, `"url":"https://clock.example/"=>"url":"http://clock.example/"`,
		[]string{"CARD-URL-002 supportedInterfaces[0].url"}},
	{card.Form10, `"url":"https://clock.example/"=>"url":"http://127.0.0.1:8080/"`, nil},
	{card.Form10, `"url":"https://clock.example/"=>"url":"http://[::1]:8080/"`, nil},
	{card.Form10, `"url":"https://clock.example"=>"url":"clock.example"`, []string{"CARD-URL-003 provider.url"}},
	{card.Form10, `"iconUrl":"i.png","documentationUrl":"%"`,
		[]string{"CARD-URL-003 iconUrl", "CARD-URL-003 documentationUrl"}},

	{card.Form03, `"protocolVersion":"0.3.0"=>"protocolVersion":"latest"`, []string{"CARD-VER-001 protocolVersion"}},
	{card.Form10, `"protocolVersion":"1.0"=>"protocolVersion":"v1"`,
		[]string{"CARD-VER-001 supportedInterfaces[0].protocolVersion"}},
	{card.Form03, `"protocolVersion":"0.3.0"=>"protocolVersion":"1.0"`, []string{"CARD-VER-002 protocolVersion"}},
	{card.Form03, `"protocolVersion":"0.3.0"=>"protocolVersion":"0.2.9"`, []string{"CARD-VER-002 protocolVersion"}},
	{card.FormUnion, `"protocolVersion":"0.3.0"=>"protocolVersion":"1.0"`, []string{"CARD-VER-002 protocolVersion"}},
	{card.Form10, `"protocolVersion":"1.0"=>"protocolVersion":"1.0.1"`,
		[]string{"CARD-VER-003 supportedInterfaces[0].protocolVersion"}},

	{card.Form10, `"securityRequirements":[{"schemes":{"a":{"list":["s"]}}}]`,
		[]string{"CARD-AUTH-001 securityRequirements[0].schemes.a"}},
	{card.Form02, `"security":[{},{"a":[]}]`, []string{"CARD-AUTH-001 security[1].a"}},
	{card.Form03, `"tags":["time"]=>"tags":["time"],"security":[{"a":[]}]`,
		[]string{"CARD-AUTH-001 skills[0].security[0].a"}},
	{card.Form10, `"securityRequirements":[{"schemes":{"a":{}}}],"securitySchemes":{"a":{"mtlsSecurityScheme":{}}}`,
		nil},
	{card.FormUnion,
		`"security":[{"a":[]}],"securityRequirements":[{"schemes":{"a":{}}}],` +
			`"securitySchemes":{"a":{"type":"mutualTLS","mtlsSecurityScheme":{}}}`, nil},
	{card.Form10, `"securitySchemes":{"a":{"type":"mutualTLS"}}`, []string{"CARD-AUTH-002 securitySchemes.a"}},
	{card.Form10, `"securitySchemes":{"a":{"mtlsSecurityScheme":{},"httpAuthSecurityScheme":{"scheme":"Basic"}}}`,
		[]string{"CARD-AUTH-002 securitySchemes.a"}},
	{card.Form03, `"securitySchemes":{"a":{"mtlsSecurityScheme":{}}}`,
		[]string{"CARD-AUTH-002 securitySchemes.a.type"}},
	{card.Form03, `"securitySchemes":{"a":{"type":"passkey"}}`, []string{"CARD-AUTH-002 securitySchemes.a.type"}},
	{card.Form03, `"securitySchemes":{"a":{"type":"mutualTLS"}}`, nil},
	{card.Form02, `"securitySchemes":{"a":{"type":"mutualTLS"}}`, []string{"CARD-AUTH-002 securitySchemes.a.type"}},
	{card.Form03, `"securitySchemes":{"a":{"type":"apiKey","in":"body","name":"x"}}`,
		[]string{"CARD-AUTH-003 securitySchemes.a.in"}},
	{card.Form10, `"securitySchemes":{"a":{"apiKeySecurityScheme":{"location":"body"}}}`,
		[]string{"CARD-AUTH-003 securitySchemes.a.apiKeySecurityScheme.location",
			"CARD-REQ-001 securitySchemes.a.apiKeySecurityScheme.name"}},
	{card.Form03, `"securitySchemes":{"a":{"type":"http"}}`, []string{"CARD-REQ-001 securitySchemes.a.scheme"}},
	{card.Form03, `"securitySchemes":{"a":{"type":"http","scheme":"Bearer","bearerformat":"JWT"}}`,
		[]string{"CARD-FORM-003 securitySchemes.a.bearerformat"}},
	{card.Form03, `"securitySchemes":{"a":{"type":"openIdConnect","openIdConnectUrl":"x"}}`,
		[]string{"CARD-URL-001 securitySchemes.a.openIdConnectUrl"}},
	{card.Form03, `"securitySchemes":{"a":{"type":"oauth2","flows":{}}}`,
		[]string{"CARD-AUTH-004 securitySchemes.a.flows"}},
	{card.Form10,
		`"securitySchemes":{"a":{"oauth2SecurityScheme":{"flows":{"clientCredentials":` +
			`{"tokenUrl":"https://a.example/","scopes":{}},"password":{}}}}}`,
		[]string{"CARD-AUTH-005 securitySchemes.a.oauth2SecurityScheme.flows.password",
			"CARD-AUTH-004 securitySchemes.a.oauth2SecurityScheme.flows"}},
	{card.Form03,
		`"securitySchemes":{"a":{"type":"oauth2","flows":{"clientCredentials":{"tokenUrl":"https://a.example/",` +
			`"scopes":{}},"implicit":{}}}}`,
		[]string{"CARD-REQ-001 securitySchemes.a.flows.implicit.authorizationUrl",
			"CARD-REQ-001 securitySchemes.a.flows.implicit.scopes",
			"CARD-AUTH-005 securitySchemes.a.flows.implicit"}},
	{card.Form02,
		`"securitySchemes":{"a":{"type":"oauth2","oauth2MetadataUrl":"https://a.example/",` +
			`"flows":{"clientCredentials":{"tokenUrl":"http://a.example/","scopes":{}}}}}`,
		[]string{"CARD-URL-002 securitySchemes.a.flows.clientCredentials.tokenUrl",
			"CARD-FORM-002 securitySchemes.a.oauth2MetadataUrl"}},
	{card.Form01, `"schemes":["Bearer"]=>"schemes":"Bearer","credentials":"secret"`,
		[]string{"CARD-AUTH-007 authentication.schemes", "CARD-AUTH-006 authentication.credentials"}},

	{card.Form10, `"signatures":[{"protected":"` + base64url(`{"alg":"ES256","kid":"k"}`) + `","signature":"c2ln"}]`,
		nil},
	{card.Form10, `"signatures":[{"protected":"` + base64url(`{"alg":"ES256"}`) + `","signature":"c2ln"}]`,
		[]string{"CARD-SIG-002 signatures[0].protected"}},
	{card.Form03, `"signatures":[{"protected":"` + base64url(`{"alg":"ES256"}`) + `","signature":"c2ln"}]`, nil},
	{card.Form03, `"signatures":[{"protected":"` + base64url(`{"alg":"none"}`) + `","signature":"c2ln=="}]`,
		[]string{"CARD-SIG-003 signatures[0].signature", "CARD-SIG-001 signatures[0].protected"}},
	{card.Form03, `"signatures":[{"protected":"` + base64url(`{}`) + `"},{"protected":"e30x","signature":"c2ln"}]`,
		[]string{"CARD-REQ-001 signatures[0].signature", "CARD-SIG-001 signatures[0].protected",
			"CARD-SIG-001 signatures[1].protected"}},
	{card.FormUnion, `"signatures":[{"protected":"` + base64url(`{"alg":"ES256","kid":"k"}`) + `","signature":"c2ln"}]`,
		[]string{"CARD-SIG-004 signatures"}},
	// no card of 0.2 has them
	{card.Form02, `"signatures":[]`, []string{"CARD-IFACE-004 preferredTransport", "CARD-VER-002 protocolVersion"}},
}

func TestRules(t *testing.T) {
	t.Parallel()
	broken := make(map[string]bool)
	for _, test := range bad {
		text := test.text
		if old, replacement, ok := strings.Cut(text, "=>"); ok {
			text = strings.Replace(fine[test.form]+"}", old, replacement, 1)
		} else if test.form != "" {
			text = fine[test.form] + "," + text + "}"
		}
		got := found([]byte(text))
		if diff := cmp.Diff(sorted(test.want), sorted(got)); diff != "" {
			t.Errorf("%s %s\n%s\n%v", test.form, test.text, diff, card.Validate([]byte(text)))
		}
		for _, p := range card.Validate([]byte(text)) {
			broken[p.Rule] = true
			if p.Message == "" || p.Severity == "" {
				t.Errorf("%+v", p)
			}
		}
	}
	for _, r := range card.Rules() {
		if !broken[r.ID] {
			t.Errorf("no bad card breaks %s", r.ID)
		}
	}
}

func TestManyProblems(t *testing.T) {
	t.Parallel()
	skills := strings.Repeat(`{},`, 1000)
	if got := card.Validate([]byte(`{"url":"u","skills":[` + skills + `{}]}`)); len(got) != 200 {
		t.Errorf("%d problems", len(got))
	}
}

// The documentation has each rule as it is.
func TestRulesAreDocumented(t *testing.T) {
	t.Parallel()
	doc, err := os.ReadFile("../docs/cards.md")
	if err != nil {
		t.Fatal(err)
	}
	last := ""
	for _, r := range card.Rules() {
		row := fmt.Sprintf("| `%s` | %s | %s | %s |\n", r.ID, r.Severity, r.Wants, r.Source)
		if !strings.Contains(string(doc), row) {
			t.Errorf("docs/cards.md lacks the row\n%s", row)
		}
		if r.ID <= last {
			t.Errorf("%s is not in order", r.ID)
		}
		last = r.ID
	}
	if n := strings.Count(string(doc), "| `CARD-"); n != len(card.Rules()) {
		t.Errorf("docs/cards.md has %d rules", n)
	}
}

func FuzzValidate(f *testing.F) {
	for _, text := range fine {
		f.Add([]byte(text + "}"))
	}
	for _, test := range bad {
		if test.form == "" {
			f.Add([]byte(test.text))
		} else {
			f.Add([]byte(fine[test.form] + "," + test.text + "}"))
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if problems := card.Validate(text); !card.HasErrors(problems) {
			if _, err := card.Decode(text); err != nil {
				t.Errorf("nothing is wrong with a card that cannot be used: %v\n%v", err, problems)
			}
		}
	})
}
