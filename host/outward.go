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

	"github.com/dragoman-a2a/dragoman/card"
	"github.com/dragoman-a2a/dragoman/internal/guard"
)

// outward is the text of an error for callers of the host. Where an agent is, and with which credentials it is asked, is
// the operator's: URLs, addresses and names of files are left out.
func outward(err error) string {
	text := err.Error()
	without := func(e error, instead string) string { return strings.ReplaceAll(text, e.Error(), instead) }
	if e, ok := errors.AsType[*card.Error](err); ok {
		return without(e, fmt.Sprintf("%v: %s", e.Kind, outward(e.Err)))
	}
	if e, ok := errors.AsType[*url.Error](err); ok {
		return without(e, outward(e.Err))
	}
	if errors.Is(err, guard.ErrRefused) {
		return guard.ErrRefused.Error()
	}
	if e, ok := errors.AsType[*net.OpError](err); ok {
		return without(e, e.Op+": "+outward(e.Err))
	}
	if e, ok := errors.AsType[*net.DNSError](err); ok {
		return without(e, "its name cannot be resolved")
	}
	return text
}

// called is how an agent without a card is named to callers: by its alias, or by the host of its URL, or the name of the
// file that its card should be in.
func (r AgentRef) called() string {
	if r.Alias != "" {
		return clean(r.Alias, maxName)
	}
	where := r.Card
	if !strings.Contains(where, "://") {
		if strings.HasSuffix(where, ".json") || filepath.IsAbs(where) || strings.HasPrefix(where, ".") {
			return clean(filepath.Base(where), maxName)
		}
		where = "https://" + where
	}
	u, err := url.Parse(where)
	if err != nil {
		return "an agent without a name"
	}
	return clean(cmp.Or(u.Host, path.Base(u.Path)), maxName)
}
