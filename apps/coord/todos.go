// SPDX-License-Identifier: Apache-2.0

package coord

import (
	"slices"
	"time"
)

var todoStates = []string{"pending", "in_progress", "completed", "blocked", "cancelled"}

// TodoSummary counts todos.
type TodoSummary struct {
	Total      int `json:"total"`
	Completed  int `json:"completed"`
	Pending    int `json:"pending"`
	InProgress int `json:"in_progress"`
	Blocked    int `json:"blocked"`
}

func summarize(todos []*Todo) TodoSummary {
	sum := TodoSummary{Total: len(todos)}
	for _, todo := range todos {
		switch todo.Status {
		case "completed":
			sum.Completed++
		case "pending":
			sum.Pending++
		case "in_progress":
			sum.InProgress++
		case "blocked":
			sum.Blocked++
		}
	}
	return sum
}

// AddTodo adds an item to the list of a session.
type AddTodo struct {
	Session, Item string
	Priority      int // 1 high, 2 medium, 3 low; 0 means 1
}

// TodoAdded is the result of [AddTodo].
type TodoAdded struct {
	Status  string `json:"status"` // added
	ID      string `json:"todo_id"`
	Message string `json:"message"`
}

func (c AddTodo) session() string { return c.Session }

func (c AddTodo) run(t *tx) Result {
	if c.Item == "" {
		return invalid("todo_item is missing")
	}
	if f := badText("todo_item", c.Item, maxText); f != nil {
		return f
	}
	if c.Priority == 0 {
		c.Priority = 1
	}
	if c.Priority < 1 || c.Priority > 3 {
		return invalid("priority must be 1 (high), 2 (medium) or 3 (low)")
	}
	if len(t.session(c.Session).Todos) >= maxTodos {
		return tooMany("todos of this session", maxTodos)
	}
	if f := t.overQuota(c.Session, c.Item); f != nil {
		return f
	}
	todo := &Todo{ID: t.id("todo"), Text: c.Item, Status: "pending", Priority: c.Priority, CreatedAt: t.now}
	t.emit(Event{Kind: KindTodoAdded, Session: c.Session, Todo: todo})
	return TodoAdded{Status: "added", ID: todo.ID, Message: "Added todo: " + c.Item}
}

// UpdateTodo changes the status of an item of the session's own list.
type UpdateTodo struct{ Session, ID, Status string }

// TodoUpdated is the result of [UpdateTodo].
type TodoUpdated struct {
	Status    string `json:"status"` // updated or not_found
	ID        string `json:"todo_id"`
	NewStatus string `json:"new_status"`
}

func (c UpdateTodo) session() string { return c.Session }

func (c UpdateTodo) run(t *tx) Result {
	if f := badID("todo_id", c.ID); f != nil {
		return f
	}
	if !slices.Contains(todoStates, c.Status) {
		return invalid("status must be one of %v", todoStates)
	}
	todos := t.session(c.Session).Todos
	i := slices.IndexFunc(todos, func(todo *Todo) bool { return todo.ID == c.ID })
	if i < 0 {
		return TodoUpdated{Status: "not_found", ID: c.ID, NewStatus: c.Status}
	}
	todo := *todos[i]
	if todo.Status != c.Status {
		todo.Status = c.Status
		todo.CompletedAt = time.Time{}
		if c.Status == "completed" {
			todo.CompletedAt = t.now
		}
		t.emit(Event{Kind: KindTodoUpdated, Session: c.Session, Todo: &todo})
	}
	return TodoUpdated{Status: "updated", ID: c.ID, NewStatus: c.Status}
}

// TodoInfo is a Todo in an answer.
type TodoInfo struct {
	ID          string `json:"id"`
	Text        string `json:"text"`
	Status      string `json:"status"`
	Priority    int    `json:"priority"`
	CreatedAt   Time   `json:"created_at"`
	CompletedAt *Time  `json:"completed_at"`
}

func infos(todos []*Todo) []TodoInfo {
	all := make([]TodoInfo, len(todos))
	for i, todo := range todos {
		all[i] = TodoInfo{ID: todo.ID, Text: todo.Text, Status: todo.Status, Priority: todo.Priority,
			CreatedAt: Time(todo.CreatedAt)}
		if !todo.CompletedAt.IsZero() {
			all[i].CompletedAt = timeOf(todo.CompletedAt)
		}
	}
	return all
}

// MyTodos lists the items of a session in the order in which they came.
type MyTodos struct{ Session string }

// TodoList is the result of [MyTodos].
type TodoList struct {
	Session string     `json:"session_name"`
	Total   int        `json:"total"`
	Todos   []TodoInfo `json:"todos"`
}

func (c MyTodos) session() string { return c.Session }

func (c MyTodos) run(t *tx) Result {
	todos := infos(t.session(c.Session).Todos)
	return TodoList{Session: c.Session, Total: len(todos), Todos: todos}
}

// AllTodos lists the items of all agents that are there.
type AllTodos struct{}

// AgentTodos is what [AllTodos] says of one agent.
type AgentTodos struct {
	TaskID      string     `json:"task_id"`
	Description string     `json:"description"`
	Total       int        `json:"total_todos"`
	Completed   int        `json:"completed"`
	Todos       []TodoInfo `json:"todos"`
}

func (AllTodos) run(t *tx) Result {
	all := newOrdered[AgentTodos]()
	for name, s := range t.state.Sessions.all() {
		if !s.active() {
			continue
		}
		sum := summarize(s.Todos)
		all.set(name, AgentTodos{TaskID: s.Agent.TaskID, Description: s.Agent.Description, Total: sum.Total,
			Completed: sum.Completed, Todos: infos(s.Todos)})
	}
	return all
}
