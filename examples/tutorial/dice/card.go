// SPDX-License-Identifier: Apache-2.0

// Package dice is the agent of the tutorial's first parts: it rolls dice.
package dice

import "github.com/dragoman-a2a/dragoman/a2a"

// Card says what the agent can do. Where it is reached is filled in by the server.
func Card() *a2a.AgentCard {
	return &a2a.AgentCard{
		Name:               "Dice",
		Description:        "Rolls dice of any size",
		Version:            "1.0.0",
		DefaultInputModes:  []string{"text/plain"},
		DefaultOutputModes: []string{"text/plain"},
		Skills: []a2a.AgentSkill{{
			ID:          "roll",
			Name:        "Roll dice",
			Description: "Rolls up to 100 dice and adds them up",
			Tags:        []string{"dice", "random"},
			Examples:    []string{"2d6", "roll a d20"},
		}},
	}
}
