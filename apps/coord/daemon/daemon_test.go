// SPDX-License-Identifier: Apache-2.0

package daemon_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/dragoman-a2a/dragoman/apps/coord"
	"github.com/dragoman-a2a/dragoman/apps/coord/daemon"
	coordmcp "github.com/dragoman-a2a/dragoman/apps/coord/mcp"
	"github.com/dragoman-a2a/dragoman/store"
	"github.com/dragoman-a2a/dragoman/store/sqlite"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// openTables opens the tables of a coordinator in a folder of their own. The caller closes the database, after what
// uses it.
func openTables(t *testing.T) (*coord.Tables, *store.DB) {
	t.Helper()
	db, err := sqlite.Open(t.Context(), t.TempDir(), sqlite.Options{Program: "test"})
	if err != nil {
		t.Fatal(err)
	}
	tables, err := coord.OpenTables(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	return tables, db
}

// start returns the URL of a coordinator, its tables and its hub.
func start(t *testing.T) (string, *coord.Tables, *coord.Hub) {
	t.Helper()
	url, tables, hub, _ := startOn(t)
	return url, tables, hub
}

// startOn is as start, with the database.
func startOn(t *testing.T) (string, *coord.Tables, *coord.Hub, *store.DB) {
	t.Helper()
	tables, db := openTables(t)
	hub := coord.NewHub(&coord.HubOptions{Store: tables})
	srv := httptest.NewServer(daemon.New(daemon.Options{Hub: hub, Tokens: tables}))
	t.Cleanup(func() {
		srv.CloseClientConnections()
		hub.Close()
		srv.Close()
		db.Close()
		http.DefaultClient.CloseIdleConnections()
	})
	return srv.URL, tables, hub, db
}

// get returns status and body.
func get(t *testing.T, url, token string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), "GET", url, nil)
	if err != nil {
		t.Fatal(err)
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	return send(t, req)
}

func send(t *testing.T, req *http.Request) (int, string) {
	t.Helper()
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(body)
}

// call calls a tool as a client of the stateless kind of MCP does, with one request.
func call(t *testing.T, url, token, tool, arguments string) string {
	t.Helper()
	return ask(t, url, token, "tools/call", tool, fmt.Sprintf(`"name":%q,"arguments":%s,`, tool, arguments))
}

// ask sends a request of such a client, which may be about something with a name.
func ask(t *testing.T, url, token, method, name, params string) string {
	t.Helper()
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":{%s
		"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",
		"io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},
		"io.modelcontextprotocol/clientCapabilities":{}}}}`, method, params)
	req, err := http.NewRequestWithContext(t.Context(), "POST", url+"/mcp", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for key, value := range map[string]string{
		"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"Mcp-Protocol-Version": "2026-07-28",
		"Mcp-Method":           method, "Mcp-Name": name,
	} {
		if value != "" {
			req.Header.Set(key, value)
		}
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	_, text := send(t, req)
	return text
}

const me = `{"project_id":"p","session_name":"a","task_id":"1","branch":"main","description":"d"}`

func TestPageAndState(t *testing.T) {
	t.Parallel()
	url, _, _ := start(t)
	if got := call(t, url, "", "register_agent", me); !strings.Contains(got, `\"status\":\"registered\"`) {
		t.Fatal(got)
	}
	for path, want := range map[string]string{
		"/": `id="agents-title"`, "/page.js": "import", "/page.css": ".board", "/.dragoman/kit.css": "color-scheme",
		"/healthz":        `"status":"ok"`,
		"/api/projects":   `{"alive":["p"],"locked":false,"projects":["p"]}`,
		"/api/projects/p": `"agents":{"a":{"task_id":"1"`,
	} {
		if status, body := get(t, url+path, ""); status != 200 || !strings.Contains(body, want) {
			t.Errorf("%s: %d %s", path, status, body)
		}
	}
	call(t, url, "", "unregister_agent", me)
	if _, body := get(t, url+"/api/projects", ""); body != `{"alive":[],"locked":false,"projects":["p"]}` {
		t.Errorf("with nobody there: %s", body)
	}
	if status, _ := get(t, url+"/nothing", ""); status != 404 {
		t.Errorf("a path that is not there: %d", status)
	}
	if status, body := get(t, url+"/api/projects/p/events?after=x", ""); status != 400 {
		t.Errorf("%d %s", status, body)
	}
}

