// SPDX-License-Identifier: Apache-2.0

// Package coder is a sample agent that writes code: "fibonacci in Go with tests". Each file is an artifact of its own,
// streamed in chunks.
//
// With a model, the model writes fenced files, which become artifacts while they come. Without one the agent needs no
// network and no key: it has the recipes of package rules, and refuses everything else.
//
//	emitter.go   files become artifacts, in chunks
//	model.go     files from a model
//	fence.go     files within the text of a model, line by line
//	file.go      names of files, which stay within their folder, and languages
//	rules/       the recipes
package coder

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/apps/samples/coder/rules"
	"github.com/dragoman-a2a/dragoman/apps/samples/internal/reply"
	"github.com/dragoman-a2a/dragoman/internal/llm"
)

// Options configure the agent. The zero value works offline.
type Options struct {
	// Model writes the code. nil: package rules has a few recipes and refuses everything else.
	Model llm.Model
	// Tools are what the model may use before it writes, such as those of an MCP server. Without a model they are not
	// used.
	Tools []llm.Tool
}

// New returns the coder agent. A message becomes
//
//   - a completed task with one artifact a file, and a message that lists them. A client that accepts text gets a file
//     in
//     chunks of text. A client that accepts only files, or names "file" as clients of 0.1 do, gets it whole, as a file;
//   - an input-required task that asks for the language, or for what the code should do; or
//   - a rejected task when the client accepts neither text nor files, or when there is no recipe and no model.
//
// The files of a conversation are kept as state of the context, so that "add tests" goes on with them.
func New(o Options) agent.Agent { return &writer{options: o} }

type writer struct{ options Options }

// State is what a conversation keeps: the files that were written last and, offline, what was asked for.
type State struct {
	Files   []File        `json:"files,omitempty"`
	Request rules.Request `json:"request,omitzero"`
}

// Run deals with one message.
func (w *writer) Run(ctx context.Context, t *agent.Turn) error {
	asFile, ok := formFor(t)
	if !ok {
		return agent.Reject(a2a.TextPart("This agent writes text and files, and the request accepts only " +
			strings.Join(t.OutputModes(), ", ") + "."))
	}
	var state State
	if _, err := t.LoadContext(ctx, &state); err != nil {
		return fmt.Errorf("load the conversation: %w", err)
	}
	sent, err := sentWith(t.Message())
	if err != nil {
		return t.Ask(a2a.TextPart(err.Error()))
	}
	e := &emitter{t: t, asFile: asFile}
	if w.options.Model != nil {
		return w.byModel(ctx, e, state, t.Text(), sent)
	}
	return byRecipe(ctx, e, state, t.Text(), sent)
}

// byRecipe writes the files of a recipe. It leaves out those that the conversation has already.
func byRecipe(ctx context.Context, e *emitter, before State, text string, sent []File) error {
	request, ok := before.Request.Read(text)
	if !ok || len(sent) > 0 {
		return agent.Reject(a2a.TextPart(rules.Refusal))
	}
	now := State{Request: request, Files: before.Files}
	question := request.Question()
	var fresh []File
	if question == "" {
		now.Files = nil
		for _, f := range request.Files() {
			file := File{Name: f.Name, Language: languageOfFile(f.Name).id, Content: f.Content}
			now.Files = append(now.Files, file)
			if !slices.Contains(before.Files, file) {
				fresh = append(fresh, file)
			}
		}
	}
	if err := e.t.SaveContext(ctx, now); err != nil {
		return fmt.Errorf("save the conversation: %w", err)
	}
	if question != "" {
		return e.t.Ask(a2a.TextPart(question))
	}
	if err := e.t.Working(a2a.TextPart("Generating code...")); err != nil {
		return err
	}
	if len(fresh) == 0 {
		fresh = now.Files
	}
	for _, f := range fresh {
		e.file(f)
	}
	if e.err != nil {
		return e.err
	}
	return e.done("")
}

// sentWith returns the files of text that came with a message.
func sentWith(m *a2a.Message) ([]File, error) {
	if m == nil {
		return nil, nil
	}
	var sent []File
	for _, part := range m.Parts {
		raw, isFile := part.Content.(a2a.Raw)
		if !isFile {
			continue
		}
		if len(raw) > MaxFile || !utf8.Valid(raw) || len(sent) == MaxFiles {
			return nil, fmt.Errorf("the file %s cannot be read: send up to %d files of text of up to %d KiB each",
				reply.Line(part.Filename, maxPath), MaxFiles, MaxFile>>10)
		}
		name, ok := localPath(part.Filename)
		if !ok {
			name = fmt.Sprintf("file-%d.txt", len(sent)+1)
		}
		sent = append(sent, File{Name: name, Language: languageOfFile(name).id, Content: string(raw)})
	}
	return sent, nil
}

// formFor reports whether the client gets files as files rather than as text; ok is false when it accepts neither.
func formFor(t *agent.Turn) (asFile, ok bool) {
	switch {
	case slices.Contains(t.OutputModes(), "file"):
		return true, true
	case t.Accepts("text/plain"): // also beside octets: some clients send all the modes of the card
		return false, true
	case t.Accepts("application/octet-stream"):
		return true, true
	}
	return true, slices.ContainsFunc(languages, func(l language) bool { return t.Accepts(l.mediaType) })
}

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
