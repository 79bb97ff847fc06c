// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"context"
	"errors"
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

	advice string // for whoever mends the agent
	run    func(context.Context, *session) error
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
func (c *check) do(ctx context.Context, s *session) Result {
	rule, start := c.rule(s.dialect.profile), time.Now()
	result := Result{
		Check: c.name, Title: c.title, Profile: s.dialect.profile, Transport: s.dialect.transport,
		Clause: "A2A " + s.dialect.profile + " §" + rule.clause, Level: rule.level, Requirements: rule.ids,
		Outcome: Pass,
	}
	err := c.apply(ctx, s)
	result.Duration = time.Since(start)
	f, ok := errors.AsType[*finding](err)
	switch {
	case err == nil:
		return result
	case !ok:
		f = &finding{outcome: Fail, expected: "an answer", got: err.Error()}
	case f.outcome == Skip:
		result.Outcome, result.Reason = Skip, s.wire.secrets.Replace(f.got)
		return result
	}
	secrets := s.wire.secrets
	if f.outcome == Fail && f.reply != nil && f.reply.absent(c.capability != "") {
		f.outcome = Missing
	}
	result.Outcome, result.Expected, result.Reason, result.Advice = f.outcome, secrets.Replace(f.expected),
		secrets.Replace(f.got), c.advice
	if f.outcome == Fail && rule.level == LevelShould {
		result.Outcome = Warn
	}
	if f.exchange != nil {
		result.Request, result.Answer = f.exchange.sent(), f.exchange.received()
	}
	return result
}

func (c *check) apply(ctx context.Context, s *session) error {
	if c.capability != "" && !s.can(c.capability) {
		return skipf("the card does not declare %s", c.capability)
	}
	return c.run(ctx, s)
}

// A finding is why a check did not pass.
type finding struct {
	outcome       Outcome
	expected, got string
	exchange      *exchange
	reply         *reply // if the answer was another one than was expected
}

func (f *finding) Error() string { return f.got }

// skipf says why there is nothing to check.
func skipf(format string, args ...any) error {
	return &finding{outcome: Skip, got: fmt.Sprintf(format, args...)}
}

// failf says what an exchange should have been like, and what it was like.
func (ex *exchange) failf(expected, format string, args ...any) error {
	return &finding{outcome: Fail, expected: expected, got: fmt.Sprintf(format, args...), exchange: ex}
}

// missing says that something is not there at all that the agent says it has.
func (ex *exchange) missing(expected, format string, args ...any) error {
	return &finding{outcome: Missing, expected: expected, got: fmt.Sprintf(format, args...), exchange: ex}
}
