// SPDX-License-Identifier: Apache-2.0

package host_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/apps/host"
	"github.com/dragoman-a2a/dragoman/apps/host/plan"
	"github.com/dragoman-a2a/dragoman/apps/registry"
	"github.com/dragoman-a2a/dragoman/apps/samples/hello"
	"github.com/dragoman-a2a/dragoman/card/signature"
	"github.com/dragoman-a2a/dragoman/client"
)

// catalog is a catalogue whose entries a test changes.
type catalog struct {
	mu      sync.Mutex
	entries []*registry.Entry
	err     error
}

func (c *catalog) List(context.Context, registry.Query) (*registry.Page, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return &registry.Page{Agents: c.entries}, c.err
}

func (c *catalog) set(err error, entries ...*registry.Entry) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.entries, c.err = entries, err
}

func listed(entries ...*registry.Entry) *catalog { return &catalog{entries: entries} }

func entry(id, alias, url string) *registry.Entry {
	card := hello.Card()
	card.SupportedInterfaces = []a2a.AgentInterface{{URL: url, Binding: a2a.BindingJSONRPC, ProtocolVersion: "1.0"}}
	return &registry.Entry{ID: id, Alias: alias, URL: url, Card: card, CardVersion: 1}
}

func aliases(t *testing.T, d *host.Directory) (found []string) {
	t.Helper()
	d.Refresh(t.Context())
	agents, _ := d.Agents(t.Context())
	for _, a := range agents {
		found = append(found, a.Alias)
	}
	return found
}

func TestDirectoryTakesACatalogueOver(t *testing.T) {
	t.Parallel()
	url := serve(t, hello.New(hello.Options{}), hello.Card())
	kept := &catalog{}
	kept.set(nil, entry("1", "Hello Agent", url), entry("2", "Twin", "http://127.0.0.1:1"))
	d, err := host.NewDirectory(&host.DirectoryOptions{Agents: []host.AgentRef{{Card: url}}, Catalog: kept,
		Networks: registry.NetworksLoopback, RefreshEvery: time.Nanosecond})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	want := func(names ...string) {
		t.Helper()
		got := aliases(t, d)
		if len(got) != len(names) {
			t.Fatalf("got %v, want %v", got, names)
		}
		for i := range names {
			if got[i] != names[i] {
				t.Errorf("got %v, want %v", got, names)
			}
		}
	}
	want("Hello Agent", "Twin") // the one that was named by hand is not there twice
	kept.set(errors.New("down"))
	want("Hello Agent", "Twin")
	if _, missing := d.Agents(t.Context()); len(missing) != 1 ||
		missing[0] != (plan.Unreachable{Agent: "the registry", Reason: "it cannot be read"}) {
		t.Errorf("missing %v", missing)
	}
	kept.set(nil, entry("3", "hello agent", "http://127.0.0.1:2"))
	want("Hello Agent", "hello agent#2")
}

func TestDirectoryRefreshesCards(t *testing.T) {
	t.Parallel()
	var name atomic.Value
	name.Store("Old Name")
	var asked, unchanged atomic.Int32
	ts := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		tag := `"` + name.Load().(string) + `"`
		w.Header().Set("ETag", tag)
		w.Header().Set("Cache-Control", "no-cache")
		if r.Header.Get("If-None-Match") == tag {
			unchanged.Add(1)
			w.WriteHeader(http.StatusNotModified)
			return
		}
		card := cardOf(name.Load().(string), "Changes")
		card.SupportedInterfaces = []a2a.AgentInterface{{URL: "http://127.0.0.1:1", Binding: a2a.BindingJSONRPC,
			ProtocolVersion: "1.0"}}
		raw, err := card.AppendJSON(nil)
		if err != nil {
			t.Error(err)
		}
		w.Write(raw)
	}))
	defer ts.Close()
	d, err := host.NewDirectory(&host.DirectoryOptions{Agents: []host.AgentRef{{Card: ts.URL}},
		RefreshEvery: time.Nanosecond})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	aliases(t, d)
	aliases(t, d)
	if unchanged.Load() == 0 {
		t.Errorf("%d requests, none by ETag", asked.Load())
	}
	name.Store("New Name")
	aliases(t, d)
	d.Refresh(t.Context())
	agents, _ := d.Agents(t.Context())
	if len(agents) != 1 || agents[0].Card.Name != "New Name" || agents[0].Alias != "Old Name" {
		t.Errorf("%+v", agents[0]) // the alias stays
	}
}

// An agent that takes connections and says nothing does not hold up requests to others, after the first look.
func TestAnAgentThatHangs(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	ts := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-release:
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(func() {
		close(release)
		ts.CloseClientConnections()
		ts.Close()
	})
	w := newWorld(t, func(_ *host.Options, o *host.DirectoryOptions) { o.CardTimeout = 300 * time.Millisecond },
		ts.URL, serve(t, hello.New(hello.Options{}), hello.Card()))
	must(t, w.Send("Say hello to Ada"), a2a.TaskStateCompleted)
	for range 5 {
		must(t, w.Send("Say hello to Ada"), a2a.TaskStateCompleted)
	}
}

