// SPDX-License-Identifier: Apache-2.0

package client_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/client"
)

// An unsure is an agent whose card does not tell 0.1 from 0.2.
type unsure struct {
	knows   []string // methods
	unknown string   // the answer to others
	status  int      // of that answer
	called  []string
}

func (u *unsure) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var call struct {
		ID     jsontext.Value `json:"id"`
		Method string         `json:"method"`
	}
	json.UnmarshalRead(r.Body, &call)
	u.called = append(u.called, call.Method)
	w.Header().Set("Content-Type", "application/json")
	if !slices.Contains(u.knows, call.Method) {
		w.WriteHeader(u.status)
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":null,"error":%s}`, u.unknown)
		return
	}
	task := `{"id":"t","sessionId":"s","status":{"state":"completed"},"artifacts":[{"index":0,` +
		`"parts":[{"type":"text","text":"done"}]}]}`
	if strings.HasPrefix(u.knows[0], "message/") {
		task = `{"kind":"task","id":"t","contextId":"s","status":{"state":"completed"},` +
			`"artifacts":[{"artifactId":"index-0","parts":[{"kind":"text","text":"done"}]}]}`
	}
	fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, call.ID, task)
}

func (u *unsure) dial(t *testing.T, authentication string, gens ...a2a.Generation) *client.Client {
	t.Helper()
	srv := httptest.NewServer(u)
	t.Cleanup(srv.Close)
	return dial(t, fmt.Sprintf(`{"name":"Clock","description":"Tells the time.","version":"1","url":%q,
		"capabilities":{},%s
		"defaultInputModes":["text"],"defaultOutputModes":["text"],
		"skills":[{"id":"now","name":"Now","description":"The time.",
		"tags":["time"]}]}`, srv.URL, authentication), client.Options{Generations: gens})
}

var (
	of01 = []string{"tasks/send", "tasks/get"}
	of02 = []string{"message/send", "tasks/get"}
)

// A card that fits 0.1 and 0.2 is taken for one of 0.2. An agent that does not know the method, and says so as the
// programs of its time do, is called in the other version, and from then on in that alone.
func TestCardsOfTwoVersions(t *testing.T) {
	t.Parallel()
	both := []a2a.Generation{a2a.Generation10, a2a.Generation03, a2a.Generation02, a2a.Generation01}
	for name, c := range map[string]struct {
		agent          unsure
		authentication string
		generations    []a2a.Generation
		want           []string
	}{
		"Python of April 2025": {
			unsure{knows: of01, status: 400,
				unknown: `{"code":-32600,"message":"Request payload validation error",` +
					`"data":[{"type":"union_tag_invalid"}]}`},
			"", both, []string{"message/send", "tasks/send", "tasks/send", "tasks/get"},
		},
		"JavaScript of April 2025": {
			unsure{knows: of01, status: 200, unknown: `{"code":-32603,"message":"An unknown error occurred."}`},
			`"authentication":null,`, both, []string{"message/send", "tasks/send", "tasks/send", "tasks/get"},
		},
		"others": {
			unsure{knows: of01, status: 200, unknown: `{"code":-32601,"message":"Method not found"}`},
			"", both, []string{"message/send", "tasks/send", "tasks/send", "tasks/get"},
		},
		"really 0.2": {
			unsure{knows: of02, status: 200, unknown: `{"code":-32601,"message":"Method not found"}`},
			"", both, []string{"message/send", "message/send", "tasks/get"},
		},
		"0.2 with authentication": {
			unsure{knows: of02, status: 200, unknown: `{"code":-32601,"message":"Method not found"}`},
			`"authentication":{"schemes":["public"]},`, both,
			[]string{"tasks/send", "message/send", "message/send", "tasks/get"},
		},
		"0.1, as the caller says": {
			unsure{knows: of01, status: 200, unknown: `{"code":-32601,"message":"Method not found"}`},
			"", []a2a.Generation{a2a.Generation01}, []string{"tasks/send", "tasks/send", "tasks/get"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			agent := c.agent
			cl := agent.dial(t, c.authentication, c.generations...)
			for range 2 {
				res, err := cl.SendMessage(t.Context(), send("hi"))
				if err != nil {
					t.Fatal(err)
				}
				if task, ok := res.(*a2a.Task); !ok || task.Artifacts[0].ID != "index-0" || task.ContextID != "s" {
					t.Errorf("got %+v", res)
				}
			}
			if _, err := cl.GetTask(t.Context(), &a2a.GetTaskRequest{ID: "t"}); err != nil {
				t.Error(err)
			}
			if !slices.Equal(agent.called, c.want) {
				t.Errorf("called %q, want %q", agent.called, c.want)
			}
		})
	}
}

// A task of 0.1 is read as one by a client that has not sent anything before.
func TestTaskOfTheOtherVersion(t *testing.T) {
	t.Parallel()
	agent := unsure{knows: of01}
	task, err := agent.dial(t, "", a2a.Generation02, a2a.Generation01).GetTask(t.Context(),
		&a2a.GetTaskRequest{ID: "t"})
	if err != nil || task.ContextID != "s" || task.Artifacts[0].ID != "index-0" {
		t.Errorf("got %+v, %v", task, err)
	}
}

// An agent that knows the method in neither version gets both, and its caller the first answer.
func TestMethodOfNeitherVersion(t *testing.T) {
	t.Parallel()
	agent := unsure{status: 200, unknown: `{"code":-32601,"message":"nothing of that"}`}
	_, err := agent.dial(t, "", a2a.Generation02, a2a.Generation01).SendMessage(t.Context(), send("hi"))
	if !errors.Is(err, a2a.ErrMethodNotFound) || !strings.Contains(err.Error(), "nothing of that") ||
		len(agent.called) != 2 {
		t.Errorf("%v after %q", err, agent.called)
	}
}

// An agent that did its work and then failed is not given the message in the other version, too: it may serve both.
func TestFailureIsNotAnotherVersion(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ authentication, answer, want string }{
		"0.2": {"", `{"code":-32603,"message":"the model timed out after the booking"}`, "message/send"},
		"0.1": {`"authentication":{"schemes":["public"]},`, `{"code":-32603,"message":"An unknown error occurred."}`,
			"tasks/send"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			agent := unsure{status: 200, unknown: c.answer}
			_, err := agent.dial(t, c.authentication, a2a.Generation02, a2a.Generation01).SendMessage(t.Context(),
				send("book"))
			if !errors.Is(err, a2a.ErrInternal) || !slices.Equal(agent.called, []string{c.want}) {
				t.Errorf("%v after %q, want one call of %s", err, agent.called, c.want)
			}
		})
	}
}
