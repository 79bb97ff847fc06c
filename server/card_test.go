// SPDX-License-Identifier: Apache-2.0

package server_test

import (
	"context"
	"encoding/json"
	"errors"
	"html"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/server"
	"github.com/google/go-cmp/cmp"
)

const cardPath = "/.well-known/agent-card.json"

// cardOf is what of a card the tests look at.
type cardOf struct {
	Name                string
	SupportedInterfaces []map[string]string
	Capabilities        struct {
		Streaming, PushNotifications, ExtendedAgentCard *bool
		Extensions                                      []struct{ URI string }
	}
	Signatures []any
}

func readCard(t *testing.T, got reply) cardOf {
	t.Helper()
	var card cardOf
	if err := json.Unmarshal([]byte(got.body), &card); err != nil || got.status != 200 {
		t.Fatalf("%d %s", got.status, got.body)
	}
	return card
}

func TestCardCaching(t *testing.T) {
	t.Parallel()
	ts := serve(t, &fake{}, nil)
	first := do(t, ts, "GET", cardPath, "")
	etag, modified := first.header.Get("ETag"), first.header.Get("Last-Modified")
	if first.status != 200 || !strings.HasPrefix(etag, `"`) || modified == "" ||
		first.header.Get("Cache-Control") != "public, max-age=300" ||
		first.header.Get("Content-Type") != "application/json" ||
		first.header.Get("Vary") != "A2A-Version, Accept" {
		t.Fatalf("%d %v", first.status, first.header)
	}
	for _, test := range []struct {
		header []string
		status int
	}{
		{[]string{"If-None-Match: " + etag}, 304},
		{[]string{`If-None-Match: "other", ` + etag}, 304},
		{[]string{"If-None-Match: W/" + etag}, 304},
		{[]string{`If-None-Match: "other"`}, 200},
		{[]string{"If-Modified-Since: " + modified}, 304},
		{[]string{"If-Modified-Since: Mon, 02 Jan 2006 15:04:05 GMT"}, 200},
		{[]string{`If-None-Match: "other"`, "If-Modified-Since: " + modified}, 200},
	} {
		got := do(t, ts, "GET", cardPath, "", test.header...)
		if got.status != test.status || got.header.Get("ETag") != etag || test.status == 304 && got.body != "" {
			t.Errorf("%v: %d %v", test.header, got.status, got.header)
		}
	}
	head := do(t, ts, "HEAD", cardPath, "")
	if head.status != 200 || head.body != "" || head.header.Get("ETag") != etag ||
		head.header.Get("Content-Length") == "" {
		t.Errorf("HEAD: %d %v", head.status, head.header)
	}
	if got := do(t, ts, "POST", cardPath, "{}"); got.status != 405 || got.header.Get("Allow") != "GET, HEAD" {
		t.Errorf("POST: %d", got.status)
	}
	other := serve(t, &fake{}, func(o *server.Options) { o.Card.Version = "2"; o.URL = "http://x" })
	if got := do(t, other, "GET", cardPath, ""); got.header.Get("ETag") == etag {
		t.Error("another card has the same ETag")
	}
}

