// SPDX-License-Identifier: Apache-2.0

package cards_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/wire/cards"
)

const (
	base02 = `"name":"n","description":"d","version":"1","capabilities":{},"defaultInputModes":["text/plain"],` +
		`"defaultOutputModes":["text/plain"],"skills":[]`
	card02 = `{"url":"https://a.example/",` + base02
	new10  = `"supportedInterfaces":[{"url":"https://a.example/","protocolBinding":"JSONRPC","protocolVersion":"1.0"}]`
)

// The form and the interfaces of cards as they are met.
func TestFormsAndInterfaces(t *testing.T) {
	t.Parallel()
	const u = "https://a.example/"
	jsonrpc := func(version string) []a2a.AgentInterface { return []a2a.AgentInterface{at(u, "JSONRPC", version)} }
	for _, test := range []struct {
		text string
		form cards.Form
		want []a2a.AgentInterface
	}{
		{`{` + new10 + `}`, cards.Form10, jsonrpc("1.0")},
		{`{"supported_interfaces":[{"url":"https://a.example/","protocol_binding":"JSONRPC",` +
			`"protocol_version":"0.3"}]}`,
			cards.Form10, jsonrpc("0.3")},
		{`{"name":"n"}`, cards.Form10, nil},
		{`{"url":null,` + new10 + `}`, cards.Form10, jsonrpc("1.0")},
		{`{"url":7,` + new10 + `}`, cards.Form10, jsonrpc("1.0")},

		// The value or the presence of one member decides the form.
		{card02 + `,"protocolVersion":"0.3.0"}`, cards.Form03, jsonrpc("0.3")},
		{card02 + `,"protocolVersion":"0.3"}`, cards.Form03, jsonrpc("0.3")},
		{card02 + `,"protocolVersion":"0.2.9"}`, cards.Form03, jsonrpc("0.2")},
		{card02 + `,"protocolVersion":"0.2.6"}`, cards.Form02, jsonrpc("0.2")},
		{card02 + `,"protocolVersion":"0.2"}`, cards.Form02, jsonrpc("0.2")},
		{card02 + `,"protocolVersion":"v0.2.5"}`, cards.Form02, jsonrpc("0.2")},
		{card02 + `,"protocolVersion":"0.1.0"}`, cards.Form01, jsonrpc("0.1")},
		{card02 + `,"protocolVersion":"1.0"}`, cards.Form03, jsonrpc("0.3")},
		{card02 + `,"protocolVersion":"banana"}`, cards.Form03, jsonrpc("0.3")},
		{card02 + `,"signatures":[]}`, cards.Form03, jsonrpc("0.3")},
		{card02 + `,"signatures":[],"protocolVersion":"0.2.9"}`, cards.Form03, jsonrpc("0.2")},
		{card02 + `,"securitySchemes":{}}`, cards.Form02, jsonrpc("0.2")},
		{card02 + `,"security":[]}`, cards.Form02, jsonrpc("0.2")},
		{card02 + `,"iconUrl":""}`, cards.Form02, jsonrpc("0.2")},
		{card02 + `,"supportsAuthenticatedExtendedCard":false}`, cards.Form02, jsonrpc("0.2")},
		{strings.Replace(card02, `{}`, `{"extensions":[]}`, 1) + `}`, cards.Form02, jsonrpc("0.2")},
		{card02 + `,"authentication":{"schemes":[]},"securitySchemes":{}}`, cards.Form02, jsonrpc("0.2")},
		{card02 + `,"authentication":{"schemes":["Bearer"]}}`, cards.Form01, jsonrpc("0.1")},
		{card02 + `,"authentication":null}`, cards.Form02, append(jsonrpc("0.2"), jsonrpc("0.1")...)},

		// Nothing but what is there tells 0.1 from 0.2.
		{card02 + `}`, cards.Form02, append(jsonrpc("0.2"), jsonrpc("0.1")...)},
		{strings.Replace(card02, `"description":"d",`, ``, 1) + `}`, cards.Form01, jsonrpc("0.1")},
		{strings.Replace(card02, `"defaultInputModes":["text/plain"],`, ``, 1) + `}`, cards.Form01, jsonrpc("0.1")},
		{strings.Replace(card02, `"skills":[]`, `"skills":[{"id":"s","name":"s"}]`, 1) + `}`, cards.Form01,
			jsonrpc("0.1")},

		// Transports: the preferred one first, each place once.
		{card02 + `,"protocolVersion":"0.3.0","preferredTransport":"HTTP+JSON","additionalInterfaces":[
			{"url":"https://a.example/","transport":"HTTP+JSON"},{"url":"https://a.example/","transport":"jsonrpc"},
			{"url":"a.example:443","transport":"GRPC"},{"url":"","transport":"GRPC"},{"url":"x"}]}`, cards.Form03,
			[]a2a.AgentInterface{at(u, "HTTP+JSON", "0.3"), at(u, "JSONRPC", "0.3"),
				at("a.example:443", "GRPC", "0.3")}},

		// Unions.
		{card02 + `,"protocolVersion":"0.3.0",` + new10 + `}`, cards.FormUnion,
			append(jsonrpc("1.0"), jsonrpc("0.3")...)},
		{card02 + `,` + new10 + `}`, cards.FormUnion, append(jsonrpc("1.0"), jsonrpc("0.2")...)},
		{`{"url":"https://a.example/","additionalInterfaces":7,` + new10 + `}`, cards.FormUnion, jsonrpc("1.0")},
		{`{"url":"https://a.example/","protocolVersion":"0.3.0","supportedInterfaces":[{"url":"https://a.example/",` +
			`"protocolBinding":"JSONRPC","protocolVersion":"0.3"}]}`,
			cards.FormUnion, jsonrpc("0.3")},
	} {
		form, err := cards.FormOf([]byte(test.text))
		if form != test.form || err != nil {
			t.Errorf("%s\nis taken for %v, %v; want %v", test.text, form, err, test.form)
		}
		got := read(t, []byte(test.text)).SupportedInterfaces
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s\n%s", test.text, diff)
		}
	}
}

