// SPDX-License-Identifier: Apache-2.0

package coder

import "github.com/dragoman-a2a/dragoman/a2a"

// Card describes the agent. Interfaces and capabilities are left to the server that serves it.
func Card() *a2a.AgentCard {
	return &a2a.AgentCard{
		Name:               "Coder Agent",
		Description:        "Writes code and streams it as files; offline it writes from templates that compile",
		Version:            "1.0.0",
		DefaultInputModes:  []string{"text/plain", "text/*", "application/json"},
		DefaultOutputModes: []string{"text/plain", "text/*", "application/zip", "application/octet-stream"},
		Skills: []a2a.AgentSkill{{
			ID:          "code_generation",
			Name:        "Code Generation",
			Description: "Writes programs, types, tests and build files in Go, Python, JavaScript, TypeScript, Java, Rust, C, HTML, SQL and Bash",
			Tags:        []string{"code", "development", "programming"},
			Examples: []string{
				"Write a Python function that computes fibonacci numbers",
				"Create an HTML page with a button that alerts 'Hello!' when clicked",
				"A TypeScript class for a user profile with name, email and age",
				"Refactor this Go code: func f(a int) int { a = a + 1; return a }",
				"Write unit tests for this Go function: func Add(a, b int) int { return a + b }",
			},
		}},
	}
}
