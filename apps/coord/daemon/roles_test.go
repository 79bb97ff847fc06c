// SPDX-License-Identifier: Apache-2.0

package daemon_test

import (
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/dragoman-a2a/dragoman/apps/coord"
	"github.com/dragoman-a2a/dragoman/apps/coord/daemon"
)

// callers are those who try each route: without a token, with those of project p, with the best one of another project,
// with one that was revoked, and with the key of the owner.
var callers = []string{"nobody", "observer", "agent", "admin", "elsewhere", "revoked", "owner"}

// A route is one request to try. Its subject does not exist, or cannot, so that a permitted request changes nothing.
type route struct {
	method, path, body string
	outcome            func(status int, body string) string // nil means the status
	want               [7]string                            // of each caller
}

// routes are all that the daemon has, by pattern.
var routes = map[string]route{
	"GET /healthz":    {method: "GET", path: "/healthz", want: all("200")},
	"GET /{$}":        {method: "GET", path: "/", want: all("200")},
	"GET /page.css":   {method: "GET", path: "/page.css", want: all("200")},
	"GET /.dragoman/": {method: "GET", path: "/.dragoman/kit.css", want: all("200")},
	"GET /page.js":    {method: "GET", path: "/page.js", want: all("200")},
	"/mcp": {method: "POST", path: "/mcp", outcome: func(_ int, body string) string {
		switch {
		case strings.Contains(body, `\"code\":\"forbidden\"`):
			return "forbidden"
		case strings.Contains(body, `\"status\":\"added\"`):
			return "added"
		}
		return body
	}, want: [7]string{"forbidden", "forbidden", "added", "added", "forbidden", "forbidden", "forbidden"}},
	"GET /api/projects": {method: "GET", path: "/api/projects", outcome: func(_ int, body string) string {
		if strings.Contains(body, `"p"`) {
			return "sees p"
		}
		return "sees nothing"
	}, want: [7]string{"sees nothing", "sees p", "sees p", "sees p", "sees nothing", "sees nothing", "sees nothing"}},
	"GET /api/projects/{project}": {method: "GET", path: "/api/projects/p", want: look("200")},
	"GET /api/projects/{project}/events": {method: "GET", path: "/api/projects/p/events?after=0",
		want: look("200")},
	"GET /api/projects/{project}/settings": {method: "GET", path: "/api/projects/p/settings", want: look("200")},
	"POST /api/projects/{project}/conflicts": {method: "POST", path: "/api/projects/p/conflicts",
		body: `{"session":"a","paths":["x"]}`, want: look("200")},
	"POST /api/projects/{project}/messages": {
		method: "POST", path: "/api/projects/p/messages", body: `{"text":"hi"}`,
		want: [7]string{"401", "403", "200", "200", "401", "401", "401"},
	},
	"DELETE /api/projects/{project}": {method: "DELETE", path: "/api/projects/p", want: keep("409")},
	"DELETE /api/projects/{project}/locks/{id}": {method: "DELETE", path: "/api/projects/p/locks/none",
		want: keep("404")},
	"DELETE /api/projects/{project}/agents/{session}": {method: "DELETE", path: "/api/projects/p/agents/none",
		want: keep("404")},
	"PUT /api/projects/{project}/settings": {method: "PUT", path: "/api/projects/p/settings", body: `{}`,
		want: keep("200")},
	"GET /api/tokens": {method: "GET", path: "/api/tokens", want: own("200")},
	"POST /api/tokens": {method: "POST", path: "/api/tokens",
		body: `{"name":"x","role":"king"}`, want: own("400")},
	"DELETE /api/tokens": {method: "DELETE", path: "/api/tokens",
		body: `{"project":"p","name":"none"}`, want: own("404")},
}

