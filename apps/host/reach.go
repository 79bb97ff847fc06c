// SPDX-License-Identifier: Apache-2.0

package host

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"syscall"

	"github.com/dragoman-a2a/dragoman/apps/host/plan"
	"github.com/dragoman-a2a/dragoman/apps/registry"
	"github.com/dragoman-a2a/dragoman/card"
	"github.com/dragoman-a2a/dragoman/client"
	"github.com/dragoman-a2a/dragoman/internal/guard"
)

// Members of the metadata of a host's task that say whom it cannot reach.
const (
	// why the task failed, for programs: FailureUnreachable; not there for any other failure
	MetaFailure     = "failure"
	MetaUnreachable = "unreachable" // a list of Unreachable, the agents that cannot be reached, however the task ended
)

// FailureUnreachable says that a task failed because nobody that it needs could be reached, and for nothing else.
const FailureUnreachable = "unreachable"

// toldUnreachable is how many unreachable agents are named in a line beside a plan.
const toldUnreachable = 5

// unreached is the error of a call that did not get to its agent: surely nothing came of it.
type unreached struct{ reason string }

// Error says so about "it".
func (e *unreached) Error() string { return "it " + cannotBeReached + e.reason }

const cannotBeReached = "cannot be reached: "

// lost reports whether an error says that an agent could not be reached, or its card not be had.
func lost(err error) bool {
	return as[*client.UnreachableError](err) || as[*card.Error](err) || as[*unreached](err) ||
		errors.Is(err, guard.ErrRefused) || errors.Is(err, errNoInterface)
}

var errNoInterface = errors.New("its card names no address that can be called from here")

// problem is what callers of the host read of an error of an agent. That of one that could not be reached is a phrase
// in plain words: which connections were tried, to where, is the operator's.
func problem(err error) string {
	if e, ok := errors.AsType[*unreached](err); ok {
		return e.reason
	}
	if why := plainWords(err); why != "" {
		return why
	}
	if lost(err) {
		return cmp.Or(wordsIn(err.Error()), "no connection to it can be made")
	}
	return plan.Clean(outward(err), plan.MaxShown)
}

// plainWords says in plain words why an agent cannot be reached; "" when that is not known.
func plainWords(err error) string {
	for _, known := range causes {
		if known.fits(err) {
			return known.words
		}
	}
	return ""
}

var causes = []struct {
	words string
	fits  func(error) bool
}{
	{"what names it is no URL, host or file of a card", is(card.ErrReference)},
	{"no agent card is there", is(card.ErrNotFound)},
	{"its card is not public", is(card.ErrUnauthorized)},
	{"its card cannot be read", is(card.ErrInvalid)},
	{"no trusted key signed its card", is(card.ErrUntrusted)},
	{"its address is in a network that may not be called", is(guard.ErrRefused)},
	{errNoInterface.Error(), is(errNoInterface)},
	{nothingListens, is(syscall.ECONNREFUSED)},
	{"its name cannot be resolved", as[*net.DNSError]},
	{"its certificate is not trusted", func(err error) bool {
		return as[*tls.CertificateVerificationError](err) || as[x509.UnknownAuthorityError](err) ||
			as[x509.HostnameError](err)
	}},
	{"it speaks plain HTTP where its address says HTTPS", is(http.ErrSchemeMismatch)},
	{"no way leads to its address", func(err error) bool {
		return errors.Is(err, syscall.EHOSTUNREACH) || errors.Is(err, syscall.ENETUNREACH)
	}},
	{noAnswer, func(err error) bool {
		e, ok := errors.AsType[net.Error](err)
		return ok && e.Timeout() && lost(err) || errors.Is(err, context.DeadlineExceeded) && lost(err)
	}},
	{"the registry does not answer", as[*registry.UnreachableError]},
}

const (
	nothingListens = "nothing listens at its address"
	noAnswer       = "it did not answer in time"
)

func is(target error) func(error) bool {
	return func(err error) bool { return errors.Is(err, target) }
}

func as[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

// wordsIn is plainWords for text, all that some libraries and other servers give; "" when it says nothing of the kind.
func wordsIn(text string) string {
	for _, known := range [][2]string{
		{"refused", nothingListens},
		{"nothing listens", nothingListens},
		{"no host is called", "its name cannot be resolved"},
		{"no such host", "its name cannot be resolved"},
		{"certificate", "its certificate is not trusted"},
		{"deadline exceeded", noAnswer},
		{"timeout", noAnswer},
		{"timed out", noAnswer},
		{"no connection within", noAnswer},
		{"answered HTTP", "its server answers with an error"},
	} {
		if strings.Contains(text, known[0]) {
			return known[1]
		}
	}
	return ""
}

// A userError ends the task with words for the user, unless agents wait in it.
type userError struct {
	say         string
	cause       error
	unreachable bool // no agent that is needed can be reached
}

// Error returns what is said, for the log.
func (s *userError) Error() string { return s.say }

func (x *run) noAgent() error {
	down := plan.AllUnreachable(x.agents, x.missing)
	if len(down) == 0 {
		return &userError{say: "No agent can take this request: the registry lists no agent that can be called.",
			unreachable: true}
	}
	lines := []string{"No agent can be reached."}
	for _, u := range down[:min(len(down), plan.MaxListed)] {
		lines = append(lines, "- "+u.String())
	}
	if more := len(down) - plan.MaxListed; more > 0 {
		lines = append(lines, fmt.Sprintf("- and %d more", more))
	}
	return &userError{say: strings.Join(lines, "\n"), unreachable: true}
}

// markUnreachable brings the task's metadata of agents that cannot be reached up to date.
func (x *run) markUnreachable() error {
	down := plan.AllUnreachable(x.agents, x.missing)
	for _, s := range x.state.current() {
		known := slices.ContainsFunc(down, func(u plan.Unreachable) bool { return u.Agent == s.Agent })
		if s.Lost && !known {
			reason := strings.TrimPrefix(s.Error, "it "+cannotBeReached)
			down = append(down, plan.Unreachable{Agent: s.Agent, Reason: reason})
		}
	}
	if _, shown := x.t.Task().Metadata[MetaUnreachable]; len(down) == 0 && !shown {
		return nil
	}
	return x.t.SetMetadata(MetaUnreachable, append([]plan.Unreachable{}, down[:min(len(down), plan.MaxListed)]...))
}

// warn names the agents, beside those of the plan, that cannot be reached, unless the user has been told.
func (x *run) warn(ctx context.Context, steps []*step) error {
	down, all := plan.AllUnreachable(x.agents, x.missing), ""
	if len(down) > 0 {
		all = plan.ListUnreachable(down, toldUnreachable)
	}
	others := slices.DeleteFunc(down, func(u plan.Unreachable) bool {
		return slices.ContainsFunc(steps, func(s *step) bool { return s.Agent == u.Agent })
	})
	if all != "" && len(others) == 0 {
		return nil
	}
	told := false
	err := x.converse(ctx, func(c *conversation) { told, c.Told = c.Told == all, all })
	if err != nil || told || all == "" {
		return err
	}
	return x.t.Working(texts(plan.ListUnreachable(others, toldUnreachable))...)
}
