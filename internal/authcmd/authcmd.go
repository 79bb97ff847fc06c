// SPDX-License-Identifier: Apache-2.0

// Package authcmd holds the commands that keep credentials for agents.
package authcmd

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/client/oauth"
	"github.com/dragoman-a2a/dragoman/internal/cmdline"
	"github.com/dragoman-a2a/dragoman/internal/connect"
	"github.com/dragoman-a2a/dragoman/internal/logins"
	"github.com/dragoman-a2a/dragoman/internal/origin"
	"github.com/dragoman-a2a/dragoman/internal/terminal"
)

// Command returns the command auth.
func Command(c *connect.Caller) *cobra.Command {
	return cmdline.Group(&cobra.Command{Use: "auth", Short: "Keep credentials for agents",
		Example: "  dragoman auth login https://agent.example.com"},
		loginCommand(c), statusCommand(c), logoutCommand(c))
}

const loginLong = `login keeps a credential for all agents whose cards are at the same origin.
Commands that call one agent send it if the command line has no other one. It is in a file that only you can read.

A token, password or key is asked for, or read from standard input. OAuth 2 and OpenID Connect want --client-id, and
--auth-server as the card could name any server. The secret of a program is in DRAGOMAN_CLIENT_SECRET.`

type login struct {
	*connect.Caller
	scheme, user string
	clientID     string
	servers      []string
	device       bool
}

func loginCommand(c *connect.Caller) *cobra.Command {
	l := &login{Caller: c}
	cmd := &cobra.Command{Use: "login", Short: "Keep a credential for an agent", Long: loginLong, Args: cmdline.NoArgs,
		Example: `  dragoman auth login https://agent.example.com
  dragoman auth login https://agent.example.com --client-id cli --auth-server https://idp.example.com`,
		RunE: func(cmd *cobra.Command, _ []string) error { return l.run(cmd.Context()) }}
	agentFlags(c, cmd)
	flags := cmd.Flags()
	flags.StringVar(&l.scheme, "scheme", "", "security scheme of the card, if it has several")
	flags.StringVar(&l.user, "user", "", "user of a Basic scheme")
	flags.StringVar(&l.clientID, "client-id", "", "name of this program at the authorization server")
	flags.StringArrayVar(&l.servers, "auth-server", nil, "authorization server that may be used; repeatable")
	flags.BoolVar(&l.device, "device", false, "sign in on another device")
	return cmd
}

func agentFlags(c *connect.Caller, cmd *cobra.Command) {
	for _, name := range []string{connect.FlagAgentCard, connect.FlagRegistry} {
		cmd.Flags().AddFlag(c.Flags().Lookup(name))
	}
	c.TLS.Add(cmd.Flags())
}

// home returns the origin of the agent's card.
func home(c *connect.Caller) (string, error) {
	address, err := c.CardURL()
	if err != nil {
		return "", err
	}
	of := origin.Of(address)
	if of == "" {
		return "", cmdline.Usagef("logins are for agents whose card has a URL").WithHint("name one with -a URL")
	}
	if !connect.IsPrivate(of) {
		return "", cmdline.Usagef("%s is plain http: anyone on the network path can read credentials", of).
			WithHint("use https")
	}
	return of, nil
}

func (l *login) run(ctx context.Context) error {
	file, err := l.Logins()
	if err != nil {
		return err
	}
	at, err := home(l.Caller)
	if err != nil {
		return err
	}
	card, err := l.Card(ctx)
	if err != nil {
		return err
	}
	kept, err := l.choose(card)
	if err != nil {
		return err
	}
	if err := l.ask(ctx, card.SecuritySchemes[kept.Scheme], kept); err != nil {
		return err
	}
	if err := file.Change(func(all map[string]*logins.Login) { all[at] = kept }); err != nil {
		return err
	}
	l.Tell("logged in to %s with the scheme %s", at, kept.Scheme)
	return nil
}

// choose returns a login for a scheme of the card, still without its credential.
func (l *login) choose(card *a2a.AgentCard) (*logins.Login, error) {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(card.SecuritySchemes)) {
		if logins.KindOf(card.SecuritySchemes[name]) != "" {
			names = append(names, name)
		}
	}
	name := l.scheme
	switch {
	case len(names) == 0:
		return nil, cmdline.Usagef("the agent's card has no scheme that a login is for")
	case name == "" && len(names) > 1:
		return nil, cmdline.Usagef("the agent's card has several schemes").
			WithHint("choose one with --scheme: " + strings.Join(names, ", "))
	case name == "":
		name = names[0]
	case !slices.Contains(names, name):
		return nil, cmdline.Usagef("--scheme is %q, which the agent's card does not have", name).
			WithHint("choose one of " + strings.Join(names, ", "))
	}
	return &logins.Login{Scheme: name, Kind: logins.KindOf(card.SecuritySchemes[name])}, nil
}

