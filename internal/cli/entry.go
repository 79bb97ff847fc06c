// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/apps/registry"
	"github.com/dragoman-a2a/dragoman/apps/registry/registrycmd"
	"github.com/dragoman-a2a/dragoman/card"
	"github.com/dragoman-a2a/dragoman/internal/cmdline"
	"github.com/dragoman-a2a/dragoman/internal/connect"
	"github.com/dragoman-a2a/dragoman/internal/terminal"
)

// flagRegistry is the name of the flag for the registry that entries are looked up in.
const flagRegistry = "registry"

// registryFlag adds that flag. It is the same for all commands but host, which calls whatever its registry has.
func registryFlag(flags *pflag.FlagSet, url *string) {
	flags.StringVar(url, flagRegistry, "http://"+registrycmd.DefaultAddr, "URL of the registry")
}

// badRegistry says that a value of --registry is none.
func badRegistry(url string) error {
	return cmdline.Usagef("--registry is %q; it must be an http or https URL without a query",
		url).WithHint("for example --registry http://" + registrycmd.DefaultAddr)
}

// entryName returns the name in a reference to an entry of a registry, registry:NAME. What has a port behind the colon
// is a host of that name.
func entryName(ref string) (name string, isEntry bool) {
	name, isEntry = strings.CutPrefix(ref, "registry:")
	port, _, _ := strings.Cut(name, "/")
	if !isEntry || strings.HasPrefix(name, "//") || port != "" && strings.Trim(port, "0123456789") == "" {
		return "", false
	}
	return name, true
}

// cardOf finds the card of a reference: an agent's URL or host, a file, or an entry of a registry.
func (c *command) cardOf(ctx context.Context, ref string) (*a2a.AgentCard, error) {
	return lookUpCard(c, ref, func(at string) (*a2a.AgentCard, error) {
		return card.NewResolver(&card.Options{HTTPClient: c.httpClient()}).Resolve(ctx, at)
	})
}

// rawCardOf returns such a card as it is.
func (c *command) rawCardOf(ctx context.Context, ref string) ([]byte, error) {
	return lookUpCard(c, ref, func(at string) ([]byte, error) {
		return card.NewResolver(&card.Options{HTTPClient: c.httpClient()}).Raw(ctx, at)
	})
}

// lookUpCard calls get for the place where the card of a reference is, which for an entry is at the registry.
func lookUpCard[T any](c *command, ref string, get func(at string) (T, error)) (found T, err error) {
	at, err := c.cardAt(c.options.registry, ref)
	if err != nil {
		return found, err
	}
	found, err = get(at)
	if name, isEntry := entryName(ref); isEntry {
		err = c.entryFailure(name, err)
	}
	return found, err
}

// cardAt returns where the card of a reference is: at the registry for an entry of it, and else where the reference
// says.
func (c *command) cardAt(catalogue, ref string) (string, error) {
	name, isEntry := entryName(ref)
	if !isEntry {
		return ref, nil
	}
	catalog, err := registry.NewClient(catalogue, nil)
	if err != nil {
		return "", badRegistry(catalogue)
	}
	at, err := catalog.CardURL(name)
	if err != nil {
		return "", cmdline.Usagef("-a is %q, which names no entry of a registry",
			ref).WithHint("for example -a registry:rates")
	}
	return at, nil
}

// entryFailure says in words of the registry why the card of an entry cannot be had.
func (c *command) entryFailure(name string, err error) error {
	e, ok := errors.AsType[*card.Error](err)
	switch {
	case !ok:
		return err
	case errors.Is(e, card.ErrNotFound):
		list := terminal.CommandLine([]string{c.Program, "registry", "list", "--registry",
			connect.WithoutUser(c.options.registry)})
		return &cmdline.Failure{Exit: cmdline.ExitUnreachable, Code: cmdline.CodeCardNotFound,
			Hint:    "see what it has with " + list,
			Message: fmt.Sprintf("the registry at %s has no agent %q", connect.WithoutUser(c.options.registry), name)}
	case errors.Is(e, card.ErrUnreachable):
		return &registry.UnreachableError{URL: c.options.registry, Err: e.Err}
	}
	return err
}
