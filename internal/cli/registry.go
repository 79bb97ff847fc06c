// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/apps/registry"
	"github.com/dragoman-a2a/dragoman/apps/registry/registrycmd"
	"github.com/dragoman-a2a/dragoman/card"
	"github.com/dragoman-a2a/dragoman/internal/cmdline"
	"github.com/dragoman-a2a/dragoman/internal/connect"
	"github.com/dragoman-a2a/dragoman/internal/show"
	"github.com/dragoman-a2a/dragoman/internal/terminal"
)

// registryOptions are the flags of the commands that use a registry.
type registryOptions struct {
	url   string
	token string
}

func (c *command) registryCommand() *cobra.Command {
	o := &registryOptions{}
	uses := []*cobra.Command{
		c.registryAddCommand(o), c.registryListCommand(o), c.registrySearchCommand(o), c.registryShowCommand(o),
		c.registryHistoryCommand(o), c.registryCheckCommand(o), c.registryRemoveCommand(o),
	}
	flags := registryFlags(o)
	flags.DurationVar(&c.Timeout, "timeout", 0, "time limit; 0 means the limit of a registry call")
	c.DebugFlag(flags)
	for _, cmd := range uses {
		cmd.PersistentFlags().AddFlagSet(flags) // so that config show, which has them itself, does not repeat them
	}
	return cmdline.Group(&cobra.Command{
		Use:   "registry",
		Short: "Serve and use a catalogue of agents",
		Example: "  dragoman registry serve\n  dragoman registry add http://127.0.0.1:8080\n  dragoman registry " +
			"search convert currencies",
	}, append([]*cobra.Command{registrycmd.ServeCommand(c.Run)}, uses...)...)
}

// registryFlags returns the flags of the commands that use a registry.
func registryFlags(o *registryOptions) *pflag.FlagSet {
	flags := pflag.NewFlagSet("registry", pflag.ContinueOnError)
	connect.RegistryFlag(flags, &o.url)
	registrycmd.AddTokenFlag(flags, &o.token)
	return flags
}

// withRegistry runs f with a client of the registry, under --timeout.
func (c *command) withRegistry(cmd *cobra.Command, o *registryOptions,
	f func(context.Context, *registry.Client) error) error {
	client, err := registry.NewClient(o.url, &registry.ClientOptions{HTTPClient: c.HTTPClient(), Token: o.token})
	if err != nil {
		return connect.BadRegistry(o.url)
	}
	if args := cmd.Flags().Args(); len(args) == 1 {
		c.listed = args[0]
	}
	c.catalogue, c.registryToken = o.url, o.token
	return c.Within(cmd.Context(), nil, func(ctx context.Context) error {
		err := f(ctx, client)
		if e, ok := errors.AsType[*registry.Error](err); ok {
			return c.registryFailure(e)
		}
		return err
	})
}

// oneName takes the one name of an agent that a command is about.
func oneName(cmd *cobra.Command, args []string) error {
	if len(args) == 1 && args[0] != "" {
		return nil
	}
	return cmdline.Usagef("%s takes one agent: its alias, id or URL",
		cmd.CommandPath()).WithHint("an alias with spaces needs quotes")
}

const registryAddLong = `add adds an agent to the registry, or updates it. Pass the URL of the agent or of its card, which
the registry fetches. If you pass the file of a card, the registry does not fetch it. A host
without a scheme is resolved by the registry: localhost is the registry's machine.`

