// SPDX-License-Identifier: Apache-2.0

package host_test

import (
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent/agenttest"
	"github.com/dragoman-a2a/dragoman/apps/host"
	"github.com/dragoman-a2a/dragoman/apps/host/plan"
	"github.com/dragoman-a2a/dragoman/apps/registry"
	"github.com/dragoman-a2a/dragoman/apps/samples/currency"
	"github.com/dragoman-a2a/dragoman/apps/samples/hello"
)

// nowhere is an address at which nothing listens.
func nowhere(t *testing.T) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ln.Close()
	return ln.Addr().String()
}

// marked checks what programs read of who could not be reached.
func marked(t *testing.T, r *agenttest.Result, failure string, want ...plan.Unreachable) {
	t.Helper()
	var got string
	if raw, ok := r.Task.Metadata[host.MetaFailure]; ok {
		if err := json.Unmarshal(raw, &got); err != nil {
			t.Fatal(err)
		}
	}
	var down []plan.Unreachable
	if raw, ok := r.Task.Metadata[host.MetaUnreachable]; ok {
		if err := json.Unmarshal(raw, &down); err != nil {
			t.Fatal(err)
		}
	}
	if got != failure || !slices.Equal(down, want) {
		t.Errorf("failure %q, unreachable %v; want %q, %v", got, down, failure, want)
	}
}

func TestAHostThatReachesNobodyFails(t *testing.T) {
	t.Parallel()
	addr := nowhere(t)
	page := httptest.NewServer(http.HandlerFunc(
		func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte("<!doctype html>")) }))
	defer page.Close()
	broken := httptest.NewServer(http.HandlerFunc(
		func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) }))
	defer broken.Close()
	hangs := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	defer hangs.Close()
	catalog, err := registry.NewClient("http://"+addr, nil)
	if err != nil {
		t.Fatal(err)
	}
	d, err := host.NewDirectory(&host.DirectoryOptions{CardTimeout: 500 * time.Millisecond, Catalog: catalog,
		Agents: []host.AgentRef{
			{Card: "http://" + addr, Alias: "Gone"}, {Card: page.URL, Alias: "Page"},
			{Card: broken.URL, Alias: "Broken"},
			{Card: hangs.URL, Alias: "Slow"}, {Card: "../../etc/passwd"},
		}})
	if err != nil {
		t.Fatal(err)
	}
	r := newWorldOver(t, d, host.Options{}).Send("What agents do you have?")
	must(t, r, a2a.TaskStateFailed, "No agent can be reached.\n- Gone: nothing listens at its address\n")
	marked(t, r, host.FailureUnreachable,
		plan.Unreachable{Agent: "Gone", Reason: "nothing listens at its address"},
		plan.Unreachable{Agent: "Page", Reason: "its card cannot be read"},
		plan.Unreachable{Agent: "Broken", Reason: "its server answers with an error"},
		plan.Unreachable{Agent: "Slow", Reason: "it did not answer in time"},
		plan.Unreachable{Agent: "passwd", Reason: "no agent card is there"},
		plan.Unreachable{Agent: "the registry", Reason: "nothing listens at its address"})
	for _, secret := range []string{addr, page.URL, "etc/"} {
		if strings.Contains(r.StatusText(), secret) {
			t.Errorf("%q is in %s", secret, r.StatusText())
		}
	}

	none, err := host.NewDirectory(&host.DirectoryOptions{Catalog: listed()})
	if err != nil {
		t.Fatal(err)
	}
	r = newWorldOver(t, none, host.Options{}).Send("Say hello to Ada")
	must(t, r, a2a.TaskStateFailed, "No agent can take this request")
	marked(t, r, host.FailureUnreachable)
}

// When nobody is there, a request waits for a look at who has come.
func TestAnAgentThatComesLater(t *testing.T) {
	t.Parallel()
	var up atomic.Bool
	url := front(t, hello.New(hello.Options{}), hello.Card(), func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if !up.Load() {
				w.WriteHeader(http.StatusServiceUnavailable)
				return
			}
			next.ServeHTTP(w, r)
		})
	})
	w := newWorld(t, func(_ *host.Options, o *host.DirectoryOptions) { o.RefreshEvery = time.Nanosecond }, url)
	must(t, w.Send("Say hello to Ada"), a2a.TaskStateFailed, "No agent can be reached")
	up.Store(true)
	must(t, w.Send("Say hello to Ada"), a2a.TaskStateCompleted)
}