func all(got string) [7]string  { return [7]string{got, got, got, got, got, got, got} }
func look(got string) [7]string { return [7]string{"401", got, got, got, "401", "401", "401"} }
func keep(got string) [7]string { return [7]string{"401", "403", "403", got, "401", "401", "401"} }
func own(got string) [7]string  { return [7]string{"403", "403", "403", "403", "403", "403", got} }

// Each route serves the roles that it is for and no others, and the table has all routes.
func TestRoutesByRole(t *testing.T) {
	t.Parallel()
	if got, want := slices.Sorted(maps.Keys(routes)), patterns(t); !slices.Equal(got, want) {
		t.Errorf("it is known who may use\n%s\nbut there are\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	tables, db := openTables(t)
	hub := coord.NewHub(&coord.HubOptions{Store: tables})
	srv := httptest.NewServer(daemon.New(daemon.Options{Hub: hub, Tokens: tables, OwnerKey: "key",
		Logger: slog.New(slog.DiscardHandler)}))
	t.Cleanup(func() {
		srv.CloseClientConnections()
		hub.Close()
		srv.Close()
		db.Close()
		http.DefaultClient.CloseIdleConnections()
	})
	tokens := map[string]string{"owner": "key"}
	for caller, g := range map[string]coord.Grant{
		"observer": {Project: "p", Role: coord.RoleObserver}, "agent": {Project: "p", Role: coord.RoleAgent},
		"admin":     {Project: "p", Role: coord.RoleAdmin},
		"elsewhere": {Project: "q", Role: coord.RoleAdmin}, "revoked": {Project: "p", Role: coord.RoleAdmin},
	} {
		g.Name = caller
		token, err := tables.CreateToken(t.Context(), g)
		if err != nil {
			t.Fatal(err)
		}
		tokens[caller] = token
	}
	if err := tables.RevokeToken(t.Context(), "p", "revoked"); err != nil {
		t.Fatal(err)
	}
	call(t, srv.URL, tokens["agent"], "register_agent", me)
	for pattern, r := range routes {
		for i, caller := range callers {
			if got := r.try(t, srv.URL, tokens[caller], caller); got != r.want[i] {
				t.Errorf("%s by %s: %s, want %s", pattern, caller, got, r.want[i])
			}
		}
	}
}

// try makes the request and returns what came of it.
func (r *route) try(t *testing.T, url, token, caller string) string {
	t.Helper()
	if r.path == "/mcp" {
		return r.outcome(0, call(t, url, token, "add_todo",
			`{"project_id":"p","session_name":"of-`+caller+`","todo_item":"x"}`))
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel() // ends streams
	req, err := http.NewRequestWithContext(ctx, r.method, url+r.path, strings.NewReader(r.body))
	if err != nil {
		t.Fatal(err)
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if r.outcome == nil {
		return strconv.Itoa(resp.StatusCode)
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return r.outcome(resp.StatusCode, string(body))
}

// patterns returns the patterns of all routes that the daemon's own files add to its mux.
func patterns(t *testing.T) []string {
	t.Helper()
	var found []string
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Name.Name == "Handle" { // adds what others bring
				continue
			}
			ast.Inspect(decl, func(n ast.Node) bool {
				if pattern, ok := added(t, n); ok {
					found = append(found, pattern)
				}
				return true
			})
		}
	}
	slices.Sort(found)
	return found
}

// added returns the pattern that a call adds to a mux, if it does.
func added(t *testing.T, n ast.Node) (pattern string, ok bool) {
	t.Helper()
	c, ok := n.(*ast.CallExpr)
	if !ok {
		return "", false
	}
	method, ok := c.Fun.(*ast.SelectorExpr)
	if !ok || method.Sel.Name != "Handle" && method.Sel.Name != "HandleFunc" {
		return "", false
	}
	literal, ok := c.Args[0].(*ast.BasicLit)
	if !ok {
		t.Fatal("a route whose pattern is not written where it is added")
	}
	pattern, err := strconv.Unquote(literal.Value)
	if err != nil {
		t.Fatal(err)
	}
	return pattern, true
}
