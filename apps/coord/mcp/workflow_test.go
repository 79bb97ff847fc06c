// SPDX-License-Identifier: Apache-2.0

package mcp_test

import (
	"context"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/dragoman-a2a/dragoman/apps/coord"
	coordmcp "github.com/dragoman-a2a/dragoman/apps/coord/mcp"
)

// An agentClient is an agent as the API reference of A2AMCP writes one: a client that calls tools, and reads answers as
// JSON.
type agentClient struct {
	t       *testing.T
	name    string
	session *mcp.ClientSession
}

const shop = "ecommerce-v2"

// team returns a function that makes clients of one coordinator.
func team(t *testing.T) func(name string) *agentClient {
	t.Helper()
	hub := coord.NewHub(nil)
	srv := httptest.NewServer(coordmcp.New(hub, nil).Handler())
	var open []*mcp.ClientSession
	t.Cleanup(func() {
		for _, c := range open {
			c.Close()
		}
		srv.CloseClientConnections()
		srv.Close()
		hub.Close()
	})
	return func(name string) *agentClient {
		t.Helper()
		client := mcp.NewClient(&mcp.Implementation{Name: name, Version: "1"}, nil)
		c, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: srv.URL}, nil)
		if err != nil {
			t.Fatal(err)
		}
		open = append(open, c)
		return &agentClient{t, name, c}
	}
}

// ask calls a tool and returns its answer. The project is in every call.
func (a *agentClient) ask(tool string, pairs ...any) any {
	arguments := map[string]any{"project_id": shop}
	for i := 0; i < len(pairs); i += 2 {
		arguments[pairs[i].(string)] = pairs[i+1]
	}
	ctx, cancel := context.WithTimeout(a.t.Context(), time.Minute)
	defer cancel()
	result, err := a.session.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		a.t.Errorf("%s: %s: %v", a.name, tool, err)
		return map[string]any{}
	}
	var answer any
	if err := json.Unmarshal([]byte(result.Content[0].(*mcp.TextContent).Text), &answer); err != nil || result.IsError {
		a.t.Errorf("%s: %s %v: %v %v", a.name, tool, arguments, answer, err)
	}
	return answer
}

// do calls a tool for the agent itself and returns its answer, an object.
func (a *agentClient) do(tool string, pairs ...any) map[string]any {
	answer, _ := a.ask(tool, append([]any{"session_name", a.name}, pairs...)...).(map[string]any)
	return answer
}

func (a *agentClient) want(answer map[string]any, status string) {
	a.t.Helper()
	if answer["status"] != status {
		a.t.Errorf("%s: %v, want %s", a.name, answer, status)
	}
}

func (a *agentClient) register(task, branch, description string) {
	a.want(a.do("register_agent", "task_id", task, "branch", branch, "description", description), "registered")
}

// query asks another agent and returns what it says.
func (a *agentClient) query(to, kind, text string) string {
	answer, _ := a.ask("query_agent", "from_session", a.name, "to_session", to, "query_type", kind, "query",
		text).(map[string]any)
	a.want(answer, "received")
	response, _ := answer["response"].(string)
	return response
}

// serve answers what others ask until done is closed, as an agent does in its loop.
func (a *agentClient) serve(done <-chan struct{}, response func(query string) string) {
	for {
		messages, _ := a.ask("check_messages", "session_name", a.name).([]any)
		for _, m := range messages {
			m := m.(map[string]any)
			if m["type"] == "query" && m["requires_response"] == true {
				a.want(a.ask("respond_to_query", "from_session", a.name, "to_session", m["from"], "message_id", m["id"],
					"response", response(m["content"].(string))).(map[string]any), "response_sent")
			}
		}
		a.want(a.do("heartbeat"), "ok")
		select {
		case <-done:
			return
		default:
		}
	}
}

// find returns the agent whose description has a word.
func find(all map[string]any, word string) string {
	for name, info := range all {
		if strings.Contains(strings.ToLower(info.(map[string]any)["description"].(string)), word) {
			return name
		}
	}
	return ""
}

const userFields = "User interface has: id, email, password (hashed), role, emailVerified, timestamps"

// authenticate is the first example of the reference up to its loop: it returns the ids of the todos.
func authenticate(a *agentClient) []string {
	a.register("001", "feature/auth", "Build authentication system")
	var ids []string
	for i, text := range []string{
		"Research JWT best practices", "Design User schema", "Implement password hashing", "Create login endpoint",
		"Create register endpoint",
		"Add authentication middleware", "Write tests",
	} {
		answer := a.do("add_todo", "todo_item", text, "priority", []int{1, 1, 1, 2, 2, 2, 3}[i])
		a.want(answer, "added")
		ids = append(ids, answer["todo_id"].(string))
	}
	a.want(a.do("update_todo", "todo_id", ids[0], "status", "in_progress"), "updated")
	if agents := a.ask("list_active_agents").(map[string]any); agents[a.name] == nil {
		a.t.Errorf("%v", agents)
	}
	a.want(a.do("announce_file_change", "file_path", "src/models/user.ts", "change_type", "create", "description",
		"Creating User model with authentication fields"), "locked")
	a.want(a.do("register_interface", "interface_name", "User", "definition", "interface User { id: string; }",
		"file_path", "src/models/user.ts"), "registered")
	a.want(a.do("release_file_lock", "file_path", "src/models/user.ts"), "released")
	a.want(a.do("update_todo", "todo_id", ids[1], "status", "completed"), "updated")
	a.want(a.do("broadcast_message", "message_type", "info", "content",
		"User model is ready! Interface 'User' is now available."), "broadcast_sent")
	return ids
}