// A project that has a token takes nobody without one, and each token only for what it is for.
func TestTokens(t *testing.T) {
	t.Parallel()
	url, tables, _ := start(t)
	tokens := map[string]string{}
	for name, g := range map[string]coord.Grant{
		"ann":  {Project: "p", Name: "ann", Role: coord.RoleAgent},
		"bob":  {Project: "p", Name: "bob", Role: coord.RoleAgent},
		"eve":  {Project: "q", Name: "eve", Role: coord.RoleAgent},
		"olga": {Project: "p", Name: "olga", Role: coord.RoleObserver},
	} {
		token, err := tables.CreateToken(t.Context(), g)
		if err != nil {
			t.Fatal(err)
		}
		tokens[name] = token
	}
	for _, test := range []struct{ who, tool, args, want string }{
		{"", "register_agent", me, "forbidden"}, {"eve", "register_agent", me, "forbidden"},
		{"olga", "register_agent", me, "forbidden"},
		{"ann", "register_agent", me, "registered"}, {"olga", "list_active_agents", `{"project_id":"p"}`, `\"a\"`},
		{"bob", "heartbeat", me, "registered by another caller"},
		{"bob", "unregister_agent", me, "registered by another caller"},
		{"ann", "heartbeat", me, `\"ok\"`},
	} {
		if got := call(t, url, tokens[test.who], test.tool, test.args); !strings.Contains(got, test.want) {
			t.Errorf("%s, %s: %s", test.who, test.tool, got)
		}
	}
	for who, want := range map[string]int{"": 401, "eve": 401, "ann": 200, "olga": 200} {
		if status, body := get(t, url+"/api/projects/p", tokens[who]); status != want {
			t.Errorf("%s looks: %d %s", who, status, body)
		}
	}
	if _, body := get(t, url+"/api/projects", tokens["eve"]); body != `{"alive":[],"locked":true,"projects":[]}` {
		t.Errorf("eve sees %s", body)
	}
	for who, want := range map[string]bool{"": false, "eve": false, "ann": true, "olga": true} {
		if got := ask(t, url, tokens[who], "resources/list", "", ""); !strings.Contains(got, `"resources":[`) ||
			!strings.Contains(got, `"cacheScope":"private"`) || strings.Contains(got, "dragoman://p/agents") != want {
			t.Errorf("%s lists %s", who, got)
		}
	}
	if err := tables.RevokeToken(t.Context(), "p", "ann"); err != nil {
		t.Fatal(err)
	}
	if got := call(t, url, tokens["ann"], "heartbeat", me); !strings.Contains(got, "forbidden") {
		t.Error(got)
	}
	if all, err := tables.Tokens(t.Context()); err != nil || len(all) != 3 {
		t.Errorf("%+v %v", all, err)
	}
}

