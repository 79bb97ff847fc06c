// SPDX-License-Identifier: Apache-2.0

package e2e_test

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/server"
)

const cardPath = "/.well-known/agent-card.json"

func TestCard(t *testing.T) {
	t.Parallel()
	c := start(t, inMemory(t), nil).caller(t, bindings[0])
	got := c.raw(t, "GET", cardPath, "", "A2A-Version:")
	if got.status != 200 || got.header.Get("Content-Type") != "application/json" {
		t.Fatalf("%d %v", got.status, got.header)
	}
	card := object(t, got.body)
	for _, name := range []string{
		"name", "description", "supportedInterfaces", "version", "capabilities", "defaultInputModes",
		"defaultOutputModes", "skills",
	} {
		if !has(card, name) {
			t.Errorf("%s is not there", name)
		}
	}
	for i := range at[[]any](t, card, "skills") {
		for _, name := range []string{"id", "name", "description", "tags"} {
			if !has(at[map[string]any](t, card, "skills", i), name) {
				t.Errorf("skill %d has no %s", i, name)
			}
		}
	}
	if strings.Contains(got.body, `"1.0.`) {
		t.Error("the card names a patch number")
	}
	if got.header.Get("X-Content-Type-Options") != "nosniff" {
		t.Error("browsers may guess the type")
	}
}

// Every interface of the card works as it says, in the order in which it stands there.
func TestCardTellsTheTruth(t *testing.T) {
	t.Parallel()
	c := start(t, inMemory(t), nil).caller(t, bindings[0])
	card := object(t, c.raw(t, "GET", cardPath, "").body)
	interfaces := at[[]any](t, card, "supportedInterfaces")
	if len(interfaces) < len(bindings) {
		t.Fatalf("interfaces %v", interfaces)
	}
	names := map[string]string{"JSONRPC": "JSON-RPC", "HTTP+JSON": "HTTP+JSON"}
	for i, b := range bindings {
		here := at[map[string]any](t, interfaces, i)
		if names[at[string](t, here, "protocolBinding")] != b.name || here["protocolVersion"] != "1.0" {
			t.Errorf("interface %d: %v", i, here)
		}
		s := *c.stack
		s.url = at[string](t, here, "url")
		s.caller(t, b).send(t, "echo")
	}
	capabilities := at[map[string]any](t, card, "capabilities")
	if capabilities["streaming"] != true || capabilities["pushNotifications"] != false ||
		has(capabilities, "extendedAgentCard") {
		t.Errorf("capabilities %v", capabilities)
	}
	if uri := at[string](t, capabilities, "extensions", 0, "uri"); uri != replayExtension {
		t.Errorf("extension %s", uri)
	}
}

func TestCardCaching(t *testing.T) {
	t.Parallel()
	c := start(t, inMemory(t), nil).caller(t, bindings[0])
	got := c.raw(t, "GET", cardPath, "")
	tag, modified := got.header.Get("ETag"), got.header.Get("Last-Modified")
	if !regexp.MustCompile(`max-age=[1-9]\d*`).MatchString(got.header.Get("Cache-Control")) || tag == "" ||
		modified == "" {
		t.Fatalf("header %v", got.header)
	}
	for header, want := range map[string]int{
		"If-None-Match: " + tag: 304, `If-None-Match: "other"`: 200, "If-None-Match: W/" + tag + `, "other"`: 304,
		"If-None-Match: *":               304,
		"If-Modified-Since: " + modified: 304, "If-Modified-Since: Mon, 02 Jan 2006 15:04:05 GMT": 200,
	} {
		again := c.raw(t, "GET", cardPath, "", header)
		if again.status != want || want == 304 && again.body != "" || again.header.Get("ETag") != tag {
			t.Errorf("%s: %d %v", header, again.status, again.header)
		}
	}
	if head := c.raw(t, "HEAD", cardPath, ""); head.status != 200 || head.header.Get("ETag") != tag || head.body != "" {
		t.Errorf("HEAD: %d %v", head.status, head.header)
	}
}

// Each operation that needs an undeclared capability is refused.
func TestMissingCapabilities(t *testing.T) {
	each(t, nil, func(t *testing.T, c *caller) {
		id := idOf(t, c.send(t, "ask"))
		for _, op := range operations {
			if strings.Contains(op.name, "PushNotification") {
				c.wantFails(t, op.name, op.params(id), "PUSH_NOTIFICATION_NOT_SUPPORTED", "", "")
			}
		}
		c.wantFails(t, "GetExtendedAgentCard", `{}`, "UNSUPPORTED_OPERATION", "", "")
	})
}

// withExtensions declares two versions of an extension beside another one.
func withExtensions(required bool) func(*server.Options) {
	return func(o *server.Options) {
		o.Card.Capabilities.Extensions = []a2a.AgentExtension{{URI: "https://x.example/trace/v2", Required: required},
			{URI: "https://x.example/mood/v1"}}
	}
}

