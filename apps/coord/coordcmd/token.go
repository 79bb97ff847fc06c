// SPDX-License-Identifier: Apache-2.0

package coordcmd

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dragoman-a2a/dragoman/apps/coord"
	"github.com/dragoman-a2a/dragoman/apps/coord/daemon"
	"github.com/dragoman-a2a/dragoman/internal/cmdline"
	"github.com/dragoman-a2a/dragoman/internal/terminal"
	"github.com/dragoman-a2a/dragoman/store/sqlite"
)

const coordTokenLong = `token manages the tokens of a coordinator. While a project has no token, everyone who reaches the
coordinator may take part. After you create the first token, everyone needs one. If you revoke the
last token, everyone on this machine may take part again, as admin. For this reason revoke asks
for confirmation; without a terminal pass --yes.

create prints the token once; the coordinator keeps only a hash. A name has one token in each
project, and only the name that registered a session may act for it. The first token locks out
agents that registered without one: they need a token and must register again.

You can run these commands if you can read the coordinator's data folder. The coordinator need not
run.`

type tokenCommands struct{ *commands }

func (c *tokenCommands) command(o *coordOptions) *cobra.Command {
	var e daemon.TokenEntry
	var all, yes bool
	create := &cobra.Command{
		Use: "create NAME", Short: "Create a token", Long: coordTokenLong,
		Args: cmdline.OneWord("the name of the token's owner"),
		Example: "  dragoman coord token create ann\n  dragoman coord token create build --role observer " +
			"--all-projects",
		RunE: func(cmd *cobra.Command, args []string) error {
			e.Name = args[0]
			return c.tokenCreate(cmd.Context(), o, e, all)
		},
	}
	create.Flags().StringVar(&e.Role, "role", coord.RoleAgent, "agent, observer (read-only) or admin")
	list := &cobra.Command{
		Use: "list", Short: "List tokens", Long: coordTokenLong, Args: cmdline.NoArgs,
		Example: "  dragoman coord token list",
		RunE:    func(cmd *cobra.Command, _ []string) error { return c.tokenList(cmd.Context(), o) },
	}
	revoke := &cobra.Command{
		Use: "revoke NAME", Short: "Revoke a token", Long: coordTokenLong,
		Args:    cmdline.OneWord("the name of the token's owner"),
		Example: "  dragoman coord token revoke ann\n  dragoman coord token revoke build --all-projects",
		RunE: func(cmd *cobra.Command, args []string) error {
			e.Name = args[0]
			return c.tokenRevoke(cmd.Context(), o, e, all, yes)
		},
	}
	revoke.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask for confirmation when it is the last token")
	for _, cmd := range []*cobra.Command{create, revoke} {
		cmd.Flags().BoolVar(&all, "all-projects", false, "use a token for all projects instead of --project")
	}
	return cmdline.Group(&cobra.Command{Use: "token", Short: "Manage the tokens of a coordinator", Long: coordTokenLong,
		Example: "  dragoman coord token create ann"}, create, list, revoke)
}

// withTokens calls here with the tables, or there, as the owner, if a running coordinator has them.
func (c *tokenCommands) withTokens(ctx context.Context, o *coordOptions, here func(*coord.Tables) error,
	there func(*coordOptions) error) error {
	folder, err := c.dataFolder(o.data)
	if err != nil {
		return err
	}
	if folder == cmdline.InMemory {
		return cmdline.Usagef("--data-dir is %s, where no tokens are kept",
			cmdline.InMemory).WithHint("name the folder of the coordinator")
	}
	db, err := sqlite.Open(ctx, folder, sqlite.Options{Program: c.Name})
	if _, locked := errors.AsType[*sqlite.LockedError](err); locked {
		key, err := os.ReadFile(filepath.Join(folder, ownerKeyFile))
		if err != nil {
			return fmt.Errorf("read the owner key of the running coordinator: %w", err)
		}
		owner := *o
		owner.token = strings.TrimSpace(string(key))
		return there(&owner)
	}
	if err != nil {
		return explainCoordFolder(folder, err)
	}
	defer db.Close() // what was written is committed
	tables, err := coord.OpenTables(ctx, db)
	if err != nil {
		return err
	}
	return here(tables)
}

const tokensPath = "/api/tokens"

func (c *tokenCommands) projectOf(ctx context.Context, o *coordOptions, all bool) (string, error) {
	_, err := o.place(ctx, c.Dir)
	if all {
		return "", err
	}
	return o.project, err
}

func (c *tokenCommands) tokenCreate(ctx context.Context, o *coordOptions, e daemon.TokenEntry, all bool) error {
	var err error
	if e.Project, err = c.projectOf(ctx, o, all); err != nil {
		return err
	}
	var made struct {
		Token string `json:"token"`
	}
	err = c.withTokens(ctx, o, func(tables *coord.Tables) (err error) {
		made.Token, err = tables.CreateToken(ctx, coord.Grant{Project: e.Project, Name: e.Name, Role: e.Role})
		return err
	}, func(owner *coordOptions) error {
		there := c.tokenless(ctx, o)
		if err := c.callAPI(ctx, owner, http.MethodPost, tokensPath, e, &made); err != nil || len(there) == 0 {
			return err
		}
		c.Warn("these agents registered without a token and are now locked out: %s. Give each one a token and let it "+
			"register again: under another name, or under its own once its session is stale", strings.Join(there, ", "))
		return nil
	})
	if err != nil {
		return err
	}
	if c.AsJSON {
		return c.ShowValue(map[string]string{"project": e.Project, "name": e.Name, "role": e.Role, "token": made.Token})
	}
	fmt.Fprintln(c.Err, "Keep the token: it is not shown again. Give it to agents as DRAGOMAN_COORD_TOKEN.")
	_, err = fmt.Fprintln(c.Out, made.Token)
	return err
}