// A person who looks after a project sees who waits for whom, speaks, frees what is held, retires agents and changes
// settings; each of them only with a token that allows it.
func TestPeopleLookAfterProjects(t *testing.T) {
	t.Parallel()
	url, tables, hub := start(t)
	tokens := map[string]string{}
	for _, role := range []string{coord.RoleAgent, coord.RoleObserver, coord.RoleAdmin} {
		token, err := tables.CreateToken(t.Context(), coord.Grant{Project: "p", Name: role + "-1", Role: role})
		if err != nil {
			t.Fatal(err)
		}
		tokens[role] = token
	}
	tokens["stranger"] = "coord_nonsense"
	do := func(c coord.Command) coord.Result {
		t.Helper()
		result, err := hub.Do(t.Context(), "p", "agent-1", c)
		if err != nil {
			t.Fatal(err)
		}
		return result
	}
	lock := func(session string) coord.Announce {
		return coord.Announce{Session: session, Paths: []string{"x"}, ChangeType: "modify", Description: "d",
			Details: true}
	}
	do(coord.Register{Session: "a", TaskID: "1"})
	do(coord.Register{Session: "b", TaskID: "2"})
	held := do(lock("a")).(coord.Locked)
	waiting := make(chan coord.Result, 1)
	go func() {
		claim := lock("b")
		claim.Wait = time.Minute
		result, _ := hub.Do(context.WithoutCancel(t.Context()), "p", "agent-1", claim)
		waiting <- result
	}()
	for range hub.Events(t.Context(), "p", 3) { // the claim waits
		break
	}

	p := url + "/api/projects/p"
	if _, body := get(t, p, tokens["observer"]); !strings.Contains(body, `"role":"observer"`) ||
		!strings.Contains(body, `"waits":[{"from":"b","to":"a","for":"lock","what":"x"}]`) ||
		!strings.Contains(body, `"settings":{}`) {
		t.Error(body)
	}
	for _, test := range []struct {
		role, method, path, body string
		status                   int
		want                     string
	}{
		{"", "POST", "/messages", `{"text":"hi"}`, 401, "needs a token"},
		{"stranger", "POST", "/messages", `{"text":"hi"}`, 401, "the token is not known"},
		{"observer", "POST", "/messages", `{"text":"hi"}`, 403, "that of an observer"},
		{"agent", "DELETE", "/locks/" + held.ID, "", 403, "whose role is admin"},
		{"agent", "DELETE", "/agents/a", "", 403, "whose role is admin"},
		{"agent", "PUT", "/settings", `{"strict":true}`, 403, "whose role is admin"},
		{"agent", "POST", "/messages", `{"text":"hi"}`, 200, `{"status":"broadcast_sent","recipients":2}`},
		{"admin", "POST", "/messages", `{"to":"a","text":"how far?"}`, 200, `{"status":"sent"`},
		{"admin", "POST", "/messages", `{"to":"nobody","text":"hi"}`, 404, "Agent nobody not found"},
		{"admin", "POST", "/messages", `{"to":"a"}`, 400, "query is missing"},
		{"admin", "POST", "/messages", `{"too":"a"}`, 400, `takes: there is no /too"`},
		{"admin", "POST", "/messages", `[]`, 400, `takes: it is no object"`},
		{"admin", "POST", "/messages", `{"to":1}`, 400, `takes: /to is not of the kind that it should be"`},
		{"admin", "POST", "/messages", `{"to":`, 400, `takes: it is not whole, or no JSON"`},
		{"admin", "PUT", "/settings", `{"strictly":true}`, 400, "strictly"},
		{"admin", "PUT", "/settings", `{"strict":true}`, 200, `{"status":"configured","settings":{"strict":true}}`},
		{"observer", "GET", "/settings", "", 200, `{"strict":true}`},
		{"admin", "POST", "/messages", `{"to":"a","text":"strict?"}`, 200, `{"status":"sent"`},
		{"admin", "DELETE", "/locks/none", "", 404, "There is no lock none"},
		{"admin", "DELETE", "/locks/" + held.ID, "", 200, `{"status":"freed","session":"a","paths":["x"]}`},
		{"admin", "DELETE", "/agents/a", "", 200, `{"status":"retired","session":"a"}`},
		{"admin", "DELETE", "/agents/a", "", 404, "Agent a not found"},
	} {
		if status, body := post(t, test.method, p+test.path, tokens[test.role], test.body); status != test.status ||
			!strings.Contains(body, test.want) {
			t.Errorf("%s %s by %q: %d %s", test.method, test.path, test.role, status, body)
		}
	}
	if got, ok := (<-waiting).(coord.Locked); !ok {
		t.Errorf("who waited for the lock got %+v", got)
	}
	told := fmt.Sprintf("%+v", do(coord.Check{Session: "b"}))
	if !strings.Contains(told, "person:agent-1") || !strings.Contains(told, "hi") {
		t.Error(told)
	}
	do(coord.Register{Session: "a", TaskID: "1"}) // comes back, and finds what it was told
	told = fmt.Sprintf("%+v", do(coord.Check{Session: "a"}))
	for _, want := range []string{"how far?", "person:admin-1 took your lock of x away",
		"person:admin-1 has retired you"} {
		if !strings.Contains(told, want) {
			t.Errorf("%q is not in %s", want, told)
		}
	}
}

