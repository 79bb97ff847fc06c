// SPDX-License-Identifier: Apache-2.0

// Package movies is a sample agent that answers questions about films and those who make them: "Who directed The
// Matrix?", "What other movies has Scarlett Johansson been in?", "Recommend a good sci-fi movie." It asks back when a
// title or a name means several, and knows what "it" and "she" refer to.
//
//	agent.go      the agent: reads a message, asks what is meant, answers with text and records
//	model.go      lets a language model answer, with the catalogue as its tools
//	catalogue/    films and people: some 180 bundled films, or The Movie Database
//	rules/        stands in for the language model: a handful of questions in a few forms
package movies