// ask gets the credential.
func (l *login) ask(ctx context.Context, scheme a2a.SecurityScheme, kept *logins.Login) (err error) {
	if kept.Kind == logins.OAuth {
		return l.signIn(ctx, scheme, kept)
	}
	if kept.User = l.user; kept.Kind == logins.Basic && (l.user == "" || strings.Contains(l.user, ":")) {
		return cmdline.Usagef("--user is empty or has a colon; the scheme %s wants a user", kept.Scheme)
	}
	if kept.Secret, err = l.AskSecret(ctx, kept.Kind+": "); err != nil {
		return cmdline.Usagef("no credential could be read: %v", err)
	}
	kept.Secret = strings.TrimSpace(kept.Secret)
	if kept.Secret == "" || !connect.IsHeaderValue(kept.Secret) {
		return cmdline.Usagef("the credential is empty or has characters that no header may have")
	}
	return nil
}

func (l *login) signIn(ctx context.Context, scheme a2a.SecurityScheme, kept *logins.Login) (err error) {
	if l.clientID == "" || len(l.servers) == 0 {
		return cmdline.Usagef("the scheme %s wants --client-id and --auth-server", kept.Scheme).WithHint(
			"ask the agent's operator for both; see the server in the card with " +
				terminal.CommandLine(l.CommandFor("card", "get")))
	}
	if kept.ClientID, kept.Servers = l.clientID, l.servers; l.device {
		kept.Grant = string(oauth.DeviceCode)
	}
	config := oauth.Config{ClientID: l.clientID, ClientSecret: l.Env("DRAGOMAN_CLIENT_SECRET"), Servers: l.servers,
		Grant: oauth.Grant(kept.Grant), Prompt: func(_ context.Context, p oauth.Prompt) error {
			l.Tell("sign in until %s at:", p.Until.Format(time.TimeOnly))
			l.Say("URL", p.URL)
			if p.Code != "" {
				l.Tell("enter the code %s there", p.Code)
			}
			return nil
		}}
	if kept.Token, err = config.Login(ctx, scheme); err != nil && ctx.Err() == nil {
		return &cmdline.Failure{Exit: cmdline.ExitAuth, Code: cmdline.CodeOther + "LOGIN_FAILED", Message: err.Error()}
	}
	return err
}

// status is what is shown of a login.
type status struct {
	Origin  string    `json:"origin"`
	Kind    string    `json:"kind"`
	Scheme  string    `json:"scheme"`
	Expires time.Time `json:"expires,omitzero"`
	Renews  bool      `json:"renews"`
}

func statusCommand(c *connect.Caller) *cobra.Command {
	return &cobra.Command{Use: "status", Short: "List the agents that you are logged in to", Args: cmdline.NoArgs,
		Example: "  dragoman auth status",
		RunE: func(*cobra.Command, []string) error {
			file, err := c.Logins()
			if err != nil {
				return err
			}
			all, err := file.Read()
			if err != nil {
				return err
			}
			shown := []status{}
			for _, at := range slices.Sorted(maps.Keys(all)) {
				s := status{Origin: at, Kind: all[at].Kind, Scheme: all[at].Scheme}
				if token := all[at].Token; token != nil {
					s.Expires, s.Renews = token.Expiry, token.RefreshToken != ""
				}
				shown = append(shown, s)
			}
			if c.AsJSON {
				return c.ShowValue(shown)
			}
			return c.ShowText(func(p *terminal.Printer) {
				for _, s := range shown {
					p.Field(0, s.Origin, s.Kind)
					if !s.Expires.IsZero() {
						p.Field(1, "expires", s.Expires.Format(time.RFC3339))
					}
				}
			})
		}}
}

func logoutCommand(c *connect.Caller) *cobra.Command {
	var every bool
	cmd := &cobra.Command{Use: "logout", Short: "Delete a credential", Args: cmdline.NoArgs,
		Example: "  dragoman auth logout https://agent.example.com\n  dragoman auth logout --all",
		RunE: func(*cobra.Command, []string) error {
			file, err := c.Logins()
			if err != nil {
				return err
			}
			at := ""
			if !every {
				if at, err = home(c); err != nil {
					return err
				}
			}
			found := every
			err = file.Change(func(all map[string]*logins.Login) {
				found = found || all[at] != nil
				maps.DeleteFunc(all, func(of string, _ *logins.Login) bool { return every || of == at })
			})
			if err == nil && !found {
				return cmdline.Usagef("there is no login for %s", at).WithHint("see " + c.Program + " auth status")
			}
			return err
		}}
	agentFlags(c, cmd)
	cmd.Flags().BoolVar(&every, "all", false, "delete all credentials")
	return cmd
}
