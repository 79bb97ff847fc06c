// SPDX-License-Identifier: Apache-2.0

package samplescmd

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/engine"
	"github.com/dragoman-a2a/dragoman/files"
	"github.com/dragoman-a2a/dragoman/internal/cmdline"
	"github.com/dragoman-a2a/dragoman/internal/execagent"
	"github.com/dragoman-a2a/dragoman/internal/llm"
	"github.com/dragoman-a2a/dragoman/internal/llm/mcptools"
	"github.com/dragoman-a2a/dragoman/internal/modelflag"
	"github.com/dragoman-a2a/dragoman/internal/storage"
	"github.com/dragoman-a2a/dragoman/journal/sql"
	"github.com/dragoman-a2a/dragoman/push"
	"github.com/dragoman-a2a/dragoman/server"
	"github.com/dragoman-a2a/dragoman/server/audit"
)

// flagMCP names the flag with MCP servers.
const flagMCP = "mcp"

// hostOptions are the flags of commands that serve samples.
type hostOptions struct {
	cmdline.ListenOptions
	callers    cmdline.CallerOptions
	turnLimit  time.Duration
	retention  time.Duration
	ownerQuota sizeFlag // 0 for none
	maxTurns   int      // 0 for no limit
	agentRole  bool
	push       storage.PushOptions

	rates                        string
	reply                        bool
	allowURLs                    []string
	networks                     string
	provider, modelName, baseURL string
	mcp                          []string // MCP servers with tools for the model
}

// urlFlag adds the flag for the base URL.
func (o *hostOptions) urlFlag(flags *pflag.FlagSet) {
	flags.StringVar(&o.URL, "url", "", "base URL under which clients reach the server (default: the address it "+
		"listens on)")
}

// sampleFlags adds the flags of the samples.
func (o *hostOptions) sampleFlags(flags *pflag.FlagSet) {
	flags.StringVar(&o.rates, "rates", "snapshot", "source of the rates of currency: snapshot, live or auto")
	flags.BoolVar(&o.reply, "reply", false, "hello answers with a message instead of a task")
	flags.StringArrayVar(&o.allowURLs, "allow-url", nil,
		"prefix of URLs that files and images may fetch, such as https://example.com/exports/; repeatable (default: "+
			"none)")
	flags.StringVar(&o.networks, "allow-networks", files.NetworksPublic,
		"with --allow-url: networks of these URLs: public, loopback (and public) or private (and both)")
	flags.StringVar(&o.provider, "llm", modelflag.Off,
		"off for rules; auto, gemini, openai or anthropic for a language model, with its key in the environment")
	flags.StringVar(&o.modelName, "model", "", "with --llm: name of the model (default: chosen by the provider)")
	flags.StringVar(&o.baseURL, "base-url", "", "with --llm: the provider's address, such as http://127.0.0.1:11434/v1")
	flags.StringArrayVar(&o.mcp, flagMCP, nil,
		"with --llm: MCP server whose tools coder may use, as a URL or a shell command; repeatable")
}

// openModel opens the language model that the flags name; nil for rules.
func (o *hostOptions) openModel(run *cmdline.Run) (llm.Model, error) {
	model, err := modelflag.Open(run, o.provider, o.modelName, o.baseURL)
	if err == nil && model == nil && run.FromFlag(flagMCP) {
		return nil, cmdline.Usagef("--mcp is for a language model, and there is none").WithHint("name one with --llm")
	}
	return model, err
}

// A sampleHost is an engine on a journal, with the files and tools that sample agents work with.
type sampleHost struct {
	*hostOptions
	run     *cmdline.Run
	journal *storage.Journal
	engine  *engine.Engine
	sender  *push.Sender // nil without push notifications
	files   *files.Store
	logger  *slog.Logger
	model   llm.Model              // nil: rules
	samples []sample               // all there are
	running map[string]a2a.Service // the samples at work, by name
	audit   *audit.Log             // nil for none
	scratch string                 // folder to be removed at the end; "" for none
	servers []*mcptools.Server     // of MCP, with tools for the model
	tools   []llm.Tool             // of all of them
}

