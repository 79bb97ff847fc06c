// SPDX-License-Identifier: Apache-2.0

// Package files is a sample agent that reads a file and answers questions about it: "average price by city", "how many
// rows". A file is a table (CSV) or a text, and comes with the message: as bytes or as a URL that the
// agent's operator allows. Later messages of the conversation mean the same file.
//
// A client that wants its answer in a form of its own sends a JSON Schema, by the hints that agent.Wanted reads. The
// answer is then data that fits the schema, or the task fails and says why it cannot be.
//
//	agent.go   the agent: a message becomes a task with an answer, a question or a refusal
//	source.go  the file is found: in the message, behind a URL, or in the conversation
//	form.go    an answer as data, in the agent's form or in the client's
//	model.go   a language model reads questions
//	rules/     what reads a few questions without one
//	table/     tables are read, and answers computed
package files
