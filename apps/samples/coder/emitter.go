// SPDX-License-Identifier: Apache-2.0

package coder

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
)

// An emitter turns files into artifacts.
type emitter struct {
	t      *agent.Turn
	asFile bool // each file whole, as a file; otherwise in chunks of text
	pace   time.Duration
	names  []string

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
	for key, value := range map[string]string{"filename": e.now.Name, "language": e.now.Language, "mimeType": e.now.mediaType()} {
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

// wantsZip finds the wish for an archive in a message.
var wantsZip = regexp.MustCompile(`(?i)\b(?:zip|zipped|archive)\b`)

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

// archive puts files into a zip file. The same files give the same bytes.
func archive(files []File) ([]byte, error) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, f := range files {
		w, err := z.Create(f.Name)
		if err != nil {
			return nil, fmt.Errorf("archive %s: %w", f.Name, err)
		}
		if _, err := w.Write([]byte(f.Content)); err != nil {
			return nil, fmt.Errorf("archive %s: %w", f.Name, err)
		}
	}
	err := z.Close()
	return b.Bytes(), err
}
