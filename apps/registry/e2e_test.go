// SPDX-License-Identifier: Apache-2.0

package registry_test

import (
	"context"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/apps/registry"
	"github.com/dragoman-a2a/dragoman/apps/samples/currency"
	"github.com/dragoman-a2a/dragoman/client"
	"github.com/dragoman-a2a/dragoman/engine"
	"github.com/dragoman-a2a/dragoman/server"
)

// newAgent serves the currency agent in some generations of the protocol.
func newAgent(t *testing.T, generations ...a2a.Generation) string {
	t.Helper()
	e, err := engine.New(&engine.Options{Logger: quiet(t)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		e.Shutdown(ctx)
	})
	card := currency.Card()
	s := httptest.NewUnstartedServer(nil)
	srv, err := server.New(e.Agent("currency", currency.New(currency.Options{}), &engine.AgentOptions{Card: card}),
		&server.Options{Card: card, URL: "http://" + s.Listener.Addr().String(), Logger: quiet(t),
			Generations: generations})
	if err != nil {
		t.Fatal(err)
	}
	s.Config.Handler = srv
	s.Start()
	t.Cleanup(s.Close)
	return s.URL
}

// Agents of all generations are added, found by what they speak, checked by their ETag, and called by the card that the
// registry hands out.
func TestAgentsOfAllGenerations(t *testing.T) {
	t.Parallel()
	g := newRegistry(t, registry.Options{})
	c := serve(t, g, nil, registry.ClientOptions{})
	want := map[string][]a2a.Generation{
		"modern": {a2a.Generation10}, "middle": {a2a.Generation02, a2a.Generation03}, "ancient": {a2a.Generation01},
		"polyglot": nil,
	}
	for alias, spoken := range want {
		e := mustAdd(t, c, registry.Registration{URL: newAgent(t, spoken...), Alias: alias})
		if e.Card.Name != "Currency Agent" || e.Health.State != registry.HealthUp {
			t.Errorf("%s: %+v", alias, e)
		}
	}
	for gen, names := range map[a2a.Generation]string{
		a2a.Generation10: "modern, polyglot", a2a.Generation03: "middle, polyglot",
		a2a.Generation01: "ancient, polyglot",
	} {
		if got := aliases(t, c, registry.Query{Generation: gen, Text: "exchange rates"}); sorted(got) != names {
			t.Errorf("%s: got %q, want %q", gen, got, names)
		}
	}
	for alias := range want {
		e, err := c.Check(t.Context(), alias)
		if err != nil || e.CardVersion != 1 || e.Health.State != registry.HealthUp {
			t.Errorf("%s: %+v, %v", alias, e, err)
		}
		convert(t, alias, e.Card)
	}
}

func sorted(list string) string {
	names := strings.Split(list, ", ")
	slices.Sort(names)
	return strings.Join(names, ", ")
}

func convert(t *testing.T, alias string, card *a2a.AgentCard) {
	t.Helper()
	agent, err := client.New(card,
		&client.Options{Generations: []a2a.Generation{a2a.Generation10, a2a.Generation03, a2a.Generation02,
			a2a.Generation01}})
	if err != nil {
		t.Fatalf("%s: %v", alias, err)
	}
	defer agent.Close()
	result, err := agent.SendMessage(t.Context(), &a2a.SendMessageRequest{Message: &a2a.Message{
		ID: a2a.NewMessageID(), Role: a2a.RoleUser, Parts: []a2a.Part{a2a.TextPart("100 USD in GBP")},
	}})
	if err != nil {
		t.Fatalf("%s: %v", alias, err)
	}
	task, ok := result.(*a2a.Task)
	if !ok || task.Status.State != a2a.TaskStateCompleted || len(task.Artifacts) == 0 {
		t.Errorf("%s: %+v", alias, result)
	}
}
