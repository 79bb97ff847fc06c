// SPDX-License-Identifier: Apache-2.0

package files

import (
	"fmt"
	"net/url"
	"path"
	"strings"
)

// origin is one entry of an allow list.
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
	if err != nil || defaultPorts[u.Scheme] == "" || u.Hostname() == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return origin{}, fmt.Errorf("files: FetchOptions.Allow: %q is not the beginning of a URL, such as https://files.example.com/exports/", entry)
	}
	o := origin{scheme: u.Scheme, host: hostOf(u), port: portOf(u), path: strings.TrimRight(u.Path, "/") + "/"}
	if rest, ok := strings.CutPrefix(o.host, "*."); ok {
		o.host, o.subdomains = rest, true
	}
	if o.host == "" || strings.Contains(o.host, "*") {
		return origin{}, fmt.Errorf("files: FetchOptions.Allow: %q: a star stands for subdomains, at the beginning, as in https://*.example.com", entry)
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

// covers reports whether a URL lies below the entry. Paths are compared as servers resolve them.
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
	clean := path.Clean("/" + u.Path)
	return !strings.Contains(u.Path, `\`) && strings.HasPrefix(clean+"/", o.path)
}
