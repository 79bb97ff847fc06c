// SPDX-License-Identifier: Apache-2.0

package host_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/apps/host"
	"github.com/dragoman-a2a/dragoman/apps/host/plan"
	"github.com/dragoman-a2a/dragoman/internal/llm"
	"github.com/dragoman-a2a/dragoman/internal/llm/llmtest"
	"github.com/dragoman-a2a/dragoman/journal/memory"
)

// insatiable plays a model that always sends one more message.
func insatiable(t *testing.T) *llmtest.Server {
	var sent atomic.Int32
	return llmtest.Func(t, func(*llmtest.Request) llmtest.Step {
		step := llmtest.Calls(send("Currency Agent", fmt.Sprint(sent.Add(1), " USD in GBP")))
		step.Usage = llm.Usage{Input: 300, Output: 100}
		return step
	})
}

// However often it looks at a request, the model has one budget for it; what agents have answered stays.
func TestOneBudgetForAllLooks(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		budget plan.Budget
		want   int // requests, each of 400 tokens
		says   string
	}{
		"calls": {plan.Budget{Calls: 5}, 5,
			"5 questions to the language model, 240000 tokens and 3m0s are the limits"},
		"tokens":   {plan.Budget{Tokens: 1000}, 3, "24 questions to the language model, 1000 tokens"},
		"defaults": {plan.Budget{}, 24, "24 questions"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			model := insatiable(t)
			w := newWorld(t, func(o *host.Options, _ *host.DirectoryOptions) {
				o.Planner, o.Budget = plan.NewLLM(model.Model()), test.budget
			}, currencyURL(t))
			r := w.Send("1 USD in GBP")
			must(t, r, a2a.TaskStateFailed, test.says)
			if n := len(model.Requests()); n != test.want || len(r.Task.Artifacts) != n {
				t.Errorf("%d requests, %d artifacts", n, len(r.Task.Artifacts))
			}
			// The next message has a budget of its own.
			m := a2a.NewMessage(a2a.RoleUser, a2a.TextPart("1 USD in GBP"))
			m.ContextID = r.Task.ContextID
			if w.SendMessage(m); len(model.Requests()) != 2*test.want {
				t.Errorf("%d requests after two messages", len(model.Requests()))
			}
		})
	}
}

// Time counts while the model thinks.
func TestTheBudgetOfTime(t *testing.T) {
	t.Parallel()
	model := llmtest.New(t, llmtest.Calls(send("Currency Agent", "1 USD in GBP")), llmtest.Step{Stall: true})
	w := newWorld(t, func(o *host.Options, _ *host.DirectoryOptions) {
		o.Planner, o.Budget = plan.NewLLM(model.Model()), plan.Budget{Time: time.Second}
	}, currencyURL(t))
	began := time.Now()
	r := w.Send("1 USD in GBP")
	must(t, r, a2a.TaskStateFailed, "1s are the limits")
	if took := time.Since(began); took > 20*time.Second || len(r.Task.Artifacts) != 1 {
		t.Errorf("after %s: %+v", took, r.Task.Artifacts)
	}
}

// A turn that is interrupted goes on with what it had left.
func TestTheBudgetOutlivesARestart(t *testing.T) {
	t.Parallel()
	entered, goOn := make(chan struct{}, 1), make(chan struct{})
	worker := agent.Func(func(ctx context.Context, t *agent.Turn) error {
		if err := t.Working(); err != nil {
			return err
		}
		select {
		case entered <- struct{}{}:
		default:
		}
		select {
		case <-goOn:
			return t.Artifact("tunnel", a2a.TextPart("dug"))
		case <-ctx.Done():
			return ctx.Err()
		}
	})
	url := serve(t, worker, cardOf("Worker", "Digs tunnels", "tunnels"))
	model := llmtest.Func(t,
		func(*llmtest.Request) llmtest.Step { return llmtest.Calls(send("Worker", "dig one more")) })
	options := host.Options{Planner: plan.NewLLM(model.Model()), Budget: plan.Budget{Calls: 3}}
	kept := memory.New(nil)
	defer kept.Close()
	first := beginWith(t, kept, options, url)
	task := first.send(t, a2a.NewMessage(a2a.RoleUser, a2a.TextPart("dig tunnels")))
	<-entered
	first.stop()
	second := beginWith(t, kept, options, url)
	defer second.stop()
	close(goOn)
	if done := second.await(t, task.ID, a2a.TaskStateFailed); len(model.Requests()) != 3 || len(done.Artifacts) != 3 {
		t.Errorf("%d requests, %d artifacts: %s", len(model.Requests()), len(done.Artifacts),
			done.Status.Message.Text())
	}
}
