// SPDX-License-Identifier: Apache-2.0

package access_test

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/auth"
	"github.com/dragoman-a2a/dragoman/auth/access"
)

// folder holds the files that the texts of these tests name.
func folder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"bob.secret": "secret-of-bob\n", "empty": "\n", "not.pem": "hello",
		"ca.pem": string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func lookup(name string) (string, bool) {
	v, ok := map[string]string{"ANN": "secret-of-ann", "CRON": "secret-of-cron", "PASSWORD": "secret:of:eve",
		"EMPTY": ""}[name]
	return v, ok
}

const everything = `
callers:
  - token: {secret: env:ANN, subject: ann, scopes: [read, pay]}
  - token:
      secret: file:bob.secret
      subject: bob
  - apiKey: {header: X-Key, secret: env:CRON, client: cron}
  - apiKey: {query: key, secret: env:CRON, client: cron}
  - basic: {user: eve, password: env:PASSWORD}
  - oidc: {issuer: "https://idp.example", audience: [agent], scopes: [a2a], prefix: "idp:"}
  - oidc: {issuer: "https://two.example", audience: [agent], jwks: "https://two.example/keys", algorithms: [ES256]}
  - introspection: {url: "https://idp.example/i", clientId: agent, clientSecret: env:ANN, audience: [agent]}
  - certificate: {ca: ca.pem}
rules:
  - allow: {operations: [GetTask, ListTasks]}
  - allow: {subjects: [ann, "team-*"], operations: [SendMessage, SendStreamingMessage], skills: ["", "r*d"]}
  - allow: {scopes: [read, pay], agents: ["pay*"], operations: ["*"]}
  - allow: {clients: [cron], tenants: [night]}
  - deny: {subjects: [mallory]}
`

