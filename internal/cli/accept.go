// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"slices"
	"strings"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
)

// An acceptance notes which media types an answer has that --accept does not name: agents need not heed it.
type acceptance struct {
	modes []string // empty: any
	odd   []string

	expect *expectation // learns and judges along; may be nil
}

func (a *acceptance) note(event a2a.Event) {
	a.expect.note(event)
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

func (a *acceptance) parts(parts []a2a.Part) {
	for i := range parts {
		mediaType := typeOf(&parts[i])
		accepts := func(mode string) bool { return agent.MatchMode(mode, mediaType) }
		if mediaType != "" && len(a.modes) > 0 && !slices.ContainsFunc(a.modes, accepts) &&
			!slices.Contains(a.odd, mediaType) {
			a.odd = append(a.odd, mediaType)
		}
	}
}

// typeOf returns the media type of a part; "" when nobody knows.
func typeOf(part *a2a.Part) string {
	if part.MediaType != "" {
		return part.MediaType
	}
	switch part.Content.(type) {
	case a2a.Text:
		return "text/plain"
	case a2a.Data:
		return "application/json"
	}
	return ""
}

// judge warns of what was not accepted.
func (a *acceptance) judge(c *command) {
	a.expect.judge(c)
	if len(a.odd) > 0 {
		c.Warn("the answer has parts of type %s, but --accept allows only %s", strings.Join(a.odd, ", "),
			strings.Join(a.modes, ", "))
	}
}