// Decode reads members of security and modes that are spelt differently from the model.
func TestOldSpellings(t *testing.T) {
	t.Parallel()
	type schemes = map[string]a2a.SecurityScheme
	type needs = []a2a.SecurityRequirement
	code := &a2a.AuthorizationCodeFlow{AuthorizationURL: "a", TokenURL: "t", Scopes: map[string]string{}}
	for _, test := range []struct {
		text    string
		schemes schemes
		needs   needs
		ignored []string
	}{
		{`"authentication":{"schemes":"OAuth2"}`, schemes{"OAuth2": &a2a.HTTPAuthScheme{Scheme: "Bearer"}},
			needs{{"OAuth2": {}}}, nil},
		{`"authentication":{"schemes":["Basic","","Basic","mutualTLS"],"credentials":"secret"}`,
			schemes{"Basic": &a2a.HTTPAuthScheme{Scheme: "Basic"}, "mutualTLS": &a2a.MutualTLSScheme{}},
			needs{{"Basic": {}}, {"mutualTLS": {}}},
			[]string{"authentication.credentials"}},
		{`"authentication":{"schemes":["Bearer"]},"protocolVersion":"0.1.0","security":[{"x":[]}]`,
			schemes{"Bearer": &a2a.HTTPAuthScheme{Scheme: "Bearer"}}, needs{{"Bearer": {}}}, []string{"security"}},
		{`"authentication":{"schemes":["Bearer"]},"protocolVersion":"0.3.0"`, nil, nil, []string{"authentication"}},
		{`"securitySchemes":{"o":{"type":"oauth2","flows":{"password":{"tokenUrl":"p","scopes":{}},` +
			`"authorizationCode":{"authorizationUrl":"a","tokenUrl":"t","scopes":{}},` +
			`"clientCredentials":{"tokenUrl":"c","scopes":{}}}}}`,
			schemes{"o": &a2a.OAuth2Scheme{Flow: code}}, nil,
			[]string{"securitySchemes.o.flows.password", "securitySchemes.o.flows.clientCredentials"}},
		{`"securitySchemes":{"o":{"type":"oauth2","flows":{"implicit":{"authorizationUrl":"a","scopes":{}},` +
			`"deviceCode":{"deviceAuthorizationUrl":"d","tokenUrl":"t","scopes":{}}}}}`,
			schemes{"o": &a2a.OAuth2Scheme{Flow: &a2a.DeviceCodeFlow{DeviceAuthorizationURL: "d", TokenURL: "t",
				Scopes: map[string]string{}}}}, nil,
			[]string{"securitySchemes.o.type", "securitySchemes.o.flows"}},
		{`"securitySchemes":{"o":{"type":"oauth2","flows":{},"oauth2MetadataUrl":"m"},"x":{"type":"passkey"},` +
			`"n":null},"security":[{"x":["a"]}]`,
			schemes{"o": &a2a.HTTPAuthScheme{Scheme: "Bearer"}}, needs{{"x": {"a"}}},
			[]string{"securitySchemes.o.type", "securitySchemes.o.oauth2MetadataUrl", "securitySchemes.x"}},
		{`"protocolVersion":"0.3.0","securitySchemes":{"k":{"apiKeySecurityScheme":{"location":"header",` +
			`"name":"X"}}},"security":[{"schemes":{"k":{"list":["a"]},"j":{}}}]`,
			schemes{"k": &a2a.APIKeyScheme{Location: "header", Name: "X"}}, needs{{"k": {"a"}, "j": {}}}, nil},
		{`"protocolVersion":"0.3.0","x-team":"blue"`, nil, nil, []string{"x-team"}},
	} {
		text := card02 + "," + test.text + "}"
		card := read(t, []byte(text))
		if diff := cmp.Diff(test.schemes, card.SecuritySchemes, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s\n%s", test.text, diff)
		}
		if diff := cmp.Diff(test.needs, card.SecurityRequirements, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s\n%s", test.text, diff)
		}
		lines, err := cards.Ignored([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		var paths []string
		for _, line := range lines {
			path, why, _ := strings.Cut(line, ": ")
			if paths = append(paths, path); why == "" {
				t.Errorf("%s does not say why", line)
			}
		}
		if diff := cmp.Diff(test.ignored, paths); diff != "" {
			t.Errorf("%s\n%s", test.text, diff)
		}
	}
}

func TestModes(t *testing.T) {
	t.Parallel()
	card := read(t,
		[]byte(
			`{"url":"u","defaultInputModes":["text","image/png","text/plain","text"],"skills":[{"id":"s",`+
				`"inputModes":["text"]},{"id":"t"}]}`))
	if diff := cmp.Diff([]string{"text/plain", "image/png"}, card.DefaultInputModes); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"text/plain"}, card.DefaultOutputModes); diff != "" {
		t.Errorf("absent: %s", diff)
	}
	if diff := cmp.Diff([]string{"text/plain"}, card.Skills[0].InputModes); diff != "" ||
		card.Skills[1].InputModes != nil {
		t.Errorf("of skills: %s", diff)
	}
}

