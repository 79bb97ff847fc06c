// SPDX-License-Identifier: Apache-2.0

package coder

import "github.com/dragoman-a2a/dragoman/a2a"

// Card describes the agent. Interfaces and capabilities are left to the server that serves it.
func Card() *a2a.AgentCard {
	return &a2a.AgentCard{
		Name: "Coder Agent",
		Description: "Writes code and streams it as files; without a language model only Fibonacci numbers " +
			"and a web page",
		Version:            "1.0.0",
		DefaultInputModes:  []string{"text/plain", "text/*", "application/json"},
		DefaultOutputModes: []string{"text/plain", "text/*", "application/octet-stream"},
		Skills: []a2a.AgentSkill{{
			ID:   "code_generation",
			Name: "Code Generation",
			Description: "Writes programs, types, tests and build files in Go, Python, JavaScript, TypeScript, Java, " +
				"Rust, C, HTML, SQL and Bash",
			Tags: []string{"code", "development", "programming"},
			Examples: []string{
				"Write a Python function that computes fibonacci numbers",
				"Fibonacci in Go with tests",
				"Create an HTML page with a button that alerts 'Hello!' when clicked",
			},
		}},
	}
}
