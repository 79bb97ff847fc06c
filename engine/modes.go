// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/auth"
)

// modes says which media types an agent takes, by skill.
type modes struct {
	off    bool
	input  []string            // of the card
	skills map[string][]string // nil when the card has no skills; empty lists mean the card's
}

func newModes(opts *AgentOptions) modes {
	m := modes{off: opts.AnyInput || opts.Card == nil}
	if m.off {
		return m
	}
	if m.input = opts.Card.DefaultInputModes; len(m.input) == 0 {
		m.input = []string{"text/plain"} // as the server writes it
	}
	if len(opts.Card.Skills) > 0 {
		m.skills = map[string][]string{}
	}
	for _, s := range opts.Card.Skills {
		m.skills[s.ID] = s.InputModes
	}
	return m
}

// modesFor returns the modes for a message: those of the public card or, for a skill that is not on it, of the
// caller's.
func (s *service) modesFor(ctx context.Context, m *a2a.Message) (*modes, error) {
	caller := a2a.CallFrom(ctx).Identity
	id := m.SkillID()
	has := func(card *a2a.AgentCard) int {
		return slices.IndexFunc(card.Skills, func(skill a2a.AgentSkill) bool { return skill.ID == id })
	}
	if s.extended == nil || id == "" || auth.Owner(caller) == "" || s.card != nil && has(s.card) >= 0 {
		return &s.modes, nil
	}
	card, err := s.extended(ctx, caller)
	if err != nil || card == nil || has(card) < 0 {
		return &s.modes, err
	}
	of := newModes(&AgentOptions{Card: card, AnyInput: s.modes.off})
	return &of, auth.CheckScopes(card.Skills[has(card)].SecurityRequirements, caller.Scopes)
}

// check refuses a message with a part whose media type is none of more and none that the agent, or the skill that the
// message names, takes (A2A 1.0 §3.3.2, ContentTypeNotSupportedError). It refuses one that names a skill that the card
// does not have.
func (m *modes) check(msg *a2a.Message, more ...string) error {
	if m.off {
		return nil
	}
	accepted := m.input
	if id := msg.SkillID(); id != "" && m.skills != nil {
		skill, known := m.skills[id]
		if !known {
			return a2a.InvalidParams("message.metadata.skillId",
				fmt.Sprintf("names %q, which is none of the card's skills", id))
		}
		if len(skill) > 0 {
			accepted = skill
		}
	}
	for i, p := range msg.Parts {
		if _, secret := a2a.FindCredentials(p); secret {
			continue
		}
		mediaType := partType(p)
		if !accepts(accepted, mediaType) && !accepts(more, mediaType) {
			return &a2a.Error{
				Kind: a2a.ErrContentTypeNotSupported,
				Message: fmt.Sprintf("message.parts[%d] is %s; the agent takes %s", i, mediaType,
					strings.Join(accepted, ", ")),
			}
		}
	}
	return nil
}

func accepts(modes []string, mediaType string) bool {
	return slices.ContainsFunc(modes, func(mode string) bool { return agent.MatchMode(mode, mediaType) })
}

// partType returns the media type of a part, or what its content is when it names none.
func partType(p a2a.Part) string {
	if p.MediaType != "" {
		return p.MediaType
	}
	switch p.Content.(type) {
	case a2a.Text:
		return "text/plain"
	case a2a.Data:
		return "application/json"
	}
	return "application/octet-stream"
}