// An agent that cannot be reached is named beside the answers of the others, once in a conversation.
func TestSomeAgentsAreDown(t *testing.T) {
	t.Parallel()
	addr := nowhere(t)
	w := newWorld(t, func(_ *host.Options, o *host.DirectoryOptions) {
		o.Agents = append(o.Agents, host.AgentRef{Card: "http://" + addr, Alias: "Parrot"})
	}, currencyURL(t), serve(t, hello.New(hello.Options{}), hello.Card()))
	gone := plan.Unreachable{Agent: "Parrot", Reason: "nothing listens at its address"}
	const line = "Not reachable: Parrot (nothing listens at its address)"

	r := w.Send("100 USD in GBP")
	must(t, r, a2a.TaskStateCompleted)
	marked(t, r, "", gone)
	if got := statuses(r); !slices.Contains(got, line) {
		t.Errorf("statuses %q", got)
	}
	m := a2a.NewMessage(a2a.RoleUser, a2a.TextPart("200 USD in GBP"))
	m.ContextID = r.Task.ContextID
	if got := statuses(w.SendMessage(m)); slices.Contains(got, line) {
		t.Errorf("it is told again: %q", got)
	}
	must(t, w.Send("Tralala"), a2a.TaskStateInputRequired, "I am not sure", line)
	must(t, w.Send("What agents do you have?"), a2a.TaskStateCompleted, line)

	r = w.Send("@parrot say hi")
	must(t, r, a2a.TaskStateFailed)
	marked(t, r, host.FailureUnreachable, gone)
	if r.StatusText() != "Parrot cannot be reached: nothing listens at its address" {
		t.Errorf("%s", r.StatusText())
	}
}

// The registry's health data counts until the host has called the agent itself.
func TestAgentsThatTheRegistrySaysAreDown(t *testing.T) {
	t.Parallel()
	parrot := entry("1", "Parrot", "http://"+nowhere(t))
	parrot.Card.Name = "Parrot"
	parrot.Health = registry.Health{State: registry.HealthDown, CheckedAt: time.Now(),
		Error: "its first interface cannot be reached: dial tcp 10.1.2.3:80: connect: connection refused"}
	kept := listed(parrot, entry("2", "Hello Agent", serve(t, hello.New(hello.Options{}), hello.Card())))
	d, err := host.NewDirectory(&host.DirectoryOptions{Catalog: kept, Networks: registry.NetworksLoopback})
	if err != nil {
		t.Fatal(err)
	}
	w := newWorldOver(t, d, host.Options{})
	r := w.Send("What agents do you have?")
	must(t, r, a2a.TaskStateCompleted, "I pass requests on to 1 agent:\n- Hello Agent",
		"Not reachable: Parrot (nothing listens at its address)")
	if strings.Contains(r.StatusText(), "10.1.2.3") {
		t.Errorf("%s", r.StatusText())
	}
	r = w.Send("Say hello to Ada") // either could
	must(t, r, a2a.TaskStateCompleted)
	if c := children(t, r.Task); c[0].Agent != "Hello Agent" {
		t.Errorf("%+v", c)
	}
	r = w.Send("@parrot say hi")
	must(t, r, a2a.TaskStateFailed)
	if r.StatusText() != "Parrot cannot be reached: nothing listens at its address" {
		t.Errorf("%s", r.StatusText())
	}
	marked(t, r, host.FailureUnreachable, plan.Unreachable{Agent: "Parrot", Reason: "nothing listens at its address"})
	if c := children(t, r.Task); len(c) != 1 || c[0].Error != "it cannot be reached: nothing listens at its address" {
		t.Errorf("%+v", c)
	}
}

// All agents that a request could be for are known, and none is there.
func TestNoAgentToChooseFrom(t *testing.T) {
	t.Parallel()
	parrot := entry("1", "Parrot", "http://"+nowhere(t))
	parrot.Health = registry.Health{State: registry.HealthDown, CheckedAt: time.Now()}
	d, err := host.NewDirectory(&host.DirectoryOptions{Catalog: listed(parrot), Networks: registry.NetworksLoopback})
	if err != nil {
		t.Fatal(err)
	}
	r := newWorldOver(t, d, host.Options{}).Send("Tralala")
	must(t, r, a2a.TaskStateFailed, "No agent can be reached.\n- Parrot: the registry could not reach it")
	marked(t, r, host.FailureUnreachable, plan.Unreachable{Agent: "Parrot", Reason: "the registry could not reach it"})
}

// Only a failure that nobody could be reached for is marked as one.
func TestOtherFailuresAreNotMarked(t *testing.T) {
	t.Parallel()
	d, err := host.NewDirectory(&host.DirectoryOptions{
		Agents:  []host.AgentRef{{Card: serve(t, fails("The till is closed."), expensesCard())}},
		Catalog: listed(moneyAt("http://" + nowhere(t))), Networks: registry.NetworksLoopback,
	})
	if err != nil {
		t.Fatal(err)
	}
	w := newWorldOver(t, d, host.Options{})
	r := w.Send("@Reimbursement Agent lunch for 20 EUR")
	must(t, r, a2a.TaskStateFailed, "The till is closed.")
	marked(t, r, "")
	r = w.Send("Convert 20 EUR to USD and then reimburse me that amount for lunch") // the second is skipped
	must(t, r, a2a.TaskStateFailed, "Currency Agent cannot be reached: nothing listens at its address\nReimbursement "+
		"Agent was not asked")
	marked(t, r, host.FailureUnreachable,
		plan.Unreachable{Agent: "Currency Agent", Reason: "nothing listens at its address"})
}

func moneyAt(url string) *registry.Entry {
	e := entry("1", "Currency Agent", url)
	interfaces := e.Card.SupportedInterfaces
	e.Card = currency.Card()
	e.Card.SupportedInterfaces = interfaces
	return e
}
