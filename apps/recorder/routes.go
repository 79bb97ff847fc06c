// SPDX-License-Identifier: Apache-2.0

package recorder

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"sync"

	"github.com/dragoman-a2a/dragoman/a2a"
)

// maxMounts bounds the addresses of an agent that lie elsewhere than below its own.
const maxMounts = 100

// routes map the addresses of an agent to paths: what lies below its base URL is at the root, and each other address
// that its card names below /~1, /~2 and so on. It is safe for concurrent use.
type routes struct {
	self string // the URL that stands in cards instead of the agent's; "" leaves those as they are
	base string // of the agent, without a slash at its end

	mu     sync.RWMutex
	root   string   // what the path / is
	mounts []string // without a slash at their end
}

// newRoutes returns the routes for the agent at a URL, which may be that of its card.
func newRoutes(agent, self string) (*routes, error) {
	u, err := url.Parse(agent)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("%q is no http or https URL", agent)
	}
	if u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, fmt.Errorf("%s has more than host and path", u.Redacted())
	}
	if path, _, isCard := strings.Cut(u.Path, "/.well-known/"); isCard {
		u.Path = path
	}
	whole := u.String()
	return &routes{self: strings.TrimSuffix(self, "/"), base: strings.TrimSuffix(whole, "/"), root: whole}, nil
}

// to returns the URL that a path stands for.
func (r *routes) to(path string) (string, error) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if rest, mounted := strings.CutPrefix(path, "/~"); mounted {
		digits := len(rest) - len(strings.TrimLeft(rest, "0123456789"))
		n, err := strconv.Atoi(rest[:digits])
		if err != nil || n < 1 || n > len(r.mounts) {
			return "", fmt.Errorf("the agent's card names no address for %s", path)
		}
		return r.mounts[n-1] + rest[digits:], nil
	}
	if query, atRoot := strings.CutPrefix(path, "/"); atRoot && (query == "" || query[0] == '?') {
		return r.root + query, nil
	}
	return r.base + path, nil
}

// path returns the path that stands for a URL, or "" if it is none of the agent's.
func (r *routes) path(address string) string {
	r.mu.RLock()
	defer r.mu.RUnlock()
	for i, m := range append([]string{r.base}, r.mounts...) {
		rest, ok := strings.CutPrefix(address, m)
		if !ok || !ends(rest) {
			continue
		}
		if i > 0 {
			return "/~" + strconv.Itoa(i) + rest
		}
		if !strings.HasPrefix(rest, "/") {
			rest = "/" + rest
		}
		return rest
	}
	return ""
}

// ends reports whether an address ends before rest.
func ends(rest string) bool { return rest == "" || strings.ContainsRune("/?#", rune(rest[0])) }

// learn notes an address that the card names, and returns its path.
func (r *routes) learn(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return ""
	}
	address, query, _ := strings.Cut(address, "?")
	if query != "" {
		query = "?" + query
	}
	r.mu.Lock()
	known := strings.TrimSuffix(address, "/") == r.base
	if known {
		r.root = address
	}
	r.mu.Unlock()
	if path := r.path(address); known || path != "" {
		return path + query
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.mounts) == maxMounts {
		return ""
	}
	r.mounts = append(r.mounts, strings.TrimSuffix(address, "/"))
	return "/~" + strconv.Itoa(len(r.mounts)) + query
}

// fold puts ${base} in the place of the agent's addresses in a text, and gives what is between them to literal.
func (r *routes) fold(s string, literal func(string) string) string {
	if !strings.Contains(s, "://") {
		return literal(s)
	}
	r.mu.RLock()
	defer r.mu.RUnlock()
	var b strings.Builder
	for {
		at, length, path := r.find(s)
		if at < 0 {
			b.WriteString(literal(s))
			return b.String()
		}
		b.WriteString(literal(s[:at]))
		b.WriteString(put(base) + path)
		s = s[at+length:]
	}
}

// find returns where the first address of the agent is in a text, how long it is, and its path; the caller holds the
// lock.
func (r *routes) find(s string) (at, length int, path string) {
	at = -1
	look := func(prefix, p string) {
		from := 0
		for prefix != "" {
			i := strings.Index(s[from:], prefix)
			if i < 0 {
				return
			}
			i += from
			if !goesOn(s[i+len(prefix):]) {
				if at < 0 || i < at || i == at && len(prefix) > length {
					at, length, path = i, len(prefix), p
				}
				return
			}
			from = i + 1
		}
	}
	look(r.self, "")
	look(r.base, "")
	for i, m := range r.mounts {
		look(m, "/~"+strconv.Itoa(i+1))
	}
	return at, length, path
}

// goesOn reports whether an address goes on with its host, its port or the last part of its path.
func goesOn(rest string) bool {
	word := func(c byte) bool {
		return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || strings.IndexByte("-_~%", c) >= 0
	}
	switch {
	case rest == "":
		return false
	case rest[0] == '.' || rest[0] == ':':
		return len(rest) > 1 && word(rest[1])
	}
	return word(rest[0])
}

// cardIn returns the agent card that a body is, or that is the result of a call in it; nil if there is none.
func cardIn(body *node) *node {
	for _, n := range []*node{body, body.member("result")} {
		if n != nil && n.has("skills") && n.has("capabilities") && n.has("name") {
			return n
		}
	}
	return nil
}

// fit makes a card one of an agent that is reached by HTTP only and at the routes: without gRPC, which does not pass,
// and without signatures, which are about the card as it was.
func (r *routes) fit(card *node) {
	card.drop("signatures")
	isGRPC := func(n *node, member string) bool {
		binding := n.member(member)
		return binding != nil && binding.text == a2a.BindingGRPC
	}
	for _, list := range []struct{ name, binding string }{{"supportedInterfaces", "protocolBinding"},
		{"additionalInterfaces", "transport"}} {
		all := card.member(list.name)
		if all == nil {
			continue
		}
		var kept []*node
		for _, one := range all.kids {
			if !isGRPC(one, list.binding) {
				kept = append(kept, one)
				r.point(one.member("url"))
			}
		}
		all.kids = kept
	}
	if more := card.member("additionalInterfaces"); isGRPC(card, "preferredTransport") && more != nil &&
		len(more.kids) > 0 {
		card.take("url", more.kids[0].member("url"))
		card.take("preferredTransport", more.kids[0].member("transport"))
		return
	}
	r.point(card.member("url"))
}

// take gives a member the value of another one.
func (n *node) take(name string, value *node) {
	if m := n.member(name); m != nil && value != nil {
		*m = *value
	}
}

// point lets an address of a card lead through the routes.
func (r *routes) point(address *node) {
	if address == nil || address.kind != '"' || r.self != "" && strings.HasPrefix(address.text, r.self) {
		return
	}
	path := r.learn(address.text)
	switch {
	case path == "":
	case r.self != "":
		address.text = r.self + strings.TrimSuffix(path, "/")
	case path == "/":
		address.text = r.base // as it is called without the slash that it may have here
	}
}