// Interfaces and capabilities come from what is mounted, whatever the card says.
func TestCardCannotLie(t *testing.T) {
	t.Parallel()
	lying := func(o *server.Options) {
		o.URL = "https://agents.example/hello/"
		o.Card.SupportedInterfaces = []a2a.AgentInterface{{URL: "https://evil.example", Binding: "GRPC",
			ProtocolVersion: "9.9"}}
		o.Card.Capabilities = a2a.AgentCapabilities{PushNotifications: ptr(true), ExtendedAgentCard: ptr(true),
			Extensions: []a2a.AgentExtension{{URI: "urn:mine"}}}
		o.Card.Signatures = []a2a.AgentCardSignature{{Protected: "x", Signature: "y"}}
	}
	card := readCard(t, do(t, serve(t, &fake{}, lying), "GET", cardPath, ""))
	iface := func(binding string) map[string]string {
		return map[string]string{"url": "https://agents.example/hello", "protocolBinding": binding,
			"protocolVersion": "1.0"}
	}
	if diff := cmp.Diff([]map[string]string{iface("JSONRPC"), iface("HTTP+JSON")},
		card.SupportedInterfaces); diff != "" {
		t.Errorf("interfaces (-want +got):\n%s", diff)
	}
	caps := card.Capabilities
	if !*caps.Streaming || *caps.PushNotifications || caps.ExtendedAgentCard != nil || len(card.Signatures) != 0 {
		t.Errorf("card %+v", card)
	}
	if len(caps.Extensions) != 2 || caps.Extensions[0].URI != "urn:mine" ||
		caps.Extensions[1].URI != server.ReplayExtension {
		t.Errorf("extensions %+v", caps.Extensions)
	}

	full := can()
	full.Streaming, full.Extensions = ptr(false), []a2a.AgentExtension{{URI: "urn:service"}}
	card = readCard(t, do(t, serve(t, &fake{caps: full}, func(o *server.Options) {
		asAlice(o)
		o.Bindings, o.CardGRPC = []string{a2a.BindingHTTPJSON}, true
		o.Interfaces = []a2a.AgentInterface{{URL: "grpc.example:443", Binding: a2a.BindingGRPC, ProtocolVersion: "1.0"}}
	}), "GET", cardPath, ""))
	caps = card.Capabilities
	if *caps.Streaming || !*caps.PushNotifications || !*caps.ExtendedAgentCard || len(caps.Extensions) != 1 ||
		caps.Extensions[0].URI != "urn:service" {
		t.Errorf("capabilities %+v", caps)
	}
	if len(card.SupportedInterfaces) != 2 || card.SupportedInterfaces[0]["protocolBinding"] != "HTTP+JSON" ||
		card.SupportedInterfaces[1]["protocolBinding"] != "GRPC" {
		t.Errorf("interfaces %+v", card.SupportedInterfaces)
	}
}

// A binding that is not mounted is not there.
// A card that leaves its media types open is one of an agent that takes and makes text.
func TestDefaultModes(t *testing.T) {
	t.Parallel()
	ts := serve(t, &fake{}, func(o *server.Options) {
		o.Card.DefaultInputModes, o.Card.DefaultOutputModes = nil, []string{"image/png"}
	})
	var card struct{ DefaultInputModes, DefaultOutputModes []string }
	if err := json.Unmarshal([]byte(do(t, ts, "GET", cardPath, "").body), &card); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(card.DefaultInputModes, []string{"text/plain"}) ||
		!slices.Equal(card.DefaultOutputModes, []string{"image/png"}) {
		t.Errorf("modes %q, %q", card.DefaultInputModes, card.DefaultOutputModes)
	}
}

func TestUnmountedBindings(t *testing.T) {
	t.Parallel()
	onlyRPC := serve(t, &fake{}, func(o *server.Options) { o.Bindings = []string{a2a.BindingJSONRPC} })
	if got := do(t, onlyRPC, "GET", "/tasks/t1", ""); got.status != 404 {
		t.Errorf("HTTP+JSON is not mounted: %d", got.status)
	}
	resultOf(t, rpc(t, onlyRPC, "GetTask", `{"id":"t1"}`))
	onlyREST := serve(t, &fake{}, func(o *server.Options) { o.Bindings = []string{a2a.BindingHTTPJSON} })
	if got := rpc(t, onlyREST, "GetTask", `{"id":"t1"}`); got.status != 405 {
		t.Errorf("JSON-RPC is not mounted: %d", got.status)
	}
	if got := do(t, onlyREST, "GET", "/tasks/t1", ""); got.status != 200 {
		t.Errorf("HTTP+JSON is mounted: %d", got.status)
	}
}

