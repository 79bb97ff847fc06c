// SPDX-License-Identifier: Apache-2.0

//go:build unix

package cli

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/dragoman-a2a/dragoman/internal/clitest"
)

// The commands for failing push configs work while a server has the data folder, and after it was killed. A metric
// counts the configs that were parked.
func TestPushCommands(t *testing.T) {
	t.Parallel()
	var works atomic.Bool
	hook := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if !works.Load() {
			w.WriteHeader(http.StatusGone)
		}
	}))
	defer hook.Close()
	data := t.TempDir()
	p, url := serveTraced(t, nil, "serve", "--agent", "hello", "--addr", "127.0.0.1:0", "--allow-private-push",
		"--data-dir", data, "--metrics", "127.0.0.1:0")
	req, err := http.NewRequest(http.MethodPost, url+"/message:send", strings.NewReader(`{"message":{"messageId":"m",`+
		`"role":"ROLE_USER","parts":[{"text":"hi"}]},"configuration":{"taskPushNotificationConfig":{"id":"c","url":"`+
		hook.URL+`"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("A2A-Version", "1.0")
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	defer http.DefaultClient.CloseIdleConnections()
	push := func(args ...string) result {
		return run(t.Context(), append(append([]string{"push"}, args...), "-o", "json", "--data-dir", data)...)
	}
	// list returns the one config that is listed, empty for none.
	list := func(args ...string) (c struct{ Task, Config, Parked string }) {
		r := push(append([]string{"list", "hello"}, args...)...)
		if r.code != 0 || r.stdout != "" && json.Unmarshal([]byte(r.stdout), &c) != nil {
			t.Fatalf("%d: %s%s", r.code, r.stdout, r.stderr)
		}
		return c
	}
	clitest.Await(t, func() bool { return list().Parked != "" })
	task := list().Task
	metrics := regexp.MustCompile(`metrics at (http\S+)`).FindStringSubmatch(p.Output())[1]
	const parked = `dragoman_push_duration_seconds_count{error_type="parked",gen_ai_agent_name="hello"}`
	if values := scrape(t, metrics); values[parked] != "1" {
		t.Errorf("the metric of parked configs is %q", values[parked])
	}
	works.Store(true)
	for _, test := range []struct {
		args []string
		code int
	}{
		{[]string{"retry", "hello", "another"}, 1},
		{[]string{"retry", "hello", task, "another"}, 1},
		{[]string{"drop", "hello", task, "another"}, 1},
		{[]string{"retry", "hello"}, 2},
		{[]string{"list"}, 2},
		{[]string{"list", "another"}, 2},
		{[]string{"list", "../" + data}, 2},
		{[]string{"recover", "hello"}, 2},
		{[]string{"recover", "hello", "--since", "1h"}, 0},
	} {
		if r := push(test.args...); r.code != test.code {
			t.Errorf("%q: code %d, want %d: %s", test.args, r.code, test.code, r.stderr)
		}
	}
	clitest.Await(t, func() bool { return list().Task == "" && list("--all").Task == task })
	p.Kill()
	if c := list("--all"); c.Task != task || c.Config != "c" || c.Parked != "" {
		t.Errorf("after the server: %+v", c)
	}
	if r := push("drop", "hello", task); r.code != 0 || list("--all").Task != "" {
		t.Errorf("the config is not dropped: %d, %s", r.code, r.stderr)
	}
	serveTraced(t, nil, "serve", "--agent", "hello", "--addr", "127.0.0.1:0", "--data-dir", data)
	if r := push("list", "hello"); r.code != 1 {
		t.Errorf("a server without push notifications has the folder: code %d, %s", r.code, r.stderr)
	}
}

// The commands that serve agents declare push notifications if they send them.
func TestPushFlags(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, card string
		args       []string
	}{
		{"serve", "", []string{"serve", "--echo", "--addr", "127.0.0.1:0"}},
		{"samples up", "/agents/hello", []string{"samples", "up", "--addr", "127.0.0.1:0"}},
		{"host", "", []string{"host", "-a", "http://127.0.0.1:9", "--serve", "127.0.0.1:0"}},
	} {
		for flag, want := range map[string]bool{"--drain=1s": false, "--push": true, "--allow-private-push": true,
			"--push-allow=10.0.0.0/8": true} {
			t.Run(test.name+" "+flag, func(t *testing.T) {
				t.Parallel()
				_, url := serveTraced(t, nil, append(test.args, flag, "--data-dir", ":memory:")...)
				resp, err := http.Get(url + test.card + "/.well-known/agent-card.json")
				if err != nil {
					t.Fatal(err)
				}
				defer resp.Body.Close()
				var card struct {
					Capabilities struct{ PushNotifications bool }
				}
				if err := json.NewDecoder(resp.Body).Decode(&card); err != nil ||
					card.Capabilities.PushNotifications != want {
					t.Errorf("the card has %+v, %v", card, err)
				}
			})
		}
	}
}
