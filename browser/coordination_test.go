// SPDX-License-Identifier: Apache-2.0

package browser

import (
	"context"
	"fmt"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/dragoman-a2a/dragoman/apps/coord"
	"github.com/dragoman-a2a/dragoman/apps/coord/daemon"
	"github.com/dragoman-a2a/dragoman/store/sqlite"
)

func quote(s string) string { return strconv.Quote(s) }

// A shop is a project with agents at work.
type shop struct {
	t      *testing.T
	hub    *coord.Hub
	tables *coord.Tables
	url    string
}

func open(t *testing.T) *shop {
	t.Helper()
	db, err := sqlite.Open(t.Context(), t.TempDir(), sqlite.Options{Program: "test"})
	if err != nil {
		t.Fatal(err)
	}
	tables, err := coord.OpenTables(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	hub := coord.NewHub(&coord.HubOptions{Store: tables})
	srv := httptest.NewServer(daemon.New(daemon.Options{Hub: hub, Tokens: tables}))
	t.Cleanup(func() {
		srv.CloseClientConnections()
		hub.Close()
		srv.Close()
		db.Close()
	})
	return &shop{t, hub, tables, srv.URL}
}

func (s *shop) do(c coord.Command) coord.Result {
	s.t.Helper()
	return s.doIn("shop", c)
}

func (s *shop) doIn(project string, c coord.Command) coord.Result {
	s.t.Helper()
	result, err := s.hub.Do(s.t.Context(), project, "", c)
	if err != nil {
		s.t.Fatal(err)
	}
	if f, failed := result.(coord.Failure); failed {
		s.t.Fatalf("%+v: %s", c, f.Error)
	}
	return result
}

// later does something that waits.
func (s *shop) later(c coord.Command) <-chan coord.Result {
	done := make(chan coord.Result, 1)
	go func() {
		result, _ := s.hub.Do(context.WithoutCancel(s.t.Context()), "shop", "", c) // what comes of it is what is tested
		done <- result
	}()
	return done
}

func lock(session, path, why string, wait time.Duration) coord.Announce {
	return coord.Announce{Session: session, Paths: []string{path}, ChangeType: "modify", Description: why, Wait: wait}
}

// fill sets three agents to work, of whom two wait for another one, longer than any browser takes to look.
func (s *shop) fill() (waiting <-chan coord.Result) {
	s.do(coord.Register{Session: "frontend", TaskID: "42", Branch: "feature/login",
		Description: "Login page with two factors"})
	s.do(coord.Register{Session: "backend", TaskID: "43", Branch: "feature/login",
		Description: "Sessions and tokens of users"})
	s.do(coord.Register{Session: "tests", TaskID: "44", Branch: "feature/e2e",
		Description: "End-to-end tests of the login"})
	for i, item := range []string{"Form with e-mail and password", "Second factor", "Messages for wrong passwords"} {
		added := s.do(coord.AddTodo{Session: "frontend", Item: item}).(coord.TodoAdded)
		s.do(coord.UpdateTodo{Session: "frontend", ID: added.ID,
			Status: []string{"completed", "in_progress", "pending"}[i]})
	}
	s.do(coord.Define{Session: "backend", Name: "User",
		Definition: "interface User { id: string; email: string; secondFactor: boolean }",
		FilePath:   "src/types/user.ts"})
	s.do(lock("frontend", "src/login/", "Two factors", 0))
	s.do(lock("backend", "src/types/user.ts", "A field for the second factor", 0))
	waiting = s.later(lock("backend", "src/login/api.ts", "Call the new endpoint", coord.MaxWait))
	s.until("lease_queued")
	s.later(coord.Ask{From: "tests", To: "backend", Type: "api", Query: "Which status has a wrong second factor?",
		Wait: true, Timeout: coord.MaxWait})
	s.until("query_asked")
	return waiting
}

// until waits for an event.
func (s *shop) until(kind coord.Kind) {
	s.t.Helper()
	for e, err := range s.hub.Events(s.t.Context(), "shop", 0) {
		if err != nil {
			s.t.Fatal(err)
		}
		if e.Kind == kind {
			return
		}
	}
}

// A person sees who works on what and who waits for whom, asks an agent and reads its answer, frees a lock, retires an
// agent, and changes settings.
func TestCoordination(t *testing.T) {
	s := open(t)
	waiting := s.fill()
	ctx := tab(t, 1280, 1400)
	run(t, ctx, chromedp.Navigate(s.url))
	for id, texts := range map[string][]string{
		"agents": {"frontend", "Login page with two factors", "1/3"},
		"locks":  {"src/login/", "held by frontend", "src/login/api.ts", "1. in the queue: backend"},
		"waits": {"backend waits for frontend: the lock of src/login/api.ts",
			"tests waits for backend: an answer to Which status"},
		"messages":   {"tests asks backend: Which status has a wrong second factor?"},
		"events":     {"lease queued", "agent joined"},
		"interfaces": {"secondFactor: boolean"},
		"state":      {"live"},
	} {
		for _, text := range texts {
			eventually(t, ctx, id+" has "+text, has(id, text))
		}
	}
	eventually(t, ctx, "the graph has three boxes and two arrows",
		`document.querySelectorAll("#waits rect").length === 3 && document.querySelectorAll("#waits svg > `+
			`path").length === 2`)
	picture(t, ctx)
	s.do(coord.AddTodo{Session: "backend", Item: `<img src=x onerror="document.title='owned'">`})
	eventually(t, ctx, "what agents write is text",
		has("agents", "<img src=x")+`&& document.images.length === 0 && document.title !== "owned"`)

	run(t, ctx, chromedp.SetValue("#to", "backend"), chromedp.SendKeys("#text", "How far are you?\r"))
	eventually(t, ctx, "the message is there", has("messages", "person:anonymous asks backend: How far are you?"))
	asked := s.do(coord.Check{Session: "backend"}).([]any)
	for _, m := range asked {
		if q := m.(coord.MessageInfo); q.From == coord.Person("") {
			s.do(coord.Respond{From: "backend", MessageID: q.ID, Response: "Half way through"})
		}
	}
	eventually(t, ctx, "its answer is there", has("messages", "Half way through"))

	button := func(list, article, label string) string {
		return fmt.Sprintf(`//div[@id=%q]//article[contains(., %q)]/button[contains(., %q)]`, list, article, label)
	}
	press := func(list, article, label string) {
		t.Helper()
		run(t, ctx, chromedp.Click(button(list, article, label), chromedp.BySearch),
			chromedp.Click(button(list, article, "Really"), chromedp.BySearch))
	}
	press("locks", "held by frontend", "Free")
	if got, ok := (<-waiting).(coord.Locked); !ok || got.FilePath != "src/login/api.ts" {
		t.Errorf("who was next in the queue got %+v", got)
	}
	eventually(t, ctx, "who lost the lock is told, and nobody else",
		has("messages", "person:anonymous to frontend: person:anonymous took your lock"))
	eventually(t, ctx, "the lock has another holder", has("locks", "held by backend")+`&& !`+has("locks", "frontend"))
	press("agents", "End-to-end tests", "Retire")
	eventually(t, ctx, "the agent is gone", `!`+has("agents", "End-to-end tests")+`&&`+has("waits", "No session waits"))
	run(t, ctx, chromedp.Click(`#settings input[name=strict]`))
	eventually(t, ctx, "the setting is kept", has("events", "project configured"))
	if got := s.do(coord.GetSettings{}).(coord.Settings); !got.Strict {
		t.Errorf("the settings are %+v", got)
	}
}

// A person ends a project by typing its name, and sees the next one, or none.
func TestDeletionOnThePage(t *testing.T) {
	s := open(t)
	s.fill()
	if _, err := s.hub.Do(t.Context(), "yard", "",
		coord.Register{Session: "gardener", TaskID: "1", Branch: "main", Description: "Trees"}); err != nil {
		t.Fatal(err)
	}
	ctx := tab(t, 1280, 1400)
	run(t, ctx, chromedp.Navigate(s.url+"/#shop"))
	eventually(t, ctx, "the project is there", has("agents", "frontend")+`&&`+has("state", "live"))
	remove := func(name string) {
		t.Helper()
		run(t, ctx, chromedp.Evaluate(`document.getElementById("danger").open = true; `+
			`document.getElementById("name").value = ""`, nil), chromedp.SendKeys("#name", name+"\r"))
	}
	remove("yard")
	eventually(t, ctx, "another name is none", has("state", "the name does not match"))
	remove("shop")
	eventually(t, ctx, "who is at work is named", has("state", "frontend, backend, tests"))
	run(t, ctx, chromedp.Click("#force"))
	remove("shop")
	eventually(t, ctx, "the next one is there", has("agents", "gardener")+`&& !`+has("agents", "frontend")+`&& !`+
		has("events", "lease"))
	if names, err := s.hub.Projects(t.Context()); err != nil || len(names) != 1 {
		t.Errorf("%v, %v", names, err)
	}
	if _, err := s.hub.DeleteProject(t.Context(), "yard", "ann", true); err != nil { // elsewhere
		t.Fatal(err)
	}
	eventually(t, ctx, "none is there", has("state", "No agent has registered yet")+
		`&& document.getElementById("agents").textContent === "" && document.getElementById("delete").hidden`)
}

// The page of a project with tokens asks for one, and shows each what he may do.
func TestCoordinationWithTokens(t *testing.T) {
	s := open(t)
	s.fill()
	tokens := map[string]string{}
	for _, role := range []string{coord.RoleObserver, coord.RoleAdmin} {
		token, err := s.tables.CreateToken(t.Context(), coord.Grant{Project: "shop", Name: role, Role: role})
		if err != nil {
			t.Fatal(err)
		}
		tokens[role] = token
	}
	ctx := tab(t, 400, 800)
	run(t, ctx, chromedp.Navigate(s.url), chromedp.WaitVisible("#token"))
	eventually(t, ctx, "it says what to do", has("state", "Enter a token"))
	enter := func(role string) {
		run(t, ctx, chromedp.Evaluate(`document.getElementById("token").value = ""`, nil),
			chromedp.SendKeys("#token", tokens[role]+"\r"))
	}
	tokens["stranger"] = "coord_nonsense"
	enter("stranger")
	eventually(t, ctx, "a token that is none is told", has("state", "belongs to no project"))
	enter(coord.RoleObserver)
	eventually(t, ctx, "an observer looks", has("agents", "frontend")+`&&`+has("events", "agent joined"))
	eventually(t, ctx, "and does nothing", `document.querySelectorAll("article button").length === 0 && !(`+form+
		`) && document.querySelector("#settings input").disabled`)
	enter("stranger")
	eventually(t, ctx, "who may not look sees nothing of it",
		`["agents", "locks", "waits", "messages", "events",`+
			` "interfaces"].every((id) => document.getElementById(id).textContent === "") && !(`+form+`)`)
	enter(coord.RoleAdmin)
	eventually(t, ctx, "an admin does", `document.querySelectorAll("article button").length > 0 && `+form)
	eventually(t, ctx, "it fits on a phone", `document.documentElement.scrollWidth <= window.innerWidth`)
}

// form is an expression that is true when people see the form to speak with.
const form = `document.getElementById("say").checkVisibility()`

// The page opens on a project in which somebody is, however a broken link calls it, shows when something was that was
// not today, and characters that would make a text look like another one.
func TestCoordinationOpensWhereSomebodyIs(t *testing.T) {
	s := open(t)
	s.doIn("abandoned", coord.AddTodo{Session: "nobody", Item: "left"})
	s.do(coord.Register{Session: "frontend", TaskID: "42", Branch: "main", Description: "is \u202elive\u202c"})
	ctx := tab(t, 1280, 800)
	run(t, ctx, chromedp.Navigate(s.url+"/#%E0%A4%A"))
	eventually(t, ctx, "it shows who is there", has("agents", `is \u202elive\u202c`))
	eventually(t, ctx, "one can speak", form)
	eventually(t, ctx, "days are told", `import("./.dragoman/text.js").then(({clock}) =>
		clock("2020-02-03T12:00:00Z").includes("2020") && !clock(new Date()).includes(new Date().getFullYear()))`)
	run(t, ctx, chromedp.Navigate(s.url+"/?again#abandoned"))
	eventually(t, ctx, "nobody is there", has("agents", "No agents"))
	eventually(t, ctx, "whom one could speak to", `!(`+form+`)`)
}

// picture keeps a picture of the page, when DRAGOMAN_PICTURES names a folder for it: those of the docs are in docs/img.
func picture(t *testing.T, ctx context.Context) {
	folder := os.Getenv("DRAGOMAN_PICTURES")
	if folder == "" {
		return
	}
	var png []byte
	run(t, ctx, chromedp.FullScreenshot(&png, 100))
	if err := os.WriteFile(strings.TrimSuffix(folder, "/")+"/coordination.png", png, 0o644); err != nil {
		t.Fatal(err)
	}
}
