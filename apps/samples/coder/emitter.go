// SPDX-License-Identifier: Apache-2.0

package coder

import (
	"context"
	"fmt"
	"strings"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
)

// An emitter turns files into artifacts while they are written. After its first error it does nothing more.
type emitter struct {
	t      *agent.Turn
	asFile bool                    // each file whole, as a file; otherwise in chunks of text
	stop   context.CancelCauseFunc // ends what writes the files; nil: nothing to end
	err    error

	files  []File          // the content of the last one is in text until it is complete
	text   strings.Builder // the content until now
	sent   int             // bytes of it that have gone out
	stream *agent.ArtifactWriter
}

// chunkSize is how much of a file is sent at once, in bytes; chunks end with a line.
const chunkSize = 240

func (e *emitter) keep(err error) {
	if err == nil || e.err != nil {
		return
	}
	e.err = err
	if e.stop != nil {
		e.stop(err)
	}
}

func (e *emitter) file(f File) {
	e.open(File{Name: f.Name, Language: f.Language})
	for line := range strings.Lines(f.Content) {
		e.write(line)
	}
	e.close()
}

func (e *emitter) open(f File) {
	if len(e.files) == MaxFiles {
		e.keep(agent.Public(fmt.Sprintf("The answer has more than %d files.", MaxFiles), nil))
	}
	if e.err != nil {
		return
	}
	e.files, e.sent = append(e.files, f), 0
	e.text.Reset()
	if !e.asFile {
		e.stream = e.t.StreamArtifact(e.artifact(f))
	}
}

// artifact is the artifact of a file, without parts.
func (e *emitter) artifact(f File) a2a.Artifact {
	a := a2a.Artifact{ID: a2a.NewArtifactID(), Name: f.Name}
	facts := map[string]string{"filename": f.Name, "language": f.Language, "mimeType": f.mediaType()}
	for key, value := range facts {
		e.keep(a.Metadata.Set(key, value))
	}
	return a
}

// write adds lines to the file. Anything beyond the limit of a file is an error.
func (e *emitter) write(lines string) {
	if e.err != nil {
		return
	}
	e.text.WriteString(lines)
	if e.text.Len() > MaxFile {
		name := e.files[len(e.files)-1].Name
		e.keep(agent.Public(fmt.Sprintf("The file %s is longer than %d KiB.", name, MaxFile>>10), nil))
		return
	}
	if !e.asFile && e.text.Len()-e.sent >= chunkSize {
		e.flush()
	}
}

func (e *emitter) flush() {
	_, err := e.stream.WriteString(e.text.String()[e.sent:])
	e.sent = e.text.Len()
	e.keep(err)
}

func (e *emitter) close() {
	if e.err != nil {
		return
	}
	f := &e.files[len(e.files)-1]
	f.Content = e.text.String()
	if !e.asFile {
		e.flush()
		e.keep(e.stream.Close())
		return
	}
	a := e.artifact(*f)
	a.Parts = []a2a.Part{a2a.RawPart([]byte(f.Content), f.mediaType(), f.Name)}
	e.keep(e.t.PutArtifact(&a))
}

func (e *emitter) done(notes string) error {
	var names []string
	for _, f := range e.files {
		names = append(names, f.Name)
	}
	return e.t.Reply(a2a.TextPart(strings.TrimSpace("Generated files: " + strings.Join(names, ", ") + ".\n" + notes)))
}
