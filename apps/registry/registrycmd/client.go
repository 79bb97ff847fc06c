// SPDX-License-Identifier: Apache-2.0

package registrycmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/dragoman-a2a/dragoman/apps/registry"
	"github.com/dragoman-a2a/dragoman/card"
	"github.com/dragoman-a2a/dragoman/internal/cmdline"
	"github.com/dragoman-a2a/dragoman/internal/connect"
	"github.com/dragoman-a2a/dragoman/internal/show"
	"github.com/dragoman-a2a/dragoman/internal/terminal"
)

// user is the commands that use a registry.
type user struct {
	*connect.Caller
	url   string // of the registry
	token string // "" for none
}

// Command returns the command registry with those below it.
func Command(caller *connect.Caller) *cobra.Command {
	c := &user{Caller: caller}
	uses := []*cobra.Command{
		c.addCommand(), c.listCommand(), c.searchCommand(), c.showCommand(), c.historyCommand(), c.checkCommand(),
		c.removeCommand(),
	}
	flags := c.flags()
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
	}, append([]*cobra.Command{serveCommand(caller.Run)}, uses...)...)
}

// Flags returns the flags of the commands that use a registry.
func Flags() *pflag.FlagSet { return new(user).flags() }

func (c *user) flags() *pflag.FlagSet {
	flags := pflag.NewFlagSet("registry", pflag.ContinueOnError)
	connect.RegistryFlag(flags, &c.url)
	flags.StringVar(&c.token, FlagToken, "", "token to send to the registry; prefer DRAGOMAN_REGISTRY_TOKEN")
	return flags
}

// with runs f with a client of the registry, under --timeout.
func (c *user) with(cmd *cobra.Command, f func(context.Context, *registry.Client) error) error {
	client, err := registry.NewClient(c.url, &registry.ClientOptions{HTTPClient: c.HTTPClient(), Token: c.token})
	if err != nil {
		return connect.BadRegistry(c.url)
	}
	return c.Within(cmd.Context(), nil, func(ctx context.Context) error {
		err := f(ctx, client)
		if e, ok := errors.AsType[*registry.Error](err); ok {
			agent := ""
			if args := cmd.Flags().Args(); len(args) == 1 {
				agent = args[0]
			}
			return c.failure(e, agent)
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

const addLong = `add adds an agent to the registry, or updates it. Pass the URL of the agent or of its card, which
the registry fetches. If you pass the file of a card, the registry does not fetch it. A host
without a scheme is resolved by the registry: localhost is the registry's machine.`

func (c *user) addCommand() *cobra.Command {
	var alias string
	cmd := &cobra.Command{
		Use:   "add URL|FILE",
		Short: "Add an agent",
		Long:  addLong,
		Example: "  dragoman registry add http://127.0.0.1:8080\n  dragoman registry add agents.example.com/rates " +
			"--alias rates\n  dragoman registry add card.json",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 && args[0] != "" {
				return nil
			}
			return cmdline.Usagef("%s takes the URL of one agent, or the file of its card", cmd.CommandPath())
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.with(cmd, func(ctx context.Context, client *registry.Client) error {
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

func (c *user) listCommand() *cobra.Command {
	var q registry.Query
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List agents by their aliases",
		Long:  "list shows the agents that match all options. It includes agents that are down.",
		Example: "  dragoman registry list\n  dragoman registry list --output-mode image/png --health up\n  dragoman " +
			"registry list --generation 0.3 -o json",
		Args: cmdline.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return c.list(cmd, q) },
	}
	queryFlags(cmd, &q)
	return cmd
}

func (c *user) searchCommand() *cobra.Command {
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
			return c.list(cmd, q)
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

func (c *user) list(cmd *cobra.Command, q registry.Query) error {
	if q.PageSize < 0 {
		return cmdline.Usagef("--page-size is %d; it must not be negative", q.PageSize)
	}
	return c.with(cmd, func(ctx context.Context, client *registry.Client) error {
		page, err := client.List(ctx, q)
		if err != nil {
			return err
		}
		return c.showPage(page, cmd)
	})
}

// showPage prints a page of agents, and how to get the next one.
func (c *user) showPage(page *registry.Page, cmd *cobra.Command) error {
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
func (c *user) withPageToken(cmd *cobra.Command, token string) []string {
	words := append([]string{c.Program}, strings.Fields(cmd.CommandPath())[1:]...)
	words = append(words, cmd.Flags().Args()...)
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if f.Name != "page-token" && f.Name != FlagToken {
			words = append(words, "--"+f.Name+"="+f.Value.String())
		}
	})
	return append(words, "--page-token="+token)
}

func (c *user) showCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "show NAME",
		Short:   "Show an agent and its card",
		Example: "  dragoman registry show \"Currency Agent\"\n  dragoman registry show http://127.0.0.1:8080 -o json",
		Args:    oneName,
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.with(cmd, func(ctx context.Context, client *registry.Client) error {
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

const historyLong = `history lists the versions of an agent's card,` +
	` newest first. With --card it shows one of them.`

func (c *user) historyCommand() *cobra.Command {
	var number, size int
	var token string
	cmd := &cobra.Command{
		Use:   "history NAME",
		Short: "Show the card history of an agent",
		Long:  historyLong,
		Example: "  dragoman registry history \"Currency Agent\"\n  dragoman registry history \"Currency Agent\" " +
			"--card 2 -o json",
		Args: oneName,
		RunE: func(cmd *cobra.Command, args []string) error {
			if number < 0 || size < 0 {
				return cmdline.Usagef("--card and --page-size must not be negative")
			}
			return c.with(cmd, func(ctx context.Context, client *registry.Client) error {
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

func (c *user) showVersions(page *registry.VersionPage, cmd *cobra.Command) error {
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

const checkLong = `check makes the registry fetch the agent's card now and test whether the agent is up. Without a
name it checks all agents, one after the other. If an agent is down, the exit code is 3.`

func (c *user) checkCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "check [NAME]",
		Short:   "Check whether agents are up",
		Long:    checkLong,
		Example: "  dragoman registry check\n  dragoman registry check \"Currency Agent\" -o json",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.with(cmd, func(ctx context.Context, client *registry.Client) error {
				if len(args) == 1 {
					return c.checkOne(ctx, client, args[0])
				}
				return c.checkAll(ctx, client)
			})
		},
	}
}

func (c *user) checkOne(ctx context.Context, client *registry.Client, name string) error {
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
func (c *user) checkAll(ctx context.Context, client *registry.Client) error {
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

func (c *user) removeCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "remove NAME",
		Short:   "Remove an agent and its history",
		Example: "  dragoman registry remove \"Currency Agent\"",
		Args:    oneName,
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.with(cmd, func(ctx context.Context, client *registry.Client) error {
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

func (c *user) showEntry(e *registry.Entry) error {
	if c.AsJSON {
		return c.ShowValue(e)
	}
	return c.ShowText(func(p *terminal.Printer) { entry(p, e) })
}
