// SPDX-License-Identifier: Apache-2.0

// Package origin compares where URLs lead to (RFC 6454): credentials for one origin are not for another one.
package origin

import (
	"net"
	"net/netip"
	"net/url"
	"strings"
)

var ports = map[string]string{"http": "80", "https": "443"}

// Of returns the origin of a URL, such as "https://agent.example.com:8443", or of an address of gRPC, which may lack
// the scheme. It returns "" for what is neither. The names and addresses of this machine are one host: 127.0.0.1.
func Of(address string) string {
	schemeless := !strings.Contains(address, "://")
	if schemeless {
		address = "https://" + address
	}
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" {
		return ""
	}
	host := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	if host == "localhost" || host == "::1" {
		host = "127.0.0.1"
	}
	ip, err := netip.ParseAddr(host)
	scheme := strings.ToLower(u.Scheme)
	switch {
	case scheme == "grpc", schemeless && err == nil && ip.IsLoopback(): // client/grpc uses no TLS on this machine
		scheme = "http"
	case scheme == "grpcs":
		scheme = "https"
	}
	port := u.Port()
	if port == "" {
		port = ports[scheme]
	}
	if ports[scheme] == "" {
		return ""
	}
	if port == ports[scheme] {
		if strings.Contains(host, ":") {
			host = "[" + host + "]"
		}
		return scheme + "://" + host
	}
	return scheme + "://" + net.JoinHostPort(host, port)
}