// openHost opens the data folder of that name and the rest of what the flags name. On an error nothing is left open.
func openHost(ctx context.Context, run *cmdline.Run, o *hostOptions, folder string, model llm.Model) (_ *sampleHost,
	err error) {
	logger, err := o.Logger(run.Terminal)
	if err != nil {
		return nil, err
	}
	h := &sampleHost{hostOptions: o, run: run, logger: logger, model: model, samples: samples,
		running: make(map[string]a2a.Service)}
	defer func() {
		if err != nil {
			err = errors.Join(err, h.close(ctx))
		}
	}()
	if o.Data == cmdline.InMemory && o.ownerQuota > 0 {
		return nil, cmdline.Usagef("--%s is for tasks on disk, and --%s is %s, which has bounds of its own",
			flagOwnerQuota, cmdline.FlagDataDir, cmdline.InMemory)
	}
	h.journal, err = storage.Open(ctx, run, o.Data, folder, logger, &sql.Options{OwnerBytes: int64(o.ownerQuota)})
	if err != nil {
		return nil, err
	}
	place := filepath.Join(h.journal.Folder(), "files")
	if o.Data == cmdline.InMemory {
		if h.scratch, err = os.MkdirTemp("", "dragoman-files-"); err != nil {
			return nil, err
		}
		place = h.scratch
	}
	if h.files, err = files.Open(place, &files.Options{Journal: h.journal.Journal, Logger: logger}); err != nil {
		return nil, err
	}
	options := &engine.Options{Journal: h.journal.Journal, Waker: h.journal.Waker, Logger: logger,
		TurnLimit: o.turnLimit, MaxTurns: o.maxTurns, Retention: o.retention}
	signing, err := o.Signing(server.KeysPath)
	if err != nil {
		return nil, err
	}
	if h.sender, err = o.push.Open(run, h.journal, logger, signing.TokenSigner, h.files.Shown); err != nil {
		return nil, err
	}
	if h.sender != nil {
		options.Push = h.sender
	}
	if h.engine, err = engine.New(options); err != nil {
		return nil, err
	}
	if model != nil && (folder == agentCoder || folder == cmdline.FolderSamples) {
		err = h.openTools(ctx)
	}
	return h, err
}

// openTools connects the MCP servers that the flags name. If there are several, the names of tools begin with the
// number of the server.
func (h *sampleHost) openTools(ctx context.Context) error {
	for i, ref := range h.mcp {
		var options mcptools.Options
		shown := ref
		if strings.HasPrefix(ref, "http://") || strings.HasPrefix(ref, "https://") {
			options.URL = ref
			if u, err := url.Parse(ref); err == nil {
				shown = u.Redacted()
			}
		} else {
			options.Command = execagent.Shell(ref)
		}
		if len(h.mcp) > 1 {
			options.Prefix = fmt.Sprintf("server%d_", i+1)
		}
		server, err := mcptools.Open(ctx, options)
		if err != nil {
			return &cmdline.Failure{Exit: cmdline.ExitUnreachable, Code: cmdline.CodeUnreachable,
				Message: fmt.Sprintf("--mcp is %q: %v", shown, err),
				Hint: "give the URL of an MCP server, or a command that speaks MCP over its standard input and " +
					"output"}
		}
		h.servers = append(h.servers, server)
		h.tools = append(h.tools, server.Tools()...)
	}
	return nil
}

// fetcher returns what fetches the files that others point at, of some media types or of all.
func (h *sampleHost) fetcher(mediaTypes ...string) (*files.Fetcher, error) {
	fetch, err := files.NewFetcher(&files.FetchOptions{Allow: h.allowURLs, Networks: h.networks,
		MediaTypes: mediaTypes})
	if err != nil {
		message := strings.NewReplacer("files: ", "", "FetchOptions.Allow: ", "--allow-url: ", "FetchOptions.Networks",
			"--allow-networks").Replace(err.Error())
		return nil, cmdline.Usagef("%s", message)
	}
	return fetch, nil
}

// start puts a sample to work, once, and returns it as a service.
func (h *sampleHost) start(s *sample) (a2a.Service, *a2a.AgentCard, error) {
	card := s.card()
	if service := h.running[s.name]; service != nil {
		return service, card, nil
	}
	worker, err := s.open(h)
	if err != nil {
		return nil, nil, err
	}
	agent := h.engine.Agent(s.name, h.files.Agent(worker),
		&engine.AgentOptions{Card: card, AllowAgentRole: h.agentRole})
	service := h.files.Service(agent, "")
	if s.wrap != nil {
		service = s.wrap(service)
	}
	h.running[s.name] = service
	return service, card, nil
}

// sampleByName starts another sample, for one that calls it.
func (h *sampleHost) sampleByName(name string) (a2a.Service, error) {
	i := slices.IndexFunc(h.samples, func(s sample) bool { return s.name == name })
	service, _, err := h.start(&h.samples[i])
	return service, err
}

// thinker names what thinks for a sample.
func (h *sampleHost) thinker(s *sample) string {
	if h.model == nil || !s.thinks {
		return "rules"
	}
	return h.model.Name()
}

// close ends the engine first, then what it works with. After a drain the engine has nothing left to do.
func (h *sampleHost) close(ctx context.Context) error {
	var err error
	if h.engine != nil {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), h.Drain)
		defer cancel()
		err = h.engine.Shutdown(ctx)
	}
	if h.sender != nil {
		err = errors.Join(err, h.sender.Shutdown(ctx))
	}
	for _, server := range h.servers {
		if err := server.Close(); err != nil { // it may have ended before, as Ctrl-C ends commands too
			h.logger.Debug("an MCP server did not end well", "error", err)
		}
	}
	if h.files != nil {
		err = errors.Join(err, h.files.Close())
	}
	if h.journal != nil {
		err = errors.Join(err, h.journal.Close())
	}
	if h.scratch != "" {
		err = errors.Join(err, os.RemoveAll(h.scratch))
	}
	return err
}
