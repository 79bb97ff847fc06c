// SPDX-License-Identifier: Apache-2.0

package mcpbridge

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/mcphttp"
)

// sessionless is the first revision of MCP in which a call ends with a question and comes again with the answer.
const sessionless = mcphttp.Stateless

// answerSchema is the form that people fill in to answer an agent. Forms of MCP are flat.
const answerSchema = `{"type":"object","properties":{"answer":{"type":"string","title":"Answer"}},` +
	`"required":["answer"]}`

// questionKey names the one question of a call.
const questionKey = "answer"

// maxQuestion is how many bytes of an agent's question a person is shown.
const maxQuestion = 4 << 10

func elicits(req *sdk.CallToolRequest) bool {
	can := req.ClientCapabilities()
	if can == nil || can.Elicitation == nil {
		return false
	}
	return can.Elicitation.Form != nil || can.Elicitation.URL == nil
}

// question is what a person is asked, who is told who wants to know.
func question(r *remote, task *a2a.Task) *sdk.ElicitParams {
	text := cut(wordsOf(task.Status.Message), maxQuestion)
	return &sdk.ElicitParams{
		Mode: "form", Message: "The agent " + line(r.card.Name, 100) + " asks: " + clean(text),
		RequestedSchema: jsontext.Value(answerSchema),
	}
}

func reply(skill string, task *a2a.Task, answer *sdk.ElicitResult) (*a2a.Message, error) {
	text, ok := answer.Content["answer"].(string)
	if !ok || text == "" {
		return nil, errors.New("the form has no answer")
	}
	in := input{Text: text, TaskID: string(task.ID), ContextID: string(task.ContextID)}
	return in.message(skill)
}

// A carried is what a client keeps between two rounds of a call.
type carried struct {
	Agent   string `json:"agent"`
	Task    string `json:"task"`
	Context string `json:"context"`
}

func (b *Bridge) ask(r *remote, o outcome) *sdk.CallToolResult {
	return &sdk.CallToolResult{
		InputRequests: sdk.InputRequestMap{questionKey: question(r, o.task)},
		RequestState:  b.seal(&carried{Agent: r.name, Task: string(o.task.ID), Context: string(o.task.ContextID)}),
	}
}

// answered returns the message for the next round, or else what to answer.
func (b *Bridge) answered(r *remote, skill string, req *sdk.CallToolRequest) (*a2a.Message, *sdk.CallToolResult) {
	state, ok := b.unseal(req.Params.RequestState)
	if !ok || state.Agent != r.name {
		return nil, refuse("requestState is not what this bridge gave")
	}
	task := &a2a.Task{ID: a2a.TaskID(state.Task), ContextID: a2a.ContextID(state.Context)}
	answer, ok := req.Params.InputResponses[questionKey].(*sdk.ElicitResult)
	if !ok {
		return nil, refuse("inputResponses lacks the answer")
	}
	if answer.Action == "accept" {
		if m, err := reply(skill, task, answer); err == nil {
			return m, nil
		}
	}
	task.Status.State = a2a.TaskStateInputRequired
	return nil, b.result(r, outcome{task: task})
}

// seal writes what a client carries so that it cannot be changed.
func (b *Bridge) seal(c *carried) string {
	text, err := json.Marshal(c)
	if err != nil {
		return "" // it has only strings
	}
	return base64.RawURLEncoding.EncodeToString(text) + "." + base64.RawURLEncoding.EncodeToString(b.sign(text))
}

func (b *Bridge) unseal(sealed string) (*carried, bool) {
	body, signature, _ := strings.Cut(sealed, ".")
	text, err := base64.RawURLEncoding.DecodeString(body)
	mac, err2 := base64.RawURLEncoding.DecodeString(signature)
	if err != nil || err2 != nil || !hmac.Equal(mac, b.sign(text)) {
		return nil, false
	}
	c := &carried{}
	return c, json.Unmarshal(text, c) == nil
}

func (b *Bridge) sign(text []byte) []byte {
	mac := hmac.New(sha256.New, b.key)
	mac.Write(text)
	return mac.Sum(nil)
}
