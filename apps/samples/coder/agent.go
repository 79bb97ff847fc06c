// SPDX-License-Identifier: Apache-2.0

package coder

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/internal/llm"
)

// Options configure the agent. The zero value works offline.
type Options struct {
	// Model writes the code. nil: templates.
	Model llm.Model
	// Tools are what the model may use before it writes, such as those of an MCP server. Without a model they are not used.
	Tools []llm.Tool
	// Pace is how long the agent waits before each chunk of a file from templates, so that people can watch. 0: not at all.
	Pace time.Duration
}

// New returns the coder agent. A message becomes
//
//   - a completed task with one artifact a file, and a message that lists them. A client that accepts text gets a file in
//     chunks of text; one that accepts only files, or names "file" as clients of 0.1 do, gets it whole, as a file;
//   - an input-required task that asks for the language, or for what the code should do; or
//   - a rejected task when a path leaves its folder, or when the client accepts neither text nor files.
//
// The files of a conversation are kept as state of the context, so that "add tests" goes on with them.
func New(o Options) agent.Agent { return &writer{options: o} }

// writer implements [agent.Agent].
type writer struct{ options Options }

// Run deals with one message.
func (w *writer) Run(ctx context.Context, t *agent.Turn) error {
	form, ok := formFor(t)
	if !ok {
		return agent.Reject(a2a.TextPart("This agent writes text and files, and the request accepts only " + strings.Join(t.OutputModes(), ", ") + "."))
	}
	var state State
	if _, err := t.LoadContext(ctx, &state); err != nil {
		return fmt.Errorf("load the conversation: %w", err)
	}
	text, pasted, err := said(t)
	if err != nil {
		return t.Ask(a2a.TextPart(err.Error()))
	}
	e := &emitter{t: t, form: form, pace: w.options.Pace}
	if w.options.Model != nil {
		return w.byModel(ctx, e, state, text, pasted)
	}
	return w.byRules(ctx, e, state, text, pasted)
}

func (w *writer) byRules(ctx context.Context, e *emitter, state State, text string, pasted []File) error {
	outcome, state, err := Answer(state, text, pasted)
	if err != nil {
		return err
	}
	if err := e.t.SaveContext(ctx, state); err != nil {
		return fmt.Errorf("save the conversation: %w", err)
	}
	switch outcome.Kind {
	case Ask:
		return e.t.Ask(a2a.TextPart(outcome.Text))
	case Refuse:
		return agent.Reject(a2a.TextPart(outcome.Text))
	}
	if err := e.t.Working(a2a.TextPart("Generating code...")); err != nil {
		return err
	}
	for _, f := range outcome.Files {
		if err := e.file(ctx, f); err != nil {
			return err
		}
	}
	return e.done(outcome.Text, outcome.Zip, state.Files)
}

// said returns what the message says, and the code in it: pasted, or as files of text.
func said(t *agent.Turn) (text string, pasted []File, err error) {
	if t.Message() == nil {
		return "", nil, nil
	}
	text = t.Message().Text()
	for _, part := range t.Message().Parts {
		raw, isFile := part.Content.(a2a.Raw)
		if !isFile {
			continue
		}
		if len(raw) > MaxFile || !utf8.Valid(raw) || len(pasted) == MaxFiles {
			return "", nil, fmt.Errorf("the file %s cannot be read: send up to %d files of text of up to %d KiB each", plain(part.Filename), MaxFiles, MaxFile>>10)
		}
		name, ok := localPath(part.Filename)
		if !ok {
			name = fmt.Sprintf("file-%d%s", len(pasted)+1, languageOf(looksLike(string(raw))).extension)
		}
		pasted = append(pasted, File{Name: name, Language: languageOfFile(name).id, Content: string(raw)})
	}
	if len(pasted) == 0 {
		pasted, text = pastedIn(text)
	}
	for _, f := range pasted {
		if len(f.Content) > MaxFile {
			return "", nil, fmt.Errorf("the code is too long: the limit is %d KiB", MaxFile>>10)
		}
	}
	return text, pasted, nil
}

