// SPDX-License-Identifier: Apache-2.0

package host_test

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/client"
	"github.com/dragoman-a2a/dragoman/engine"
	"github.com/dragoman-a2a/dragoman/host"
	"github.com/dragoman-a2a/dragoman/samples/currency"
	"github.com/dragoman-a2a/dragoman/server"
)

// The whole way: a client, a host and agents, each behind HTTP, over each binding, with streams and without.
func TestOverBindings(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil, serve(t, expenses, expensesCard()), currencyURL(t))
	srv, err := server.New(w.Service, &server.Options{Card: host.Card(), Logger: quiet})
	if err != nil {
		t.Fatal(err)
	}
	ts := httptest.NewServer(srv)
	t.Cleanup(func() {
		ts.CloseClientConnections()
		ts.Close()
	})
	for _, binding := range []string{a2a.BindingJSONRPC, a2a.BindingHTTPJSON} {
		for name, talk := range map[string]func(*testing.T, *client.Client, *a2a.Message) *a2a.Task{"stream": byStream, "no stream": bySend} {
			t.Run(binding+" "+name, func(t *testing.T) {
				t.Parallel()
				c, err := client.Dial(t.Context(), ts.URL, &client.Options{Bindings: []string{binding}})
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { c.Close() })
				m := a2a.NewMessage(a2a.RoleUser, a2a.TextPart("reimburse lunch for 20 EUR but needs to be converted to USD ahead of time."))
				asked := talk(t, c, m)
				if asked.Status.State != a2a.TaskStateInputRequired {
					t.Fatalf("%v: %s", asked.Status.State, asked.Status.Message.Text())
				}
				answer := a2a.NewMessage(a2a.RoleUser, form(t, asked.Status.Message))
				answer.TaskID = asked.ID
				done := talk(t, c, answer)
				if last := done.Artifacts[len(done.Artifacts)-1]; done.Status.State != a2a.TaskStateCompleted || !strings.Contains(last.Text(), "21.58 USD approved") {
					t.Errorf("%v: %s", done.Status.State, last.Text())
				}
			})
		}
	}
}

func bySend(t *testing.T, c *client.Client, m *a2a.Message) *a2a.Task {
	t.Helper()
	r, err := c.SendMessage(t.Context(), &a2a.SendMessageRequest{Message: m})
	if err != nil {
		t.Fatal(err)
	}
	return r.(*a2a.Task)
}

func byStream(t *testing.T, c *client.Client, m *a2a.Message) *a2a.Task {
	t.Helper()
	id := m.TaskID
	for u, err := range c.Stream(t.Context(), &a2a.SendMessageRequest{Message: m}) {
		if err != nil {
			t.Fatal(err)
		}
		if task, ok := u.Event.(*a2a.Task); ok {
			id = task.ID
		}
	}
	task, err := c.GetTask(t.Context(), &a2a.GetTaskRequest{ID: id})
	if err != nil {
		t.Fatal(err)
	}
	return task
}

// Agents of every generation are asked in theirs.
func TestAgentsOfEveryGeneration(t *testing.T) {
	t.Parallel()
	for _, generation := range []a2a.Generation{a2a.Generation01, a2a.Generation02, a2a.Generation03, a2a.Generation10} {
		t.Run(string(generation), func(t *testing.T) {
			t.Parallel()
			e, err := engine.New(&engine.Options{Logger: quiet})
			if err != nil {
				t.Fatal(err)
			}
			card := currency.Card()
			srv, err := server.New(e.Agent("currency", currency.New(currency.Options{}), &engine.AgentOptions{Card: card}),
				&server.Options{Card: card, Logger: quiet, Generations: []a2a.Generation{generation}, CardGeneration: generation})
			if err != nil {
				t.Fatal(err)
			}
			ts := httptest.NewServer(srv)
			t.Cleanup(func() {
				e.Shutdown(t.Context())
				ts.CloseClientConnections()
				ts.Close()
			})
			w := newWorld(t, nil, ts.URL)
			first := w.Send("How much is 1 USD?")
			must(t, first, a2a.TaskStateInputRequired, "Into which currency")
			if second := w.Reply(first, "CAD"); !strings.HasPrefix(second.Text(), "1 USD = 1.4328 CAD") {
				t.Errorf("%v: %s", second.State(), second.Text())
			}
		})
	}
}
