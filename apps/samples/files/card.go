// SPDX-License-Identifier: Apache-2.0

package files

import "github.com/dragoman-a2a/dragoman/a2a"

// Card describes the agent. Interfaces and capabilities are left to the server that serves it.
func Card() *a2a.AgentCard {
	return &a2a.AgentCard{
		Name:        "File Agent",
		Description: "Reads a file, a table or a text, and answers questions about it",
		Version:     "1.0.0",
		// Browsers on machines with Excel say application/vnd.ms-excel of CSV.
		DefaultInputModes: []string{"text/plain", "text/csv", "text/*", "application/json", "application/csv",
			"application/vnd.ms-excel", "application/octet-stream"},
		DefaultOutputModes: []string{"text/plain", "application/json"},
		Skills: []a2a.AgentSkill{{
			ID:   "ask_file",
			Name: "Questions about a file",
			Description: "Statistics of a CSV or text file, and answers to questions about its rows, columns and " +
				"words; as data in the form of a JSON Schema if the client wants that",
			Tags: []string{"files", "csv", "statistics", "data analysis", "structured output"},
			Examples: []string{
				"Statistics of this file",
				"How many rows are there?",
				"Average price by city",
				"What is the highest price?",
				"Top 3 rows by price",
			},
		}},
	}
}
