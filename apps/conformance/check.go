// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"fmt"
	"time"
)

// A check is one thing that an agent must do.
type check struct {
	name  string // group.what
	title string // what holds
	v1    rule   // the zero rule: the check is not for 1.0
	v03   rule   // and not for 0.3
	over  string // the transport that it is for; "" for any

	capability string // member of the card's capabilities without which it is skipped
	absent     string // member with which it is none

	advice string         // for the author of the agent
	run    func(*session) // ends, by the functions that fail and skip, if the check does not pass
}

// A rule is where the standard says it.
type rule struct {
	level  string
	clause string   // section of the standard
	ids    []string // in docs/requirements.md
}

// The levels of rules.
const (
	LevelMust   = "MUST"
	LevelShould = "SHOULD"
)

func must(clause string, ids ...string) rule   { return rule{LevelMust, clause, ids} }
func should(clause string, ids ...string) rule { return rule{LevelShould, clause, ids} }

func (c *check) rule(profile string) rule {
	if profile == Profile03 {
		return c.v03
	}
	return c.v1
}

// concerns reports whether the check is for an interface.
func (c *check) concerns(s *session) bool {
	d := s.dialect
	return c.rule(d.profile).clause != "" && (c.over == "" || c.over == d.transport) &&
		(c.absent == "" || !s.can(c.absent))
}

// do runs the check.
func (c *check) do(s *session) Result {
	rule, start := c.rule(s.dialect.profile), time.Now()
	result := Result{
		Check: c.name, Title: c.title, Profile: s.dialect.profile, Transport: s.dialect.transport,
		Clause: "A2A " + s.dialect.profile + " §" + rule.clause, Level: rule.level, Requirements: rule.ids,
		Outcome: Pass,
	}
	f := try(func() {
		if c.capability != "" && !s.can(c.capability) {
			skipf("the card does not declare %s", c.capability)
		}
		c.run(s)
	})
	result.Duration = time.Since(start)
	if f == nil {
		return result
	}
	secrets := s.wire.secrets
	result.Outcome, result.Reason = f.outcome, secrets.Replace(f.got)
	if f.outcome == Skip {
		return result
	}
	result.Expected, result.Advice = secrets.Replace(f.expected), c.advice
	switch {
	case f.outcome != Fail:
	case f.reply != nil && f.reply.absent(c.capability != ""):
		result.Outcome = Missing
	case rule.level == LevelShould:
		result.Outcome = Warn
	}
	if f.exchange != nil {
		result.Request, result.Answer = f.exchange.sent(), f.exchange.received()
	}
	return result
}

// A finding is why a check did not pass. Checks panic with one, so that they read as a list of steps.
type finding struct {
	outcome       Outcome
	expected, got string
	exchange      *exchange
	reply         *reply // if the answer was another one than was expected
}

// try runs a part of a check and returns the finding that ended it, or nil.
func try(part func()) (found *finding) {
	defer func() {
		if reason := recover(); reason != nil {
			f, ok := reason.(*finding)
			if !ok {
				panic(reason)
			}
			found = f
		}
	}()
	part()
	return nil
}

// skipf ends a check and says why there is nothing to check.
func skipf(format string, args ...any) {
	panic(&finding{outcome: Skip, got: fmt.Sprintf(format, args...)})
}

// failf ends a check and says what an exchange should have been like, and what it was like.
func (ex *exchange) failf(expected, format string, args ...any) {
	panic(&finding{outcome: Fail, expected: expected, got: fmt.Sprintf(format, args...), exchange: ex})
}
