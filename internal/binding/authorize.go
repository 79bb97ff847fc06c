// SPDX-License-Identifier: Apache-2.0

package binding

import (
	"fmt"
	"slices"
	"strings"

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
			e := missingScopes(needs, x.identity.Scopes)
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

// missingScopes returns the error for a caller that has the scopes of none of the alternatives. Which scheme the caller
// used is not known here, and need not be: each Authenticator vouches for the scopes.
func missingScopes(anyOf []a2a.SecurityRequirement, has []string) *a2a.Error {
	var missing []string
	for _, schemes := range anyOf {
		lacks := lacking(schemes, has)
		if len(lacks) == 0 {
			return nil
		}
		missing = append(missing, strings.Join(lacks, " "))
	}
	if missing == nil {
		return nil
	}
	return a2a.NewError(a2a.ErrPermissionDenied, fmt.Sprintf("your credentials lack the scope %s",
		strings.Join(missing, ", or ")))
}

// lacking returns the scopes of a requirement that the caller does not have.
func lacking(schemes a2a.SecurityRequirement, has []string) []string {
	var lacks []string
	for _, scopes := range schemes {
		for _, scope := range scopes {
			if !slices.Contains(has, scope) && !slices.Contains(lacks, scope) {
				lacks = append(lacks, scope)
			}
		}
	}
	slices.Sort(lacks)
	return lacks
}
