// SPDX-License-Identifier: Apache-2.0

package console

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/binding/sse"
	"github.com/dragoman-a2a/dragoman/internal/redact"
)

// taskAPI is what the sections of tasks ask for.
type taskAPI struct{ c *Console }

const (
	maxTasks     = 100              // of one agent in the list: its newest ones
	maxTaskTime  = 10 * time.Second // until an agent has listed its tasks
	maxTaskSteps = 500              // events of one conversation, from which the history of a task is read
)

// A listedTask is a task of an agent, and the conversation that it belongs to.
type listedTask struct {
	Agent        string    `json:"agent"`
	Task         *a2a.Task `json:"task"`
	Conversation string    `json:"conversation,omitzero"`
}

// A silentAgent is one that does not list its tasks.
type silentAgent struct {
	Agent string `json:"agent"`
	problem
}

// listTasks asks all agents for their newest tasks. Of an agent that lists none, the tasks of conversations are shown.
func (a taskAPI) listTasks(_ http.ResponseWriter, r *http.Request) (any, error) {
	agents, err := a.c.tables.agents(r.Context())
	if err != nil {
		return nil, err
	}
	conversations, err := a.c.tables.conversations(r.Context(), "")
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(r.Context(), maxTaskTime)
	defer cancel()
	var mu sync.Mutex
	var asked sync.WaitGroup
	listed, silent := []listedTask{}, []silentAgent{}
	for _, agent := range agents {
		asked.Go(func() {
			found, err := a.tasksOf(ctx, agent.ID)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				silent = append(silent, silentAgent{agent.ID, problemOf(err)})
			}
			for _, t := range found {
				listed = append(listed, listedTask{Agent: agent.ID, Task: t})
			}
		})
	}
	asked.Wait()
	for _, one := range conversations {
		if one.Task == "" {
			continue
		}
		at := slices.IndexFunc(listed, func(l listedTask) bool { return l.Agent == one.Agent && l.Task.ID == one.Task })
		if at >= 0 {
			listed[at].Conversation = one.ID
			continue
		}
		state, err := a2a.ParseTaskState("TASK_STATE_" + strings.ToUpper(strings.ReplaceAll(one.State, "-", "_")))
		if err != nil { // it was sent a message that has no answer yet
			state = a2a.TaskStateSubmitted
		}
		listed = append(listed, listedTask{one.Agent, &a2a.Task{ID: one.Task, ContextID: one.Context,
			Status: a2a.TaskStatus{State: state, Timestamp: one.UpdatedAt}}, one.ID})
	}
	slices.SortStableFunc(listed, func(a, b listedTask) int {
		return b.Task.Status.Timestamp.Compare(a.Task.Status.Timestamp)
	})
	return map[string]any{"tasks": listed, "silent": silent}, nil
}

func (a taskAPI) tasksOf(ctx context.Context, agent string) ([]*a2a.Task, error) {
	one, err := a.c.client(ctx, agent)
	if err != nil {
		return nil, err
	}
	size := maxTasks
	page, err := one.ListTasks(ctx, &a2a.ListTasksRequest{PageSize: &size})
	if err != nil {
		return nil, err
	}
	return page.Tasks[:min(len(page.Tasks), maxTasks)], nil
}

// showTask gets a task from its agent, with its push configs and the events that a conversation has of it.
func (a taskAPI) showTask(_ http.ResponseWriter, r *http.Request) (any, error) {
	agent, id := r.PathValue("id"), a2a.TaskID(r.PathValue("task"))
	one, err := a.c.client(r.Context(), agent)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(r.Context(), maxTaskTime)
	defer cancel()
	task, err := one.GetTask(ctx, &a2a.GetTaskRequest{ID: id})
	if err != nil {
		return nil, err
	}
	events, err := a.c.tables.eventsOf(ctx, agent, task.ContextID)
	if err != nil {
		return nil, err
	}
	answer := map[string]any{"task": task, "events": events, "configs": []any{}}
	if push := one.Capabilities().PushNotifications; push != nil && *push {
		page, err := one.ListPushConfigs(ctx, &a2a.ListPushConfigsRequest{TaskID: id})
		if err != nil {
			return answer, nil // it is the least of a task, and older agents have no such list
		}
		text, err := json.Marshal(page.Configs)
		if err != nil {
			return nil, err
		}
		answer["configs"] = jsontext.Value(redact.Body(string(text)))
	}
	return answer, nil
}

func (a taskAPI) cancelOne(_ http.ResponseWriter, r *http.Request) (any, error) {
	one, err := a.c.client(r.Context(), r.PathValue("id"))
	if err != nil {
		return nil, err
	}
	task, err := one.CancelTask(r.Context(), &a2a.CancelTaskRequest{ID: a2a.TaskID(r.PathValue("task"))})
	if err != nil {
		return nil, err
	}
	a.c.news.tell(r.PathValue("id"))
	return map[string]any{"task": task}, nil
}

// followTask subscribes to a task, and writes its events until it has ended or the caller leaves.
func (a taskAPI) followTask(w http.ResponseWriter, r *http.Request) (any, error) {
	one, err := a.c.client(r.Context(), r.PathValue("id"))
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(a.c.ctx, cancel)()
	out := http.NewResponseController(w)
	begun := false
	for u, err := range one.Follow(ctx, &a2a.SubscribeRequest{ID: a2a.TaskID(r.PathValue("task"))}) {
		var text []byte
		if err == nil {
			text, err = a2a.AppendStreamResponse(nil, u.Event)
		}
		if err != nil && !begun {
			return nil, err
		}
		if err != nil {
			text = problemOf(err).json()
		}
		if !begun {
			begun = true
			w.Header().Set("Content-Type", sse.ContentType)
			w.Header().Set("Cache-Control", "no-store")
		}
		_ = out.SetWriteDeadline(time.Now().Add(writeTimeout)) // where it is known
		if _, err := w.Write(sse.AppendEvent(nil, "", text)); err != nil || out.Flush() != nil {
			return nil, nil
		}
	}
	if !begun {
		return done, nil
	}
	return nil, nil
}

// eventsOf returns the events of a context of an agent that conversations keep.
func (t *tables) eventsOf(ctx context.Context, agent string, id a2a.ContextID) ([]Entry, error) {
	if id == "" {
		return []Entry{}, nil
	}
	return all(ctx, t.db, scanEntry, `SELECT e.seq, e.at, e.kind, e.body FROM console_entries e
		JOIN console_conversations c ON c.id = e.conversation WHERE c.agent = $1 AND c.context = $2 AND e.kind = $3
		ORDER BY e.seq DESC LIMIT $4`, agent, string(id), kindEvent, maxTaskSteps)
}
