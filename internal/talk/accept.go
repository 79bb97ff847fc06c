// SPDX-License-Identifier: Apache-2.0

package talk

import (
	"slices"
	"strings"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/internal/show"
	"github.com/dragoman-a2a/dragoman/internal/terminal"
)

// An Acceptance notes which media types an answer has that --accept does not name: agents need not heed it.
type Acceptance struct {
	Modes []string // empty: any
	odd   []string

	Expect *Expectation // learns and judges along; may be nil
}

// Note learns from an event.
func (a *Acceptance) Note(event a2a.Event) {
	a.Expect.note(event)
	switch e := event.(type) {
	case *a2a.Task:
		for _, artifact := range e.Artifacts {
			a.parts(artifact.Parts)
		}
	case *a2a.ArtifactUpdate:
		if e.Artifact != nil {
			a.parts(e.Artifact.Parts)
		}
	case *a2a.Message:
		a.parts(e.Parts)
	}
}

func (a *Acceptance) parts(parts []a2a.Part) {
	for i := range parts {
		mediaType := show.TypeOf(&parts[i])
		accepts := func(mode string) bool { return agent.MatchMode(mode, mediaType) }
		if mediaType != "" && len(a.Modes) > 0 && !slices.ContainsFunc(a.Modes, accepts) &&
			!slices.Contains(a.odd, mediaType) {
			a.odd = append(a.odd, mediaType)
		}
	}
}

// Judge warns of what was not accepted.
func (a *Acceptance) Judge(t *terminal.Terminal) {
	a.Expect.judge(t)
	if len(a.odd) > 0 {
		t.Warn("the answer has parts of type %s, but --accept allows only %s", strings.Join(a.odd, ", "),
			strings.Join(a.Modes, ", "))
	}
}
