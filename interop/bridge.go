// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/client"
)

// A bridging is a bridge of a row's own to two sample agents, and the clients that call it.
type bridging struct {
	*mcpProgram
	slow string // URL of an agent that nobody else calls
}

// playBridge has the clients of a peer use agents as tools.
func (l *lab) playBridge(ctx context.Context, r *row) map[string]result {
	failed := func(err error) map[string]result {
		return map[string]result{"tools": {Scenario: "tools", Detail: err.Error()}}
	}
	slow, stop, err := l.launch(ctx, exec.CommandContext(ctx, l.dragoman, "serve", "--agent", "slow", "--addr",
		"127.0.0.1:0", "--data-dir", ":memory:"))
	if err != nil {
		return failed(err)
	}
	defer stop()
	bridge := []string{l.dragoman, "mcp", "bridge", "-a", "money=" + l.currency, "-a", "slow=" + slow}
	target := bridge
	if over, _ := r.mcp(); over == "http" {
		url, stop, err := l.launch(ctx, exec.CommandContext(ctx, bridge[0],
			append(bridge[1:], "--http", "127.0.0.1:0")...))
		if err != nil {
			return failed(err)
		}
		defer stop()
		target = []string{url}
	}
	p, err := l.startMCP(ctx, r, target...)
	if err != nil {
		return failed(err)
	}
	defer p.close()
	b := bridging{p, slow}
	return mcpScenarios(ctx, map[string]func(context.Context) error{
		"tools": b.tools, "call": b.send, "card": b.card, "progress": b.progress, "elicitation": b.elicitation,
		"cancel": b.cancel,
	})
}

// tools lists the skills of both agents, and what there is to look after tasks.
func (b bridging) tools(ctx context.Context) error {
	one, err := b.connect(ctx, "lister", false)
	if err != nil {
		return err
	}
	return one.names(ctx, "tools", "money_convert_currency", "slow_count", "get_task", "cancel_task")
}

// A report is the last line of what a tool answers.
type report struct {
	Status   string `json:"status"`
	Question string `json:"question"`
	TaskID   string `json:"task_id"`
}

// says compares an answer with a text and a status. It returns what the last line reports.
func says(a *mcpAnswer, text, status string) (*report, error) {
	var r report
	if len(a.Content) == 0 || json.Unmarshal([]byte(a.Content[len(a.Content)-1].Text), &r) != nil {
		return nil, fmt.Errorf("the answer ends with no report: %+v", a)
	}
	var said []string
	for _, c := range a.Content[:len(a.Content)-1] {
		said = append(said, c.Text)
	}
	if got := strings.Join(said, "\n"); got != text || r.Status != status || r.TaskID == "" || a.Failed {
		return nil, fmt.Errorf("the answer is %q with %+v and should be %q with the status %s", got, r, text, status)
	}
	return &r, nil
}

// converted is what the agent of rates answers, a text and data.
const converted = `1 USD = 0.77252 GBP (2025-04-01, bundled snapshot).
{"amount":1,"from":"USD","to":"GBP","rate":0.77252,"result":0.77252,"date":"2025-04-01","source":"bundled snapshot"}`

// send asks an agent, which asks back in an answer, as this client can ask nobody.
func (b bridging) send(ctx context.Context) error {
	one, err := b.connect(ctx, "caller", false)
	if err != nil {
		return err
	}
	a, err := one.call(ctx, "money_convert_currency", `{"text":"1 USD in GBP"}`)
	if err != nil {
		return err
	}
	if _, err := says(a, converted, "completed"); err != nil {
		return err
	}
	if a, err = one.call(ctx, "money_convert_currency", `{"text":"How much is 1 USD?"}`); err != nil {
		return err
	}
	asked, err := says(a, "", "input-required")
	if err != nil {
		return err
	}
	if asked.Question == "" {
		return errors.New("there is no question")
	}
	if a, err = one.call(ctx, "money_convert_currency",
		fmt.Sprintf(`{"text":"GBP","task_id":%q}`, asked.TaskID)); err != nil {
		return err
	}
	_, err = says(a, converted, "completed")
	return err
}

// card reads the card of an agent.
func (b bridging) card(ctx context.Context) error {
	one, err := b.connect(ctx, "reader", false)
	if err != nil {
		return err
	}
	if err := one.names(ctx, "resources", "a2a://money/agent-card", "a2a://slow/agent-card"); err != nil {
		return err
	}
	a, err := one.do(ctx, "read", mcpRequest{URI: "a2a://slow/agent-card"})
	if err != nil {
		return err
	}
	text, err := a.text()
	if err != nil {
		return err
	}
	var card a2a.AgentCard
	if err := json.Unmarshal([]byte(text), &card); err != nil || card.Name != "Slow Agent" || len(card.Skills) != 1 {
		return fmt.Errorf("the card is %s (%w)", text, err)
	}
	return nil
}

// progress hears what an agent streams while it works.
func (b bridging) progress(ctx context.Context) error {
	one, err := b.connect(ctx, "listener", false)
	if err != nil {
		return err
	}
	a, err := one.do(ctx, "call", mcpRequest{Tool: "slow_count",
		Arguments: json.RawMessage(`{"text":"count to 3 every 200ms"}`), Progress: true})
	if err != nil {
		return err
	}
	// The bridge may combine progress notifications that come close together.
	if heard := strings.Join(a.Progress, "\n"); !strings.Contains(heard, "1 of 3\n2 of 3") &&
		!strings.Contains(heard, "1 of 3\n3 of 3") {
		return fmt.Errorf("the progress is %q and should have 1 of 3, and then 2 of 3 or 3 of 3", heard)
	}
	_, err = says(a, "Counted to 3.", "completed")
	return err
}

// elicitation has a person answer what an agent asks.
func (b bridging) elicitation(ctx context.Context) error {
	one, err := b.connect(ctx, "person", true)
	if err != nil {
		return err
	}
	a, err := one.do(ctx, "call", mcpRequest{Tool: "slow_count", Arguments: json.RawMessage(`{"text":"count"}`),
		Answer: "to 2 every 10ms"})
	if err != nil {
		return err
	}
	if len(a.Asked) != 1 || !strings.HasPrefix(a.Asked[0], "The agent Slow Agent asks: How far shall I count, ") {
		return fmt.Errorf("the person is asked %q", a.Asked)
	}
	_, err = says(a, "Counted to 2.", "completed")
	return err
}

// cancel gives a call up, and the task is cancelled.
func (b bridging) cancel(ctx context.Context) error {
	one, err := b.connect(ctx, "canceller", false)
	if err != nil {
		return err
	}
	a, err := one.do(ctx, "call", mcpRequest{
		Tool: "slow_count", Arguments: json.RawMessage(`{"text":"count to 1000 every 100ms"}`), Progress: true,
		Cancel: true,
	})
	if err != nil {
		return err
	}
	if !a.Cancelled {
		return fmt.Errorf("the call ended with %+v and should be cancelled", a)
	}
	agent, err := client.Dial(ctx, b.slow, nil)
	if err != nil {
		return err
	}
	defer agent.Close()
	var seen []string
	for deadline := time.Now().Add(cancelLimit); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		list, err := agent.ListTasks(ctx, &a2a.ListTasksRequest{})
		if err != nil {
			return err
		}
		seen = nil
		for _, task := range list.Tasks {
			if seen = append(seen, task.Status.State.String()); task.Status.State == a2a.TaskStateCanceled {
				return nil
			}
		}
	}
	return fmt.Errorf("%v after the call was cancelled no task is: the agent has tasks that are %s", cancelLimit,
		strings.Join(seen, ", "))
}
