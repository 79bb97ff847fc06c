// SPDX-License-Identifier: Apache-2.0

package main

import (
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"
)

// The bare handler is the measure of the rates: what net/http and the JSON library need for the same requests and
// answers when there is no protocol, agent, task or store behind them. It decodes into structs and encodes structs, as
// a program would that was written for nothing else.

type bareRequest struct {
	JSONRPC string         `json:"jsonrpc"`
	ID      jsontext.Value `json:"id"`
	Method  string         `json:"method"`
	Params  struct {
		ID      string      `json:"id"`
		Message bareMessage `json:"message"`
	} `json:"params"`
}

type bareMessage struct {
	ID        string     `json:"messageId"`
	ContextID string     `json:"contextId,omitzero"`
	TaskID    string     `json:"taskId,omitzero"`
	Role      string     `json:"role"`
	Parts     []barePart `json:"parts"`
}

type barePart struct {
	Text string `json:"text"`
}

type bareArtifact struct {
	ID    string     `json:"artifactId"`
	Name  string     `json:"name"`
	Parts []barePart `json:"parts"`
}

type bareStatus struct {
	State     string    `json:"state"`
	Timestamp time.Time `json:"timestamp"`
}

type bareTask struct {
	ID        string         `json:"id"`
	ContextID string         `json:"contextId"`
	Status    bareStatus     `json:"status"`
	Artifacts []bareArtifact `json:"artifacts"`
	History   []bareMessage  `json:"history"`
}

type bareSent struct {
	Task *bareTask `json:"task"`
}

type bareAnswer struct {
	JSONRPC string         `json:"jsonrpc"`
	ID      jsontext.Value `json:"id"`
	Result  any            `json:"result"`
}

// serveBare answers SendMessage and GetTask with a task such as the hello agent makes.
func serveBare(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	var req bareRequest
	if err == nil {
		err = json.Unmarshal(body, &req)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	answer := bareAnswer{JSONRPC: "2.0", ID: req.ID}
	if req.Method == "GetTask" {
		answer.Result = newBareTask(req.Params.ID,
			bareMessage{ID: "m-1000000000", Role: "ROLE_USER", Parts: []barePart{{Text: "Ada"}}})
	} else {
		answer.Result = bareSent{newBareTask(uuid.NewString(), req.Params.Message)}
	}
	out, err := json.Marshal(answer)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(out)))
	w.Write(out)
}

func newBareTask(id string, m bareMessage) *bareTask {
	m.TaskID, m.ContextID = id, "0199f3a0-7d5e-7c3e-9f57-0123456789ab"
	text := "World"
	if len(m.Parts) > 0 {
		text = m.Parts[0].Text
	}
	return &bareTask{
		ID: id, ContextID: m.ContextID,
		Status: bareStatus{State: "TASK_STATE_COMPLETED", Timestamp: time.Now().UTC()},
		Artifacts: []bareArtifact{{ID: "0199f3a0-7d5e-7c3e-9f57-ba9876543210", Name: "greeting",
			Parts: []barePart{{Text: "Hello, " + text + "!"}}}},
		History: []bareMessage{m},
	}
}
