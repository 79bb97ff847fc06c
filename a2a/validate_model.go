// SPDX-License-Identifier: Apache-2.0

package a2a

// Validate reports everything that is wrong with the task as one ErrInvalidParams: required members of it and of what
// it holds, artifacts that share an id.
func (t *Task) Validate() error { return validate(t, checkTask) }

// Validate reports everything that is wrong with the message as one ErrInvalidParams: its id, its role, at least one
// part, each with a content.
func (m *Message) Validate() error { return validate(m, checkMessage) }

// Validate reports everything that is wrong with the artifact as one ErrInvalidParams: its id, at least one part.
func (a *Artifact) Validate() error { return validate(a, checkArtifact) }

// Validate reports everything that is wrong with the update as one ErrInvalidParams.
func (u *StatusUpdate) Validate() error { return validate(u, checkStatusUpdate) }

// Validate reports everything that is wrong with the update as one ErrInvalidParams.
func (u *ArtifactUpdate) Validate() error { return validate(u, checkArtifactUpdate) }