func (c *command) registryAddCommand(o *registryOptions) *cobra.Command {
	var alias string
	cmd := &cobra.Command{
		Use:   "add URL|FILE",
		Short: "Add an agent",
		Long:  registryAddLong,
		Example: "  dragoman registry add http://127.0.0.1:8080\n  dragoman registry add agents.example.com/rates " +
			"--alias rates\n  dragoman registry add card.json",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 && args[0] != "" {
				return nil
			}
			return cmdline.Usagef("%s takes the URL of one agent, or the file of its card", cmd.CommandPath())
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.withRegistry(cmd, o, func(ctx context.Context, client *registry.Client) error {
				r := registry.Registration{URL: args[0], Alias: alias}
				if isFile(args[0]) {
					found, err := card.NewResolver(nil).Resolve(ctx, args[0])
					if err != nil {
						return err
					}
					r.URL, r.Card = "", found
				}
				e, _, err := client.Add(ctx, r)
				if r.URL != "" && errors.Is(err, registry.ErrCardInvalid) {
					_, here := c.To(r.URL).Card(ctx)
					if f, ok := errors.AsType[*cmdline.Failure](here); ok {
						return f
					}
				}
				if err != nil {
					return err
				}
				return c.showEntry(e)
			})
		},
	}
	cmd.Flags().StringVar(&alias, "alias", "", "name of the agent in the registry (default: that of its card)")
	return cmd
}

// isFile reports whether an argument names a file and not an agent.
func isFile(ref string) bool {
	if strings.HasPrefix(ref, "file://") || strings.HasPrefix(ref, "/") || strings.HasPrefix(ref, "./") ||
		strings.HasPrefix(ref, "../") {
		return true
	}
	info, err := os.Stat(ref)
	return err == nil && info.Mode().IsRegular()
}

func (c *command) registryListCommand(o *registryOptions) *cobra.Command {
	var q registry.Query
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List agents by their aliases",
		Long:  "list shows the agents that match all options. It includes agents that are down.",
		Example: "  dragoman registry list\n  dragoman registry list --output-mode image/png --health up\n  dragoman " +
			"registry list --generation 0.3 -o json",
		Args: cmdline.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return c.registryList(cmd, o, q) },
	}
	queryFlags(cmd, &q)
	return cmd
}

func (c *command) registrySearchCommand(o *registryOptions) *cobra.Command {
	var q registry.Query
	cmd := &cobra.Command{
		Use:   "search TEXT...",
		Short: "Find agents by words, best matches first",
		Long: "search finds agents by words in their names, descriptions, skills, tags and examples. One " +
			"matching\nword suffices. A single word may be the beginning of a longer one.",
		Example: "  dragoman registry search convert currencies\n  dragoman registry search pictures --health up " +
			"--page-size 3",
		Args: func(cmd *cobra.Command, args []string) error {
			if strings.TrimSpace(strings.Join(args, " ")) != "" {
				return nil
			}
			return cmdline.Usagef("%s takes words to look for", cmd.CommandPath())
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			q.Text = strings.Join(args, " ")
			return c.registryList(cmd, o, q)
		},
	}
	queryFlags(cmd, &q)
	return cmd
}

func queryFlags(cmd *cobra.Command, q *registry.Query) {
	flags := cmd.Flags()
	flags.StringVar(&q.Skill, "skill", "", "only agents with this skill, by its id or name")
	flags.StringVar(&q.Tag, "tag", "", "only agents with a skill of this tag")
	flags.StringVar(&q.InputMode, "input-mode", "", "only agents that accept this media type, or image/* for any image")
	flags.StringVar(&q.OutputMode, "output-mode", "", "only agents that produce this media type")
	flags.StringVar(&q.Capability, "capability", "",
		"only agents with streaming, pushNotifications, extendedAgentCard or the extension of this URI")
	flags.StringVar(&q.Provider, "provider", "", "only agents of this organization")
	flags.StringVar((*string)(&q.Generation), "generation", "",
		"only agents that speak this protocol version: 1.0, 0.3, 0.2 or 0.1")
	flags.StringVar(&q.Binding, "binding", "", "only agents with this binding: JSONRPC, HTTP+JSON or GRPC")
	flags.StringVar((*string)(&q.Health), "health", "",
		"only agents that were up, down or unknown when they were last checked")
	flags.IntVar(&q.PageSize, "page-size", 0, "most agents on a page, up to 100; 0 means the registry's default")
	flags.StringVar(&q.PageToken, "page-token", "", "token of the page, from the end of the page before")
}

