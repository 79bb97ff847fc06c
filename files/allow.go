// SPDX-License-Identifier: Apache-2.0

package files

import (
	"fmt"
	"net/url"
	"path"
	"regexp"
	"strings"
)

type origin struct {
	scheme, host, port string
	subdomains         bool
	path               string // with a slash at its end
}

var defaultPorts = map[string]string{"http": "80", "https": "443"}

// parseOrigin reads an entry such as "https://files.example.com", "https://*.example.com:8443" or
// "https://example.com/exports/".
func parseOrigin(entry string) (origin, error) {
	u, err := url.Parse(entry)
	if err != nil || defaultPorts[u.Scheme] == "" || u.Hostname() == "" || u.User != nil || u.RawQuery != "" ||
		u.Fragment != "" {
		return origin{}, fmt.Errorf("files: FetchOptions.Allow: %q is not the beginning of a URL, such as "+
			"https://files.example.com/exports/", entry)
	}
	if u = normalize(u); ambiguous(u) {
		return origin{}, fmt.Errorf("files: FetchOptions.Allow: %q has a path that servers read in more than one way",
			entry)
	}
	o := origin{scheme: u.Scheme, host: hostOf(u), port: portOf(u),
		path: strings.TrimRight(path.Clean("/"+u.Path), "/") + "/"}
	if rest, ok := strings.CutPrefix(o.host, "*."); ok {
		o.host, o.subdomains = rest, true
	}
	if o.host == "" || strings.Contains(o.host, "*") {
		return origin{}, fmt.Errorf("files: FetchOptions.Allow: %q: a star stands for subdomains, at the beginning, "+
			"as in https://*.example.com", entry)
	}
	return o, nil
}

func hostOf(u *url.URL) string { return strings.TrimSuffix(strings.ToLower(u.Hostname()), ".") }

func portOf(u *url.URL) string {
	if p := u.Port(); p != "" {
		return p
	}
	return defaultPorts[u.Scheme]
}

var encodedDot = regexp.MustCompile("(?i)%2e")

// normalize returns a URL without dot segments in its path (RFC 3986 §6.2.2), plain or encoded. The caller compares and
// requests the same URL.
func normalize(u *url.URL) *url.URL {
	c := *u
	c.RawPath = encodedDot.ReplaceAllString(u.EscapedPath(), ".")
	if p, err := url.PathUnescape(c.RawPath); err == nil {
		c.Path = p
	}
	return c.ResolveReference(&c)
}

// ambiguous reports whether servers may read a path in more than one way: one with a separator that is encoded, or with
// dots that lead up once it is decoded twice or parameters are cut off.
func ambiguous(u *url.URL) bool {
	escaped := strings.ToLower(u.EscapedPath())
	if strings.Contains(escaped, "%2f") || strings.Contains(u.Path, `\`) {
		return true
	}
	twice, err := url.PathUnescape(u.Path)
	if err != nil {
		twice = u.Path
	}
	if strings.Count(twice, "/") != strings.Count(u.Path, "/") || strings.Contains(twice, `\`) {
		return true
	}
	for segment := range strings.SplitSeq(twice, "/") {
		if name, _, _ := strings.Cut(segment, ";"); name == "." || name == ".." {
			return true
		}
	}
	return false
}

// covers reports whether a URL, which is normalized, lies below the entry.
func (o origin) covers(u *url.URL) bool {
	if u.Scheme != o.scheme || portOf(u) != o.port {
		return false
	}
	host := hostOf(u)
	if o.subdomains && !strings.HasSuffix(host, "."+o.host) || !o.subdomains && host != o.host {
		return false
	}
	if o.path == "/" {
		return true
	}
	return !ambiguous(u) && strings.HasPrefix(path.Clean("/"+u.Path)+"/", o.path)
}