// tokenless returns the agents of a project that has no token yet.
func (c *tokenCommands) tokenless(ctx context.Context, o *coordOptions) []string {
	open := *o
	open.token = ""
	view, err := c.viewOf(ctx, &open)
	if err != nil {
		return nil // it has one, or the coordinator is elsewhere
	}
	return slices.Sorted(maps.Keys(view.Agents))
}

// lastToken says what opens when a token is revoked, "" when nothing does.
func (c *tokenCommands) lastToken(ctx context.Context, o *coordOptions, e daemon.TokenEntry) (opens string, err error) {
	tokens, err := c.tokens(ctx, o)
	if err != nil {
		return "", err
	}
	mine, others := false, false // that keep closed what the token does
	for _, t := range tokens {
		switch {
		case t.Project == e.Project && t.Name == e.Name:
			mine = true
		case t.Project == e.Project || t.Project == "":
			others = true
		}
	}
	switch {
	case !mine || others:
		return "", nil
	case e.Project == "":
		return "each project that has no token of its own", nil
	}
	return "the project " + e.Project, nil
}

func (c *tokenCommands) confirmLast(ctx context.Context, name, opens string) error {
	what := fmt.Sprintf("without the token of %s, everyone who reaches the coordinator has full access to %s", name,
		opens)
	return c.confirm(ctx, what+". Type yes to continue: ", "yes", "nothing was done",
		cmdline.Usagef("%s, but standard input is not a terminal", what).
			WithHint("create another token first, or pass --yes"))
}

func (c *tokenCommands) tokenRevoke(ctx context.Context, o *coordOptions, e daemon.TokenEntry, all, yes bool) error {
	var err error
	if e.Project, err = c.projectOf(ctx, o, all); err != nil {
		return err
	}
	opens, err := c.lastToken(ctx, o, e)
	if err != nil {
		return err
	}
	if opens != "" && !yes {
		if err := c.confirmLast(ctx, e.Name, opens); err != nil {
			return err
		}
	}
	err = c.withTokens(ctx, o, func(tables *coord.Tables) error { return tables.RevokeToken(ctx, e.Project, e.Name) },
		func(o *coordOptions) error {
			return c.callAPI(ctx, o, http.MethodDelete, tokensPath, e, &struct{}{})
		})
	if err == nil {
		if opens != "" {
			c.Warn("that was the last token: everyone who reaches the coordinator now has full access to %s, unless "+
				"it serves other machines", opens)
		}
		return c.ShowText(func(p *terminal.Printer) { p.Field(0, "Revoked", e.Name) })
	}
	if strings.Contains(err.Error(), coord.ErrNoToken.Error()) { // over HTTP it is no more than a text
		where := "all projects"
		if !all {
			where = "the project " + e.Project + "; one for all projects is taken back with --all-projects"
		}
		return (&cmdline.Failure{Exit: cmdline.ExitFailure, Code: cmdline.CodeOther + "NO_TOKEN",
			Message: fmt.Sprintf("%s has no token for %s", e.Name, where)}).
			WithHint("dragoman coord token list shows the tokens")
	}
	return err
}

func (c *tokenCommands) tokenList(ctx context.Context, o *coordOptions) error {
	if err := o.check(); err != nil {
		return err
	}
	var list tokenEntries
	var err error
	if list.Tokens, err = c.tokens(ctx, o); err != nil {
		return err
	}
	if c.AsJSON {
		return c.ShowValue(list)
	}
	return c.ShowText(func(p *terminal.Printer) {
		for _, e := range list.Tokens {
			p.Field(0, "Token of", e.Name)
			p.Field(1, "Role", e.Role)
			if e.Project == "" {
				p.Field(1, "Projects", "all")
			} else {
				p.Field(1, "Project", e.Project)
			}
			p.Field(1, "Made", e.CreatedAt.String())
			p.End()
		}
	})
}

type tokenEntries struct {
	Tokens []daemon.TokenEntry `json:"tokens"`
}

func (c *tokenCommands) tokens(ctx context.Context, o *coordOptions) ([]daemon.TokenEntry, error) {
	var list tokenEntries
	err := c.withTokens(ctx, o, func(tables *coord.Tables) error {
		grants, err := tables.Tokens(ctx)
		for _, g := range grants {
			list.Tokens = append(list.Tokens, daemon.EntryOf(g))
		}
		return err
	}, func(o *coordOptions) error { return c.callAPI(ctx, o, http.MethodGet, tokensPath, nil, &list) })
	return list.Tokens, err
}
