// SPDX-License-Identifier: Apache-2.0

package chat

import (
	"testing"

	"github.com/dragoman-a2a/dragoman/internal/connect"
	"github.com/dragoman-a2a/dragoman/internal/talk"
)

func TestChatAgentsAreCalledByWhatStandsInTheirURLs(t *testing.T) {
	t.Parallel()
	s := chat{agents: []*chatAgent{
		named("http://h/agents/currency", "Money"),
		named("http://h/agents/expenses", "Reimbursement Agent"), named("localhost:1", "Other Agent"),
	}}
	for word, want := range map[string]string{"expenses": "Reimbursement Agent", "Currency": "Money",
		"other": "Other Agent", "mon": "Money", "2": "Reimbursement Agent", "agent": "", "": "", "agents": ""} {
		got, err := s.find(word)
		if (want == "") != (err != nil) || err == nil && got.name != want {
			t.Errorf("%q is %+v, %v; want %q", word, got, err, want)
		}
	}
}

func named(ref, name string) *chatAgent {
	return &chatAgent{Talk: talk.Talk{Caller: &connect.Caller{Agent: ref}}, name: name}
}