func (c *command) registryList(cmd *cobra.Command, o *registryOptions, q registry.Query) error {
	if q.PageSize < 0 {
		return cmdline.Usagef("--page-size is %d; it must not be negative", q.PageSize)
	}
	return c.withRegistry(cmd, o, func(ctx context.Context, client *registry.Client) error {
		page, err := client.List(ctx, q)
		if err != nil {
			return err
		}
		return c.showPage(page, cmd)
	})
}

// showPage prints a page of agents, and how to get the next one.
func (c *command) showPage(page *registry.Page, cmd *cobra.Command) error {
	if c.AsJSON {
		return c.ShowValue(page)
	}
	if len(page.Agents) == 0 {
		fmt.Fprintln(c.Err, "No agents.")
		return nil
	}
	if err := c.ShowText(func(p *terminal.Printer) {
		for _, e := range page.Agents {
			entryLine(p, e)
		}
		p.End()
	}); err != nil {
		return err
	}
	if page.NextPageToken != "" {
		c.Say("Next page", c.withPageToken(cmd, page.NextPageToken)...)
	}
	return nil
}

// withPageToken returns the command line with another page token.
func (c *command) withPageToken(cmd *cobra.Command, token string) []string {
	words := append([]string{c.Program}, strings.Fields(afterFirst(cmd.CommandPath()))...)
	words = append(words, cmd.Flags().Args()...)
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if f.Name != "page-token" && !slices.Contains(secrets, f.Name) {
			words = append(words, "--"+f.Name+"="+f.Value.String())
		}
	})
	return append(words, "--page-token="+token)
}

func (c *command) registryShowCommand(o *registryOptions) *cobra.Command {
	return &cobra.Command{
		Use:     "show NAME",
		Short:   "Show an agent and its card",
		Example: "  dragoman registry show \"Currency Agent\"\n  dragoman registry show http://127.0.0.1:8080 -o json",
		Args:    oneName,
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.withRegistry(cmd, o, func(ctx context.Context, client *registry.Client) error {
				e, err := client.Get(ctx, args[0])
				if err != nil {
					return err
				}
				if c.AsJSON {
					return c.ShowValue(e)
				}
				return c.ShowText(func(p *terminal.Printer) { entry(p, e); show.Printer{Printer: p}.Card(e.Card) })
			})
		},
	}
}

const registryHistoryLong = `history lists the versions of an agent's card,` +
	` newest first. With --card it shows one of them.`

func (c *command) registryHistoryCommand(o *registryOptions) *cobra.Command {
	var number, size int
	var token string
	cmd := &cobra.Command{
		Use:   "history NAME",
		Short: "Show the card history of an agent",
		Long:  registryHistoryLong,
		Example: "  dragoman registry history \"Currency Agent\"\n  dragoman registry history \"Currency Agent\" " +
			"--card 2 -o json",
		Args: oneName,
		RunE: func(cmd *cobra.Command, args []string) error {
			if number < 0 || size < 0 {
				return cmdline.Usagef("--card and --page-size must not be negative")
			}
			return c.withRegistry(cmd, o, func(ctx context.Context, client *registry.Client) error {
				if number > 0 {
					v, err := client.Version(ctx, args[0], number)
					if err != nil {
						return err
					}
					return show.Card(c.Terminal, v.Card)
				}
				page, err := client.Versions(ctx, args[0], size, token)
				if err != nil {
					return err
				}
				return c.showVersions(page, cmd)
			})
		},
	}
	flags := cmd.Flags()
	flags.IntVar(&number, "card", 0, "show the card with this number")
	flags.IntVar(&size, "page-size", 0, "most versions on a page, up to 100; 0 means the registry's default")
	flags.StringVar(&token, "page-token", "", "token of the page, from the end of the page before")
	return cmd
}

func (c *command) showVersions(page *registry.VersionPage, cmd *cobra.Command) error {
	if c.AsJSON {
		return c.ShowValue(page)
	}
	err := c.ShowText(func(p *terminal.Printer) {
		for _, v := range page.Versions {
			p.Field(0, "Card", cmdline.Itoa(v.Number))
			p.Field(1, "Seen", instant(v.SeenAt))
			p.Field(1, "Digest", v.Digest)
		}
		p.End()
	})
	if page.NextPageToken != "" {
		c.Say("Next page", c.withPageToken(cmd, page.NextPageToken)...)
	}
	return err
}

