// SPDX-License-Identifier: Apache-2.0

package main

import (
	"strings"
	"testing"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent/agenttest"
	"github.com/dragoman-a2a/dragoman/internal/llm/llmtest"
)

func TestTheModelRollsAndTells(t *testing.T) {
	model := llmtest.New(t,
		llmtest.Calls(llmtest.Call{Name: "roll", Args: `{"dice":"2d6"}`}),
		llmtest.Text("Fortune smiles on you."),
	)
	h := agenttest.New(t, teller{model.Model()}, nil)
	r := h.Send("Will it rain?")
	if r.State() != a2a.TaskStateCompleted || r.Text() != "Fortune smiles on you." {
		t.Errorf("%s: %q", r.State(), r.Text())
	}
	if rolled := model.Last().Results(); len(rolled) != 1 || !strings.HasPrefix(rolled[0].Text, "[") {
		t.Errorf("the model was told %v, want the numbers", rolled)
	}
}

func TestTheModelIsToldWhatIsWrong(t *testing.T) {
	model := llmtest.New(t,
		llmtest.Calls(llmtest.Call{Name: "roll", Args: `{"dice":"a handful"}`}),
		llmtest.Text("I cannot see."),
	)
	agenttest.New(t, teller{model.Model()}, nil).Send("Will it rain?")
	if told := model.Last().Results()[0].Text; !strings.Contains(told, "write them as 2d6") {
		t.Errorf("the model was told %q", told)
	}
}

func TestTheModelDoesNotAnswer(t *testing.T) {
	model := llmtest.New(t, llmtest.Fail(401, "wrong key"))
	r := agenttest.New(t, teller{model.Model()}, nil).Send("Will it rain?")
	if r.State() != a2a.TaskStateFailed || strings.Contains(r.StatusText(), "key") {
		t.Errorf("%s: %q", r.State(), r.StatusText())
	}
}
