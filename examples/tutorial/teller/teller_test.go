// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent/agenttest"
)

// play returns a teller whose model gives these answers, and the requests that it gets.
func play(t *testing.T, answers ...string) (teller, *[]string) {
	t.Helper()
	var asked []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || len(asked) == len(answers) {
			http.Error(w, `{"error":{"message":"wrong key"}}`, http.StatusUnauthorized)
			return
		}
		asked = append(asked, string(body))
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"choices":[{"message":{"role":"assistant",%s}}]}`, answers[len(asked)-1])
	}))
	t.Cleanup(server.Close)
	return teller{openai.NewClient(option.WithBaseURL(server.URL), option.WithAPIKey("none")), "scripted"}, &asked
}

// rolls is the answer of a model that calls the tool, says that of one that speaks.
func rolls(dice string) string {
	return fmt.Sprintf(`"tool_calls":[{"id":"1","type":"function","function":{"name":"roll","arguments":%q}}]`,
		`{"dice":"`+dice+`"}`)
}

func says(text string) string { return fmt.Sprintf(`"content":%q`, text) }

func TestTheModelRollsAndTells(t *testing.T) {
	agent, asked := play(t, rolls("2d6"), says("Fortune smiles on you."), says("As I said."))
	h := agenttest.New(t, agent, nil)
	r := h.Send("Will it rain?")
	if r.State() != a2a.TaskStateCompleted || r.Text() != "Fortune smiles on you." {
		t.Errorf("%s: %q", r.State(), r.Text())
	}
	if told := (*asked)[1]; !strings.Contains(told, `"content":"[`) {
		t.Errorf("the model was told %s, want the numbers", told)
	}
	next := a2a.NewMessage(a2a.RoleUser, a2a.TextPart("And tomorrow?"))
	next.ContextID = r.Task.ContextID
	h.SendMessage(next)
	if told := (*asked)[2]; !strings.Contains(told, "Will it rain?") || !strings.Contains(told, `"name":"roll"`) {
		t.Errorf("the model was told %s, want the conversation", told)
	}
}

func TestTheModelIsToldWhatIsWrong(t *testing.T) {
	agent, asked := play(t, rolls("a handful"), says("I cannot see."))
	agenttest.New(t, agent, nil).Send("Will it rain?")
	if told := (*asked)[1]; !strings.Contains(told, "write them as 2d6") {
		t.Errorf("the model was told %s", told)
	}
}

func TestTheModelDoesNotAnswer(t *testing.T) {
	agent, _ := play(t)
	r := agenttest.New(t, agent, nil).Send("Will it rain?")
	if r.State() != a2a.TaskStateFailed || strings.Contains(r.StatusText(), "key") {
		t.Errorf("%s: %q", r.State(), r.StatusText())
	}
}
