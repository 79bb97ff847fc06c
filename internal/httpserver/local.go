// SPDX-License-Identifier: Apache-2.0

// Package httpserver is what the programs and packages that build an http.Server share.
package httpserver

import (
	"net"
	"net/netip"
	"net/url"
	"strings"
)

// IsLocal reports whether a Host header names this machine. An empty one comes from HTTP/1.0, which no browser speaks.
func IsLocal(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if host == "" || host == "localhost" || strings.HasSuffix(host, ".localhost") { // RFC 6761 §6.3
		return true
	}
	ip, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil && ip.IsLoopback()
}

// Private reports whether nobody on the way can read or change what is sent to a URL: it is https, or of this machine.
func Private(u *url.URL) bool {
	return u.Scheme == "https" || u.Scheme == "http" && u.Host != "" && IsLocal(u.Host)
}