// Signatures stay with the form that they were made for, and go nowhere else.
func TestSignatures(t *testing.T) {
	t.Parallel()
	const signed = `,"signatures":[{"protected":"e30","signature":"c2ln"}]}`
	for name, test := range map[string]struct {
		text string
		keep cards.Form // 0: not even read
	}{
		"0.3":                        {card02 + `,"protocolVersion":"0.3.0"` + signed, cards.Form03},
		"1.0":                        {`{` + new10 + signed, cards.Form10},
		"0.1":                        {card02 + `,"protocolVersion":"0.1.0"` + signed, cards.Form03},
		"1.0 that is of 0.3":         {`{` + strings.ReplaceAll(new10, "1.0", "0.3") + signed, 0},
		"union":                      {card02 + `,"protocolVersion":"0.3.0",` + new10 + signed, 0},
		"union that adds no address": {`{"url":"",` + new10 + signed, cards.Form10},
	} {
		card := read(t, []byte(test.text))
		if kept := len(card.Signatures) == 1; kept != (test.keep != 0) {
			t.Errorf("%s: kept is %v", name, kept)
		}
		for _, form := range forms {
			text := written(t, card, form)
			if has := bytes.Contains(text, []byte("c2ln")); has != (form == test.keep) {
				t.Errorf("%s: in form %v is a signature: %v", name, form, has)
			}
			lost := strings.Join(cards.Lost(card, form), "\n")
			if said := strings.Contains(lost, "signatures: "); said != (test.keep != 0 && form != test.keep) {
				t.Errorf("%s: of form %v is said:\n%s", name, form, lost)
			}
		}
	}
}