// form is how files are handed over.
type form int

const (
	asText form = iota
	asFile
)

// formFor chooses by what the client accepts; ok is false when it accepts neither.
func formFor(t *agent.Turn) (f form, ok bool) {
	switch {
	case slices.Contains(t.OutputModes(), "file"):
		return asFile, true
	case t.Accepts("text/plain"): // also beside octets: some clients send all the modes of the card
		return asText, true
	case t.Accepts("application/octet-stream"):
		return asFile, true
	}
	return asFile, slices.ContainsFunc(languages, func(l language) bool { return t.Accepts(l.mediaType) })
}

// An emitter turns files into artifacts.
type emitter struct {
	t     *agent.Turn
	form  form
	pace  time.Duration
	names []string

	now    File // the file that is being written; its content is in chunk, as far as it has not gone out
	size   int  // bytes of it until now
	stream *agent.ArtifactWriter
	chunk  strings.Builder
}

// chunkSize is how much of a file is sent at once, in bytes; chunks end with a line.
const chunkSize = 240

// file writes a whole file, with pauses.
func (e *emitter) file(ctx context.Context, f File) error {
	if err := e.open(File{Name: f.Name, Language: f.Language}); err != nil {
		return err
	}
	for line := range strings.Lines(f.Content) {
		if err := e.write(line); err != nil {
			return err
		}
		if e.chunk.Len() == 0 && e.pace > 0 { // a chunk has just gone out
			select {
			case <-time.After(e.pace):
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
	}
	return e.close()
}

// open begins a file.
func (e *emitter) open(f File) error {
	e.now, e.size = f, 0
	e.chunk.Reset()
	e.names = append(e.names, f.Name)
	if e.form == asFile {
		return nil
	}
	a, err := e.artifact()
	if err != nil {
		return err
	}
	e.stream = e.t.StreamArtifact(a)
	return nil
}

// artifact is the artifact of the file that is being written, without parts.
func (e *emitter) artifact() (a2a.Artifact, error) {
	a := a2a.Artifact{ID: a2a.NewArtifactID(), Name: e.now.Name}
	for key, value := range map[string]string{"filename": e.now.Name, "language": e.now.Language, "mimeType": e.now.mediaType()} {
		if err := a.Metadata.Set(key, value); err != nil {
			return a, err
		}
	}
	return a, nil
}

// write adds lines to the file. What comes beyond the limit of a file is an error.
func (e *emitter) write(lines string) error {
	e.size += len(lines)
	e.chunk.WriteString(lines)
	if e.size > MaxFile {
		return agent.Public(fmt.Sprintf("The file %s is longer than %d KiB.", e.now.Name, MaxFile>>10), nil)
	}
	if e.form == asFile || e.chunk.Len() < chunkSize {
		return nil
	}
	return e.flush()
}

func (e *emitter) flush() error {
	_, err := e.stream.WriteString(e.chunk.String())
	e.chunk.Reset()
	return err
}

// close ends the file.
func (e *emitter) close() error {
	if e.form == asText {
		if err := e.flush(); err != nil {
			return err
		}
		return e.stream.Close()
	}
	a, err := e.artifact()
	if err != nil {
		return err
	}
	a.Parts = []a2a.Part{a2a.RawPart([]byte(e.chunk.String()), e.now.mediaType(), e.now.Name)}
	return e.t.PutArtifact(&a)
}

// done ends the task with a list of the files and, if asked for, an archive of all files of the conversation.
func (e *emitter) done(notes string, zipped bool, all []File) error {
	text := "Generated files: " + strings.Join(e.names, ", ") + "."
	if zipped {
		content, err := archive(all)
		if err != nil {
			return err
		}
		if err := e.t.Artifact("files.zip", a2a.RawPart(content, "application/zip", "files.zip")); err != nil {
			return err
		}
		text += " They are in files.zip as well."
	}
	if notes != "" {
		text += "\n" + notes
	}
	return e.t.Reply(a2a.TextPart(text))
}
