// SPDX-License-Identifier: Apache-2.0

package connect

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/spf13/pflag"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/apps/registry"
	"github.com/dragoman-a2a/dragoman/card"
	"github.com/dragoman-a2a/dragoman/internal/cmdline"
	"github.com/dragoman-a2a/dragoman/internal/terminal"
)

// DefaultRegistry is the URL of the registry unless --registry names another one.
const DefaultRegistry = "http://" + registry.DefaultAddr

// RegistryFlag adds --registry. It is the same for all commands but host, which calls the agents of its registry.
func RegistryFlag(flags *pflag.FlagSet, url *string) {
	flags.StringVar(url, FlagRegistry, DefaultRegistry, "URL of the registry")
}

// BadRegistry refuses a value of --registry.
func BadRegistry(url string) error {
	return cmdline.Usagef("--registry is %q; it must be an http or https URL without a query",
		url).WithHint("for example --registry " + DefaultRegistry)
}

// entryName returns the name in a reference to an entry of a registry, registry:NAME. With a port behind the colon, the
// reference is a host of that name.
func entryName(ref string) (name string, isEntry bool) {
	name, isEntry = strings.CutPrefix(ref, "registry:")
	port, _, _ := strings.Cut(name, "/")
	if !isEntry || strings.HasPrefix(name, "//") || port != "" && strings.Trim(port, "0123456789") == "" {
		return "", false
	}
	return name, true
}

// LooksLikeAgent reports whether an argument is an agent and nothing that anybody would say.
func LooksLikeAgent(arg string) bool {
	_, ref := NameAndRef(arg)
	_, isEntry := entryName(ref)
	isURL := strings.HasPrefix(ref, "http://") || strings.HasPrefix(ref, "https://")
	return (isURL || isEntry) && !strings.ContainsAny(arg, " \t\n")
}

// Card finds the card of the agent.
func (c *Caller) Card(ctx context.Context) (*a2a.AgentCard, error) {
	if c.Agent == "" {
		return nil, NoAgent()
	}
	found, err := lookUp(ctx, c, c.Agent, (*card.Resolver).Resolve)
	return found, c.OrAgents(ctx, err)
}

// RawCard returns the card of a reference, which may be the file of one, as it is.
func (c *Caller) RawCard(ctx context.Context, ref string) ([]byte, error) {
	return lookUp(ctx, c, ref, (*card.Resolver).Raw)
}

// lookUp calls get for the place where the card of a reference is, which for an entry is at the registry.
func lookUp[T any](ctx context.Context, c *Caller, ref string,
	get func(*card.Resolver, context.Context, string) (T, error)) (found T, err error) {
	at, err := CardAt(c.Registry, ref)
	if err != nil {
		return found, err
	}
	trust, err := c.OpenTrust()
	if err != nil {
		return found, err
	}
	found, err = get(card.NewResolver(&card.Options{HTTPClient: c.HTTPClient(), Verify: trust.Verify()}), ctx, at)
	if name, isEntry := entryName(ref); isEntry {
		err = c.entryFailure(name, err)
	}
	return found, err
}

// CardURL returns the URL of the agent's card; "" if it is a file.
func (c *Caller) CardURL() (string, error) {
	at, err := CardAt(c.Registry, c.Agent)
	return card.URLOf(at), err
}

// CardAt returns where the card of a reference is: at the registry for an entry of it, and else where the reference
// says.
func CardAt(catalogue, ref string) (string, error) {
	name, isEntry := entryName(ref)
	if !isEntry {
		return ref, nil
	}
	catalog, err := registry.NewClient(catalogue, nil)
	if err != nil {
		return "", BadRegistry(catalogue)
	}
	at, err := catalog.CardURL(name)
	if err != nil {
		return "", cmdline.Usagef("-a is %q, which names no entry of a registry",
			ref).WithHint("for example -a registry:rates")
	}
	return at, nil
}

// entryFailure says in words of the registry why the card of an entry cannot be had.
func (c *Caller) entryFailure(name string, err error) error {
	e, ok := errors.AsType[*card.Error](err)
	switch {
	case !ok:
		return err
	case errors.Is(e, card.ErrNotFound):
		list := terminal.CommandLine([]string{c.Program, "registry", "list", "--registry",
			WithoutUser(c.Registry)})
		return &cmdline.Failure{Exit: cmdline.ExitUnreachable, Code: cmdline.CodeCardNotFound,
			Hint:    "see what it has with " + list,
			Message: fmt.Sprintf("the registry at %s has no agent %q", WithoutUser(c.Registry), name)}
	case errors.Is(e, card.ErrUnreachable):
		return &registry.UnreachableError{URL: c.Registry, Err: e.Err}
	}
	return err
}

// OrAgents returns the error of a look for a card or, if the address has no card but lists agents, which ones those
// are.
func (c *Caller) OrAgents(ctx context.Context, err error) error {
	if e, ok := errors.AsType[*card.Error](err); ok && e.Kind == card.ErrNotFound {
		if f := c.severalAgents(ctx, e); f != nil {
			return f
		}
	}
	return err
}

// maxListed is how many bytes of a list of agents are read.
const maxListed = 1 << 20

// severalAgents says which agents an address without a card has, if it lists them as samples up does; nil if not.
func (c *Caller) severalAgents(ctx context.Context, e *card.Error) *cmdline.Failure {
	base, isCard := strings.CutSuffix(e.URL, card.WellKnownPath)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, base+"/", nil)
	if !isCard || err != nil {
		return nil
	}
	req.Header.Set("Accept", "application/json")
	resp, err := c.HTTPClient().Do(req)
	if err != nil {
		return nil
	}
	defer resp.Body.Close()
	var list struct {
		Agents []struct {
			Name string `json:"name"`
			URL  string `json:"url"`
		} `json:"agents"`
	}
	if resp.StatusCode != http.StatusOK || json.UnmarshalRead(io.LimitReader(resp.Body, maxListed), &list) != nil ||
		len(list.Agents) == 0 {
		return nil
	}
	var names []string
	for _, agent := range list.Agents[:min(len(list.Agents), 20)] {
		names = append(names, terminal.Short(terminal.Inline(agent.Name), 40))
	}
	f := CardFailure(e)
	f.Message = fmt.Sprintf("%s is no agent; it has %d of them: %s", WithoutUser(base), len(list.Agents),
		strings.Join(names, ", "))
	f.Hint = "name one of them, such as " + terminal.CommandLine([]string{WithoutUser(list.Agents[0].URL)})
	return f
}