const registryCheckLong = `check makes the registry fetch the agent's card now and test whether the agent is up. Without a
name it checks all agents, one after the other. If an agent is down, the exit code is 3.`

func (c *command) registryCheckCommand(o *registryOptions) *cobra.Command {
	return &cobra.Command{
		Use:     "check [NAME]",
		Short:   "Check whether agents are up",
		Long:    registryCheckLong,
		Example: "  dragoman registry check\n  dragoman registry check \"Currency Agent\" -o json",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.withRegistry(cmd, o, func(ctx context.Context, client *registry.Client) error {
				if len(args) == 1 {
					return c.checkOne(ctx, client, args[0])
				}
				return c.checkAll(ctx, client)
			})
		},
	}
}

func (c *command) checkOne(ctx context.Context, client *registry.Client, name string) error {
	e, err := client.Check(ctx, name)
	if err != nil {
		return err
	}
	if err := c.showEntry(e); err != nil || e.Health.State != registry.HealthDown {
		return err
	}
	return down("agent %q is down: %s", e.Alias, e.Health.Error)
}

// checkAll checks every agent and shows each once it is checked; with -o json all of them at the end.
func (c *command) checkAll(ctx context.Context, client *registry.Client) error {
	all := registry.Page{Agents: []*registry.Entry{}}
	dead := 0
	for q := (registry.Query{}); ; {
		page, err := client.List(ctx, q)
		if err != nil {
			return err
		}
		for _, known := range page.Agents {
			e, err := client.Check(ctx, known.ID)
			if errors.Is(err, registry.ErrNotFound) {
				continue // removed meanwhile
			}
			if err != nil {
				return err
			}
			if e.Health.State == registry.HealthDown {
				dead++
			}
			all.Agents = append(all.Agents, e)
			if c.AsJSON {
				continue
			}
			if err := c.showEntry(e); err != nil {
				return err
			}
		}
		if q.PageToken = page.NextPageToken; q.PageToken == "" {
			break
		}
	}
	if c.AsJSON {
		if err := c.ShowValue(&all); err != nil {
			return err
		}
	}
	if dead > 0 {
		return down("%d of %d agents are down", dead, len(all.Agents))
	}
	return nil
}

func down(format string, args ...any) error {
	return &cmdline.Failure{Exit: cmdline.ExitUnreachable, Code: cmdline.CodeUnreachable,
		Message: fmt.Sprintf(format, args...)}
}

func (c *command) registryRemoveCommand(o *registryOptions) *cobra.Command {
	return &cobra.Command{
		Use:     "remove NAME",
		Short:   "Remove an agent and its history",
		Example: "  dragoman registry remove \"Currency Agent\"",
		Args:    oneName,
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.withRegistry(cmd, o, func(ctx context.Context, client *registry.Client) error {
				if err := client.Remove(ctx, args[0]); err != nil {
					return err
				}
				if c.AsJSON {
					return c.ShowValue(map[string]string{"removed": args[0]})
				}
				return c.ShowText(func(p *terminal.Printer) { p.Field(0, "Removed", args[0]) })
			})
		},
	}
}

func (c *command) showEntry(e *registry.Entry) error {
	if c.AsJSON {
		return c.ShowValue(e)
	}
	return c.ShowText(func(p *terminal.Printer) { entry(p, e) })
}

// entry prints an agent of a registry in short.
func entry(p *terminal.Printer, e *registry.Entry) {
	p.Field(0, "Agent", e.Alias)
	p.Field(1, "ID", e.ID)
	p.Field(1, "URL", card.AgentURL(e.URL))
	if e.Card.Name != e.Alias {
		p.Field(1, "Name", e.Card.Name)
	}
	if e.Card.Description != "" {
		p.Text(1, "Description", e.Card.Description)
	}
	var skills []string
	for i := range e.Card.Skills {
		skills = append(skills, e.Card.Skills[i].Name)
	}
	p.Field(1, "Skills", strings.Join(skills, ", "))
	p.Field(1, "Generations", joinGenerations(e.Generations))
	p.Field(1, "Card", cmdline.Itoa(e.CardVersion)+", since "+instant(e.UpdatedAt))
	p.Field(1, "Health", healthText(&e.Health))
	p.Field(1, "Error", e.Health.Error)
	p.End()
}

