// SPDX-License-Identifier: Apache-2.0

package host_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/apps/host"
	"github.com/dragoman-a2a/dragoman/apps/host/plan"
	"github.com/dragoman-a2a/dragoman/apps/registry"
)

// Where agents are, and how they are asked, is not for callers.
func TestCallersReadNoCredentialsOfAgents(t *testing.T) {
	t.Parallel()
	d, err := host.NewDirectory(&host.DirectoryOptions{Agents: []host.AgentRef{
		{Card: "http://user:s3cret@127.0.0.1:1/hidden?token=t0ken"},
		{Card: "user:s3cret@no-such-host.invalid/hidden?token=t0ken", Alias: "Named"},
		{Card: "/srv/s3cret/cards/ducks.json"},
		{Card: "file:///srv/s3cret/cards/geese.json"},
		{Card: "http://s3cret%zz"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	agents, missing := d.Agents(t.Context())
	want := []plan.Unreachable{
		{Agent: "127.0.0.1:1", Reason: "nothing listens at its address"},
		{Agent: "Named", Reason: "its name cannot be resolved"},
		{Agent: "ducks.json", Reason: "no agent card is there"},
		{Agent: "geese.json", Reason: "no agent card is there"},
		{Agent: "an agent without a name", Reason: "what names it is no URL, host or file of a card"},
	}
	if !slices.Equal(missing, want) || len(agents) != 0 {
		t.Errorf("got %v, want %v", missing, want)
	}
}

func TestProblemsOfAgentsNameNoAddresses(t *testing.T) {
	t.Parallel()
	d, err := host.NewDirectory(
		&host.DirectoryOptions{Catalog: listed(
			entry("1", "Ghost", "http://user:s3cret@127.0.0.1:1/hidden?token=t0ken")),
			Networks: registry.NetworksLoopback})
	if err != nil {
		t.Fatal(err)
	}
	w := newWorldOver(t, d, host.Options{})
	for range 4 { // until the agent rests
		r := w.Send("@Ghost say hello to Ada")
		must(t, r, a2a.TaskStateFailed, "Ghost cannot be reached: nothing listens at its address")
		for _, secret := range []string{"s3cret", "t0ken", "hidden", "127.0.0.1"} {
			if strings.Contains(r.StatusText()+string(r.Task.Metadata["children"]), secret) {
				t.Errorf("%q in %s", secret, r.StatusText())
			}
		}
	}
}
