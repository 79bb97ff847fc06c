// SPDX-License-Identifier: Apache-2.0

package cel_test

import (
	"errors"
	"os"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/auth"
	"github.com/dragoman-a2a/dragoman/auth/access"
	_ "github.com/dragoman-a2a/dragoman/auth/access/cel"
)

func decide(t *testing.T, text string, skill string, id a2a.Identity) error {
	t.Helper()
	a, err := access.Parse([]byte(text), t.TempDir(), os.LookupEnv)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return a.Policy.Decide(t.Context(), auth.Access{Agent: "Cashier", Operation: "SendMessage", Skill: skill,
		Call: &a2a.Call{Identity: id, Tenant: "acme"}})
}

// A rule fits if its lists and its condition do. A condition that cannot be evaluated allows nothing, and denies.
func TestConditions(t *testing.T) {
	t.Parallel()
	ann := a2a.Identity{Subject: "ann", Client: "cli", Scopes: []string{"pay"}}
	all := `subject == "ann" && client == "cli" && scopes == ["pay"] && agent == "Cashier" && ` +
		`operation.startsWith("Send") && skill == "refund" && tenant == "acme"`
	for text, allowed := range map[string]bool{
		"rules:\n  - allow: {when: '" + all + "'}":                                                  true,
		"rules:\n  - allow: {subjects: [ann], when: 'skill == \"refund\"'}":                         true,
		"rules:\n  - allow: {subjects: [bob], when: 'skill == \"refund\"'}":                         false,
		"rules:\n  - allow: {when: skill != \"refund\"}":                                            false,
		"rules:\n  - allow:\n      when: |\n        skill\n          == \"refund\"":                 true,
		"rules:\n  - allow: {}\n  - deny: {when: '\"pay\" in scopes'}":                              false,
		"rules:\n  - allow: {}\n  - deny: {when: '\"see\" in scopes'}":                              true,
		"rules:\n  - allow: {when: 'scopes[5] == \"pay\"'}":                                         false,
		"rules:\n  - allow: {}\n  - deny: {when: 'scopes[5] == \"pay\"'}":                           false,
		"rules:\n  - allow: {}\n  - deny: {when: '" + costly + "'}":                                 false,
		"rules:\n  - allow: {when: '" + costly + "'}":                                               false,
		"rules:\n  - allow: {when: 'scopes.all(s, s.matches(\"^p\")) && now.getFullYear() > 2000'}": true,
	} {
		if err := decide(t, text, "refund", ann); (err == nil) != allowed ||
			err != nil && !errors.Is(err, a2a.ErrPermissionDenied) {
			t.Errorf("%s: %v", text, err)
		}
	}
	synctest.Test(t, func(t *testing.T) { // in which it is the year 2000
		const text = "rules:\n  - allow: {when: 'now == timestamp(\"2000-01-01T00:00:00Z\")'}"
		if err := decide(t, text, "", ann); err != nil {
			t.Error(err)
		}
	})
}

// costly is true, and takes 20 to the power of 4 steps to find that out.
var costly = strings.ReplaceAll("L.all(a, L.all(b, L.all(c, L.all(d, a == 0))))", "L",
	"["+strings.TrimSuffix(strings.Repeat("0,", 20), ",")+"]")

// A mistake has the line and column of the file.
func TestMistakes(t *testing.T) {
	t.Parallel()
	const noCEL = "the condition is no CEL: "
	for text, want := range map[string]string{
		"{when: subjekt == 1}":                            "2:19: " + noCEL + "undeclared reference to 'subjekt'",
		"{when: 'a == \"b\"'}":                            "2:20: " + noCEL + "undeclared reference to 'a'",
		"\n      when: |\n        skill ==\n          3":  "4:15: " + noCEL + "found no matching overload",
		"\n      when: |\n        true &&\n          foo": "5:11: " + noCEL + "undeclared reference to 'foo'",
		"{when: 'skill ='}":                               "2:26: " + noCEL + "Syntax error",
		"{when: skill}":                                   "2:19: the condition is a string",
		"{when: ''}":                                      "2:19: " + noCEL,
		"{when: [a]}":                                     "2:19: a condition is a text",
		"{when: '" + strings.Repeat("x", 5000) + "'}":     "2:19: the condition has more than 4096 bytes",
		"{when:}": "2:",
		"{when: '" + strings.Repeat("(", 3000) + "'}": "2:",
	} {
		_, err := access.Parse([]byte("rules:\n  - allow: "+text), t.TempDir(), os.LookupEnv)
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%.80q:\n got %v\nwant %s", text, err, want)
		}
	}
}

func FuzzCompile(f *testing.F) {
	f.Add(`subject == "ann" && "pay" in scopes`)
	f.Add(costly)
	f.Fuzz(func(t *testing.T, text string) {
		a, err := access.Parse([]byte("rules:\n  - deny:\n      when: |\n        "+text), t.TempDir(), os.LookupEnv)
		if err != nil {
			return
		}
		a.Policy.Decide(t.Context(), auth.Access{Operation: "GetTask", Call: &a2a.Call{}})
	})
}
