// SPDX-License-Identifier: Apache-2.0

package binding

import (
	"fmt"
	"maps"
	"slices"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/auth"
)

// authorize decides whether the caller may do what it asks for: by the scopes that the card wants, for the agent and
// for the skill of a message, and by the policy.
func (c *Core) authorize(x *Exchange, request any) *a2a.Error {
	skill := ""
	send, sends := request.(*a2a.SendMessageRequest)
	if sends && send.Message != nil {
		skill = send.Message.SkillID()
	}
	if c.Auth != nil && !c.LeaveScopes {
		e := a2a.AsError(auth.CheckScopes(x.profile.Needs, x.identity.Scopes))
		if e == nil && sends {
			e = x.profile.missingForSkill(skill, x.identity.Scopes)
		}
		if e != nil && anonymous(x.identity) {
			e.Kind = a2a.ErrUnauthenticated
		}
		if e != nil {
			return e
		}
	}
	if c.Policy == nil {
		return nil
	}
	return a2a.AsError(c.Policy.Decide(x.ctx, auth.Access{Agent: x.profile.Agent, Operation: x.Operation.String(),
		Skill: skill, Call: x.call}))
}

// missingForSkill returns the error for a caller that lacks the scopes of a skill. A message that names no skill may be
// for any, so it needs the scopes of all.
func (p *Profile) missingForSkill(skill string, has []string) *a2a.Error {
	if skill != "" {
		return a2a.AsError(auth.CheckScopes(p.SkillNeeds[skill], has))
	}
	for _, id := range slices.Sorted(maps.Keys(p.SkillNeeds)) {
		if e := a2a.AsError(auth.CheckScopes(p.SkillNeeds[id], has)); e != nil {
			e.Message += fmt.Sprintf(", which the skill %q needs; if the message is for another skill, name that in "+
				"its metadata as skillId", id)
			return e
		}
	}
	return nil
}