// Lost reports which members of a card a form does not carry. Each card here has one oddity.
func TestLost(t *testing.T) {
	t.Parallel()
	one := func(change func(*a2a.AgentCard)) *a2a.AgentCard {
		c := &a2a.AgentCard{Name: "n", SupportedInterfaces: []a2a.AgentInterface{at("u", "JSONRPC", "0.3")}}
		change(c)
		return c
	}
	places := func(list ...a2a.AgentInterface) *a2a.AgentCard {
		return one(func(c *a2a.AgentCard) { c.SupportedInterfaces = list })
	}
	tenant := at("u", "JSONRPC", "0.3")
	tenant.Tenant = "acme"
	for _, test := range []struct {
		card *a2a.AgentCard
		form cards.Form
		want []string
	}{
		{places(at("u", "JSONRPC", "0.3"), at("u", "JSONRPC", "0.2")), cards.Form03, nil},
		{places(at("u", "JSONRPC", "0.2")), cards.Form03, nil},
		{places(at("u", "JSONRPC", "1.0")), cards.Form03, []string{"supportedInterfaces[0]: readers of 0.3 take it"}},
		{places(at("u", "JSONRPC", "1.0"), at("u", "GRPC", "0.3")), cards.Form02,
			[]string{"supportedInterfaces[0]: a card of 0.2 does not list"}},
		{places(tenant), cards.Form03, []string{"supportedInterfaces[0].tenant: "}},
		{places(at("u", "GRPC", "0.3")), cards.Form01, []string{"supportedInterfaces[0]: readers of 0.1 take it"}},
		{places(at("u", "JSONRPC", "0.1")), cards.Form01, nil},
		{places(at("u", "JSONRPC", "0.1"), at("v", "JSONRPC", "0.3")), cards.FormUnion,
			[]string{"supportedInterfaces[0]: readers of 0.1 find v"}},
		{places(at("u", "JSONRPC", "0.1"), at("u", "JSONRPC", "0.3")), cards.FormUnion, nil},
		{places(tenant), cards.FormUnion, nil},
		{places(at("u", "JSONRPC", "1.0")), cards.FormUnion,
			[]string{"supportedInterfaces: none is of a version before 1.0"}},
		{places(tenant), cards.Form10, nil},
		{places(), cards.Form01, nil},
		{one(func(c *a2a.AgentCard) { c.SecurityRequirements = []a2a.SecurityRequirement{{}} }), cards.Form01,
			[]string{"supportedInterfaces[0]: readers", "securityRequirements[0]: 0.1 cannot say"}},
	} {
		got := cards.Lost(test.card, test.form)
		if len(got) != len(test.want) {
			t.Errorf("%v in %v: %q, want %q", test.card.SupportedInterfaces, test.form, got, test.want)
			continue
		}
		for i := range got {
			if !strings.HasPrefix(got[i], test.want[i]) {
				t.Errorf("%v in %v: %q, want %q", test.card.SupportedInterfaces, test.form, got[i], test.want[i])
			}
		}
	}
}

func TestBadCards(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		``:                                  "empty",
		`{`:                                 "unexpected",
		`[]`:                                "must be an object",
		`null`:                              "must be an object",
		`{"url":"u"} {}`:                    "more follows",
		`{"url":"u","url":"v"}`:             "url appears twice",
		"{\"url\":\"\xff\"}":                "UTF-8",
		`{"url":"u","name":7}`:              "name must be a string",
		`{"url":"u","skills":{}}`:           "skills must be an array",
		`{"url":"u","skills":[7]}`:          "skills[0] must be an object",
		`{"url":"u","skills":[{"tags":7}]}`: "skills[0].tags must be an array",
		`{"url":"u","capabilities":{"streaming":"yes"}}`: "capabilities.streaming must " +
			"be true or false",
		`{"url":"u","additionalInterfaces":[{"url":1}]}`: "additionalInterfaces[0].url " +
			"must be a string",
		`{"url":"u","authentication":{"schemes":{}}}`: "authentication.schemes must " +
			"be an array",
		`{"url":"u","securitySchemes":[]}`: "securitySchemes must be an " +
			"object",
		`{"url":"u","securitySchemes":{"a":{"type":7}}}`: "securitySchemes.a.type must " +
			"be a string",
		`{"url":"u","securitySchemes":{"a":{"flows":{"password":{"scopes":[]}}}}}`:    "scopes must be an object",
		`{"url":"u","security":[{"a":"b"}]}`:                                          "security[0].a must be an array",
		`{"url":"u","protocolVersion":3}`:                                             "",
		`{"supportedInterfaces":[{"url":7}]}`:                                         "supportedInterfaces[0].url",
		`{"url":"u","x":` + strings.Repeat("[", 200) + strings.Repeat("]", 200) + `}`: "nests deeper",
	} {
		_, err := cards.Decode([]byte(text))
		if want == "" {
			if err != nil {
				t.Errorf("%s: %v", text, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", text, err, want)
		}
		if kind := a2a.AsError(err).Kind; kind != a2a.ErrParse && kind != a2a.ErrInvalidParams {
			t.Errorf("%s: error of kind %v", text, kind)
		}
		if _, err := cards.Ignored([]byte(text)); err == nil {
			t.Errorf("%s: Ignored has no error", text)
		}
	}
}

// A long card is no more work than its length: each element with each other would take minutes.
func TestHostileCards(t *testing.T) {
	t.Parallel()
	many := func(element string) string {
		n := (1 << 17) / (len(element) + 6)
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "%s,", strings.ReplaceAll(element, "#", strconv.Itoa(i)))
		}
		return strings.TrimSuffix(b.String(), ",")
	}
	for name, text := range map[string]string{
		"additional interfaces": `"preferredTransport":"x","additionalInterfaces":[` +
			many(`{"url":"#","transport":"a"}`) + `]`,
		"union":            new10 + `,"additionalInterfaces":[` + many(`{"url":"#","transport":"a"}`) + `]`,
		"interfaces":       `"supportedInterfaces":[` + many(`{"url":"#","protocolBinding":"JSONRPC"}`) + `]`,
		"schemes of 0.1":   `"authentication":{"schemes":[` + many(`"#"`) + `]}`,
		"skills":           `"protocolVersion":"0.3.0","skills":[` + many(`{"id":"#"}`) + `]`,
		"unknown elements": `"protocolVersion":"0.3.0","additionalInterfaces":[` + many(`{"x":"#"}`) + `]`,
	} {
		text := []byte(`{"url":"u",` + text + `}`)
		start := time.Now()
		card := read(t, text)
		for _, form := range forms {
			written(t, card, form)
			cards.Lost(card, form)
		}
		if _, err := cards.Ignored(text); err != nil {
			t.Error(err)
		}
		if took := time.Since(start); took > 20*time.Second {
			t.Errorf("%s: %v", name, took)
		}
	}
}

