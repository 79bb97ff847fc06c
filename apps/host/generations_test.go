// SPDX-License-Identifier: Apache-2.0

package host_test

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/apps/samples/currency"
	"github.com/dragoman-a2a/dragoman/engine"
	"github.com/dragoman-a2a/dragoman/server"
)

// Agents of every generation are asked in theirs.
func TestAgentsOfEveryGeneration(t *testing.T) {
	t.Parallel()
	for _, generation := range []a2a.Generation{a2a.Generation01, a2a.Generation02, a2a.Generation03,
		a2a.Generation10} {
		t.Run(string(generation), func(t *testing.T) {
			t.Parallel()
			e, err := engine.New(&engine.Options{Logger: quiet})
			if err != nil {
				t.Fatal(err)
			}
			card := currency.Card()
			srv, err := server.New(e.Agent("currency", currency.New(currency.Options{}),
				&engine.AgentOptions{Card: card}),
				&server.Options{Card: card, Logger: quiet, Generations: []a2a.Generation{generation},
					CardGeneration: generation})
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