// A project is deleted by who may look after it, once nobody is in it or that is forced. Its tokens go with it, and who
// follows its events gets the last one and no more.
func TestDeleteProject(t *testing.T) {
	t.Parallel()
	url, tables, _ := start(t)
	tokens := map[string]string{}
	for _, role := range []string{coord.RoleObserver, coord.RoleAgent, coord.RoleAdmin} {
		token, err := tables.CreateToken(t.Context(), coord.Grant{Project: "p", Name: role, Role: role})
		if err != nil {
			t.Fatal(err)
		}
		tokens[role] = token
	}
	call(t, url, tokens[coord.RoleAgent], "register_agent", me)
	const path = "/api/projects/p"
	for _, test := range []struct {
		token, query string
		status       int
		want         string
	}{
		{"", "", 401, "token"}, {"coord_none", "", 401, "not known"},
		{tokens[coord.RoleObserver], "?force=true", 403, "admin"}, {tokens[coord.RoleAgent], "", 403, "admin"},
		{tokens[coord.RoleAdmin], "", 409, "at work in project p: a;"},
		{tokens[coord.RoleAdmin], "?force=x", 400, "true or false"},
	} {
		if status, body := post(t, "DELETE", url+path+test.query, test.token, ""); status != test.status ||
			!strings.Contains(body, test.want) {
			t.Errorf("%q: %d %s", test.query, status, body)
		}
	}
	req, err := http.NewRequestWithContext(t.Context(), "DELETE", url+path+"?force=true", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+tokens[coord.RoleAdmin])
	req.Header.Set("Sec-Fetch-Site", "cross-site")
	if status, body := send(t, req); status != 403 {
		t.Errorf("a page of another site: %d %s", status, body)
	}
	if req, err = http.NewRequestWithContext(t.Context(), "GET", url+path+"/events?after=0", nil); err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+tokens[coord.RoleObserver])
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	followed := bufio.NewReader(resp.Body)
	if first, err := followed.ReadString('\n'); err != nil || first != "id: 1\n" {
		t.Errorf("%q, %v", first, err)
	}
	if status, body := post(t, "DELETE", url+path+"?force=true", tokens[coord.RoleAdmin], ""); status != 200 ||
		body != `{"status":"forgotten","project_id":"p"}` {
		t.Errorf("%d %s", status, body)
	}
	for role, token := range tokens {
		if status, body := get(t, url+path, token); status != 401 || !strings.Contains(body, "not known") {
			t.Errorf("the token of the %s is for another project now: %d %s", role, status, body)
		}
	}
	if status, body := post(t, "DELETE", url+path, "", ""); status != 404 ||
		!strings.Contains(body, "There is no project p") {
		t.Errorf("%d %s", status, body)
	}
	if rest, err := io.ReadAll(followed); err != nil ||
		!strings.Contains(string(rest), `"kind":"project_forgotten","text":"person:admin has ended the project"`) {
		t.Errorf("who follows gets %s, %v", rest, err)
	}
}

