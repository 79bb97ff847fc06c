// SPDX-License-Identifier: Apache-2.0

package daemon_test

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/dragoman-a2a/dragoman/apps/coord"
	"github.com/dragoman-a2a/dragoman/apps/coord/a2abridge"
	"github.com/dragoman-a2a/dragoman/apps/coord/daemon"
)

// A logbook is a log to read.
type logbook struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logbook) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *logbook) count(part string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Count(l.text.String(), part)
}

// The log says who made and revoked tokens and who was refused, never a token, and no stranger fills it.
func TestAudit(t *testing.T) {
	t.Parallel()
	tables, db := openTables(t)
	var book logbook
	logger := slog.New(slog.NewTextHandler(&book, nil))
	hub := coord.NewHub(&coord.HubOptions{Logger: logger})
	srv := httptest.NewServer(daemon.New(daemon.Options{Hub: hub, Tokens: tables, OwnerKey: "key", Logger: logger}))
	defer func() {
		srv.Close()
		hub.Close()
		db.Close()
	}()
	manage := func(method, body string) string {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), method, srv.URL+"/api/tokens", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer key")
		status, answer := send(t, req)
		if status != http.StatusOK {
			t.Fatal(answer)
		}
		return answer
	}
	ann := manage("POST", `{"project":"p","name":"ann","role":"observer"}`)
	token := strings.Split(ann, `"`)[3]
	call(t, srv.URL, token, "register_agent", me)
	manage("POST", `{"project":"p","name":"bob","role":"agent"}`)
	manage("DELETE", `{"project":"p","name":"bob"}`)
	for part, want := range map[string]int{
		`msg="a token was made" project=p name=ann role=observer`: 1, `msg="a token was revoked" project=p name=bob`: 1,
		`msg="a call was refused" project=p token=ann tool=register_agent session=`: 1,
		`cause="the token is that of an observer, who may look only"`:               1, token: 0,
	} {
		if got := book.count(part); got != want {
			t.Errorf("%d times, want %d: %s", got, want, part)
		}
	}
	tokenFor := func(project, name string) string {
		return strings.Split(manage("POST", `{"project":"`+project+`","name":"`+name+`","role":"agent"}`), `"`)[3]
	}
	tokenOf := func(name string) string {
		return tokenFor("p", name)
	}
	call(t, srv.URL, tokenOf("carl"), "register_agent", me)
	dan := tokenOf("dan")
	for range 40 { // who is refused by the project and who is by the token count together
		call(t, srv.URL, dan, "heartbeat", me)
	}
	if got := book.count(`msg="a call was refused" project=p token=dan tool=heartbeat session=`); got != 40 {
		t.Errorf("%d refusals of sessions of others are in the log", got)
	}
	for _, stranger := range []string{"", "made-up-secret", tokenFor("other", "eve")} {
		get(t, srv.URL+"/api/projects/p", stranger)
	}
	for part, want := range map[string]int{
		`project=p token="" request="GET /api/projects/{project}" cause="this project needs a token`: 1,
		`cause="the token is not known`: 1,
		`project=p token=eve request="GET /api/projects/{project}" cause="the token is for another project"`: 1,
		"made-up-secret": 0,
	} {
		if got := book.count(part); got != want {
			t.Errorf("%d times, want %d: %s", got, want, part)
		}
	}
	for range 100 {
		get(t, srv.URL+"/api/projects/p", "")
	}
	if got := book.count("a call was refused"); got != 60 {
		t.Errorf("%d refusals are in the log", got)
	}
}

// A card is refused to nobody: who may not look gets one that says less. So fetching it is no refusal.
func TestCardsAreNoRefusals(t *testing.T) {
	t.Parallel()
	tables, db := openTables(t)
	defer db.Close()
	var book logbook
	logger := slog.New(slog.NewTextHandler(&book, nil))
	hub := coord.NewHub(&coord.HubOptions{Logger: logger})
	defer hub.Close()
	d := daemon.New(daemon.Options{Hub: hub, Tokens: tables, Logger: logger})
	bridge, err := a2abridge.New(a2abridge.Options{Hub: hub, Authorize: d.Authorize, Look: d.Look, Logger: logger})
	if err != nil {
		t.Fatal(err)
	}
	defer bridge.Close()
	d.Handle(a2abridge.Prefix, bridge)
	token, err := tables.CreateToken(t.Context(), coord.Grant{Project: "p", Name: "ann", Role: coord.RoleAgent})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := hub.Do(t.Context(), "p", "ann",
		coord.Register{Session: "a", TaskID: "1", Description: "writes"}); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		token string
		more  bool
	}{{token, true}, {"", false}, {"coord_none", false}} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet,
			"http://127.0.0.1/a2a/p/a/.well-known/agent-card.json", nil)
		if test.token != "" {
			r.Header.Set("Authorization", "Bearer "+test.token)
		}
		w := httptest.NewRecorder()
		d.ServeHTTP(w, r)
		if body := w.Body.String(); w.Code != http.StatusOK || !strings.Contains(body, `"scheme":"Bearer"`) ||
			strings.Contains(body, "writes") != test.more {
			t.Errorf("%q: %d %s", test.token, w.Code, body)
		}
	}
	if got := book.count("a call was refused"); got != 0 {
		t.Errorf("%d refusals are in the log", got)
	}
}

// The owner learns what is wrong with a token, and not what is wrong with the database.
func TestErrorsOfMakingTokens(t *testing.T) {
	t.Parallel()
	tables, db := openTables(t)
	hub := coord.NewHub(nil)
	defer hub.Close()
	d := daemon.New(daemon.Options{Hub: hub, Tokens: tables, OwnerKey: "key"})
	create := func(body string) (int, string) {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://127.0.0.1/api/tokens",
			strings.NewReader(body))
		r.Header.Set("Authorization", "Bearer key")
		w := httptest.NewRecorder()
		d.ServeHTTP(w, r)
		return w.Code, w.Body.String()
	}
	for _, test := range []struct {
		name, role string
		status     int
		want       string
	}{
		{"", "agent", 400, "name"}, {"ann", "king", 400, "the role must be"}, {"ann", "agent", 200, "coord_"},
		{"ann", "agent", 400, "has a token for this project already"},
		{"bob", "agent", 500, "internal error; the log has more"},
	} {
		if test.status == 500 {
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
		}
		if status, body := create(`{"project":"p","name":"` + test.name + `","role":"` + test.role +
			`"}`); status != test.status || !strings.Contains(body, test.want) {
			t.Errorf("%q as %s: %d %s", test.name, test.role, status, body)
		}
	}
}
