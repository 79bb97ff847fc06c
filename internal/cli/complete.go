// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/apps/registry"
	"github.com/dragoman-a2a/dragoman/internal/connect"
	"github.com/dragoman-a2a/dragoman/internal/show"
	"github.com/dragoman-a2a/dragoman/internal/terminal"
)

// completionTime is how long the key Tab may take: a person waits, and sees nothing.
const completionTime = 2 * time.Second

type completions = []cobra.Completion

// completeAgents completes -a and an agent that is named first, with the entries of the registry, when there is one.
func (c *command) completeAgents(cmd *cobra.Command, _ []string, typed string) (completions, cobra.ShellCompDirective) {
	var found completions
	for _, e := range c.entriesFor(cmd) {
		name := e.Alias
		if strings.ContainsAny(name, " \t'\"") { // which shells split
			name = e.ID
		}
		if ref := "registry:" + name; strings.HasPrefix(ref, typed) {
			found = append(found, cobra.CompletionWithDesc(ref, terminal.Inline(e.Alias+": "+e.Card.Description)))
		}
	}
	return found, cobra.ShellCompDirectiveDefault // or a file with a card
}

// completeEntries completes the name of an agent of the registry.
func (c *command) completeEntries(cmd *cobra.Command, args []string, _ string) (completions, cobra.ShellCompDirective) {
	var found completions
	if len(args) == 0 {
		for _, e := range c.entriesFor(cmd) {
			found = append(found, cobra.CompletionWithDesc(terminal.Inline(e.Alias),
				terminal.Inline(e.Card.Description)))
		}
	}
	return found, cobra.ShellCompDirectiveNoFileComp
}

// entriesFor returns agents of the registry that a command line names; none when there is no registry.
func (c *command) entriesFor(cmd *cobra.Command) []*registry.Entry {
	ctx, done := c.beginCompletion(cmd)
	defer done()
	at := cmd.Flag(connect.FlagRegistry)
	if at == nil {
		return nil
	}
	url := cmp.Or(at.Value.String(), connect.DefaultRegistry)
	catalog, err := registry.NewClient(url, &registry.ClientOptions{HTTPClient: c.HTTPClient()})
	if err != nil {
		return nil
	}
	page, err := catalog.List(ctx, registry.Query{PageSize: registry.MaxPageSize})
	if err != nil {
		return nil
	}
	return page.Agents
}

// completeTasks completes the id of a task with those of the agent that the command line names, the newest first.
func (c *command) completeTasks(cmd *cobra.Command, args []string, typed string) (completions,
	cobra.ShellCompDirective) {
	const directive = cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
	ctx, done := c.beginCompletion(cmd)
	defer done()
	if flag := cmd.Flag(connect.FlagAgentCard); !flag.Changed && len(args) > 0 && connect.LooksLikeAgent(args[0]) {
		c.Agent, args = args[0], args[1:]
	}
	if c.Agent == "" || len(args) > 0 {
		return nil, directive
	}
	agent, err := c.Dial(ctx)
	if err != nil {
		return nil, directive
	}
	defer agent.Close()
	size, none := a2a.MaxPageSize, 0
	page, err := agent.ListTasks(ctx, &a2a.ListTasksRequest{PageSize: &size, HistoryLength: &none})
	if err != nil {
		return nil, directive
	}
	var found completions
	for _, task := range page.Tasks {
		if id := string(task.ID); strings.HasPrefix(id, typed) && !strings.ContainsAny(id, " \t\r\n") {
			found = append(found, cobra.CompletionWithDesc(id, show.StateName(task.Status.State)))
		}
	}
	return found, directive
}

// completeFlagTask completes --task-id, beside which words are something to say.
func (c *command) completeFlagTask(cmd *cobra.Command, args []string, typed string) (completions,
	cobra.ShellCompDirective) {
	return c.completeTasks(cmd, args[:min(1, len(args))], typed)
}

// completeFirstAgent completes an agent that is named first, and then what follows it.
func (c *command) completeFirstAgent(then cobra.CompletionFunc) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, typed string) (completions, cobra.ShellCompDirective) {
		named := cmd.Flag(connect.FlagAgentCard).Changed
		const entry = "registry:"
		if len(args) == 0 && !named && (strings.HasPrefix(entry, typed) || strings.HasPrefix(typed, entry)) {
			found, directive := c.completeAgents(cmd, args, typed)
			if then == nil || len(found) > 0 && typed != "" {
				return found, directive
			}
			more, directive := then(cmd, args, typed)
			return slices.Concat(more, found), directive
		}
		if then == nil {
			return nil, cobra.ShellCompDirectiveDefault
		}
		return then(cmd, args, typed)
	}
}

// beginCompletion fills the options from variables, as a run of the command would, and limits the time.
func (c *command) beginCompletion(cmd *cobra.Command) (context.Context, context.CancelFunc) {
	c.files, _ = c.findFiles() // what is wrong is for the run itself to say
	_ = c.fillFlags(cmd)
	c.Debug = false
	ctx := cmd.Context()
	if ctx == nil {
		ctx = context.Background()
	}
	return context.WithTimeout(ctx, completionTime)
}