// A page of another site cannot make a browser change anything here.
func TestOtherSitesChangeNothing(t *testing.T) {
	t.Parallel()
	url, _, _ := start(t)
	call(t, url, "", "register_agent", me)
	req, err := http.NewRequestWithContext(t.Context(), "DELETE", url+"/api/projects/p/agents/a", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Origin", "http://elsewhere.example")
	if status, body := send(t, req); status != 403 {
		t.Errorf("%d %s", status, body)
	}
	if status, body := post(t, "DELETE", url+"/api/projects/p/agents/a", "", ""); status != 200 {
		t.Errorf("without a page: %d %s", status, body)
	}
}

// A stream begins with the next event, or as far back as is asked for.
func TestWhereEventsBegin(t *testing.T) {
	t.Parallel()
	url, _, hub := start(t)
	for range 3 {
		if _, err := hub.Do(t.Context(), "p", "", coord.AddTodo{Session: "a", Item: "old"}); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct{ query, want string }{
		{"?last=2", "id: 2"}, {"?last=99", "id: 1"}, {"?after=0", "id: 1"}, {"?after=1", "id: 2"},
		{"?after=9999", "id: 1"}, {"", "id: 4"},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		req, err := http.NewRequestWithContext(ctx, "GET", url+"/api/projects/p/events"+test.query, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		if test.query == "" {
			if _, err := hub.Do(t.Context(), "p", "", coord.AddTodo{Session: "a", Item: "new"}); err != nil {
				t.Fatal(err)
			}
		}
		lines := bufio.NewScanner(resp.Body)
		for lines.Scan() && !strings.HasPrefix(lines.Text(), "id:") {
		}
		if lines.Text() != test.want {
			t.Errorf("%q begins with %q, want %q", test.query, lines.Text(), test.want)
		}
		cancel()
		resp.Body.Close()
	}
	if status, body := get(t, url+"/api/projects/p/events?last=x", ""); status != 400 {
		t.Errorf("%d %s", status, body)
	}
}

func TestEventsAreStreamed(t *testing.T) {
	t.Parallel()
	url, _, hub := start(t)
	req, err := http.NewRequestWithContext(t.Context(), "GET", url+"/api/projects/p/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if _, err := hub.Do(context.Background(), "p", "", coord.Register{Session: "a", TaskID: "1"}); err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
		if strings.Contains(lines.Text(), "agent_joined") {
			return
		}
	}
	t.Error("the stream ended without the event")
}

// post sends a body and returns status and body.
func post(t *testing.T, method, url, token, body string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	return send(t, req)
}

// The owner manages tokens, and nobody else; gates ask for conflicts like everybody who looks.
func TestOwnerAndGates(t *testing.T) {
	t.Parallel()
	tables, db := openTables(t)
	hub := coord.NewHub(&coord.HubOptions{Store: tables})
	srv := httptest.NewServer(daemon.New(daemon.Options{Hub: hub, Tokens: tables, Closed: true, OwnerKey: "key"}))
	t.Cleanup(func() {
		http.DefaultClient.CloseIdleConnections()
		srv.Close()
		hub.Close()
		db.Close()
	})
	const entry = `{"project":"p","name":"ann","role":"agent"}`
	if status, body := post(t, "POST", srv.URL+"/api/tokens", "", entry); status != 403 {
		t.Errorf("a stranger makes a token: %d %s", status, body)
	}
	if status, body := post(t, "POST", srv.URL+"/api/tokens", "key", `{"name":"x","role":"king"}`); status != 400 ||
		!strings.Contains(body, "role must be") {
		t.Errorf("%d %s", status, body)
	}
	status, body := post(t, "POST", srv.URL+"/api/tokens", "key", entry)
	_, token, _ := strings.Cut(strings.TrimSuffix(body, `"}`), `:"`)
	if status != 200 || !strings.HasPrefix(token, "coord_") {
		t.Fatalf("%d %s", status, body)
	}
	if _, body := post(t, "GET", srv.URL+"/api/tokens", "key", ""); !strings.Contains(body,
		`"project":"p","name":"ann","role":"agent"`) || strings.Contains(body, token) {
		t.Error(body)
	}
	if got := call(t, srv.URL, "", "register_agent", strings.Replace(me, `"p"`, `"new"`, 1)); !strings.Contains(got,
		"forbidden") {
		t.Errorf("a project without tokens is open: %s", got)
	}
	call(t, srv.URL, token, "register_agent", me)
	call(t, srv.URL, token, "announce_file_change",
		`{"project_id":"p","session_name":"a","file_path":"x","change_type":"modify","description":""}`)
	const asked = `{"session":"b","paths":["x","y"]}`
	if status, body := post(t, "POST", srv.URL+"/api/projects/p/conflicts", token, asked); status != 200 ||
		!strings.Contains(body, `[{"file_path":"x","session":"a"`) {
		t.Errorf("%d %s", status, body)
	}
	if status, _ := post(t, "POST", srv.URL+"/api/projects/p/conflicts", "", asked); status != 401 {
		t.Errorf("a stranger asks: %d", status)
	}
	if status, _ := post(t, "POST", srv.URL+"/api/projects/p/conflicts", token, "no"); status != 400 {
		t.Errorf("no JSON: %d", status)
	}
	for _, want := range []int{200, 404} {
		if status, body := post(t, "DELETE", srv.URL+"/api/tokens", "key", entry); status != want {
			t.Errorf("revoke: %d %s", status, body)
		}
	}
}

// Requests of pages of other sites are refused, also with GET; a link to the page for people works.
func TestOtherSitesLookAtNothing(t *testing.T) {
	t.Parallel()
	url, _, hub := start(t)
	for path, want := range map[string]int{
		"/api/projects": 403, "/api/projects/p": 403, "/api/projects/p/events": 403,
		"/a2a/p/s/.well-known/agent-card.json": 403, "/mcp": 403,
		"/": 200, "/page.js": 200, "/healthz": 200,
	} {
		req, err := http.NewRequestWithContext(t.Context(), "GET", url+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Sec-Fetch-Site", "cross-site")
		if got, body := send(t, req); got != want {
			t.Errorf("%s: %d %s", path, got, body)
		}
	}
	if got, body := get(t, url+"/api/projects/another", ""); got != 200 {
		t.Errorf("%d %s", got, body)
	}
	if names, err := hub.Projects(t.Context()); err != nil || len(names) != 0 {
		t.Errorf("looking made %v, %v", names, err)
	}
}

// Callers do not learn the errors of the database.
func TestErrorsOfTheDatabaseStayInside(t *testing.T) {
	t.Parallel()
	tables, db := openTables(t)
	logger := slog.New(slog.DiscardHandler)
	hub := coord.NewHub(&coord.HubOptions{Logger: logger})
	srv := httptest.NewServer(daemon.New(daemon.Options{Hub: hub, Tokens: tables, Logger: logger,
		MCP: coordmcp.Options{Logger: logger}}))
	defer func() {
		srv.Close()
		hub.Close()
	}()
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	for _, got := range []string{
		call(t, srv.URL, "", "list_active_agents", `{"project_id":"p"}`),
		second(get(t, srv.URL+"/api/projects/p", "")),
		second(get(t, srv.URL+"/api/projects/p", "coord_x")),
	} {
		if !strings.Contains(strings.ToLower(got), "internal error") || strings.Contains(got, "tokens") ||
			strings.Contains(got, "closed") {
			t.Error(got)
		}
	}
}

func second(_ int, body string) string { return body }

// Data that others keep of a project is dropped up to when its name was free, also if the caller disconnects. Data of a
// missing project is dropped up to the request.
func TestDataOfDeletedProjects(t *testing.T) {
	t.Parallel()
	tables, db := openTables(t)
	defer db.Close()
	hub := coord.NewHub(&coord.HubOptions{Store: tables})
	defer hub.Close()
	var limits []time.Time
	d := daemon.New(daemon.Options{Hub: hub,
		Deleted: func(ctx context.Context, project string, before time.Time) error {
			if project == "p" {
				limits = append(limits, before)
			}
			return ctx.Err()
		}})
	if _, err := hub.Do(t.Context(), "p", "", coord.Register{Session: "a", TaskID: "1"}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	begun := time.Now()
	for _, test := range []struct {
		query string
		want  int
	}{{"", http.StatusConflict}, {"?force=true", http.StatusOK}, {"?force=true", http.StatusNotFound}} {
		w := httptest.NewRecorder()
		d.ServeHTTP(w, httptest.NewRequestWithContext(ctx, http.MethodDelete, "/api/projects/p"+test.query, nil))
		if w.Code != test.want {
			t.Errorf("%d %s", w.Code, w.Body)
		}
	}
	if len(limits) != 2 || !limits[0].After(begun) || limits[1].Before(limits[0]) || time.Now().Before(limits[1]) {
		t.Errorf("%v, from %v", limits, begun)
	}
}