// An agent may insist on making the ids of its conversations itself.
func TestAnAgentThatMakesItsOwnContexts(t *testing.T) {
	t.Parallel()
	own := agent.Func(func(_ context.Context, t *agent.Turn) error {
		if t.Text() == "42" {
			return t.Reply(a2a.TextPart("right"))
		}
		return t.Ask(a2a.TextPart("which number?"))
	})
	url := frontService(t, own, cardOf("Oracle", "Knows numbers", "numbers"))
	w := newWorld(t, nil, url)
	first := w.Send("guess numbers")
	must(t, first, a2a.TaskStateInputRequired, "which number?")
	must(t, w.Reply(first, "42"), a2a.TaskStateCompleted, "right")
}

// A catalogue is written by strangers, who must not make the host look around at home.
func TestAgentsOfACatalogueAreCalledInTheNetworksOnly(t *testing.T) {
	t.Parallel()
	for networks, want := range map[string]a2a.TaskState{"": a2a.TaskStateFailed,
		registry.NetworksPublic: a2a.TaskStateFailed, registry.NetworksLoopback: a2a.TaskStateCompleted} {
		var calls atomic.Int32
		url := front(t, hello.New(hello.Options{}), hello.Card(), func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				calls.Add(1)
				next.ServeHTTP(w, r)
			})
		})
		d, err := host.NewDirectory(&host.DirectoryOptions{Catalog: listed(entry("1", "Stranger", url)),
			Networks: networks})
		if err != nil {
			t.Fatal(err)
		}
		r := newWorldOver(t, d, host.Options{}).Send("@Stranger say hello to Ada")
		must(t, r, want)
		if called := calls.Load() > 0; called != (want == a2a.TaskStateCompleted) {
			t.Errorf("%q: %d calls", networks, calls.Load())
		}
	}
	if _, err := host.NewDirectory(&host.DirectoryOptions{Networks: "all"}); err == nil {
		t.Error("networks that there are not were taken")
	}
}

// Credentials of a host go to the origins of the cards that it was given, and to no agent of a catalogue.
func TestCredentialsStayAtTheOriginOfTheCard(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{"given": true, "moved": false, "listed": false, "allowed": true} {
		var sent atomic.Bool
		url := front(t, hello.New(hello.Options{}), hello.Card(), func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Header.Get("Authorization") == "Bearer secret" {
					sent.Store(true)
				}
				next.ServeHTTP(w, r)
			})
		})
		moved := entry("1", "Stranger", url)
		text, err := moved.Card.AppendJSON(nil)
		if err != nil {
			t.Fatal(err)
		}
		home := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Write(text) }))
		defer home.Close()
		options := &host.DirectoryOptions{Networks: registry.NetworksLoopback,
			Client: client.Options{Interceptors: []client.Interceptor{client.Bearer("secret")}}}
		switch name {
		case "given":
			options.Agents = []host.AgentRef{{Card: url, Alias: "Stranger"}}
		case "allowed":
			options.Client.CredentialsTo = []string{url}
			fallthrough
		case "moved":
			options.Agents = []host.AgentRef{{Card: home.URL, Alias: "Stranger"}}
		case "listed":
			options.Catalog = listed(moved)
		}
		d, err := host.NewDirectory(options)
		if err != nil {
			t.Fatal(err)
		}
		state := a2a.TaskStateFailed
		if want {
			state = a2a.TaskStateCompleted
		}
		must(t, newWorldOver(t, d, host.Options{}).Send("@Stranger say hello to Ada"), state)
		if sent.Load() != want {
			t.Errorf("%s: the token was sent: %v", name, sent.Load())
		}
	}
}

// Bindings that dial for themselves would get around the networks.
func TestAgentsOfACatalogueAreCalledOverHTTP(t *testing.T) {
	t.Parallel()
	e := entry("1", "Stranger", "127.0.0.1:1")
	e.Card.SupportedInterfaces[0].Binding = a2a.BindingGRPC
	d, err := host.NewDirectory(&host.DirectoryOptions{Catalog: listed(e), Networks: registry.NetworksLoopback})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if got := aliases(t, d); len(got) != 0 {
		t.Errorf("got %v", got)
	}
}

// Many agents that hang take neither the time nor the place of one that works.
func TestManyAgentsThatHang(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	ts := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-release:
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(func() {
		close(release)
		ts.CloseClientConnections()
		ts.Close()
	})
	var urls []string
	for range 40 {
		urls = append(urls, ts.URL)
	}
	urls = append(urls, serve(t, hello.New(hello.Options{}), hello.Card()))
	w := newWorld(t, func(_ *host.Options, o *host.DirectoryOptions) { o.CardTimeout = time.Second }, urls...)
	for range 3 {
		must(t, w.Send("Say hello to Ada"), a2a.TaskStateCompleted)
	}
}

