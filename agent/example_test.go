// SPDX-License-Identifier: Apache-2.0

package agent_test

import (
	"context"
	"fmt"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/engine"
)

// An artifact can be written bit by bit: those who watch see each write, all others the whole.
func ExampleTurn_NewArtifact() {
	count := agent.Func(func(ctx context.Context, t *agent.Turn) error {
		if err := t.Working(a2a.TextPart("counting")); err != nil {
			return err
		}
		numbers := t.NewArtifact("numbers")
		for i := range 3 {
			if _, err := fmt.Fprintf(numbers, "%d ", i); err != nil {
				return err // the task was cancelled, or the server ends
			}
		}
		return numbers.Close() // says that the artifact is complete
	})

	// An agent within the process needs no server.
	ctx := context.Background()
	eng, err := engine.New(nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer eng.Shutdown(ctx)
	result, err := eng.Agent("count", count, nil).SendMessage(ctx, &a2a.SendMessageRequest{
		Message: a2a.NewMessage(a2a.RoleUser, a2a.TextPart("Count to three")),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	artifact := result.(*a2a.Task).Artifacts[0]
	fmt.Println(artifact.Name)
	for _, p := range artifact.Parts {
		fmt.Printf("%q\n", p.Content)
	}
	// Output:
	// numbers
	// "0 "
	// "1 "
	// "2 "
}
