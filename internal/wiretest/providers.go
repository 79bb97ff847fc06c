// SPDX-License-Identifier: Apache-2.0

package wiretest

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/llm"
	"github.com/dragoman-a2a/dragoman/internal/llm/llmtest"
)

// An Engine is a sample whose engine is a language model.
type Engine struct {
	Sample   func(llm.Model) Sample
	Opening  func() *a2a.Message                                 // a message for which the model is asked
	Converse func(t *testing.T, c *Caller)                       // holds a conversation
	Thinks   func(t *testing.T, r *llmtest.Request) llmtest.Step // plays a model that makes sense of the conversation

	// Names says that its tasks name others by their ids, so that what people see of them is all that can be compared.
	Names bool

	Down    Outcome // of the opening, when the model cannot be had: a wrong key, an answer that is not of the protocol
	Busy    Outcome // of the opening, when the provider limits the rate
	Refused Outcome // of the opening, when the model refuses
}

// An Outcome is what a task comes to.
type Outcome struct {
	State a2a.TaskState
	Text  string // a part of what it says
}

// Providers tests an engine with each provider of models: the same tasks come of the conversation whichever it is, over
// every binding, streaming and not; broken JSON is mended; faults become what users may read; and a cancel reaches the
// model.
func Providers(t *testing.T, e Engine) {
	t.Helper()
	t.Run("conversation", e.converse)
	llmtest.Each(t, func(t *testing.T, p llmtest.Provider) {
		t.Run("broken JSON", func(t *testing.T) { t.Parallel(); e.mend(t, p) })
		t.Run("faults", func(t *testing.T) { t.Parallel(); e.fail(t, p) })
		t.Run("cancel", func(t *testing.T) { t.Parallel(); cancelReachesModel(t, p, e.Opening(), e.Sample) })
	})
}

// converse holds the conversation in each way of 1.0. The providers take turns, so that each is met with streaming and
// without.
func (e Engine) converse(t *testing.T) {
	var want []*a2a.Task
	for i, w := range ways {
		p := llmtest.Providers[i%len(llmtest.Providers)]
		t.Run(fmt.Sprint(p, " ", w), func(t *testing.T) {
			if i > 0 {
				t.Parallel()
			}
			s := e.Sample(p.Func(t, func(r *llmtest.Request) llmtest.Step { return e.Thinks(t, r) }).Model())
			c := dial(t, s.Serve(t), w)
			e.Converse(t, c)
			if i == 0 {
				want = c.tasks
				return
			}
			if e.Names {
				w.generation = "" // which is compared as old ones are
			}
			compare(t, w, want, c.tasks)
		})
	}
}

// mend has the model break its first answer.
func (e Engine) mend(t *testing.T, p llmtest.Provider) {
	var b breaker
	server := p.Func(t, func(r *llmtest.Request) llmtest.Step {
		return b.step(r, func(r *llmtest.Request) llmtest.Step { return e.Thinks(t, r) })
	})
	s := e.Sample(server.Model())
	e.Converse(t, dial(t, s.Serve(t), ways[1]))
	if !b.mended {
		t.Error("the model was not told of its broken JSON")
	}
}

// A breaker breaks the JSON of the first answer of a model, which does not remember it.
type breaker struct {
	mu             sync.Mutex
	broken, mended bool
	before, length int // messages before the broken answer, and those that came of it
}

func (b *breaker) step(r *llmtest.Request, thinks func(*llmtest.Request) llmtest.Step) llmtest.Step {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.broken {
		step := thinks(r)
		b.broken, b.before, b.length = true, len(r.Messages), 2
		step.Calls = slices.Clone(step.Calls)
		for i := range step.Calls {
			step.Calls[i].Args = step.Calls[i].Args[:len(step.Calls[i].Args)-1]
			step.Calls[i].ID = fmt.Sprint("broken-", i)
			b.length = 1 + len(step.Calls)
		}
		if len(step.Calls) == 0 {
			step.JSON = `{"broken`
		}
		return step
	}
	if !b.isBroken(r.Messages) {
		return thinks(r)
	}
	b.mended = true
	forgetful := *r
	forgetful.Messages = slices.Delete(slices.Clone(r.Messages), b.before, b.before+b.length)
	return thinks(&forgetful)
}

// isBroken reports whether messages have the broken answer in them.
func (b *breaker) isBroken(messages []llm.Message) bool {
	if len(messages) < b.before+b.length {
		return false
	}
	m := messages[b.before]
	return m.Role == llm.RoleAssistant && (m.Text == `{"broken` ||
		len(m.ToolCalls) > 0 && strings.HasPrefix(m.ToolCalls[0].ID, "broken-"))
}

// fail has the model fail in each way, one after the other.
func (e Engine) fail(t *testing.T, p llmtest.Provider) {
	step := make(chan llmtest.Step, 1)
	server := p.Func(t, func(*llmtest.Request) llmtest.Step {
		select {
		case s := <-step:
			return s
		default:
			return llmtest.Fail(http.StatusTeapot, "asked once too often")
		}
	})
	s := e.Sample(server.Model())
	c := dial(t, s.Serve(t), ways[0])
	for name, row := range map[string]struct {
		step llmtest.Step
		want Outcome
	}{
		"unknown key": {llmtest.Fail(http.StatusUnauthorized, "the key "+llmtest.Key+" is not known"), e.Down},
		"noise":       {llmtest.Step{Noise: true}, e.Down},
		"rate limit":  {llmtest.RateLimit(time.Hour), e.Busy}, // which nobody waits for
		"refusal":     {llmtest.Refuse("I will not."), e.Refused},
	} {
		step <- row.step
		task := c.Send(t, e.Opening())
		if Want(t, task, row.want.State, row.want.Text); t.Failed() {
			t.Fatalf("this came of: %s", name)
		}
		if raw, err := task.AppendJSON(nil); err != nil || strings.Contains(string(raw), llmtest.Key) {
			t.Errorf("%s: the task shows the key, or cannot be encoded: %v", name, err)
		}
	}
}

// CancelReachesModel cancels the task of a sample while its language model is silent, and wants the model to be left.
// Each provider is silent once.
func CancelReachesModel(t *testing.T, m *a2a.Message, sample func(llm.Model) Sample) {
	t.Helper()
	llmtest.Each(t, func(t *testing.T, p llmtest.Provider) { cancelReachesModel(t, p, m, sample) })
}

func cancelReachesModel(t *testing.T, p llmtest.Provider, m *a2a.Message, sample func(llm.Model) Sample) {
	t.Helper()
	asked, left := make(chan struct{}), make(chan struct{})
	server := p.Func(t, func(*llmtest.Request) llmtest.Step {
		close(asked)
		return llmtest.Step{Stall: true, Left: left}
	})
	s := sample(server.Model())
	c := dial(t, s.Serve(t), ways[0])
	task := c.begin(t, m)
	wait(t, asked, "the model is not asked")
	c.Cancel(t, task.ID)
	wait(t, left, "the model goes on, although the task is cancelled")
}

// wait waits for something to happen.
func wait(t *testing.T, happens <-chan struct{}, otherwise string) {
	t.Helper()
	select {
	case <-happens:
	case <-time.After(20 * time.Second):
		t.Fatal(otherwise)
	}
}
