// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/client"
	"github.com/dragoman-a2a/dragoman/internal/binding"
	"github.com/dragoman-a2a/dragoman/internal/cmdline"
	"github.com/dragoman-a2a/dragoman/internal/terminal"
)

// anyVersion is the value of --a2a-version that allows all generations.
const anyVersion = "any"

// versions are what --a2a-version may be. 0.2 and 0.3 are one on the wire.
var versions = map[string][]a2a.Generation{
	string(a2a.Generation10): {a2a.Generation10},
	string(a2a.Generation03): {a2a.Generation03, a2a.Generation02},
	string(a2a.Generation02): {a2a.Generation03, a2a.Generation02},
	string(a2a.Generation01): {a2a.Generation01},
	anyVersion:               {a2a.Generation10, a2a.Generation03, a2a.Generation02, a2a.Generation01},
}

// transportNames are what --transport may be, in lower case.
var transportNames = map[string]string{
	"jsonrpc": a2a.BindingJSONRPC, "http+json": a2a.BindingHTTPJSON, "rest": a2a.BindingHTTPJSON, "grpc": a2a.BindingGRPC,
}

// chooseInterface puts into the options of a client which interfaces of the card it may use.
func (c *command) chooseInterface(o *client.Options) error {
	generations, err := generationsOf(c.options.version)
	if err != nil {
		return err
	}
	o.Generations, o.Tenant = generations, c.options.tenant
	if o.Tenant != "" && c.options.version == anyVersion {
		o.Generations = versions[string(a2a.Generation10)] // older versions have no tenants
	}
	switch {
	case o.Tenant != "" && !slices.Contains(generations, a2a.Generation10):
		return cmdline.Usagef("--tenant needs version 1.0: older versions have no tenants").WithHint("leave out --tenant or --a2a-version")
	case binding.ReservedTenant(o.Tenant):
		return cmdline.Usagef("--tenant is %q, which is a reserved word in A2A paths", o.Tenant)
	}
	o.Bindings, err = c.bindings()
	return err
}

// generationsOf returns what --a2a-version allows.
func generationsOf(version string) ([]a2a.Generation, error) {
	generations, ok := versions[version]
	if !ok {
		return nil, cmdline.Usagef("--a2a-version is %q; use 1.0, 0.3, 0.2, 0.1 or any", version)
	}
	return generations, nil
}

// agentVersionFlag adds --a2a-version to a command that calls agents in whatever version their cards name.
func agentVersionFlag(flags *pflag.FlagSet, version *string) {
	flags.StringVar(version, "a2a-version", anyVersion, "protocol version to speak to the agents: 1.0, 0.3, 0.2, 0.1, or any version in their cards")
}

// bindings returns what --transport names, each once; nil for those of the cards.
func (c *command) bindings() ([]string, error) {
	var all []string
	for _, name := range c.options.transports {
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

// noInterface explains that none of the card's interfaces may be used.
func (c *command) noInterface(card *a2a.AgentCard, err error) error {
	f := &cmdline.Failure{Exit: cmdline.ExitUnreachable, Code: cmdline.CodeUnreachable, Message: err.Error(), Hint: "see the card's interfaces with " + terminal.CommandLine(c.commandFor("card", "get"))}
	if others := c.otherTransports(card); others != nil {
		f.Message = fmt.Sprintf("the agent's card names no interface of %s", strings.Join(c.options.transports, " or "))
		if c.options.version != anyVersion {
			f.Message += " in version " + c.options.version
		}
		f.Hint = "it has " + strings.Join(others, ", ") + "; choose one of these with --transport, or leave it out"
		return f
	}
	for _, iface := range card.SupportedInterfaces {
		if strings.HasPrefix(iface.ProtocolVersion, string(a2a.Generation10)) {
			return f // the version is not what is in the way
		}
	}
	for _, version := range []string{"0.1", "0.2", "0.3"} {
		if slices.ContainsFunc(card.SupportedInterfaces, func(i a2a.AgentInterface) bool { return strings.HasPrefix(i.ProtocolVersion, version) }) {
			f.Hint = "the agent speaks version " + version + "; allow it with --a2a-version " + version
		}
	}
	return f
}

// otherTransports returns the bindings of a card's interfaces that could be used if --transport did not leave them out.
func (c *command) otherTransports(card *a2a.AgentCard) []string {
	var others []string
	for _, iface := range card.SupportedInterfaces {
		spoken := slices.ContainsFunc(versions[c.options.version], func(gen a2a.Generation) bool { return strings.HasPrefix(iface.ProtocolVersion, string(gen)) })
		chosen := slices.ContainsFunc(c.options.transports, func(name string) bool { return transportNames[strings.ToLower(name)] == iface.Binding })
		switch {
		case spoken && chosen: // then something else is in the way
			return nil
		case spoken && len(c.options.transports) > 0 && slices.Contains(slices.Collect(maps.Values(transportNames)), iface.Binding) && !slices.Contains(others, iface.Binding):
			others = append(others, iface.Binding)
		}
	}
	return others
}

// interfaceFlags returns the flags that choose the same interface again.
func (c *command) interfaceFlags() []string {
	var words []string
	if c.options.version != anyVersion {
		words = append(words, "--a2a-version", c.options.version)
	}
	for _, name := range c.options.transports {
		words = append(words, "--transport", name)
	}
	if c.options.tenant != "" {
		words = append(words, "--tenant", c.options.tenant)
	}
	return words
}