func parse(t *testing.T, text string) *access.Access {
	t.Helper()
	a, err := access.Parse([]byte(text), folder(t), lookup)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// What a card says and what the server takes come from one list.
func TestCallers(t *testing.T) {
	t.Parallel()
	a := parse(t, everything)
	want := map[string]a2a.SecurityScheme{
		"bearer":    &a2a.HTTPAuthScheme{Scheme: "Bearer"},
		"apiKey":    &a2a.APIKeyScheme{Location: "header", Name: "X-Key"},
		"apiKey2":   &a2a.APIKeyScheme{Location: "query", Name: "key"},
		"basic":     &a2a.HTTPAuthScheme{Scheme: "Basic"},
		"oidc":      &a2a.OpenIDConnectScheme{URL: "https://idp.example/.well-known/openid-configuration"},
		"jwt":       &a2a.HTTPAuthScheme{Scheme: "Bearer", BearerFormat: "JWT"},
		"oauth2":    &a2a.HTTPAuthScheme{Scheme: "Bearer"},
		"mutualTLS": &a2a.MutualTLSScheme{},
	}
	if diff := cmp.Diff(want, a.Authenticator.(auth.Schemed).SecuritySchemes()); diff != "" {
		t.Error(diff)
	}
	if a.ClientCAs == nil || a.ClientCAs.Equal(x509.NewCertPool()) {
		t.Errorf("the authority of certificates is missing")
	}
	for header, want := range map[string]a2a.Identity{
		"Authorization: Bearer secret-of-ann":                 {Subject: "ann", Scopes: []string{"read", "pay"}},
		"Authorization: Bearer secret-of-bob":                 {Subject: "bob"},
		"X-Key: secret-of-cron":                               {Client: "cron"},
		"Authorization: Basic ZXZlOnNlY3JldDpvZjpldmU=":       {Subject: "eve"},
		"Authorization: Basic ZXZlOnNlY3JldC1vZi1hbm4=":       {},
		"X-Key: secret-of-ann":                                {},
		"Authorization: Bearer " + strings.Repeat("x", 20000): {},
	} {
		r, err := http.NewRequestWithContext(t.Context(), "POST", "http://agent.example/", nil)
		if err != nil {
			t.Fatal(err)
		}
		name, value, _ := strings.Cut(header, ": ")
		r.Header.Set(name, value)
		id, err := a.Authenticator.Authenticate(r)
		if diff := cmp.Diff(want, id); diff != "" || (err == nil) != (want.Subject != "" || want.Client != "") {
			t.Errorf("%.60s: %v %s", header, err, diff)
		}
	}
}

func TestRules(t *testing.T) {
	t.Parallel()
	policy := parse(t, everything).Policy
	for name, c := range map[string]struct {
		id                      a2a.Identity
		operation, agent, skill string
		tenant                  string
		allowed                 bool
	}{
		"everybody reads":              {a2a.Identity{}, "GetTask", "a", "", "", true},
		"but nobody cancels":           {a2a.Identity{Subject: "ann"}, "CancelTask", "a", "", "", false},
		"a subject sends":              {a2a.Identity{Subject: "ann"}, "SendMessage", "a", "", "", true},
		"a pattern of subjects":        {a2a.Identity{Subject: "team-red"}, "SendStreamingMessage", "a", "", "", true},
		"a subject that only looks so": {a2a.Identity{Subject: "my-team-red"}, "SendMessage", "a", "", "", false},
		"a skill":                      {a2a.Identity{Subject: "ann"}, "SendMessage", "a", "refund", "", true},
		"another skill":                {a2a.Identity{Subject: "ann"}, "SendMessage", "a", "refunds", "", false},
		"all scopes": {a2a.Identity{Scopes: []string{"pay", "x", "read"}}, "CancelTask", "payer", "",
			"", true},
		"one scope of two": {a2a.Identity{Scopes: []string{"pay"}}, "CancelTask", "payer", "", "", false},
		"all scopes, another agent": {a2a.Identity{Scopes: []string{"pay", "read"}}, "CancelTask", "a", "", "",
			false},
		"a client, by tenant":      {a2a.Identity{Client: "cron"}, "CancelTask", "a", "", "night", true},
		"a client, another tenant": {a2a.Identity{Client: "cron"}, "CancelTask", "a", "", "day", false},
		"a denial wins":            {a2a.Identity{Subject: "mallory"}, "GetTask", "a", "", "", false},
	} {
		err := policy.Decide(t.Context(), auth.Access{Agent: c.agent, Operation: c.operation, Skill: c.skill,
			Call: &a2a.Call{Identity: c.id, Tenant: c.tenant}})
		if (err == nil) != c.allowed || err != nil && !errors.Is(err, a2a.ErrPermissionDenied) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A message that names no skill may be for any: a rule that denies one fits it, and a rule that allows one does not.
func TestRulesAboutSkillsAreNotAvoided(t *testing.T) {
	t.Parallel()
	policy := parse(t, "rules:\n  - allow: {subjects: [bob]}\n  - deny: {skills: [refund]}\n"+
		"  - allow: {subjects: [ann], skills: [rates]}").Policy
	for _, c := range []struct {
		subject, operation, skill string
		allowed                   bool
	}{
		{"bob", "SendMessage", "refund", false},
		{"bob", "SendMessage", "", false},
		{"bob", "SendStreamingMessage", "", false},
		{"bob", "SendMessage", "rates", true},
		{"bob", "GetTask", "", true},
		{"ann", "SendMessage", "rates", true},
		{"ann", "SendMessage", "", false},
	} {
		err := policy.Decide(t.Context(), auth.Access{Operation: c.operation, Skill: c.skill,
			Call: &a2a.Call{Identity: a2a.Identity{Subject: c.subject}}})
		if (err == nil) != c.allowed || err != nil && !errors.Is(err, a2a.ErrPermissionDenied) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// Both the rules and the decision point must allow.
func TestDecisionPoint(t *testing.T) {
	t.Parallel()
	pdp := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		allowed := err == nil && r.Header.Get("Authorization") == "Bearer secret-of-ann" &&
			bytes.Contains(body, []byte(`"ann"`))
		fmt.Fprintf(w, `{"decision":%t}`, allowed)
	}))
	defer pdp.Close()
	rules := "rules:\n  - allow: {operations: [GetTask]}\n"
	withToken := "policy: {url: '" + pdp.URL + "', token: env:ANN}"
	for text, allowed := range map[string][]bool{ // ann gets, ann lists, bob gets
		withToken:            {true, true, false},
		"policy: " + pdp.URL: {false, false, false},
		rules + withToken:    {true, false, false},
		rules:                {true, false, true},
	} {
		policy := parse(t, text).Policy
		for i, access := range []auth.Access{
			{Operation: "GetTask", Call: &a2a.Call{Identity: a2a.Identity{Subject: "ann"}}},
			{Operation: "ListTasks", Call: &a2a.Call{Identity: a2a.Identity{Subject: "ann"}}},
			{Operation: "GetTask", Call: &a2a.Call{Identity: a2a.Identity{Subject: "bob"}}},
		} {
			if err := policy.Decide(t.Context(), access); (err == nil) != allowed[i] {
				t.Errorf("%s: %d: %v", text, i, err)
			}
		}
	}
}

// Limits hold for each caller; a limit without names is for all operations that no other one names.
func TestLimits(t *testing.T) {
	t.Parallel()
	policy := parse(t, "limits:\n  - {perSecond: 0.001, burst: 2}\n"+
		"  - {operations: [SendMessage, SendStreamingMessage], perSecond: 0.001}\n"+
		"rules:\n  - deny: {subjects: [mallory]}\n  - allow: {}").Policy
	for i, c := range []struct {
		subject, operation string
		want               a2a.Kind // ErrInternal for none
	}{
		{"ann", "SendMessage", a2a.ErrInternal},
		{"ann", "SendStreamingMessage", a2a.ErrRateLimited},
		{"ann", "GetTask", a2a.ErrInternal},
		{"ann", "ListTasks", a2a.ErrInternal},
		{"ann", "GetTask", a2a.ErrRateLimited},
		{"bob", "GetTask", a2a.ErrInternal},
		{"mallory", "GetTask", a2a.ErrPermissionDenied},
	} {
		err := policy.Decide(t.Context(), auth.Access{Operation: c.operation,
			Call: &a2a.Call{Identity: a2a.Identity{Subject: c.subject}}})
		if e := a2a.AsError(err); (err == nil) != (c.want == a2a.ErrInternal) || err != nil && e.Kind != c.want {
			t.Errorf("call %d, %+v: %v", i, c, err)
		}
	}
}

// An error names line and column, and never shows a secret.
func TestMistakes(t *testing.T) {
	t.Parallel()
	for _, c := range [][2]string{
		{"",
			"1:1: the file has no callers, limits or rules"},
		{"callers:\n  - token: {secret: env:ANN, subjekt: ann}",
			`2:30: unknown field "subjekt"`},
		{"caller:\n",
			`1:1: unknown field "caller"`},
		{"callers:\n  - token: {secret: env:NONE, subject: a}",
			`2:21: the environment variable "NONE" is not set or empty`},
		{"callers:\n  - token: {secret: env:EMPTY, subject: a}",
			`2:21: the environment variable "EMPTY" is not set or empty`},
		{"callers:\n  - token: {secret: file:gone, subject: a}",
			"gone: no such file or directory"},
		{"callers:\n  - token: {secret: file:empty, subject: a}",
			`2:21: the file "empty" is empty`},
		{"callers:\n  - token: {secret: hunter2, subject: a}",
			"2:21: a secret does not stand in this file"},
		{"callers:\n  - token: {secret: [hunter2], subject: a}",
			"2:21: a text is expected here"},
		{"callers:\n  - token: {secret: env:ANN}",
			"say whose it is with subject"},
		{"callers:\n  - token: {subject: ann}",
			"the secret is missing"},
		{"callers:\n  - {}",
			"2:5: an entry has one of token"},
		{"callers:\n  - token: {secret: env:ANN, subject: a}\n    basic: {user: a}",
			"this has 2"},
		{"callers:\n  - token: {secret: env:ANN, subject: a}\n  - token: {secret: env:ANN, subject: b}",
			"3:10: this secret is that of an earlier entry"},
		{"callers:\n  - apiKey: {secret: env:ANN, subject: a}",
			"one of header, query and cookie"},
		{"callers:\n  - apiKey: {secret: env:ANN, subject: a, header: X, query: y}",
			"one of header, query and cookie"},
		{"callers:\n  - basic: {user: 'a:b', password: env:ANN}",
			"whose name has no colon"},
		{"callers:\n  - oidc: {issuer: idp.example, audience: [a]}",
			`oidc: Options.Issuer is "idp.example"`},
		{"callers:\n  - oidc: {issuer: 'https://idp.example'}",
			"oidc: Options.Audience is empty"},
		{"callers:\n  - introspection: {url: 'https://x'}",
			"oauth: Options.ClientID is empty"},
		{"callers:\n  - certificate: {ca: not.pem}",
			"no certificate in PEM"},
		{"callers:\n  - certificate: {ca: gone.pem}",
			"2:23: "},
		{"rules:\n  - allow: {operations: [GetTask, SendMesage]}",
			`2:35: there is no operation "SendMesage"; use some of SendMessage`},
		{"rules:\n  - allow: {}\n    deny: {}",
			"a rule has either allow or deny"},
		{"rules:\n  - allow: {when: 'true'}",
			"2:19: the program has no language for conditions; add import"},
		{"policy: ftp://pdp.example",
			`1:9: authzen: Options.URL is "ftp://pdp.example"`},
		{"policy: {url: 'https://pdp.example', tokn: env:ANN}",
			`1:38: unknown field "tokn"`},
		{"policy: {url: 'https://pdp.example', token: hunter2}",
			"a secret does not stand in this file"},
		{"policy: [https://pdp.example]",
			"1:9: a text is expected here"},
		{"policy:\n",
			"1:1: the file has no callers, limits or rules"},
		{"rules:\n  - permit: {}",
			`2:5: unknown field "permit"`},
		{"rules:\n  - allow: {subject: ann}",
			`2:13: unknown field "subject"`},
		{"rules:\n  - allow: {subjects: ann}",
			"2:23: "},
		{"limits:\n  - {operations: [GetTask, SendMesage], perSecond: 1}",
			`2:28: there is no operation "SendMesage"; use some of SendMessage`},
		{"limits:\n  - {perSecond: 1}\n  - {operations: ['*'], perSecond: 1}",
			"3:5: leave operations out to mean all"},
		{"limits:\n  - {operations: [], perSecond: 1}",
			"2:18: the list is empty"},
		{"limits:\n  - {perSecond: 1}\n  - {perSecond: 1}",
			"3:5: an earlier limit is for all operations"},
		{"limits:\n  - {burst: 1}",
			"2:5: 0 requests a second"},
		{"limits:\n  - {perSecond: fast}",
			"2:17: "},
		{"limits:\n  - {perMinute: 1}",
			`2:6: unknown field "perMinute"`},
		{"rules: [\n",
			"1:8: "},
		{"rules:\n\t- allow: {}",
			"2:1: "},
		{"rules:\n  - allow: {subjects: []}", "2:23: the list is empty"},
		{"rules:\n  - allow:\n      subjects:\n", "the list is empty"},
		{"rules:\n  - allow: {}\n---\nrules:\n  - deny: {}", "the file has several documents"},
		{"callers:\n  - basic: {user: a, password: env:ANN}\n  - basic: {user: a, password: env:CRON}",
			"this user is that of an earlier entry"},
		{"callers:\n  - apiKey: {header: x-key, secret: env:ANN, client: a}\n" +
			"  - apiKey: {header: X-Key, secret: env:ANN, client: b}", "this secret is that of an earlier entry"},
	} {
		text, want := c[0], c[1]
		_, err := access.Parse([]byte(text), folder(t), lookup)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q:\n got %v\nwant %s", text, err, want)
		}
		if err != nil && (strings.Contains(err.Error(), "hunter2") || strings.Contains(err.Error(), "secret-of")) {
			t.Errorf("%q: a secret is in %v", text, err)
		}
	}
	if _, err := access.Open(filepath.Join(folder(t), "gone.yaml")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(everything))
	f.Fuzz(func(t *testing.T, text []byte) {
		a, err := access.Parse(text, t.TempDir(), lookup)
		if err != nil {
			return
		}
		if a.Policy != nil {
			a.Policy.Decide(context.Background(), auth.Access{Operation: "GetTask", Call: &a2a.Call{}})
		}
	})
}
