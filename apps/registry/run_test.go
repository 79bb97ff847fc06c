// SPDX-License-Identifier: Apache-2.0

package registry_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dragoman-a2a/dragoman/apps/registry"
	"github.com/dragoman-a2a/dragoman/journal/sql"
)

// start runs the probes of a registry until the returned function is called.
func start(t *testing.T, g *registry.Registry) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() { defer close(ended); g.Run(ctx) }()
	stop = func() { cancel(); <-ended }
	t.Cleanup(stop)
	return stop
}

func TestProbesFollowAnAgent(t *testing.T) {
	t.Parallel()
	g := newRegistry(t, registry.Options{Interval: 20 * time.Millisecond, MaxInterval: 40 * time.Millisecond})
	agent := newFake(t, simple("Parrot", "repeat words"))
	mustAdd(t, g, registry.Registration{URL: agent.URL})
	start(t, g)
	is := func(f func(*registry.Entry) bool) func() bool {
		return func() bool {
			e, err := g.Get(t.Context(), "Parrot")
			return err == nil && f(e)
		}
	}
	agent.answerWith(http.StatusInternalServerError)
	eventually(t, "it is down",
		is(func(e *registry.Entry) bool { return e.Health.State == registry.HealthDown && e.Health.Failures > 1 }))
	agent.set(simple("Parrot", "sing songs"))
	agent.answerWith(http.StatusOK)
	eventually(t, "it is up, with another card", is(func(e *registry.Entry) bool {
		return e.Health.State == registry.HealthUp && e.CardVersion == 2 && e.Card.Skills[0].Name == "sing songs"
	}))
	// An agent that is removed while it is looked at stays removed.
	if err := g.Remove(t.Context(), "Parrot"); err != nil {
		t.Fatal(err)
	}
	mustAdd(t, g, registry.Registration{URL: newFake(t, simple("Crow", "caw")).URL})
	if got := aliases(t, g, registry.Query{}); got != "Crow" {
		t.Errorf("got %q", got)
	}
}

func TestRestartKeepsEverything(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	agent := newFake(t, simple("Parrot", "repeat words"))
	painting := newFake(t, painter)

	db := openDB(t, dir)
	g := registryOn(t, db, registry.Options{})
	stop := start(t, g)
	mustAdd(t, g, registry.Registration{URL: agent.URL})
	mustAdd(t, g, registry.Registration{URL: painting.URL})
	agent.set(simple("Parrot", "sing songs"))
	if _, err := g.Check(t.Context(), "Parrot"); err != nil {
		t.Fatal(err)
	}
	before, err := g.List(t.Context(), registry.Query{})
	if err != nil {
		t.Fatal(err)
	}
	first, err := g.List(t.Context(), registry.Query{PageSize: 1})
	if err != nil {
		t.Fatal(err)
	}
	stop()
	g.Close()
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}

	g = registryOn(t, openDB(t, dir), registry.Options{})
	after, err := g.List(t.Context(), registry.Query{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, after); diff != "" {
		t.Error(diff)
	}
	if next, err := g.List(t.Context(), registry.Query{PageSize: 1, PageToken: first.NextPageToken}); err != nil ||
		next.Agents[0].Alias != "Parrot" {
		t.Errorf("a page token from before the restart: %+v, %v", next, err)
	}
	if aliases(t, g, registry.Query{Text: "songs"}) != "Parrot" ||
		aliases(t, g, registry.Query{Tag: "art"}) != "Painter" {
		t.Error("agents are not found any more")
	}
	if v, err := g.Version(t.Context(), "Parrot", 1); err != nil || v.Card.Skills[0].Name != "repeat words" {
		t.Errorf("%+v, %v", v, err)
	}
	same := agent.same
	if e, err := g.Check(t.Context(), "Parrot"); err != nil || e.CardVersion != 2 || agent.same != same+1 {
		t.Errorf("%+v, %v; the ETag is forgotten", e, err)
	}
	again, created, err := g.Add(t.Context(), registry.Registration{URL: agent.URL})
	if err != nil || created || again.ID != before.Agents[1].ID {
		t.Errorf("created %v, %+v, %v", created, again, err)
	}
}

// Agents that were added by two at once are one agent, and names given by two at once are two.
func TestAddingAtOnce(t *testing.T) {
	t.Parallel()
	g := newRegistry(t, registry.Options{})
	var agents []*fake
	for range 4 {
		agents = append(agents, newFake(t, simple("Parrot", "repeat words")))
	}
	errs := make(chan error)
	for i := range 32 {
		go func() {
			_, _, err := g.Add(t.Context(), registry.Registration{URL: agents[i%4].URL})
			errs <- err
		}()
	}
	for range 32 {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	if got := aliases(t, g, registry.Query{}); got != "Parrot, Parrot#2, Parrot#3, Parrot#4" {
		t.Errorf("got %q", got)
	}
}

func TestManyAgentsOfOneName(t *testing.T) {
	t.Parallel()
	g := newRegistry(t, registry.Options{})
	agent := newFake(t, simple("Base", "count"))
	for i := range 40 {
		text := strings.ReplaceAll(simple("Twin", "count"), "$URL", agent.URL+"/"+strings.Repeat("x", i))
		mustAdd(t, g, registry.Registration{Card: parse(t, text)})
	}
	if e, err := g.Get(t.Context(), "twin#40"); err != nil || e.Alias != "Twin#40" {
		t.Errorf("%+v, %v", e, err)
	}
}

// The journal and the registry are components of one database, in either order, and once more.
func TestSharesTheJournalsDatabase(t *testing.T) {
	t.Parallel()
	db := openDB(t, t.TempDir())
	agent := newFake(t, simple("Parrot", "repeat words"))
	for range 2 {
		j, err := sql.New(t.Context(), db, nil)
		if err != nil {
			t.Fatal(err)
		}
		mustAdd(t, registryOn(t, db, registry.Options{}), registry.Registration{URL: agent.URL})
		j.Close()
	}
}

// eventually waits for something that another goroutine brings about.
func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	deadline := time.NewTimer(20 * time.Second)
	defer deadline.Stop()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !is() {
		select {
		case <-tick.C:
		case <-deadline.C:
			t.Fatalf("never: %s", what)
		}
	}
}
