// SPDX-License-Identifier: Apache-2.0

package currency

import "github.com/dragoman-a2a/dragoman/a2a"

// Card describes the agent. Interfaces and capabilities are left to the server that serves it.
func Card() *a2a.AgentCard {
	return &a2a.AgentCard{
		Name:               "Currency Agent",
		Description:        "Helps with exchange rates for currencies",
		Version:            "1.0.0",
		DefaultInputModes:  []string{"text/plain"},
		DefaultOutputModes: []string{"text/plain", "application/json"},
		Skills: []a2a.AgentSkill{{
			ID:          "convert_currency",
			Name:        "Currency Exchange Rates Tool",
			Description: "Helps with exchange values between various currencies",
			Tags:        []string{"currency conversion", "currency exchange"},
			Examples: []string{
				"100 USD in GBP",
				"5 euros in yen and pounds",
				"$20 to EUR yesterday",
				"What is exchange rate between USD and GBP?",
			},
		}},
	}
}
