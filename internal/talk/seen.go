// SPDX-License-Identifier: Apache-2.0

package talk

import (
	"slices"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/internal/form"
	"github.com/dragoman-a2a/dragoman/internal/show"
)

// Seen is what a command has learnt of the task it deals with.
type Seen struct {
	Task      a2a.TaskID
	Context   a2a.ContextID
	State     a2a.TaskState
	Form      *form.Form       // that the agent last asked to be filled
	Filled    *form.Form       // the one before, as it was answered
	Left      string           // the document of the form that a person left for later
	Took      bool             // the agent has answered the last message somehow
	Files     bool             // among what the task has brought forth
	Unreached bool             // the own host reached no agent
	AuthURL   string           // that the agent last asked to be opened, for an authorization
	Told      func(a2a.TaskID) // if not nil: called when the task is known

	stated bool // the form came with a status, which the next one replaces
}

// Note learns from an event.
func (s *Seen) Note(event a2a.Event) {
	s.Took = true
	switch e := event.(type) {
	case *a2a.Task:
		s.Task, s.Context, s.State = e.ID, e.ContextID, e.Status.State
		s.Form, s.AuthURL = nil, ""
		s.Files = slices.ContainsFunc(e.Artifacts, hasFiles)
		for _, artifact := range e.Artifacts { // where agents put it that wrote no message with the status
			s.noteForm(artifact.Parts, false)
		}
		s.noteForm(show.Words(&e.Status), true)
	case *a2a.StatusUpdate:
		s.Task, s.Context, s.State = e.TaskID, e.ContextID, e.Status.State
		s.AuthURL = ""
		if s.stated {
			s.Form = nil
		}
		s.noteForm(show.Words(&e.Status), true)
	case *a2a.ArtifactUpdate:
		s.Task, s.Context = e.TaskID, e.ContextID
		if e.Artifact != nil {
			s.Files = s.Files || hasFiles(e.Artifact)
			s.noteForm(e.Artifact.Parts, false)
		}
	case *a2a.Message:
		if e.ContextID != "" {
			s.Context = e.ContextID
		}
	}
	if s.Told != nil && s.Task != "" {
		s.Told(s.Task)
	}
}

// hasFiles reports whether a part of an artifact is a file.
func hasFiles(artifact *a2a.Artifact) bool {
	return slices.ContainsFunc(artifact.Parts, func(part a2a.Part) bool {
		switch part.Content.(type) {
		case a2a.Raw, a2a.URL:
			return true
		}
		return false
	})
}

func (s *Seen) noteForm(parts []a2a.Part, stated bool) {
	if need, ok := agent.FindAuthorization(parts...); ok {
		s.AuthURL = need.URL
	}
	if f := form.Find(parts); f != nil {
		s.Form, s.stated = f, stated
	}
}

// AsksForm reports whether the task waits for a form.
func (s *Seen) AsksForm() bool { return s.State == a2a.TaskStateInputRequired && s.Form != nil }
