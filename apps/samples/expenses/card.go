// SPDX-License-Identifier: Apache-2.0

package expenses

import "github.com/dragoman-a2a/dragoman/a2a"

// Card describes the agent. Interfaces and capabilities are left to the server that serves it.
func Card() *a2a.AgentCard {
	return &a2a.AgentCard{
		Name: "Reimbursement Agent",
		Description: "Handles the reimbursement process for employees, given the amount and the purpose of " +
			"the expense",
		Version:            "1.0.0",
		DefaultInputModes:  []string{"text/plain", "application/json"},
		DefaultOutputModes: []string{"text/plain", "application/json"},
		Skills: []a2a.AgentSkill{{
			ID:          "process_reimbursement",
			Name:        "Process Reimbursement Tool",
			Description: "Takes a request for reimbursement with a form, and approves it",
			Tags:        []string{"reimbursement", "expenses", "form"},
			Examples: []string{
				"Can you reimburse me $20 for my lunch with the clients?",
				"I paid 45 EUR for the taxi to the airport yesterday",
			},
		}},
	}
}