func TestCardOfRequestHost(t *testing.T) {
	t.Parallel()
	ts := serve(t, &fake{}, nil)
	for host, want := range map[string]string{
		"agents.example":      "http://agents.example",
		"agents.example:8080": "http://agents.example:8080",
		"[::1]:80":            "http://[::1]:80",
		"a_b-c.example":       "http://a_b-c.example",
		"evil.example/path":   "",
		"user@evil.example":   "",
		"a b":                 "",
		`"><script>`:          "",
	} {
		req, err := http.NewRequestWithContext(t.Context(), "GET", ts.URL+cardPath, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Host = host
		got, err := http.DefaultTransport.RoundTrip(req)
		if err != nil {
			continue // not even sent
		}
		got.Body.Close()
		if want == "" {
			if got.StatusCode != 400 {
				t.Errorf("%q: %d", host, got.StatusCode)
			}
			continue
		}
		r := send(t, ts, req)
		if card := readCard(t, r); card.SupportedInterfaces[0]["url"] != want {
			t.Errorf("%q: url %q", host, card.SupportedInterfaces[0]["url"])
		}
	}
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
}

func TestCardFunc(t *testing.T) {
	t.Parallel()
	ts := serve(t, &fake{}, func(o *server.Options) {
		o.Card = nil
		o.CardFunc = func(_ context.Context, r *http.Request) (*a2a.AgentCard, error) {
			card := aCard()
			switch card.Name = r.Header.Get("X-Name"); card.Name {
			case "broken":
				return nil, errors.New("secret")
			case "strict":
				card.Capabilities.Extensions = []a2a.AgentExtension{{URI: "urn:a", Required: true}}
			}
			return card, nil
		}
	})
	for _, name := range []string{"one", "two", "one"} {
		got := do(t, ts, "GET", cardPath, "", "X-Name: "+name)
		if card := readCard(t, got); card.Name != name || got.header.Get("Cache-Control") != "private, max-age=300" ||
			!slices.Contains(got.header.Values("Vary"), "Authorization, Cookie") {
			t.Errorf("card %+v, %v", card, got.header)
		}
	}
	if got := do(t, ts, "GET", cardPath, "", "X-Name: broken"); got.status != 500 ||
		strings.Contains(got.body, "secret") {
		t.Errorf("broken: %d %s", got.status, got.body)
	}
	if got := do(t, ts, "GET", "/tasks/t1", "", "X-Name: strict"); failureOf(t,
		got.body).reason != "EXTENSION_SUPPORT_REQUIRED" {
		t.Errorf("strict: %s", got.body)
	}
	if got := do(t, ts, "GET", "/tasks/t1", "", "X-Name: one"); got.status != 200 {
		t.Errorf("one: %d %s", got.status, got.body)
	}
}

func TestPage(t *testing.T) {
	t.Parallel()
	const evil = `<script>alert(1)</script>'"&`
	ts := serve(t, &fake{}, func(o *server.Options) {
		o.URL = "https://agents.example"
		o.Card.Name, o.Card.Description = "Currency", evil
		docs := "https://docs.example/"
		o.Card.DocumentationURL = &docs
		o.Card.Provider = &a2a.AgentProvider{Organization: evil, URL: "javascript:alert(1)"}
		o.Card.Skills[0].Name, o.Card.Skills[0].Description, o.Card.Skills[0].Examples = evil, evil,
			[]string{"it's 100 USD"}
	})
	got := do(t, ts, "GET", "/", "", "Accept: text/html")
	if got.status != 200 || got.header.Get("Content-Type") != "text/html; charset=utf-8" {
		t.Fatalf("%d %v", got.status, got.header)
	}
	csp := got.header.Get("Content-Security-Policy")
	if !strings.Contains(csp, "default-src 'none'") || !strings.Contains(csp, "script-src 'self';") ||
		strings.Contains(csp, "unsafe") {
		t.Errorf("policy %q", csp)
	}
	for name, value := range map[string]string{"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
		"X-Frame-Options": "DENY"} {
		if got.header.Get(name) != value {
			t.Errorf("%s is %q", name, got.header.Get(name))
		}
	}
	if strings.Contains(got.body, "<script>") || strings.Contains(got.body, `="javascript:`) {
		t.Errorf("not escaped:\n%s", got.body)
	}
	for _, want := range []string{
		"<h1>Currency</h1>", "&lt;script&gt;",
		`dragoman send -a https://agents.example --text &#39;it&#39;\&#39;&#39;s 100 USD&#39;`,
		"--text &#39;it&#39;\\&#39;&#39;s 100 USD&#39; --stream", "curl -s https://agents.example ",
		"SendStreamingMessage", "; echo",
		`<a href=".well-known/agent-card.json">`, `<a href="https://docs.example/"`,
		"<td>HTTP&#43;JSON</td><td>1.0</td>", `rel="icon"`, ">Skills</h2>", `src=".dragoman/agent.js"`,
		`"examples":["it's 100 USD"]`,
	} {
		if !strings.Contains(got.body, want) {
			t.Errorf("the page does not have %q:\n%s", want, got.body)
		}
	}
	if head := do(t, ts, "HEAD", "/", ""); head.status != 200 || head.body != "" {
		t.Errorf("HEAD: %d", head.status)
	}
}

// The page of an agent leaves out the features that the agent does not have.
func TestPageOfAPlainAgent(t *testing.T) {
	t.Parallel()
	no, docs := false, "javascript:alert(1)"
	ts := serve(t, &fake{}, func(o *server.Options) {
		o.Card.Skills, o.Card.Capabilities.Streaming, o.Card.DocumentationURL = nil, &no, &docs
	})
	got := do(t, ts, "GET", "/", "", "Accept: text/html").body
	for _, absent := range []string{"Skills", "--stream", "SendStreamingMessage", "documentation</a>"} {
		if strings.Contains(got, absent) {
			t.Errorf("the page has %q", absent)
		}
	}
}

var curlOfPage = regexp.MustCompile(`(?s)curl -sN? http://\S+?(/\S*)? \\\n.*?-d '(.*?)'(; echo)?\n?</pre>`)

// The commands of the page work as they stand there.
func TestCommandsOfThePage(t *testing.T) {
	t.Parallel()
	for _, bindings := range [][]string{nil, {a2a.BindingHTTPJSON}} {
		f := &fake{}
		ts := serve(t, f, func(o *server.Options) { o.Bindings = bindings })
		found := curlOfPage.FindAllStringSubmatch(
			html.UnescapeString(do(t, ts, "GET", "/", "", "Accept: text/html").body), -1)
		if len(found) != 2 {
			t.Fatalf("%v: %d commands", bindings, len(found))
		}
		for _, command := range found {
			got := do(t, ts, "POST", "/"+strings.TrimPrefix(command[1], "/"), command[2])
			request, _ := f.last()
			sent, ok := request.(*a2a.SendMessageRequest)
			if got.status != 200 || strings.Contains(got.body, "error") || !ok || len(sent.Message.Parts) != 1 {
				t.Errorf("%s\nis answered with %d %s", command[0], got.status, got.body)
			}
		}
	}
}

func TestHealthAndHeaders(t *testing.T) {
	t.Parallel()
	ts := serve(t, &fake{}, nil)
	for path, want := range map[string]string{"/healthz": "ok\n", "/readyz": "ready\n"} {
		if got := do(t, ts, "GET", path, ""); got.status != 200 || got.body != want {
			t.Errorf("%s: %d %q", path, got.status, got.body)
		}
	}
	for _, path := range []string{"/", cardPath, "/tasks", "/healthz", "/nowhere"} {
		got := do(t, ts, "GET", path, "", "Origin: https://web.example")
		if got.header.Get("X-Content-Type-Options") != "nosniff" ||
			got.header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s: %v", path, got.header)
		}
	}
	for _, answer := range []reply{
		do(t, ts, "GET", "/healthz", ""), do(t, ts, "GET", cardPath, ""), do(t, ts, "GET", "/", ""),
		do(t, ts, "GET", "/nowhere", ""),
		do(t, ts, "PUT", "/healthz", ""), do(t, ts, "PUT", "/tasks", ""),
		do(t, ts, "POST", "/tasks", "", "Origin: https://evil.example", "Sec-Fetch-Site: cross-site"),
	} {
		if answer.header.Get("X-Request-Id") == "" {
			t.Errorf("%d without a request id: %v", answer.status, answer.header)
		}
	}
	for id, keep := range map[string]bool{"abc-1.2:3": true, "a b": false, `x";drop`: false,
		strings.Repeat("x", 129): false} {
		got := do(t, ts, "GET", "/tasks", "", "X-Request-Id: "+id).header.Get("X-Request-Id")
		if keep != (got == id) || got == "" {
			t.Errorf("request id %q became %q", id, got)
		}
	}
}