// login is the second example of the reference. It returns what it was told of the API.
func login(a *agentClient) string {
	a.register("003", "feature/login-ui", "Build login interface")
	all := a.ask("get_all_todos").(map[string]any)
	auth := find(all, "auth")
	if auth == "" {
		a.t.Fatalf("there is no agent for authentication in %v", all)
	}
	endpoint := slices.ContainsFunc(all[auth].(map[string]any)["todos"].([]any), func(item any) bool {
		todo := item.(map[string]any)
		return strings.Contains(todo["text"].(string), "login endpoint") && todo["status"] == "pending"
	})
	if !endpoint {
		a.t.Errorf("the todo of the login endpoint is not in %v", all[auth])
	}
	told := a.query(auth, "api", "What's the login endpoint URL and what data does it expect?")
	user := a.ask("query_interface", "interface_name", "User").(map[string]any)
	if user["status"] == "not_found" || user["definition"] != "interface User { id: string; }" ||
		user["file_path"] != "src/models/user.ts" {
		a.t.Errorf("%v", user)
	}
	a.want(a.do("announce_file_change", "file_path", "src/components/LoginForm.tsx", "change_type", "create",
		"description", "Creating login form component"), "locked")
	a.want(a.do("release_file_lock", "file_path", "src/components/LoginForm.tsx"), "released")
	return told
}

// The first two examples, at once: one agent builds what the other one needs, and is asked about it.
func TestAuthenticationAndFrontend(t *testing.T) {
	t.Parallel()
	join := team(t)
	auth, frontend := join("task-auth-001"), join("task-frontend-003")
	ids := authenticate(auth)
	done := make(chan struct{})
	var told string
	var wg sync.WaitGroup
	wg.Go(func() { defer close(done); told = login(frontend) })
	auth.serve(done, func(query string) string {
		if strings.Contains(query, "login endpoint") {
			return "POST /api/login with email and password"
		}
		return userFields
	})
	wg.Wait()
	if told != "POST /api/login with email and password" {
		t.Errorf("the frontend was told %q", told)
	}
	for _, id := range ids[2:] {
		auth.want(auth.do("update_todo", "todo_id", id, "status", "completed"), "updated")
	}
	left := auth.do("unregister_agent")
	if left["message"] != "Successfully unregistered. Completed 6/7 todos." {
		t.Errorf("%v", left)
	}
	if agents := frontend.ask("list_active_agents").(map[string]any); len(agents) != 1 {
		t.Errorf("%v", agents)
	}
}

// The third example: an agent that needs two others, and a file that one of them has.
func TestManyAgents(t *testing.T) {
	t.Parallel()
	join := team(t)
	auth, database, api := join("task-auth-001"), join("task-db-002"), join("task-api-004")
	authenticate(auth)
	database.register("002", "feature/db", "Design the database layer")
	database.want(database.do("announce_file_change", "file_path", "src/app.ts", "change_type", "modify", "description",
		"Adding database connection"), "locked")
	done := make(chan struct{})
	var serving sync.WaitGroup
	serving.Go(func() { auth.serve(done, func(string) string { return "Use requireAuth" }) })
	serving.Go(func() {
		database.serve(done, func(query string) string {
			if !strings.Contains(query, "be done with src/app.ts") {
				return "A pool from src/db.ts"
			}
			database.want(database.do("release_file_lock", "file_path", "src/app.ts"), "released")
			return "Now"
		})
	})

	api.register("004", "feature/user-api", "Build user management API")
	if interfaces := api.ask("list_interfaces").(map[string]any); interfaces["User"] == nil {
		t.Errorf("%v", interfaces)
	}
	all := api.ask("get_all_todos").(map[string]any)
	if got := api.query(find(all, "auth"), "interface",
		"What auth middleware should I use for protecting user endpoints?"); got != "Use requireAuth" {
		t.Error(got)
	}
	if got := api.query(find(all, "database"), "help",
		"What's the database connection pattern we're using?"); got != "A pool from src/db.ts" {
		t.Error(got)
	}
	api.want(api.do("register_interface", "interface_name", "UserAPI", "definition",
		"interface UserAPI { GET /api/users }", "file_path", "src/routes/users.ts"), "registered")
	conflicts := 0
	for _, file := range []string{"src/app.ts", "src/routes/index.ts"} {
		announce := func() map[string]any {
			return api.do("announce_file_change", "file_path", file, "change_type", "modify", "description",
				"Adding user routes to main app")
		}
		result := announce()
		if result["status"] == "conflict" {
			conflicts++
			lock := result["lock_info"].(map[string]any)
			if lock["session"] != database.name || lock["description"] != "Adding database connection" {
				t.Errorf("%v", lock)
			}
			if got := api.query(lock["session"].(string), "status",
				"When will you be done with "+file+"? I need to add user routes."); got != "Now" {
				t.Error(got)
			}
			result = announce()
		}
		api.want(result, "locked")
	}
	if conflicts != 1 {
		t.Errorf("%d conflicts", conflicts)
	}
	close(done)
	serving.Wait()
}
