// SPDX-License-Identifier: Apache-2.0

package coder

import (
	"fmt"
	"strings"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
)

// An emitter turns files into artifacts.
type emitter struct {
	t      *agent.Turn
	asFile bool // each file whole, as a file; otherwise in chunks of text
	names  []string

	now    File // the file that is being written; its content is in chunk, as far as it has not gone out
	size   int  // bytes of it until now
	stream *agent.ArtifactWriter
	chunk  strings.Builder
}

// chunkSize is how much of a file is sent at once, in bytes; chunks end with a line.
const chunkSize = 240

// file writes a whole file.
func (e *emitter) file(f File) error {
	if err := e.open(File{Name: f.Name, Language: f.Language}); err != nil {
		return err
	}
	for line := range strings.Lines(f.Content) {
		if err := e.write(line); err != nil {
			return err
		}
	}
	return e.close()
}

// open begins a file.
func (e *emitter) open(f File) error {
	e.now, e.size = f, 0
	e.chunk.Reset()
	e.names = append(e.names, f.Name)
	if e.asFile {
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
	for key, value := range map[string]string{"filename": e.now.Name, "language": e.now.Language,
		"mimeType": e.now.mediaType()} {
		if err := a.Metadata.Set(key, value); err != nil {
			return a, err
		}
	}
	return a, nil
}

// write adds lines to the file. Anything beyond the limit of a file is an error.
func (e *emitter) write(lines string) error {
	e.size += len(lines)
	e.chunk.WriteString(lines)
	if e.size > MaxFile {
		return agent.Public(fmt.Sprintf("The file %s is longer than %d KiB.", e.now.Name, MaxFile>>10), nil)
	}
	if e.asFile || e.chunk.Len() < chunkSize {
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
	if !e.asFile {
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

// done ends the task with a list of the files.
func (e *emitter) done(notes string) error {
	text := strings.TrimSpace("Generated files: " + strings.Join(e.names, ", ") + ".\n" + notes)
	return e.t.Reply(a2a.TextPart(text))
}
