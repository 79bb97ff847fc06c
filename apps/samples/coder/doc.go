// SPDX-License-Identifier: Apache-2.0

// Package coder is a sample agent that writes code: "fibonacci in Go with tests". Each file is an artifact of its own,
// streamed in chunks.
//
// With a model, the model writes fenced files, which become artifacts while they come. Without one the agent needs no
// network and no key: it has the recipes of package rules, and refuses everything else.
//
//	agent.go     the agent: a message becomes a task with files, a question or a refusal
//	emitter.go   files become artifacts, in chunks
//	model.go     files from a model
//	fence.go     files within the text of a model, line by line
//	file.go      names of files, which stay within their folder, and languages
//	rules/       the recipes
package coder
