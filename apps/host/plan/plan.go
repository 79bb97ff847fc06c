// SPDX-License-Identifier: Apache-2.0

// Package plan has the planners of the host: they decide which agents a request is for, and in which order. [Rules]
// plans without a language model, [NewLLM] with one.
//
// Cards and answers are text of other people. The planners read them as data, and bound how much of them they read.
package plan

import (
	"context"
	"time"

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
	Agents      []Agent       // that can be asked, in the directory's order
	Missing     []Unreachable // that cannot be asked, as nobody has seen their cards
	Last        string        // alias of the agent that worked last in this conversation; "" for none
	OutputModes []string      // media types that the caller accepts; empty means any
	Reports     []Report      // the steps so far for this request, in their order
	Open        []Report      // steps for earlier requests of the conversation whose agents wait for an answer
	Left        Budget        // what is left of the turn's budget for a language model
}

// Agent is what a planner knows of an agent. Its card is text from outside.
type Agent struct {
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

// Budget bounds what a planner asks of a language model in one turn, which is from a message of the user to the answer,
// or to a question for the user, however often the planner looks at the request meanwhile. A turn that goes on after a
// restart has what it had left. The zero value of each member means its default.
type Budget struct {
	Calls  int           // requests to the model; 0 means 24
	Tokens int           // input and output of all of them; 0 means 240,000
	Time   time.Duration // that the model takes, the agents' work not counted; 0 means 3 min
}

// exhausted says what is used up; "" if nothing is.
func (b Budget) exhausted() string {
	switch {
	case b.Calls <= 0:
		return "requests"
	case b.Tokens <= 0:
		return "tokens"
	case b.Time <= 0:
		return "time"
	}
	return ""
}
