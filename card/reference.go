// SPDX-License-Identifier: Apache-2.0

package card

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strings"
)

// place is what a reference means: a file or a URL, one of them.
type place struct {
	file string
	url  *url.URL
	// where the card is of an agent at that base URL that is older than 0.3; "" when url names the card itself
	older string
}

func (p place) String() string {
	if p.url != nil {
		return p.url.String()
	}
	return p.file
}

// URLOf returns the URL of the card that a reference names, see [Resolver.Resolve]; "" for a file.
func URLOf(ref string) string {
	p, err := parse(ref)
	if err != nil || p.url == nil {
		return ""
	}
	return p.url.String()
}

// parse finds out what a reference means, see [Resolver.Resolve].
func parse(ref string) (place, error) {
	if ref == "" {
		return place{}, errors.New("it is empty; give a URL, a host or a file")
	}
	if looksLikeFile(ref) {
		return place{file: ref}, nil
	}
	if !strings.Contains(ref, "://") {
		ref = schemeFor(ref) + "://" + ref
	}
	u, err := url.Parse(ref)
	if err != nil {
		return place{}, err
	}
	switch u.Scheme {
	case "http", "https":
	case "file":
		return place{file: fileOf(u)}, nil
	default:
		return place{}, fmt.Errorf("scheme %q is not supported; use https, http or file", u.Scheme)
	}
	if u.Hostname() == "" {
		return place{}, errors.New("it names no host")
	}
	u.Fragment = ""
	if strings.HasSuffix(u.Path, ".json") {
		return place{url: u}, nil
	}
	return place{url: u.JoinPath(WellKnownPath), older: u.JoinPath(OlderPath).String()}, nil
}

// AgentURL returns the base URL of an agent as it is to be given to others: below a path with a slash at its end. To a
// client that resolves the card's path as a relative reference, as the JavaScript SDKs do, the last segment is part of
// the folder only with that slash. The URL of a card itself stays as it is.
func AgentURL(base string) string {
	u, err := url.Parse(base)
	if err != nil || u.Path == "" || strings.HasSuffix(u.Path, "/") || strings.HasSuffix(u.Path, ".json") ||
		u.RawQuery != "" || u.Fragment != "" {
		return base
	}
	return base + "/"
}

// fileOf returns the name of the file of a file URL, on Windows without the slash before the drive.
func fileOf(u *url.URL) string {
	if name := strings.TrimPrefix(u.Path, "/"); filepath.VolumeName(name) != "" {
		return filepath.FromSlash(name)
	}
	return filepath.FromSlash(u.Path)
}

// looksLikeFile reports whether a reference is a path, or the name of a JSON file, or of a file that is there.
func looksLikeFile(ref string) bool {
	if strings.Contains(ref, "://") {
		return false
	}
	if filepath.IsAbs(ref) || strings.HasPrefix(ref, "./") || strings.HasPrefix(ref, "../") ||
		strings.ContainsRune(ref, '\\') {
		return true
	}
	if strings.HasSuffix(ref, ".json") && !strings.ContainsRune(ref, '/') {
		return true // even if it is not there: no host is called so
	}
	info, err := os.Stat(ref)
	return err == nil && info.Mode().IsRegular()
}

// schemeFor returns http for an agent on this machine, where nobody listens in, and https for all others.
func schemeFor(ref string) string {
	host, _, _ := strings.Cut(ref, "/")
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.Trim(host, "[]")
	if strings.EqualFold(host, "localhost") || strings.HasSuffix(strings.ToLower(host), ".localhost") {
		return "http"
	}
	if ip, err := netip.ParseAddr(host); err == nil && ip.IsLoopback() {
		return "http"
	}
	return "https"
}