func TestCORS(t *testing.T) {
	t.Parallel()
	ts := serve(t, &fake{}, func(o *server.Options) { o.AllowedOrigins = []string{"https://web.example"} })
	got := do(t, ts, "OPTIONS", "/message:send", "", "Origin: https://web.example",
		"Access-Control-Request-Method: POST")
	if got.status != 204 || got.header.Get("Access-Control-Allow-Origin") != "https://web.example" ||
		!strings.Contains(got.header.Get("Access-Control-Allow-Headers"), "A2A-Version") ||
		got.header.Get("Vary") != "Origin" {
		t.Errorf("preflight: %d %v", got.status, got.header)
	}
	got = do(t, ts, "GET", "/tasks", "", "Origin: https://web.example")
	if got.status != 200 || got.header.Get("Access-Control-Allow-Origin") != "https://web.example" {
		t.Errorf("call: %d %v", got.status, got.header)
	}
	got = do(t, ts, "OPTIONS", "/message:send", "", "Origin: https://evil.example",
		"Access-Control-Request-Method: POST")
	if got.status != 405 || got.header.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("other origin: %d %v", got.status, got.header)
	}
	any := serve(t, &fake{}, func(o *server.Options) { o.AllowedOrigins = []string{"*"} })
	if got := do(t, any, "GET", "/tasks", "", "Origin: https://x.example"); got.header.Get(
		"Access-Control-Allow-Origin") != "*" {
		t.Errorf("any origin: %v", got.header)
	}
}

