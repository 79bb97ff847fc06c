// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"errors"
	"sync"

	"github.com/dragoman-a2a/dragoman/a2a"
)

// An ArtifactWriter streams an artifact in chunks: each call of Write, WriteString or WritePart is one part, and one
// event for those who watch. It is safe for concurrent use.
type ArtifactWriter struct {
	t        *Turn
	mu       sync.Mutex
	artifact a2a.Artifact
	begun    bool
	closed   bool
}

// NewArtifact returns a writer of an artifact with a name and a fresh id. Nothing is shown before the first write.
// Close it to tell readers that it is complete.
func (t *Turn) NewArtifact(name string) *ArtifactWriter {
	return &ArtifactWriter{t: t, artifact: a2a.Artifact{ID: a2a.NewArtifactID(), Name: name}}
}

// StreamArtifact is NewArtifact for an artifact that has more than a name. Its first chunk carries the id of a (a
// fresh one if that is empty), the name, the description, the metadata and the extensions. The parts of a are not
// used. Until Close, PutArtifact with the same id replaces the written content, for example a preview with the
// finished picture.
func (t *Turn) StreamArtifact(a a2a.Artifact) *ArtifactWriter {
	if a.ID == "" {
		a.ID = a2a.NewArtifactID()
	}
	a.Parts = nil
	return &ArtifactWriter{t: t, artifact: a}
}

// ID returns the artifact's id.
func (w *ArtifactWriter) ID() a2a.ArtifactID { return w.artifact.ID }

// Write appends p as a text part. It makes the writer an io.Writer.
func (w *ArtifactWriter) Write(p []byte) (int, error) { return w.WriteString(string(p)) }

// WriteString appends s as a text part. An empty string does nothing.
func (w *ArtifactWriter) WriteString(s string) (int, error) {
	if s == "" {
		return 0, nil
	}
	if err := w.write([]a2a.Part{a2a.TextPart(s)}, false); err != nil {
		return 0, err
	}
	return len(s), nil
}

// WritePart appends a part.
func (w *ArtifactWriter) WritePart(p a2a.Part) error { return w.write([]a2a.Part{p}, false) }

// Close marks the artifact as complete. Clients of 1.0 learn it from the task's status, because each update of 1.0
// has at least one part. An artifact that was never written to does not appear. Closing again does nothing.
func (w *ArtifactWriter) Close() error {
	w.mu.Lock()
	idle := w.closed || !w.begun
	w.mu.Unlock()
	if idle {
		return nil
	}
	return w.write(nil, true)
}

func (w *ArtifactWriter) write(parts []a2a.Part, last bool) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return errors.New("agent: the artifact writer is closed")
	}
	chunk := &a2a.Artifact{ID: w.artifact.ID}
	if !w.begun {
		*chunk = w.artifact
	}
	chunk.Parts = parts
	if err := w.t.backend.Artifact(chunk, w.begun, last); err != nil {
		return err
	}
	w.begun, w.closed = true, last
	return nil
}
