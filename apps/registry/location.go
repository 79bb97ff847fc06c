// SPDX-License-Identifier: Apache-2.0

package registry

import (
	"net"
	"net/netip"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/card"
)

const maxURL = 2000

// location returns the URL that a reference means, in one form for all that mean the same agent: a card at its
// well-known path is the same as the agent's base URL, which has no slash at its end.
func location(ref string) (*url.URL, error) {
	if len(ref) > maxURL {
		return nil, failf(ErrInvalid, "url has %d bytes; it may have %d", len(ref), maxURL)
	}
	if !strings.Contains(ref, "://") {
		ref = schemeFor(ref) + "://" + ref
	}
	u, err := url.Parse(ref)
	switch {
	case err != nil:
		return nil, failf(ErrInvalid, "url is none: %v", err)
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, failf(ErrInvalid, "url has the scheme %q; use https or http", u.Scheme)
	case u.Hostname() == "":
		return nil, failf(ErrInvalid, "url names no host; give one such as https://agent.example.com")
	case u.User != nil:
		return nil, failf(ErrInvalid, "url has credentials in it, which everybody could read here; leave them out")
	}
	u.Fragment, u.RawFragment = "", ""
	u.Host = strings.ToLower(u.Host)
	if port := u.Port(); port == "" || port == standardPort(u.Scheme) {
		u.Host = strings.TrimSuffix(u.Host, ":"+port)
	}
	path := u.EscapedPath()
	for _, known := range []string{card.WellKnownPath, card.OlderPath} {
		path = strings.TrimSuffix(path, known)
	}
	path = strings.TrimRight(path, "/")
	if u.Path, err = url.PathUnescape(path); err != nil {
		return nil, failf(ErrInvalid, "url is none: %v", err)
	}
	u.RawPath = path
	return u, nil
}

func standardPort(scheme string) string {
	if scheme == "http" {
		return "80"
	}
	return "443"
}

// schemeFor returns http for an agent on this machine, where nobody listens in, and https for all others.
func schemeFor(ref string) string {
	host, _, _ := strings.Cut(ref, "/")
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.ToLower(strings.Trim(host, "[]"))
	ip, err := netip.ParseAddr(host)
	if host == "localhost" || strings.HasSuffix(host, ".localhost") || err == nil && ip.IsLoopback() {
		return "http"
	}
	return "https"
}

// identityOf returns what makes a card that was given the same agent as another one: the place where it is called.
func identityOf(c *a2a.AgentCard) string {
	first := &c.SupportedInterfaces[0]
	return "card " + first.URL + " " + first.Tenant
}

// addressOf returns the TCP address of an interface. Those of gRPC may have no scheme.
func addressOf(iface *a2a.AgentInterface) (string, bool) {
	if !strings.Contains(iface.URL, "://") {
		host, port, err := net.SplitHostPort(iface.URL)
		return iface.URL, err == nil && host != "" && port != ""
	}
	u, err := url.Parse(iface.URL)
	if err != nil || u.Hostname() == "" {
		return "", false
	}
	return addressOfURL(u), true
}

func addressOfURL(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = standardPort(u.Scheme)
	}
	return net.JoinHostPort(u.Hostname(), port)
}

// aliasFrom makes an alias of what a stranger calls an agent.
func aliasFrom(name, otherwise string) string {
	for _, text := range []string{name, otherwise} {
		text = strings.ReplaceAll(text, "/", "-")
		text = strings.Join(strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || unseen(r) }), " ")
		text = clipRunes(text, MaxAlias)
		if checkAlias(text) == nil {
			return text
		}
	}
	return "agent"
}

func checkAlias(alias string) error {
	n := utf8.RuneCountInString(alias)
	switch {
	case n == 0 || n > MaxAlias:
		return failf(ErrInvalid, "alias has %d characters; it may have 1 to %d", n, MaxAlias)
	case !utf8.ValidString(alias) || strings.ContainsFunc(alias, unseen) || strings.Contains(alias, "/"):
		return failf(ErrInvalid, "alias %q has a / or something that cannot be seen in it", alias)
	case alias != strings.TrimSpace(alias) || alias == "." || alias == "..":
		return failf(ErrInvalid, "alias %q is a dot, or has a space at an end", alias)
	}
	return nil
}

// unseen reports whether a rune does something instead of showing something.
func unseen(r rune) bool {
	return r == utf8.RuneError || r == '\u2028' || r == '\u2029' || unicode.IsControl(r) || unicode.Is(unicode.Cf, r)
}

func clipRunes(s string, n int) string {
	for i := range s {
		if n == 0 {
			return strings.TrimSpace(s[:i])
		}
		n--
	}
	return s
}
