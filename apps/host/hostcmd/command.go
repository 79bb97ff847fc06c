// SPDX-License-Identifier: Apache-2.0

// Package hostcmd holds the commands that run a host.
package hostcmd

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/dragoman-a2a/dragoman/apps/host"
	"github.com/dragoman-a2a/dragoman/card"
	"github.com/dragoman-a2a/dragoman/internal/chat"
	"github.com/dragoman-a2a/dragoman/internal/clientcmd"
	"github.com/dragoman-a2a/dragoman/internal/cmdline"
	"github.com/dragoman-a2a/dragoman/internal/connect"
	"github.com/dragoman-a2a/dragoman/internal/modelflag"
	"github.com/dragoman-a2a/dragoman/internal/storage"
	"github.com/dragoman-a2a/dragoman/server"
)

// envRegistryToken names the variable with the token that goes to the registry.
const envRegistryToken = "DRAGOMAN_REGISTRY_TOKEN"

// agentHost is the name of the host among the agents of a journal.
const agentHost = "host"

// hostOptions are the flags of host.
type hostOptions struct {
	cmdline.ListenOptions
	callers      cmdline.CallerOptions
	push         storage.PushOptions
	agents       []string
	registry     string
	networks     string
	model        string
	agentVersion string
	cardGRPC     bool
	exchange     string // token endpoint; "" for none
	clientID     string

	taskID, contextID string // that the conversation begins with
	alone             bool   // it is there for this run only
	patient           bool   // its turns get all the time of drain when it ends
	parallel          int
	step              time.Duration
}

const hostLong = `host is an agent that passes requests on to other agents: to the right one, or to
several in the right order, where one gets what another answered. -a names the
agents. --registry adds those of a registry.

At a terminal, and when standard input is a pipe, host is a conversation like
chat. With --serve it serves other clients; when it is ready it prints one line
to standard error: serving host at URL.

Several hosts may run at once. Each keeps its tasks in a folder of its own in the
data folder, and --task-id or --context-id finds the folder again.

Without --llm, rules choose the agents: the same request goes the same way each
time.`

const hostExample = `  dragoman host http://127.0.0.1:10000 http://127.0.0.1:10002
  dragoman host -a money=http://127.0.0.1:10000 --serve 127.0.0.1:8100
  dragoman host --registry http://127.0.0.1:8095 --serve 127.0.0.1:8100
  dragoman host ask http://127.0.0.1:10000 "100 USD in GBP"`

// hostCommand is the command host, with ask below it.
type hostCommand struct{ *connect.Caller }

// Command returns the command host.
func Command(caller *connect.Caller) *cobra.Command {
	c := &hostCommand{caller}
	var o hostOptions
	cmd := &cobra.Command{
		Use:     "host",
		Short:   "Route requests to the right agents",
		Long:    hostLong,
		Example: hostExample,
		Args:    cmdline.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return c.host(cmd, &o) },
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVar(&o.Addr, "serve", "", "serve the host at this address; port 0 picks a free port")
	flags.StringVar(&o.URL, "url", "", "base URL under which clients reach the host (default: the address it listens "+
		"on)")
	connect.CardGRPCFlag(flags, &o.cardGRPC)
	o.callers.Add(flags)
	o.callers.AuditFlag(flags)
	flags.StringVar(&o.exchange, "token-exchange", "", "token endpoint at which the host gets tokens to act for its "+
		"callers (RFC 8693); needs --access, --client-id and DRAGOMAN_CLIENT_SECRET")
	flags.StringVar(&o.clientID, "client-id", "", "name of the host at the authorization server")
	o.SignFlag(flags)
	o.TLSFlags(flags)
	o.push.Flags(flags)
	flags.DurationVar(&o.Drain, "drain", server.Options{}.Defaults().DrainTimeout,
		"time that running turns get to finish when the host stops")
	flags.StringVar(&o.taskID, "task-id", "", "the task to answer or to continue")
	flags.StringVar(&o.contextID, "context-id", "", "the context to continue")
	c.DataDirFlag(flags, &o.Data)
	flags.StringVar(&o.networks, "networks", "", hostNetworksUsage)
	c.hostFlags(cmd.PersistentFlags(), &o)
	cmd.AddCommand(c.hostAskCommand(&o))
	return cmd
}

const hostNetworksUsage = "networks of agents of the registry: public, loopback (and public) or private (and both) " +
	"(default: loopback if the registry is on this machine, else public)"

