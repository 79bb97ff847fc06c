// SPDX-License-Identifier: Apache-2.0

package connect

import (
	"maps"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/client"
	"github.com/dragoman-a2a/dragoman/internal/binding"
	"github.com/dragoman-a2a/dragoman/internal/cmdline"
)

// AnyVersion is the value of --a2a-version that allows all generations.
const AnyVersion = "any"

// Versions are what --a2a-version may be. 0.2 and 0.3 are one on the wire.
var Versions = map[string][]a2a.Generation{
	string(a2a.Generation10): {a2a.Generation10},
	string(a2a.Generation03): {a2a.Generation03, a2a.Generation02},
	string(a2a.Generation02): {a2a.Generation03, a2a.Generation02},
	string(a2a.Generation01): {a2a.Generation01},
	AnyVersion:               {a2a.Generation10, a2a.Generation03, a2a.Generation02, a2a.Generation01},
}

// transportNames are what --transport may be, in lower case.
var transportNames = map[string]string{
	"jsonrpc": a2a.BindingJSONRPC, "http+json": a2a.BindingHTTPJSON, "rest": a2a.BindingHTTPJSON,
	"grpc": a2a.BindingGRPC,
}

// ChooseInterface puts into the options of a client which interfaces of the card it may use.
func (o *Options) ChooseInterface(to *client.Options) error {
	generations, err := GenerationsOf(o.Version)
	if err != nil {
		return err
	}
	to.Generations, to.Tenant = generations, o.Tenant
	if to.Tenant != "" && o.Version == AnyVersion {
		to.Generations = Versions[string(a2a.Generation10)] // older versions have no tenants
	}
	switch {
	case to.Tenant != "" && !slices.Contains(generations, a2a.Generation10):
		return cmdline.Usagef("--tenant needs version 1.0: older versions have no tenants").WithHint(
			"leave out --tenant or --a2a-version")
	case binding.ReservedTenant(to.Tenant):
		return cmdline.Usagef("--tenant is %q, which is a reserved word in A2A paths", to.Tenant)
	}
	to.Bindings, err = o.Bindings()
	return err
}

// GenerationsOf returns what --a2a-version allows.
func GenerationsOf(version string) ([]a2a.Generation, error) {
	generations, ok := Versions[version]
	if !ok {
		return nil, cmdline.Usagef("--a2a-version is %q; use 1.0, 0.3, 0.2, 0.1 or any", version)
	}
	return generations, nil
}

// AgentVersionFlag adds --a2a-version to a command that calls agents in whatever version their cards name.
func AgentVersionFlag(flags *pflag.FlagSet, version *string) {
	flags.StringVar(version, "a2a-version", AnyVersion,
		"protocol version to speak to the agents: 1.0, 0.3, 0.2, 0.1, or any version in their cards")
}

// CardGRPCFlag adds --card-grpc, which all servers have.
func CardGRPCFlag(flags *pflag.FlagSet, listed *bool) {
	flags.BoolVar(listed, "card-grpc", false,
		"list gRPC in the card for every client; Google ADK rejects such a card")
}

// Bindings returns what --transport names, each once; nil for those of the cards.
func (o *Options) Bindings() ([]string, error) {
	var all []string
	for _, name := range o.Transports {
		transport, ok := transportNames[strings.ToLower(name)]
		if !ok {
			return nil, cmdline.Usagef("--transport is %q; use JSONRPC, HTTP+JSON or GRPC", name)
		}
		if !slices.Contains(all, transport) {
			all = append(all, transport)
		}
	}
	return all, nil
}

// OtherTransports returns the bindings of a card's interfaces that could be used if --transport did not leave them out.
func (o *Options) OtherTransports(card *a2a.AgentCard) []string {
	var others []string
	for _, iface := range card.SupportedInterfaces {
		spoken := slices.ContainsFunc(Versions[o.Version],
			func(gen a2a.Generation) bool { return strings.HasPrefix(iface.ProtocolVersion, string(gen)) })
		chosen := slices.ContainsFunc(o.Transports,
			func(name string) bool { return transportNames[strings.ToLower(name)] == iface.Binding })
		switch {
		case spoken && chosen: // then something else is in the way
			return nil
		case spoken && len(o.Transports) > 0 &&
			slices.Contains(slices.Collect(maps.Values(transportNames)), iface.Binding) &&
			!slices.Contains(others, iface.Binding):
			others = append(others, iface.Binding)
		}
	}
	return others
}

// InterfaceFlags returns the flags that choose the same interface again.
func (o *Options) InterfaceFlags() []string {
	var words []string
	if o.Version != AnyVersion {
		words = append(words, "--a2a-version", o.Version)
	}
	for _, name := range o.Transports {
		words = append(words, "--transport", name)
	}
	if o.Tenant != "" {
		words = append(words, "--tenant", o.Tenant)
	}
	return words
}
