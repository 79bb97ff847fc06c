// SPDX-License-Identifier: Apache-2.0

package host

import (
	"context"

	"github.com/dragoman-a2a/dragoman/a2a"
)

// A Planner decides what is done for a request. It is asked when a request has come, and again each time when all steps
// that it wanted have ended, until it wants no more. With an error the decision may be nil, or say what was used. An
// error of the kind llm.ErrBudget says that the turn's budget does not suffice. It must be safe for concurrent use, and
// it keeps nothing: all that it may know is in the [Situation].
type Planner interface {
	Plan(ctx context.Context, s *Situation) (*Decision, error)
}

// A Situation is what a [Planner] decides on. It is read-only.
type Situation struct {
	Message     *a2a.Message  // the request
	Text        string        // its text
	Agents      []AgentInfo   // that can be asked, in the directory's order
	Missing     []Unreachable // that cannot be asked, as nobody has seen their cards
	Last        string        // alias of the agent that worked last in this conversation; "" for none
	OutputModes []string      // media types that the caller accepts; empty means any
	Reports     []Report      // the steps so far for this request, in their order
	Open        []Report      // steps for earlier requests of the conversation whose agents wait for an answer
	Left        Budget        // what is left of the turn's budget for a language model
}

// AgentInfo is what a planner knows of an agent. What its card says is text from outside.
type AgentInfo struct {
	Alias  string
	Card   *a2a.AgentCard
	Health Health
	Given  bool // by DirectoryOptions.Agents; else the catalogue lists it
	// of one that was given: the last element of that URL, such as "movies", by which users may call it; "" for none
	Handle string
}

// A Step is a message to an agent.
type Step struct {
	ID    string   `json:"id"`    // "1", "2" and so on, over the whole task
	Agent string   `json:"agent"` // its alias
	Text  string   `json:"text"`  // to be sent
	After []string `json:"after,omitempty"`

	// Whole says that the request goes to the agent as it is, all of its parts untouched. Text is then for people.
	Whole bool `json:"whole,omitzero"`
}

// A Report says what became of a step.
type Report struct {
	Step
	Name  string        // of the agent
	State a2a.TaskState // of the agent's task; submitted as long as there is none
	Text  string        // what the agent answered, asked or failed with, shortened
	Files []string      // names of what else it answered with
	Error string        // why the step failed on this side; "" when it did not
}

// A Decision is what a [Planner] wants. One without any member set says that all is done.
type Decision struct {
	Steps    []Step     // to be taken next
	Question *Question  // for the user, when the planner is not sure; goes before Steps
	Answer   []a2a.Part // the host's own; ends the task, and goes before Steps
	Cancel   []string   // ids of open steps whose tasks are no longer wanted; goes along with all others
	Used     Budget     // what the planner asked of a language model for this
}

// A Question asks the user whom a request is for.
type Question struct {
	Text    string   `json:"text"`
	Choices []string `json:"choices,omitempty"` // aliases, the likeliest first; empty when any answer is good
}
