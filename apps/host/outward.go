// SPDX-License-Identifier: Apache-2.0

package host

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/url"
	"path"
	"path/filepath"
	"strings"

	"github.com/dragoman-a2a/dragoman/apps/host/plan"
	"github.com/dragoman-a2a/dragoman/card"
	"github.com/dragoman-a2a/dragoman/internal/guard"
)

// outward is the text of an error for callers of the host. Where an agent is, and with which credentials it is asked,
// is the operator's: URLs, addresses and names of files are left out.
func outward(err error) string {
	text := err.Error()
	if errors.Is(err, guard.ErrRefused) {
		return guard.ErrRefused.Error()
	}
	inside(err, func(e error) bool {
		instead, ok := discreet(e)
		if ok {
			text = strings.ReplaceAll(text, e.Error(), instead)
		}
		return !ok
	})
	return text
}

// discreet returns what to say instead of an error that names a place; ok is false for one that does not itself.
func discreet(err error) (instead string, ok bool) {
	switch e := err.(type) {
	case *card.Error:
		return fmt.Sprintf("%v: %s", e.Kind, outward(e.Err)), true
	case *url.Error:
		return outward(e.Err), true
	case *net.OpError:
		return e.Op + ": " + outward(e.Err), true
	case *net.DNSError:
		return "its name cannot be resolved", true
	}
	return "", false
}

// inside calls f for an error and for those inside of it, as long as f says so.
func inside(err error, f func(error) bool) {
	if err == nil || !f(err) {
		return
	}
	switch e := err.(type) {
	case interface{ Unwrap() error }:
		inside(e.Unwrap(), f)
	case interface{ Unwrap() []error }:
		for _, one := range e.Unwrap() {
			inside(one, f)
		}
	}
}

// called is how callers read of an agent without a card: its alias, or the host of its URL, or the name of its file.
func (r AgentRef) called() string {
	if r.Alias != "" {
		return plan.Clean(r.Alias, plan.MaxName)
	}
	where := r.Card
	if !strings.Contains(where, "://") {
		if strings.HasSuffix(where, ".json") || filepath.IsAbs(where) || strings.HasPrefix(where, ".") {
			return plan.Clean(filepath.Base(where), plan.MaxName)
		}
		where = "https://" + where
	}
	u, err := url.Parse(where)
	if err != nil {
		return "an agent without a name"
	}
	return plan.Clean(cmp.Or(u.Host, path.Base(u.Path)), plan.MaxName)
}