// entryLine prints an agent of a registry on one line.
func entryLine(p *terminal.Printer, e *registry.Entry) {
	words := []string{string(e.Health.State)}
	if e.URL != "" {
		words = append(words, card.AgentURL(e.URL))
	}
	if versions := joinGenerations(e.Generations); versions != "" {
		words = append(words, "versions "+versions)
	}
	p.Field(0, "Agent", e.Alias+" - "+strings.Join(words, ", "))
}

func joinGenerations(list []a2a.Generation) string {
	var texts []string
	for _, gen := range list {
		texts = append(texts, string(gen))
	}
	return strings.Join(texts, ", ")
}

func healthText(h *registry.Health) string {
	text := string(h.State)
	if !h.Since.IsZero() {
		text += " since " + instant(h.Since)
	}
	if !h.CheckedAt.IsZero() {
		text += ", checked " + instant(h.CheckedAt)
	}
	return text
}

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
	registry.ErrInternal:        {cmdline.ExitFailure, cmdline.CodeInternal},
}

// hintForRegistry says what to do about an error of a registry.
func (c *command) hintForRegistry(e *registry.Error) string {
	switch e.Kind {
	case registry.ErrUnauthenticated:
		if c.registryToken != "" {
			return "the token is wrong; ask the person who runs the registry for the right one"
		}
		return "give the registry's token with --" + registrycmd.FlagToken + " or in DRAGOMAN_REGISTRY_TOKEN"
	case registry.ErrNotFound:
		return "see the agents with " + terminal.CommandLine(c.registryCommandFor("list"))
	case registry.ErrCardUnreachable:
		return "check that the agent runs where the registry can reach it; where it may look is said when it is " +
			"started, as in " +
			terminal.CommandLine([]string{c.Program, "registry", "serve", "--networks", "private"})
	case registry.ErrCardInvalid:
		if strings.Contains(e.Error(), card.ErrNotFound.Error()) {
			return "give the base URL of an agent, or the URL or the file of its card"
		}
		if c.listed != "" {
			return "see what is wrong with the card with " +
				terminal.CommandLine([]string{c.Program, "card", "validate", "-a", connect.WithoutUser(c.listed)})
		}
	case registry.ErrAliasTaken:
		if c.listed != "" && strings.Contains(e.Detail, "is here already") {
			return "remove it with " +
				terminal.CommandLine(c.registryCommandFor("remove", connect.WithoutUser(c.listed)))
		}
	}
	return ""
}

// registryCommandFor returns a command of this program that uses the same registry. Credentials are left out.
func (c *command) registryCommandFor(verb string, args ...string) []string {
	words := append([]string{c.Program, "registry", verb}, args...)
	if c.FromFlag("registry") {
		words = append(words, "--registry", connect.WithoutUser(c.catalogue))
	}
	return words
}

// registryFailure sorts an error of a registry.
func (c *command) registryFailure(e *registry.Error) *cmdline.Failure {
	f := &cmdline.Failure{Exit: cmdline.ExitFailure, Message: e.Error(), Hint: c.hintForRegistry(e)}
	if known, ok := registryCodes[e.Kind]; ok {
		f.Exit, f.Code = known.exit, known.code
		if e.Kind == registry.ErrUnauthenticated && c.registryToken != "" {
			f.Code = cmdline.CodeAuthFailed
			return c.TellSource(registrycmd.FlagToken, "the token", f)
		}
		return f
	}
	f.Code = cmdline.CodeOther + strings.ToUpper(strings.ReplaceAll(string(e.Kind), "-", "_"))
	return f
}

func instant(t time.Time) string { return t.UTC().Format(time.RFC3339) }
