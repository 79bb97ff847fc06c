// SPDX-License-Identifier: Apache-2.0

// Package coder is a sample agent that writes code: "fibonacci in Python", "a user class in TypeScript with name and
// email", "write unit tests for this function". Each file is an artifact of its own, streamed in chunks.
//
// Without a model it needs no network and no key. What it writes then comes from templates, which compile; what it has
// no template for, it says. With a model, the model writes fenced files, which become artifacts while they come.
//
//	read.go       text becomes a Spec: what for, in which language, with which names
//	fields.go     "name, email and age: int" becomes fields
//	templates.go  the templates, by purpose and language: templates/PURPOSE/LANGUAGE/FILE.tmpl
//	answer.go     a Spec and what the conversation has left become files, or a question
//	skeleton.go   tests for code that was sent
//	refactor.go   code that was sent, tidied, with a list of what changed
//	paste.go      code within a message
//	path.go       names of files, which stay within their folder
//	fence.go      files within the text of a model, line by line
//	model.go      the same Outcome from a model
//	archive.go    all files as one zip file
//	agent.go      the agent: a thin layer that turns files into artifacts of a task
package coder
