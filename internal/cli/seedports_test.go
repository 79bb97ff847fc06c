// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"errors"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/apps/samples/hello"
	"github.com/dragoman-a2a/dragoman/internal/cmdline"
)

// When a sample cannot be opened, those that serve already come to their end before anything of theirs is closed.
func TestSeedPortsEndTogether(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := ln.Addr().(*net.TCPAddr).Port
	ln.Close()
	var ended atomic.Bool
	began, opened := make(chan struct{}), errors.New("no second sample")
	worker := agent.Func(func(ctx context.Context, turn *agent.Turn) error {
		close(began)
		<-ctx.Done()
		ended.Store(true)
		return ctx.Err()
	})
	all := samples
	defer func() { samples = all }()
	samples = []sample{
		{name: "first", port: port, card: hello.Card,
			open: func(*sampleOptions, *sampleHost) (agent.Agent, error) { return worker, nil }},
		{name: "second", card: hello.Card, open: func(*sampleOptions, *sampleHost) (agent.Agent, error) {
			go run(context.WithoutCancel(t.Context()), "send", "-a", "http://"+ln.Addr().String(), "--timeout", "10s",
				"hi")
			select {
			case <-began:
			case <-time.After(10 * time.Second):
				t.Error("the first sample does not serve")
			}
			return nil, opened
		}},
	}
	c := newCommand(nil)
	o := &samplesOptions{serveOptions: serveOptions{
		ListenOptions: cmdline.ListenOptions{Data: cmdline.InMemory, Drain: 100 * time.Millisecond, LogLevel: "error",
			LogFormat: "text"},
		agent: cmdline.FolderSamples, turnLimit: time.Hour, retention: time.Hour,
	}}
	w, err := c.openSampleHost(t.Context(), &o.serveOptions)
	if err != nil {
		t.Fatal(err)
	}
	defer w.close(context.WithoutCancel(t.Context()))
	if err := c.onSeedPorts(t.Context(), o, w); !errors.Is(err, opened) {
		t.Errorf("got %v", err)
	}
	if !ended.Load() {
		t.Error("the first sample works on")
	}
}

func TestTenantsNameAgents(t *testing.T) {
	t.Parallel()
	seen := make(map[string]*a2a.Call)
	agents := byTenant{"a": tenantService{name: "a", seen: seen}, "b": tenantService{name: "b", seen: seen}}
	ctx := a2a.WithCall(t.Context(), &a2a.Call{Tenant: "b", RequestID: "r"})
	req := &a2a.GetTaskRequest{Tenant: "b", ID: "1"}
	task, err := agents.GetTask(ctx, req)
	if err != nil || task.ID != "b1" || req.Tenant != "b" {
		t.Errorf("got %+v, %v", task, err)
	}
	if call := seen["b"]; call.Tenant != "" || call.RequestID != "r" {
		t.Errorf("the agent sees %+v", call)
	}
	for _, name := range []string{"", "c"} {
		_, err := agents.GetTask(ctx, &a2a.GetTaskRequest{Tenant: name, ID: "1"})
		if !errors.Is(err, a2a.ErrInvalidParams) ||
			!strings.Contains(err.Error(), "must name one of the agents here: a, b") {
			t.Errorf("%q: %v", name, err)
		}
	}
	if err := agents.DeletePushConfig(ctx, &a2a.DeletePushConfigRequest{Tenant: "c"}); !errors.Is(err,
		a2a.ErrInvalidParams) {
		t.Errorf("got %v", err)
	}
}

// tenantService notes the calls of its requests, which must have no tenant.
type tenantService struct {
	a2a.Service
	name string
	seen map[string]*a2a.Call
}

func (s tenantService) GetTask(ctx context.Context, req *a2a.GetTaskRequest) (*a2a.Task, error) {
	s.seen[s.name] = a2a.CallFrom(ctx)
	return &a2a.Task{ID: a2a.TaskID(s.name) + req.ID + a2a.TaskID(req.Tenant)}, nil
}
