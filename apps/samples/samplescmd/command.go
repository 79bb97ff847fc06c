// SPDX-License-Identifier: Apache-2.0

// Package samplescmd holds the commands that serve the sample agents, and shell commands as agents.
package samplescmd

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/dragoman-a2a/dragoman/card"
	"github.com/dragoman-a2a/dragoman/internal/cmdline"
)

// commands are those of this package.
type commands struct{ *cmdline.Run }

const samplesLong = `samples are the agents that come with dragoman. They work offline and need no key. With --llm a
language model reads requests and chooses tools and words for currency, images, expenses,
movies, coder, files, and the mechanic of the repair shop. The other samples always use rules.
serve and samples up print which agents use the model.

The three agents of the repair shop call each other inside one process, as the mechanic calls
its MCP server. The package samples/repairshop explains how to run each as a separate service.`

// Commands returns the commands serve, demo-server and samples.
func Commands(run *cmdline.Run) []*cobra.Command {
	c := &commands{run}
	samples := &cobra.Command{
		Use: "samples", Short: "Run the sample agents", Long: samplesLong, Args: cmdline.NoArgs,
		Example: "  dragoman samples up\n  dragoman samples list",
	}
	samples.AddCommand(c.upCommand(), c.listCommand())
	return []*cobra.Command{c.serveCommand(), c.demoCommand(), samples}
}

func (c *commands) listCommand() *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the sample agents", Args: cmdline.NoArgs,
		Example: "  dragoman samples list\n  dragoman samples list -o json",
		RunE: func(*cobra.Command, []string) error {
			if c.AsJSON {
				return c.ShowValue(sampleList(""))
			}
			for _, s := range samples {
				fmt.Fprintf(c.Out, "%-10s port %-6d %s\n%-10s try: %s\n", s.name, s.port, s.shows, "", s.example)
			}
			return nil
		},
	}
}

// sampleEntry is a sample in JSON.
type sampleEntry struct {
	Name    string `json:"name"`
	Port    int    `json:"port"` // with --seed-ports
	Shows   string `json:"shows"`
	Example string `json:"example"`
	URL     string `json:"url,omitzero"`
}

// sampleList lists the samples, below a base URL if they run.
func sampleList(base string) []sampleEntry {
	list := make([]sampleEntry, len(samples))
	for i, s := range samples {
		list[i] = sampleEntry{Name: s.name, Port: s.port, Shows: s.shows, Example: s.example}
		if base != "" {
			list[i].URL = card.AgentURL(base + samplePath(s.name))
		}
	}
	return list
}

func samplePath(name string) string { return "/agents/" + name }
