// SPDX-License-Identifier: Apache-2.0

package coordcmd

import (
	"context"
	"errors"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"

	"github.com/dragoman-a2a/dragoman/apps/coord"
	"github.com/dragoman-a2a/dragoman/apps/coord/daemon"
	coordmcp "github.com/dragoman-a2a/dragoman/apps/coord/mcp"
	"github.com/dragoman-a2a/dragoman/internal/cmdline"
	"github.com/dragoman-a2a/dragoman/internal/mcpstdio"
)

const coordStdioLong = `stdio serves the coordinator's tools over standard input and output, for harnesses that start one
MCP server for each agent. It forwards calls to the coordinator. If none runs on this machine, it
starts one. While the harness runs, stdio sends heartbeats for its sessions.

Tools need no project_id: the default is --project. With --session they need no session name
either. Absolute paths of files in the repository become paths of the project. --embedded runs the
coordinator inside this process, for one harness. If another coordinator runs, it needs its own
--data-dir.`

func (c *commands) stdioCommand(o *coordOptions) *cobra.Command {
	var embedded bool
	cmd := &cobra.Command{
		Use:   "stdio",
		Short: "Serve the coordinator's tools to one harness over stdio",
		Long:  coordStdioLong,
		Example: "  dragoman coord stdio\n  dragoman coord stdio --project shop\n  dragoman coord stdio --embedded " +
			"--data-dir :memory:",
		Args: cmdline.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return c.stdio(cmd.Context(), o, embedded) },
	}
	cmd.Flags().BoolVar(&embedded, "embedded", false, "run the coordinator inside this process")
	return cmd
}

func (c *commands) stdio(ctx context.Context, o *coordOptions, embedded bool) (err error) {
	repo, err := o.place(ctx, c.Dir)
	if err != nil {
		return err
	}
	p := newProxy(o, repo)
	if embedded {
		end, err := c.embed(ctx, o, p)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, end()) }()
	} else {
		if err := c.ensureRunning(ctx, o); err != nil {
			return err
		}
		if p.up, err = c.dial(ctx, o, p.options()); err != nil {
			return err
		}
		p.redial = func(ctx context.Context) (*sdk.ClientSession, error) {
			if err := c.ensureRunning(ctx, o); err != nil {
				return nil, err
			}
			return c.dial(ctx, o, p.options())
		}
		p.start = func(ctx context.Context) error { return c.ensureRunning(ctx, o) }
		p.openConnection = func(ctx context.Context) (*sdk.ClientSession, error) {
			return c.dialConnection(ctx, o, p.connectionOptions())
		}
	}
	defer func() { p.upstream().Close() }() // nobody is left who could be told
	return p.serve(ctx, mcpstdio.Transport(c.Stdin, c.Stdout))
}

// embed runs a coordinator in this process and connects the proxy with it.
func (c *commands) embed(ctx context.Context, o *coordOptions, p *proxy) (end func() error, err error) {
	kept, err := c.openData(ctx, o.data, nil)
	if err != nil {
		return nil, err
	}
	hub := coord.NewHub(&coord.HubOptions{Store: kept.tables})
	d := daemon.New(daemon.Options{Hub: hub, MCP: coordmcp.Options{Version: cmdline.Version()}})
	end = func() error { return errors.Join(hub.Close(), kept.close()) }
	dial := func(ctx context.Context, options *sdk.ClientOptions, revision string) (*sdk.ClientSession, error) {
		here, there := sdk.NewInMemoryTransports()
		if _, err := d.MCP().MCP().Connect(ctx, there, nil); err != nil {
			return nil, err
		}
		return sdk.NewClient(&sdk.Implementation{Name: "dragoman", Version: cmdline.Version()}, options).Connect(ctx,
			here, &sdk.ClientSessionOptions{ProtocolVersion: revision})
	}
	p.openConnection = func(ctx context.Context) (*sdk.ClientSession, error) {
		return dial(ctx, p.connectionOptions(), connectionVersion)
	}
	if p.up, err = dial(ctx, p.options(), ""); err != nil {
		return nil, errors.Join(err, end())
	}
	return end, nil
}