func TestExtensions(t *testing.T) {
	each(t, withExtensions(false), func(t *testing.T, c *caller) {
		for asked, want := range map[string]string{
			"":                           "",
			"https://x.example/trace/v2": "https://x.example/trace/v2",
			"https://x.example/trace/v1": "", // no fallback to the version that is there
			"https://x.example/mood/v1," +
				"https://unknown.example, https://x.example/trace/v2": "https://x.example/trace/v2, " +
				"https://x.example/mood/v1",
			"HTTPS://X.EXAMPLE/TRACE/V2": "", // values are case-sensitive
		} {
			for _, name := range []string{"A2A-Extensions", "a2a-extensions"} {
				a := c.call(t, "SendMessage", message("echo"), name+":"+asked)
				if got := a.header.Get("A2A-Extensions"); got != want || a.failure != nil {
					t.Errorf("%s: %q: active %q, want %q", name, asked, got, want)
				}
			}
		}
	})
}

func TestRequiredExtension(t *testing.T) {
	each(t, withExtensions(true), func(t *testing.T, c *caller) {
		for _, op := range operations {
			for _, header := range []string{"A2A-Extensions:", "A2A-Extensions: https://x.example/mood/v1",
				"A2A-Extensions: https://x.example/trace/v1"} {
				c.wantFails(t, op.name, op.params("nobody-has-it"), "EXTENSION_SUPPORT_REQUIRED", "",
					"https://x.example/trace/v2", header)
			}
		}
		c.ok(t, "SendMessage", message("echo"), "A2A-Extensions: https://x.example/trace/v2")
	})
}

// Repeated header fields are one list.
func TestRepeatedHeader(t *testing.T) {
	each(t, withExtensions(false), func(t *testing.T, c *caller) {
		method, path, body := c.request("SendMessage", message("echo"))
		req, err := http.NewRequestWithContext(t.Context(), method, c.url+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header = http.Header{
			"A2A-Version": {"1.0"}, "Content-Type": {"application/json"},
			"A2A-Extensions": {"https://x.example/mood/v1", "https://x.example/trace/v2"},
		}
		resp, err := c.client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if got := resp.Header.Get("A2A-Extensions"); got != "https://x.example/trace/v2, https://x.example/mood/v1" {
			t.Errorf("active %q", got)
		}
	})
}

// The page at the base URL shows agent and skills, and two commands; it loads nothing.
func TestPage(t *testing.T) {
	t.Parallel()
	c := start(t, inMemory(t), nil).caller(t, bindings[0])
	got := c.raw(t, "GET", "/", "", "A2A-Version:", "Accept: text/html")
	if got.status != 200 || got.header.Get("Content-Type") != "text/html; charset=utf-8" {
		t.Fatalf("%d %v", got.status, got.header)
	}
	for _, want := range []string{"Script", "Does what it is told.", "Echo", "Looks at pictures.",
		"dragoman send -a " + c.url, "curl -s", "agent-card.json"} {
		if !strings.Contains(got.body, want) {
			t.Errorf("the page does not show %q", want)
		}
	}
	if policy := got.header.Get("Content-Security-Policy"); !strings.Contains(policy, "default-src 'none'") ||
		strings.Contains(policy, "unsafe") || strings.Contains(got.body, "<script>") {
		t.Errorf("policy %q", policy)
	}
}

func TestHealth(t *testing.T) {
	t.Parallel()
	c := start(t, inMemory(t), byHeader).caller(t, bindings[0])
	for path, want := range map[string]string{"/healthz": "ok", "/readyz": "ready"} {
		if got := c.raw(t, "GET", path, "", "A2A-Version:"); got.status != 200 || strings.TrimSpace(got.body) != want {
			t.Errorf("%s: %d %s", path, got.status, got.body)
		}
	}
}

// Both bindings say the same of the same task.
func TestBindingsAgree(t *testing.T) {
	t.Parallel()
	s := start(t, inMemory(t), nil)
	rpc, rest := s.caller(t, bindings[0]), s.caller(t, bindings[1])
	for i, text := range []string{"echo a", "ask", "fail", "reject", "auth"} {
		by := []*caller{rpc, rest}[i%2]
		id := idOf(t, by.send(t, text))
		a, b := rpc.ok(t, "GetTask", byID(id)), rest.ok(t, "GetTask", byID(id))
		if fmt.Sprint(a) != fmt.Sprint(b) {
			t.Errorf("%s:\n%v\n%v", text, a, b)
		}
	}
	a, b := rpc.ok(t, "ListTasks", `{"includeArtifacts":true,"historyLength":3}`),
		rest.ok(t, "ListTasks", `{"includeArtifacts":true,"historyLength":3}`)
	if fmt.Sprint(a) != fmt.Sprint(b) {
		t.Errorf("lists:\n%v\n%v", a, b)
	}
}