func TestOptionsAreChecked(t *testing.T) {
	t.Parallel()
	cardFunc := func(context.Context, *http.Request) (*a2a.AgentCard, error) { return aCard(), nil }
	for name, opts := range map[string]*server.Options{
		"Card":                              nil,
		"CardFunc":                          {Card: aCard(), CardFunc: cardFunc},
		"Bindings":                          {Card: aCard(), Bindings: []string{"GRPC"}},
		"URL":                               {Card: aCard(), URL: "agents.example"},
		"KeyFile":                           {Card: aCard(), CertFile: "x"},
		"Limits.Parts":                      {Card: aCard(), Limits: server.Limits{Parts: -1}},
		"Limits.Parts must be at most 1000": {Card: aCard(), Limits: server.Limits{Parts: 1001}},
		"Limits.Depth must be at most 100":  {Card: aCard(), Limits: server.Limits{Depth: 101}},
		"DrainTimeout":                      {Card: aCard(), DrainTimeout: -1},
		"description":                       {Card: &a2a.AgentCard{Name: "x"}},
		"Options.Card:":                     {Card: &a2a.AgentCard{}},
	} {
		if _, err := server.New(&fake{}, opts); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// Some clients take the URL of an agent for that of its card.
func TestBaseURLIsTheCardForPrograms(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"", "/agents/x"} {
		ts := serve(t, &fake{}, func(o *server.Options) { o.Path = path })
		mounted := http.StripPrefix(path, ts.Config.Handler)
		for accept, page := range map[string]bool{"": false, "*/*": false, "application/json": false,
			"text/html,application/xhtml+xml,*/*;q=0.8": true} {
			r := httptest.NewRequest("GET", "http://a.example"+path, nil)
			if accept != "" {
				r.Header.Set("Accept", accept)
			}
			w := httptest.NewRecorder()
			mounted.ServeHTTP(w, r)
			if page { // whose links are relative to a folder
				if got := w.Header().Get("Location"); w.Code != 302 || got != "http://a.example"+path+"/" {
					t.Errorf("%q, %q: %d, leads to %q", path, accept, w.Code, got)
				}
				r.URL.Path = path + "/"
				w = httptest.NewRecorder()
				mounted.ServeHTTP(w, r)
			}
			isPage := strings.HasPrefix(w.Header().Get("Content-Type"), "text/html")
			isCard := strings.Contains(w.Body.String(), `"supportedInterfaces"`) &&
				w.Header().Get("Content-Type") == "application/json"
			if w.Code != 200 || isPage != page || isCard == page ||
				!strings.Contains(strings.Join(w.Header().Values("Vary"), ","), "Accept") {
				t.Errorf("%q, %q: %d %v\n%.200s", path, accept, w.Code, w.Header(), w.Body)
			}
		}
	}
}

// fasta2a refuses a card with a skill that has no modes of its own. 1.0 says what that means.
func TestSkillsHaveModesInOldCards(t *testing.T) {
	t.Parallel()
	ts := serve(t, &fake{}, func(o *server.Options) {
		o.Generations = nil
		o.Card.DefaultInputModes, o.Card.DefaultOutputModes = []string{"text/plain"}, []string{"image/png"}
		own := a2a.AgentSkill{ID: "own", Name: "Own", Description: "d", Tags: []string{"t"},
			InputModes: []string{"text/csv"}}
		o.Card.Skills = []a2a.AgentSkill{{ID: "none", Name: "None", Description: "d", Tags: []string{"t"}}, own}
	})
	for version, want := range map[string]string{
		"":    `["text/plain"]["image/png"]["text/csv"]["image/png"]`,
		"0.1": `["text/plain"]["image/png"]["text/csv"]["image/png"]`,
		"0.3": `["text/plain"]["image/png"]["text/csv"]["image/png"]`, "1.0": `["text/csv"]`,
	} {
		var card struct {
			Skills []struct{ InputModes, OutputModes json.RawMessage }
		}
		if err := json.Unmarshal([]byte(do(t, ts, "GET", cardPath, "", "A2A-Version: "+version).body),
			&card); err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, s := range card.Skills {
			got += string(s.InputModes) + string(s.OutputModes)
		}
		if got != want {
			t.Errorf("%q: %s, want %s", version, got, want)
		}
	}
}

// A client that says nothing of gRPC gets a card without it, which Google ADK and others can read, unless an option has
// it listed. An agent that has nothing else shows what it has.
func TestCardListsGRPCForThoseWhoCanReadIt(t *testing.T) {
	t.Parallel()
	addresses := func(listed bool, others []string, header ...string) string {
		ts := serve(t, &fake{}, func(o *server.Options) {
			o.URL, o.CardGRPC, o.Bindings = "https://a.example", listed, others
			o.Interfaces = []a2a.AgentInterface{{Binding: a2a.BindingGRPC, ProtocolVersion: "1.0"}}
		})
		var urls []string
		for _, path := range []string{cardPath, cardPath} { // the second one is kept from the first
			for _, i := range readCard(t, do(t, ts, "GET", path, "", header...)).SupportedInterfaces {
				urls = append(urls, i["url"])
			}
		}
		return strings.Join(urls, " ")
	}
	some := []string{a2a.BindingJSONRPC}
	const with, without = "https://a.example a.example:443 https://a.example a.example:443",
		"https://a.example https://a.example"
	for name, test := range map[string]struct{ got, want string }{
		"no header":     {addresses(false, some), without},
		"a version":     {addresses(false, some, "A2A-Version: 1.0"), without},
		"any type":      {addresses(false, some, "Accept: */*"), without},
		"gRPC accepted": {addresses(false, some, "Accept: application/json, application/grpc"), with},
		"the option":    {addresses(true, some), with},
		"nothing else":  {addresses(false, []string{}), "a.example:443 a.example:443"},
	} {
		if test.got != test.want {
			t.Errorf("%s: %s, want %s", name, test.got, test.want)
		}
	}
}

// The URL of an interface that another program serves at the server's address follows that address.
func TestInterfaceWithoutURLIsAtTheServersAddress(t *testing.T) {
	t.Parallel()
	for base, want := range map[string][]string{
		"https://a.example":      {"https://a.example/agents/x", "a.example:443"},
		"http://a.example:8080/": {"http://a.example:8080/agents/x", "a.example:8080"},
		"http://[::1]":           {"http://[::1]/agents/x", "[::1]:80"},
	} {
		ts := serve(t, &fake{}, func(o *server.Options) {
			o.URL, o.Path, o.Bindings, o.CardGRPC = base, "/agents/x", []string{}, true
			o.Interfaces = []a2a.AgentInterface{
				{Binding: a2a.BindingJSONRPC, ProtocolVersion: "1.0"},
				{Binding: a2a.BindingGRPC, ProtocolVersion: "1.0", Tenant: "x"},
			}
		})
		all := readCard(t, do(t, ts, "GET", cardPath, "", "A2A-Version: 1.0")).SupportedInterfaces
		if len(all) != 2 || all[0]["url"] != want[0] || all[1]["url"] != want[1] || all[1]["tenant"] != "x" {
			t.Errorf("%s: %v", base, all)
		}
	}
}
