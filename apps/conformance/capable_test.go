// SPDX-License-Identifier: Apache-2.0

package conformance_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/apps/conformance"
	"github.com/dragoman-a2a/dragoman/apps/samples/flaky"
	"github.com/dragoman-a2a/dragoman/auth"
)

// capable is a service that keeps webhooks and has an extended card, which the engine does not.
type capable struct {
	a2a.Service
	card  *a2a.AgentCard
	mu    sync.Mutex
	hooks []*a2a.PushConfig
}

func (c *capable) Capabilities() a2a.AgentCapabilities {
	yes := true
	return a2a.AgentCapabilities{Streaming: &yes, PushNotifications: &yes, ExtendedAgentCard: &yes}
}

func (c *capable) CreatePushConfig(ctx context.Context, config *a2a.PushConfig) (*a2a.PushConfig, error) {
	if _, err := c.GetTask(ctx, &a2a.GetTaskRequest{ID: config.TaskID}); err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	made := *config
	made.ID = "hook-" + strconv.Itoa(len(c.hooks))
	c.hooks = append(c.hooks, &made)
	return &made, nil
}

func (c *capable) GetPushConfig(_ context.Context, r *a2a.GetPushConfigRequest) (*a2a.PushConfig, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, h := range c.hooks {
		if h.TaskID == r.TaskID && h.ID == r.ID {
			return h, nil
		}
	}
	return nil, a2a.ErrTaskNotFound
}

func (c *capable) ListPushConfigs(_ context.Context, r *a2a.ListPushConfigsRequest) (*a2a.ListPushConfigsResponse,
	error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := slices.DeleteFunc(slices.Clone(c.hooks), func(h *a2a.PushConfig) bool { return h.TaskID != r.TaskID })
	return &a2a.ListPushConfigsResponse{Configs: all}, nil
}

func (c *capable) DeletePushConfig(_ context.Context, r *a2a.DeletePushConfigRequest) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, h := range c.hooks {
		if h.TaskID == r.TaskID && h.ID == r.ID {
			c.hooks[i] = &a2a.PushConfig{}
		}
	}
	return nil
}

func (c *capable) ExtendedCard(context.Context, *a2a.ExtendedCardRequest) (*a2a.AgentCard, error) {
	return c.card, nil
}

const token = "a-token-that-stays-here"

// An agent with all capabilities conforms, and what is wrong with webhooks and the extended card is found.
func TestCapabilities(t *testing.T) {
	t.Parallel()
	url := serve(t, flaky.New(flaky.Options{}), flaky.Card(), func(s a2a.Service) a2a.Service {
		return &capable{Service: s, card: flaky.Card()}
	}, auth.Token(token, a2a.Identity{Subject: "tester"}))
	for _, test := range []struct {
		name    string
		profile string
		wire    func() *faulty
		found   []string
	}{
		{"nothing", conformance.Profile10, func() *faulty { return &faulty{} }, nil},
		{"nothing in 0.3", conformance.Profile03, func() *faulty { return &faulty{} }, nil},
		{"another url", conformance.Profile10,
			onAnswer("GetTaskPushNotificationConfig", func(_ *http.Response, o object) {
				if config := in(o, "result"); config != nil {
					config["url"] = "https://example.com"
				}
			}), []string{"push.get"}},
		{"no webhook in the list", conformance.Profile10,
			onAnswer("ListTaskPushNotificationConfigs", func(_ *http.Response, o object) { o["result"] = object{} }),
			[]string{"push.list"}},
		{"no id", conformance.Profile03, onAnswer("tasks/pushNotificationConfig/set", func(_ *http.Response, o object) {
			delete(in(o, "result", "pushNotificationConfig"), "url")
		}), []string{"push.create"}},
		{"the second delete is an error", conformance.Profile10, func() *faulty {
			deleted := false
			return &faulty{answer: func(op string, _ *http.Response, o object) {
				if op == "DeleteTaskPushNotificationConfig" && deleted {
					delete(o, "result")
					o["error"] = object{"code": -32001, "message": "gone"}
				}
				deleted = deleted || op == "DeleteTaskPushNotificationConfig"
			}}
		}, []string{"push.delete"}},
		{"the extended card has no name", conformance.Profile10,
			onAnswer("GetExtendedAgentCard", func(_ *http.Response, o object) {
				delete(in(o, "result"), "name")
			}), []string{"extended.card"}},
		{"the extended card is for everybody", conformance.Profile10,
			onRequest("", func(r *http.Request, _ object) { r.Header.Set("Authorization", "Bearer "+token) }),
			[]string{"extended.anonymous"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			o := conformance.Options{Profile: test.profile, Text: "complete", Ask: "ask", Timeout: 30 * time.Second,
				HTTPClient: &http.Client{Transport: test.wire()}}
			o.Header = http.Header{"Authorization": {"Bearer " + token}}
			report := run(t, url, o)
			if got := bad(report); !slices.Equal(got, test.found) {
				for _, r := range report.Results {
					if r.Bad() {
						t.Logf("%s %s: got %s, want %s\nsent %s\ngot %s", r.Transport, r.Check, r.Reason, r.Expected,
							r.Request, r.Answer)
					}
				}
				t.Errorf("found %v, want %v", got, test.found)
			}
			for _, r := range report.Results {
				if r.Outcome == conformance.Skip && (r.Check != "send.media-type") {
					t.Errorf("%s %s is skipped: %s", r.Transport, r.Check, r.Reason)
				}
			}
		})
	}
}

// A run without the credentials that an agent wants reports that, and checks no more; the card is for everybody.
func TestCredentials(t *testing.T) {
	t.Parallel()
	url := serve(t, flaky.New(flaky.Options{}), flaky.Card(), nil, auth.Token(token, a2a.Identity{Subject: "tester"}))
	report := run(t, url, conformance.Options{})
	if got := bad(report); !slices.Equal(got, []string{"interface.answers"}) {
		t.Errorf("found %v without credentials", got)
	}
	spy := &faulty{request: func(op string, r *http.Request, _ object) {
		if sent := r.Header.Get("Authorization") != ""; sent == strings.Contains(op, "agent-card") {
			t.Errorf("%s: credentials: %t", op, sent)
		}
	}, answer: func(_ string, a *http.Response, o object) {
		if o["result"] != nil {
			o["result"] = "you said Bearer " + token
		}
		a.Header.Set("Content-Type", "text/"+token)
	}}
	report = run(t, url, conformance.Options{HTTPClient: &http.Client{Transport: spy},
		Header: http.Header{"Authorization": {"Bearer " + token}}})
	var b strings.Builder
	if err := report.WriteJUnit(&b); err != nil {
		t.Fatal(err)
	}
	if said := fmt.Sprint(report) + b.String(); strings.Contains(said, token) || !strings.Contains(said, "***") {
		t.Error("the report has the token, or nothing in its place")
	}
	if report.Conforms() {
		t.Error("nothing is found")
	}
}
