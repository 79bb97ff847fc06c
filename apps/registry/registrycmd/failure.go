// SPDX-License-Identifier: Apache-2.0

package registrycmd

import (
	"strings"

	"github.com/dragoman-a2a/dragoman/apps/registry"
	"github.com/dragoman-a2a/dragoman/card"
	"github.com/dragoman-a2a/dragoman/internal/cmdline"
	"github.com/dragoman-a2a/dragoman/internal/connect"
	"github.com/dragoman-a2a/dragoman/internal/terminal"
)

// registryCodes are those of errors that other errors of this program share.
var registryCodes = map[registry.Kind]struct {
	exit int
	code string
}{
	registry.ErrInvalid:         {cmdline.ExitUsage, cmdline.CodeUsage},
	registry.ErrPageToken:       {cmdline.ExitUsage, cmdline.CodeUsage},
	registry.ErrUnauthenticated: {cmdline.ExitAuth, cmdline.CodeCredentialsMissing},
	registry.ErrForbidden:       {cmdline.ExitAuth, cmdline.CodeAuthFailed},
	registry.ErrCardUnreachable: {cmdline.ExitUnreachable, cmdline.CodeUnreachable},
	registry.ErrCardInvalid:     {cmdline.ExitFailure, cmdline.CodeCardInvalid},
	registry.ErrUnavailable:     {cmdline.ExitUnreachable, cmdline.CodeUnreachable},
	registry.ErrRateLimited:     {cmdline.ExitUnreachable, cmdline.CodeUnreachable},
	registry.ErrInternal:        {cmdline.ExitFailure, cmdline.CodeInternal},
}

// hint says what to do about an error of a registry.
func (c *user) hint(e *registry.Error, agent string) string {
	switch e.Kind {
	case registry.ErrUnauthenticated:
		if c.token != "" {
			return "the token is wrong; ask the person who runs the registry for the right one"
		}
		return "give the registry's token with --" + FlagToken + " or in DRAGOMAN_REGISTRY_TOKEN"
	case registry.ErrNotFound:
		return "see the agents with " + terminal.CommandLine(c.commandFor("list"))
	case registry.ErrCardUnreachable:
		return "check that the agent runs where the registry can reach it; where it may look is said when it is " +
			"started, as in " +
			terminal.CommandLine([]string{c.Program, "registry", "serve", "--networks", "private"})
	case registry.ErrCardInvalid:
		if strings.Contains(e.Error(), card.ErrNotFound.Error()) {
			return "give the base URL of an agent, or the URL or the file of its card"
		}
		if agent != "" {
			return "see what is wrong with the card with " +
				terminal.CommandLine([]string{c.Program, "card", "validate", "-a", connect.WithoutUser(agent)})
		}
	case registry.ErrAliasTaken:
		if agent != "" && strings.Contains(e.Detail, "is here already") {
			return "remove it with " +
				terminal.CommandLine(c.commandFor("remove", connect.WithoutUser(agent)))
		}
	}
	return ""
}

// commandFor returns a command of this program that uses the same registry. Credentials are left out.
func (c *user) commandFor(verb string, args ...string) []string {
	words := append([]string{c.Program, "registry", verb}, args...)
	if c.FromFlag("registry") {
		words = append(words, "--registry", connect.WithoutUser(c.url))
	}
	return words
}

// failure classifies an error of a registry about an agent; "" for none.
func (c *user) failure(e *registry.Error, agent string) *cmdline.Failure {
	f := &cmdline.Failure{Exit: cmdline.ExitFailure, Message: e.Error(), Hint: c.hint(e, agent)}
	if known, ok := registryCodes[e.Kind]; ok {
		f.Exit, f.Code = known.exit, known.code
		if e.Kind == registry.ErrUnauthenticated && c.token != "" {
			f.Code = cmdline.CodeAuthFailed
			return c.TellSource(FlagToken, "the token", f)
		}
		return f
	}
	f.Code = cmdline.CodeOther + strings.ToUpper(strings.ReplaceAll(string(e.Kind), "-", "_"))
	return f
}
