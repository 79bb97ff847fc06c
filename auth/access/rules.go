// SPDX-License-Identifier: Apache-2.0

package access

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/auth"
	"github.com/dragoman-a2a/dragoman/auth/ratelimit"
)

// A limit is one of package ratelimit.
type limit struct {
	Operations []operation `yaml:"operations"`
	PerSecond  float64     `yaml:"perSecond"`
	Burst      int         `yaml:"burst"`

	node ast.Node // for errors
}

// UnmarshalYAML keeps the place of the limit, and refuses a list without elements.
func (l *limit) UnmarshalYAML(ctx context.Context, node ast.Node) error {
	type plain limit
	err := cmp.Or(noEmptyLists(node), inside(ctx, node, (*plain)(l)))
	l.node = node
	return err
}

// limiter returns the policy of limits, if there are any.
func limiter(all []limit) (auth.Policies, error) {
	var o ratelimit.Options
	var policy auth.Policy
	for _, one := range all {
		var names []string
		for _, name := range one.Operations {
			if name == "*" {
				return nil, badf(one.node, "leave operations out to mean all that no other limit names")
			}
			names = append(names, string(name))
		}
		o.Limits = append(o.Limits, ratelimit.Limit{Operations: names, PerSecond: one.PerSecond, Burst: one.Burst})
		var err error
		if policy, err = ratelimit.New(o); err != nil {
			return nil, badf(one.node, "%v", errors.Unwrap(err))
		}
	}
	if policy == nil {
		return nil, nil
	}
	return auth.Policies{policy}, nil
}

// rules allow what one of them allows and none denies.
type rules []rule

// A rule has one member.
type rule struct {
	Allow *match `yaml:"allow"`
	Deny  *match `yaml:"deny"`
}

// A match is of accesses for which each member that is there has one that fits; of scopes the caller needs all. In
// names, * stands for any text.
type match struct {
	Subjects   []string    `yaml:"subjects"`
	Clients    []string    `yaml:"clients"`
	Scopes     []string    `yaml:"scopes"`
	Agents     []string    `yaml:"agents"`
	Skills     []string    `yaml:"skills"`
	Operations []operation `yaml:"operations"`
	Tenants    []string    `yaml:"tenants"`
	When       when        `yaml:"when"` // see RegisterConditions
}

// UnmarshalYAML refuses a rule that both allows and denies, or neither.
func (r *rule) UnmarshalYAML(ctx context.Context, node ast.Node) error {
	type plain rule
	if err := inside(ctx, node, (*plain)(r)); err != nil {
		return err
	}
	if (r.Allow == nil) == (r.Deny == nil) {
		return badf(node, "a rule has either allow or deny; write allow: {} to allow everything")
	}
	return nil
}

// Decide implements auth.Policy.
func (r rules) Decide(ctx context.Context, access auth.Access) error {
	allowed := false
	for _, one := range r {
		switch {
		case one.Deny != nil && one.Deny.fits(&access, true) && one.Deny.When.holds(ctx, &access, true):
			return denied(&access, one.Deny)
		case one.Allow != nil && one.Allow.fits(&access, false) && one.Allow.When.holds(ctx, &access, false):
			allowed = true
		}
	}
	if !allowed {
		return denied(&access, nil)
	}
	return nil
}

// denied says nothing about what exists. by is the rule that denies, or nil if no rule allows.
func denied(access *auth.Access, by *match) error {
	message := fmt.Sprintf("you may not call %s here", access.Operation)
	switch {
	case access.Skill != "":
		message = fmt.Sprintf("you may not call %s with the skill %q here", access.Operation, access.Skill)
	case by != nil && by.Skills != nil:
		message += " without a skill; name the skill you want in the message's metadata as skillId"
	}
	return a2a.NewError(a2a.ErrPermissionDenied, message)
}

// sends reports whether an access is a message, which may be for a skill.
func sends(access *auth.Access) bool {
	return access.Operation == "SendMessage" || access.Operation == "SendStreamingMessage"
}

// fits reports whether the match is of an access. A message without a skill may be for any: it fits each list of skills
// if unnamed is set.
func (m *match) fits(access *auth.Access, unnamed bool) bool {
	id := &access.Call.Identity
	for _, scope := range m.Scopes {
		if !slices.Contains(id.Scopes, scope) {
			return false
		}
	}
	return one(m.Subjects, id.Subject) && one(m.Clients, id.Client) && one(m.Agents, access.Agent) &&
		(one(m.Skills, access.Skill) || unnamed && access.Skill == "" && sends(access)) &&
		one(m.Tenants, access.Call.Tenant) && one(m.Operations, access.Operation)
}

// UnmarshalYAML refuses lists without elements, which would fit everything.
func (m *match) UnmarshalYAML(ctx context.Context, node ast.Node) error {
	type plain match
	return cmp.Or(noEmptyLists(node), inside(ctx, node, (*plain)(m)))
}

func noEmptyLists(node ast.Node) error {
	if members, ok := node.(*ast.MappingNode); ok {
		for _, member := range members.Values {
			list, isList := member.Value.(*ast.SequenceNode)
			if _, null := member.Value.(*ast.NullNode); null || isList && len(list.Values) == 0 {
				return badf(member.Value, "the list is empty; leave it out to mean all, or name some")
			}
		}
	}
	return nil
}

// one reports whether a name fits one of the patterns, or there are none.
func one[P ~string](patterns []P, name string) bool {
	return len(patterns) == 0 || slices.ContainsFunc(patterns, func(p P) bool { return fits(string(p), name) })
}

// fits reports whether a name is that of a pattern, in which * stands for any text.
func fits(pattern, name string) bool {
	parts := strings.Split(pattern, "*")
	first, last := parts[0], parts[len(parts)-1]
	if len(parts) == 1 {
		return pattern == name
	}
	if len(name) < len(first)+len(last) || !strings.HasPrefix(name, first) || !strings.HasSuffix(name, last) {
		return false
	}
	rest := name[len(first) : len(name)-len(last)]
	for _, part := range parts[1 : len(parts)-1] {
		_, after, found := strings.Cut(rest, part)
		if !found {
			return false
		}
		rest = after
	}
	return true
}
