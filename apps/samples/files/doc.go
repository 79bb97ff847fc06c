// SPDX-License-Identifier: Apache-2.0

// Package files is a sample agent that reads a file and answers questions about it: "average of price by city", "how many
// rows", "top words". A file is a table (CSV and its relatives, JSON) or a text, and comes with the message: as bytes, as
// data, or as a URL that the agent's operator allows. Later messages of the conversation mean the same file.
//
// A client that wants its answer in a form of its own sends a JSON Schema, by the hints that agent.Wanted reads. The
// answer is then data that fits the schema, or the task fails and says why it cannot be.
//
// What happens to a message, file by file:
//
//	source.go     the file is found: in the message, behind a URL, or in the conversation
//	table.go      bytes become a Table: delimiter, header, types (kinds.go); records.go does it for JSON
//	words.go      what there is to say about a text
//	lex.go        the question becomes words, columns, values and numbers
//	question.go   those become a Question, or something to ask back; model.go lets a language model do that
//	compute.go    the Question becomes a Result; describe.go makes statistics
//	say.go        a Result as text and as CSV
//	form.go       a Result as data, in the agent's form or in the client's
//	agent.go      the agent: a thin layer that turns all this into events of a task
package files
