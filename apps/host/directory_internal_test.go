// SPDX-License-Identifier: Apache-2.0

package host

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dragoman-a2a/dragoman/client"
)

// served answers requests by a handler, without a network.
type served struct{ http.Handler }

func (s served) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w.Result(), nil
}

// While cards come in, those that are there have names already.
func TestAgentsHaveNamesWhileCardsComeIn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const card = `{"name":"Swift","description":"x","version":"1","capabilities":{},"defaultInputModes":["text/plain"],"defaultOutputModes":["text/plain"],"skills":[],
			"supportedInterfaces":[{"url":"http://swift.example","protocolBinding":"JSONRPC","protocolVersion":"1.0"}]}`
		web := served{http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Host == "slow.example" {
				time.Sleep(time.Second)
				http.NotFound(w, r)
				return
			}
			w.Header().Set("Content-Type", "application/json")
			w.Write([]byte(card))
		})}
		d, err := NewDirectory(&DirectoryOptions{
			Agents: []AgentRef{{Card: "http://swift.example"}, {Card: "http://slow.example"}},
			Client: client.Options{HTTPClient: &http.Client{Transport: web}},
		})
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		go d.Refresh(t.Context())
		synctest.Wait() // until only the slow one is missing
		hurried, cancel := context.WithCancel(t.Context())
		cancel()
		for _, ctx := range []context.Context{hurried, t.Context()} {
			agents, missing := d.Agents(ctx)
			if len(agents) != 1 || agents[0].Alias != "Swift" || len(missing) != 1 {
				t.Errorf("%+v, without %v", agents, missing)
			}
		}
		synctest.Wait()
	})
}

func TestHandles(t *testing.T) {
	t.Parallel()
	for ref, want := range map[string]string{
		"http://127.0.0.1:1/hang": "hang", "https://a.example/agents/movies/": "movies", "http://127.0.0.1:1": "",
		"http://127.0.0.1:1/": "",
		"http://ann:s3cret@a.example/x/.well-known/agent-card.json": "x", "https://a.example/cards/bank.json": "bank",
		"./cards/bank.json": "", "a.example": "", "a.example/x": "", "http://a.example/.well-known/agent-card.json": "",
	} {
		r := &remote{given: true, ref: AgentRef{Card: ref}}
		if got := r.handle(); got != want {
			t.Errorf("%s: %q, want %q", ref, got, want)
		}
	}
	if got := (&remote{ref: AgentRef{Card: "http://127.0.0.1:1/hang"}}).handle(); got != "" {
		t.Errorf("a stranger is called %q", got)
	}
}
