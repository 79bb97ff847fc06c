// SPDX-License-Identifier: Apache-2.0

// Package httpserver is what the programs and packages that build an http.Server share.
package httpserver

import (
	"net"
	"net/netip"
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
