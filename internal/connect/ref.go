// SPDX-License-Identifier: Apache-2.0

package connect

import (
	"net/netip"
	"net/url"
	"strings"

	"github.com/dragoman-a2a/dragoman/internal/cmdline"
)

// FlagOwnHost names the flag that lets load and checks go beyond this machine.
const FlagOwnHost = "i-own-this-host"

// NoAgent is the error of a command that has no agent to call.
func NoAgent() error {
	return cmdline.Usagef("no agent is named").WithHint("give its address with -a, or in DRAGOMAN_AGENT_CARD")
}

// WithoutUser returns a reference to an agent, perhaps with NAME= before it, or to a registry, without the name and
// password that a URL may have.
func WithoutUser(ref string) string {
	_, at := NameAndRef(ref)
	u, err := url.Parse(at)
	if err != nil || u.User == nil {
		return ref
	}
	u.User = nil
	return strings.TrimSuffix(ref, at) + u.String()
}

// NameAndRef splits NAME=AGENT, by which commands that take several agents let one have another name.
func NameAndRef(text string) (name, ref string) {
	name, ref, named := strings.Cut(text, "=")
	if !named || strings.ContainsAny(name, "/:?") { // an = in a URL
		return "", text
	}
	return name, ref
}

// OnThisMachine reports whether a URL, or a host, is one of this machine.
func OnThisMachine(ref string) bool {
	if !strings.Contains(ref, "://") {
		ref = "http://" + ref
	}
	u, err := url.Parse(ref)
	if err != nil {
		return false
	}
	addr, err := netip.ParseAddr(u.Hostname())
	return u.Hostname() == "localhost" || err == nil && addr.Unmap().IsLoopback()
}