// A card that cannot be written leaves what was there before.
func TestAppendErrors(t *testing.T) {
	t.Parallel()
	card := full()
	card.SecuritySchemes["none"] = nil
	flowless := full()
	flowless.SecuritySchemes["none"] = &a2a.OAuth2Scheme{}
	latin := full()
	latin.SecurityRequirements[0]["bearer"] = []string{"\xff"}
	scope := full()
	scope.SecuritySchemes["code"].(*a2a.OAuth2Scheme).Flow.(*a2a.AuthorizationCodeFlow).Scopes["x"] = "\xff"
	for name, bad := range map[string]*a2a.AgentCard{"scheme": card, "flow": flowless, "requirement": latin,
		"scope": scope} {
		for _, form := range []cards.Form{cards.Form02, cards.Form03, cards.Form10, cards.FormUnion} {
			got, err := cards.Append([]byte("before"), bad, form)
			if err == nil || string(got) != "before" {
				t.Errorf("%s in form %v: %q, %v", name, form, got, err)
			}
		}
	}
	if got, err := cards.Append([]byte("before"), full(), 0); err == nil || string(got) != "before" {
		t.Errorf("no form: %q, %v", got, err)
	}
}

func TestFormNames(t *testing.T) {
	t.Parallel()
	for _, form := range forms {
		if got := cards.FormNamed(form.String()); got != form {
			t.Errorf("%v is named like %v", form, got)
		}
	}
	for _, name := range []string{"", "0", "1", "Union", cards.Form(0).String(), cards.Form(9).String()} {
		if got := cards.FormNamed(name); got != 0 {
			t.Errorf("%q is the name of %v", name, got)
		}
	}
}

// Every card that Decode reads can be written in every form, and read back. After the first writing the card does not
// change again.
func FuzzDecode(f *testing.F) {
	for _, file := range []string{"0.1.json", "0.2.json", "0.3.json", "1.0.json", "union.json"} {
		text, err := os.ReadFile(filepath.Join("testdata", file))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	archive, err := txtar.ParseFile("testdata/seeds.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range archive.Files {
		f.Add(file.Data)
	}
	f.Add([]byte(card02 +
		`,"securitySchemes":{"a":{"type":"oauth2","flows":{"password":{},"implicit":{}}}},` +
		`"security":[{"schemes":{"a":{"list":[""]}}}]}`))
	f.Add([]byte(`{"securitySchemes":{"0":{"oauth2SecurityScheme":{}}}}`))
	f.Add([]byte(`{"supportedInterfaces":[],"securitySchemes":{"0":{"oauth2SecurityScheme":{}}}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		form, err := cards.FormOf(text)
		card, errOfDecode := cards.Decode(text)
		if errOfDecode != nil {
			return
		}
		if err != nil {
			t.Fatalf("it can be read, but has no form: %v", err)
		}
		for _, form := range forms {
			second := written(t, read(t, written(t, card, form)), form)
			if third := written(t, read(t, second), form); !bytes.Equal(second, third) {
				t.Errorf("%v: written as\n%s\nand then as\n%s", form, second, third)
			}
			cards.Lost(card, form)
		}
		if _, err := cards.Ignored(text); err != nil {
			t.Errorf("%v: %v", form, err)
		}
	})
}
