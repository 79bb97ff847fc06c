// SPDX-License-Identifier: Apache-2.0

package clientcmd

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/cmdline"
	"github.com/dragoman-a2a/dragoman/internal/show"
	"github.com/dragoman-a2a/dragoman/internal/talk"
)

// codeState is the code of a state that --fail-on names. It is no failure of this program, and no error of the
// protocol.
const codeState = cmdline.CodeOther + "STATE"

// statesFlag is a list of states; it implements pflag.Value.
type statesFlag []a2a.TaskState

func (f *statesFlag) Type() string { return "states" }

func (f *statesFlag) String() string {
	var names []string
	for _, state := range *f {
		names = append(names, show.StateName(state))
	}
	return strings.Join(names, ",")
}

func (f *statesFlag) Set(text string) error {
	var states statesFlag
	for _, name := range strings.Split(text, ",") {
		state, ok := show.StateOf(strings.TrimSpace(name))
		if !ok {
			return fmt.Errorf("use %s, with commas between them", strings.Join(show.StateNames(), ", "))
		}
		if state != a2a.TaskStateUnspecified {
			states = append(states, state)
		}
	}
	*f = states
	return nil
}

// add lets a command fail when the task ends in one of some states, or waits.
func (f *statesFlag) add(flags *pflag.FlagSet) {
	flags.Var(f, "fail-on", fmt.Sprintf("exit with %d if the task ends up in one of these states, "+
		"such as failed,rejected,input-required", cmdline.ExitState))
}

// judge says how the task stands, and fails if that is a failure.
func judge(t *talk.Talk, failOn statesFlag) error {
	t.Judge()
	return failOn.verdict(t)
}

// verdict makes a failure of the state that the task is in, if the user wants that, and of an agent of this run only
// that reached no other one.
func (f statesFlag) verdict(t *talk.Talk) error {
	switch {
	case t.Unreached:
		return talk.ErrUnreached
	case slices.Contains(f, t.State):
		return &cmdline.Failure{Exit: cmdline.ExitState, Code: codeState,
			Message: fmt.Sprintf("the task is %s, which --fail-on names", show.StateName(t.State))}
	}
	return nil
}