// Those that nobody got to are the first ones of the next refresh, and no failure is theirs.
func TestAgentsThatNobodyGotTo(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	ts := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-release:
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(func() {
		close(release)
		ts.CloseClientConnections()
		ts.Close()
	})
	refs := make([]host.AgentRef, 200) // more than begin in the time of one refresh
	for i := range refs {
		refs[i] = host.AgentRef{Card: ts.URL}
	}
	refs = append(refs, host.AgentRef{Card: serve(t, hello.New(hello.Options{}), hello.Card())})
	d, err := host.NewDirectory(&host.DirectoryOptions{Agents: refs, CardTimeout: 500 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	d.Refresh(t.Context())
	d.Refresh(t.Context())
	agents, _ := d.Agents(t.Context())
	if len(agents) != 1 || agents[0].Health.Failures != 0 {
		t.Errorf("got %+v", agents)
	}
}

// An agent of the catalogue takes no name of one that the operator named, whichever comes first.
func TestStrangersTakeNoNamesOfGivenAgents(t *testing.T) {
	t.Parallel()
	for name, alias := range map[string]string{"by its alias": "Hello Agent", "by its card": ""} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var up atomic.Bool
			own := front(t, hello.New(hello.Options{}), hello.Card(), func(next http.Handler) http.Handler {
				return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if !up.Load() {
						http.Error(w, "down", http.StatusServiceUnavailable)
						return
					}
					next.ServeHTTP(w, r)
				})
			})
			d, err := host.NewDirectory(&host.DirectoryOptions{
				Agents: []host.AgentRef{{Card: own, Alias: alias}},
				Catalog: listed(entry("1", "Hello Agent", "http://127.0.0.1:1"),
					entry("2", "hello", "http://127.0.0.1:2")),
				Networks: registry.NetworksLoopback, RefreshEvery: time.Nanosecond,
			})
			if err != nil {
				t.Fatal(err)
			}
			w := newWorldOver(t, d, host.Options{})
			d.Refresh(t.Context())
			if alias != "" { // as long as it is down nobody else is it
				agents, _ := d.Agents(t.Context())
				for _, a := range agents {
					if strings.EqualFold(a.Alias, "Hello Agent") || strings.EqualFold(a.Alias, "Hello") ||
						a.Card.Name == "Hello Agent" {
						t.Errorf("a stranger is called %q, %q", a.Alias, a.Card.Name)
					}
				}
			}
			up.Store(true)
			d.Refresh(t.Context())
			agents, _ := d.Agents(t.Context())
			if len(agents) != 3 || agents[0].Alias != "Hello Agent" ||
				agents[0].Card.SupportedInterfaces[0].URL == "http://127.0.0.1:1" {
				t.Fatalf("got %+v", agents)
			}
			must(t, w.Send("@Hello Agent say hello to Ada"), a2a.TaskStateCompleted)
		})
	}
}

// An agent that the options name by its card in a registry, and that the registry lists, is one agent.
func TestAnAgentThatIsNamedAndListedIsOne(t *testing.T) {
	t.Parallel()
	url := serve(t, hello.New(hello.Options{}), hello.Card())
	twin := entry("1", "greeter", url)
	cards := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		json.MarshalWrite(w, twin.Card)
	}))
	defer cards.Close()
	d, err := host.NewDirectory(&host.DirectoryOptions{
		Agents:   []host.AgentRef{{Card: cards.URL + "/agents/1/card.json"}},
		Catalog:  listed(twin, entry("2", "other", "http://127.0.0.1:1")),
		Networks: registry.NetworksLoopback, RefreshEvery: time.Nanosecond,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for range 2 {
		if got := aliases(t, d); !slices.Equal(got, []string{hello.Card().Name, "other"}) {
			t.Errorf("the agents are %q", got)
		}
	}
}

// An agent of the catalogue whose card is not trusted is missing, with the reason.
func TestUntrustedEntriesAreNamed(t *testing.T) {
	t.Parallel()
	d, err := host.NewDirectory(&host.DirectoryOptions{
		Catalog: listed(entry("1", "signed", "http://127.0.0.1:1"), entry("2", "unsigned", "http://127.0.0.1:2")),
		Verify: func(_ context.Context, ref string, document []byte) ([]byte, error) {
			if ref == "unsigned" {
				return nil, signature.ErrUnsigned
			}
			return document, nil
		}})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if found := aliases(t, d); !slices.Equal(found, []string{"signed"}) {
		t.Errorf("the agents are %v", found)
	}
	_, missing := d.Agents(t.Context())
	want := []plan.Unreachable{{Agent: "unsigned", Reason: "no trusted key signed its card"}}
	if !slices.Equal(missing, want) {
		t.Errorf("missing are %+v", missing)
	}
}
