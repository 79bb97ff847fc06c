// SPDX-License-Identifier: Apache-2.0

package client_test

import (
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/card"
	"github.com/dragoman-a2a/dragoman/client"
)

var quiet = log.New(io.Discard, "", 0)

func decodeCard(t *testing.T, text string) *a2a.AgentCard {
	t.Helper()
	c, err := card.Decode([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestAsk(t *testing.T) {
	t.Parallel()
	said := `,"message":{"messageId":"m1","role":"ROLE_AGENT","parts":[{"text":"Done.\u001b[31m\n"},` +
		`{"text":"Really."}]}`
	withMessage := func(state string, rest ...string) string {
		return strings.Replace(task(state, rest...), `"}`, `"`+said+`}`, 1)
	}
	for name, tc := range map[string]struct {
		final    string // the task as it ends
		message  string // or the message that is the answer
		want     string
		paused   bool
		failed   bool
		errParts []string
	}{
		"message":  {message: message("12:30"), want: "12:30"},
		"artifact": {final: withMessage("COMPLETED", artifact("12:30")), want: "12:30"},
		"two artifacts": {final: task("COMPLETED",
			`,"artifacts":[{"artifactId":"a","parts":[{"text":"1"},{"text":"2"}]},{"artifactId":"b",`+
				`"parts":[{"data":1},{"text":"3"}]}]`), want: "12\n3"},
		"status message": {final: withMessage("COMPLETED"), want: "Done.\x1b[31m\nReally."},
		"nothing":        {final: task("COMPLETED"), want: ""},
		"input": {final: withMessage("INPUT_REQUIRED"), paused: true,
			errParts: []string{"task t1 waits for input: Done. [31m Really."}},
		"auth": {final: withMessage("AUTH_REQUIRED"), paused: true,
			errParts: []string{"waits for authorization"}},
		"failed":   {final: withMessage("FAILED"), failed: true, errParts: []string{"task t1 failed: Done."}},
		"rejected": {final: withMessage("REJECTED"), failed: true, errParts: []string{"was rejected"}},
		"canceled": {final: task("CANCELED"), failed: true, errParts: []string{"was canceled"}},
	} {
		for _, capabilities := range []string{all, nothing} {
			bothBindings(t, func(t *testing.T, binding string) {
				p := newPeer(t, binding, func(x *exchange) {
					switch {
					case x.op == opGet:
						x.result(tc.final)
					case x.op == opSend && tc.message != "":
						x.result(tc.message)
					case x.op == opSend:
						x.result(taskEvent("WORKING"))
					case tc.message != "":
						x.event("", tc.message)
					default:
						x.event("1", taskEvent("WORKING"))
						x.event("2", `{"task":`+tc.final+`}`)
					}
				})
				got, err := p.dial(t, capabilities, client.Options{}).Ask(t.Context(), "What time is it?")
				pause, paused := errors.AsType[*client.PausedError](err)
				failure, failed := errors.AsType[*client.TaskError](err)
				if got != tc.want || paused != tc.paused || failed != tc.failed || err != nil && !paused && !failed {
					t.Errorf("%s: got %q, %v", name, got, err)
				}
				if paused && pause.Task.ID != "t1" || failed && failure.Task.ID != "t1" {
					t.Errorf("%s: the error carries no task", name)
				}
				for _, part := range tc.errParts {
					if !strings.Contains(err.Error(), part) {
						t.Errorf("%s: %v", name, err)
					}
				}
				if sent := p.requests()[0]; !strings.Contains(string(sent.body), "What time is it?") {
					t.Errorf("%s: sent %s", name, sent.body)
				}
			})
		}
	}
}

func TestDial(t *testing.T) {
	t.Parallel()
	bothBindings(t, func(t *testing.T, binding string) {
		var p *peer
		p = newPeer(t, binding, func(x *exchange) {
			if x.r.URL.Path == card.WellKnownPath {
				x.w.Header().Set("Content-Type", "application/json")
				io.WriteString(x.w, cardText(streams, iface(p.URL, binding, "")))
				return
			}
			x.event("", message("12:30"))
		})
		p.binding = a2a.BindingHTTPJSON // the card is got by GET
		p.handler = func(x *exchange) {
			if x.r.Method == http.MethodPost && binding == a2a.BindingJSONRPC {
				x.rpc = true
				x.readCall()
			}
			if x.r.URL.Path == card.WellKnownPath {
				x.w.Header().Set("Content-Type", "application/json")
				io.WriteString(x.w, cardText(streams, iface(p.URL, binding, "")))
				return
			}
			x.event("", message("12:30"))
		}
		c, err := client.Dial(t.Context(), p.URL, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := c.Ask(t.Context(), "What time is it?"); got != "12:30" || err != nil {
			t.Errorf("got %q, %v", got, err)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
}

func TestDialFails(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(s.Close)
	if _, err := client.Dial(t.Context(), s.URL, nil); !errors.Is(err, card.ErrNotFound) {
		t.Errorf("error %v", err)
	}
}
