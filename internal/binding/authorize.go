// SPDX-License-Identifier: Apache-2.0

package binding

import (
	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/auth"
)

// authorize decides whether the caller may do what it asks for: by the scopes that the card wants, for the agent and
// for the skill that a message names, and by the policy.
func (c *Core) authorize(x *Exchange, request any) *a2a.Error {
	skill := ""
	if send, ok := request.(*a2a.SendMessageRequest); ok && send.Message != nil {
		skill = send.Message.SkillID()
	}
	if c.Auth != nil {
		for _, needs := range [][]a2a.SecurityRequirement{x.profile.Needs, x.profile.SkillNeeds[skill]} {
			e := a2a.AsError(auth.CheckScopes(needs, x.identity.Scopes))
			if e != nil && anonymous(x.identity) {
				e.Kind = a2a.ErrUnauthenticated
			}
			if e != nil {
				return e
			}
		}
	}
	if c.Policy == nil {
		return nil
	}
	return a2a.AsError(c.Policy.Decide(x.ctx, auth.Access{Agent: x.profile.Agent, Operation: x.Operation.String(),
		Skill: skill, Call: x.call}))
}