// hostFlags are those that say what a host is, however it is used.
func (c *hostCommand) hostFlags(flags *pflag.FlagSet, o *hostOptions) {
	limits := host.Options{}.Defaults()
	connect.AgentsFlag(flags, &o.agents)
	flags.StringVar(&o.registry, "registry", "", "URL of a registry whose agents the host uses too")
	flags.StringVar(&o.model, "llm", modelflag.Off,
		"planner: off for rules; auto, gemini, openai or anthropic for a language model, with its key in the "+
			"environment")
	connect.AgentVersionFlag(flags, &o.agentVersion)
	calls := c.Flags()
	flags.AddFlag(calls.Lookup("transport")) // to the agents, and to the host itself
	flags.AddFlag(calls.Lookup(connect.FlagCredentialsTo))
	for _, name := range slices.Concat(connect.TLSFlags, connect.TrustFlags) {
		flags.AddFlag(calls.Lookup(name))
	}
	flags.IntVar(&o.parallel, "parallel", limits.Parallel, "most agents that work on one request at once")
	flags.DurationVar(&o.step, "step-timeout", limits.StepTimeout, "time limit of one agent for its step")
	o.LogFlags(flags, "error")
}

const hostAskLong = `ask starts a host, gives it one message, and shows the result as send does. When
the host asks something, ask prints the command that answers. When no agent for
the message can be reached, the exit code is 3.`

const hostAskExample = `  dragoman host ask http://127.0.0.1:10000 "100 USD in GBP"
  dragoman host ask -a http://127.0.0.1:10000 --stream "How much is 1 USD?"
  dragoman host ask -a http://127.0.0.1:10000 --task-id ID --text CAD`

// hostAskCommand is send, to a host that is there for this one message.
func (c *hostCommand) hostAskCommand(o *hostOptions) *cobra.Command {
	var networks *pflag.Flag // of files to send
	cmd := clientcmd.Send(c.Caller, func(cmd *cobra.Command, send func(*connect.Caller) error) error {
		if networks.Changed {
			o.networks = networks.Value.String()
		}
		o.taskID, o.contextID = cmd.Flag("task-id").Value.String(), cmd.Flag("context-id").Value.String()
		o.alone, o.Addr, o.Drain = true, "127.0.0.1:0", server.Options{}.Defaults().DrainTimeout
		return c.withHost(cmd.Context(), o, func(ctx context.Context, url string) (stays bool, err error) {
			c.warnOfMissing(ctx, o)
			caller := c.standIn(o, url)
			err = caller.AsFailure(ctx, send(caller))
			return err == nil, err
		})
	})
	cmd.Use, cmd.Short, cmd.Long, cmd.Example = "ask [words]", "Give a host one message", hostAskLong, hostAskExample
	c.Flags().VisitAll(func(f *pflag.Flag) {
		switch f.Name {
		case "timeout", "debug", "verbose":
			cmd.Flags().AddFlag(f)
		}
	})
	c.DataDirFlag(cmd.Flags(), &o.Data)
	networks = cmd.Flag("networks")
	networks.Usage += ". It also sets the " + hostNetworksUsage
	return cmd
}

// standIn returns the caller of a host that ends with this run. To reach it later, one types the command that makes a
// host like it.
func (c *hostCommand) standIn(o *hostOptions, url string) *connect.Caller {
	caller := c.To(url)
	caller.Own = &connect.OwnAgent{
		Resume:    map[string][]string{"send": c.resumeArgs(o, "ask"), "chat": c.resumeArgs(o)},
		Ephemeral: o.Data == cmdline.InMemory,
		Unreached: reachedNobody,
	}
	return caller
}

// resumeArgs is the command that makes the same host once more. It leaves out options that come from
// variables, which are set then, too, and passwords in URLs.
func (c *hostCommand) resumeArgs(o *hostOptions, verb ...string) []string {
	words := append([]string{c.Program, "host"}, verb...)
	if c.FromFlag(connect.FlagAgentCard) {
		for _, agent := range o.agents {
			words = append(words, "-a", connect.WithoutUser(agent))
		}
	}
	for _, flag := range []struct{ name, value string }{{"registry", connect.WithoutUser(o.registry)},
		{"networks", o.networks}, {"llm", o.model}} {
		if c.FromFlag(flag.name) {
			words = append(words, "--"+flag.name, flag.value)
		}
	}
	if o.Data != "" && c.FromFlag(cmdline.FlagDataDir) {
		words = append(words, "--"+cmdline.FlagDataDir, o.Data)
	}
	return words
}

// host serves a host, talks with it, or both.
func (c *hostCommand) host(cmd *cobra.Command, o *hostOptions) error {
	served := o.Addr != ""
	if !served {
		o.Addr = "127.0.0.1:0"
	}
	o.alone, o.patient = !served, served || c.Origin["drain"] != ""
	return c.withHost(cmd.Context(), o, func(ctx context.Context, url string) (stays bool, err error) {
		caller := c.To(url)
		if served {
			fmt.Fprintf(c.Err, "serving %s at %s\n", agentHost, card.AgentURL(url))
		} else {
			caller = c.standIn(o, url)
		}
		c.warnOfMissing(ctx, o)
		if served && !c.AtTerminal() {
			<-ctx.Done()
			return false, nil
		}
		talk := &chat.Options{Agents: []string{url}, TaskID: o.taskID, ContextID: o.contextID, DataDir: o.Data}
		return false, talk.Run(ctx, caller, "")
	})
}
