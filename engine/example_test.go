// SPDX-License-Identifier: Apache-2.0

package engine_test

import (
	"context"
	"fmt"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/engine"
)

// Ann sees a skill that the public card does not have.
func Example_extendedCard() {
	refund := agent.Func(func(ctx context.Context, t *agent.Turn) error {
		return t.Complete(a2a.TextPart("refunded"))
	})
	cardWithRefunds := &a2a.AgentCard{Skills: []a2a.AgentSkill{{ID: "refund", Name: "Refunds"}}}
	opts := &engine.AgentOptions{
		Card: &a2a.AgentCard{Name: "Shop"},
		ExtendedCard: func(ctx context.Context, caller a2a.Identity) (*a2a.AgentCard, error) {
			if caller.Subject != "ann" {
				return nil, nil // no extended card for others
			}
			return cardWithRefunds, nil
		},
	}

	eng, err := engine.New(nil)
	if err != nil {
		panic(err)
	}
	defer eng.Shutdown(context.Background())
	shop := eng.Agent("shop", refund, opts)
	for _, name := range []string{"ann", "bob"} {
		ctx := a2a.WithCall(context.Background(), &a2a.Call{Identity: a2a.Identity{Subject: name}})
		card, err := shop.ExtendedCard(ctx, &a2a.ExtendedCardRequest{})
		if err != nil {
			fmt.Println(name, err)
			continue
		}
		fmt.Println(name, card.Skills[0].Name)
	}
	// Output:
	// ann Refunds
	// bob there is no extended card for you
}
