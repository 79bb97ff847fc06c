// SPDX-License-Identifier: Apache-2.0

package dice_test

import (
	"regexp"
	"testing"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent/agenttest"
	"github.com/dragoman-a2a/dragoman/examples/tutorial/dice"
)

func TestRoll(t *testing.T) {
	h := agenttest.New(t, dice.New(), &agenttest.Options{Card: dice.Card()})
	r := h.Send("Please roll 2d6")
	if r.State() != a2a.TaskStateCompleted || !regexp.MustCompile(`^2d6: [1-6] \+ [1-6] = \d+$`).MatchString(r.Text()) {
		t.Errorf("%s: %q", r.State(), r.Text())
	}
}

func TestNoDice(t *testing.T) {
	h := agenttest.New(t, dice.New(), nil)
	for _, text := range []string{"Hello", "0d6", "101d6", "2d1"} {
		if r := h.Send(text); r.State() != a2a.TaskStateRejected {
			t.Errorf("%q is %s, want rejected", text, r.State())
		}
	}
}
