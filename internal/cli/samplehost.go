// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/engine"
	"github.com/dragoman-a2a/dragoman/files"
	"github.com/dragoman-a2a/dragoman/internal/cmdline"
	"github.com/dragoman-a2a/dragoman/internal/llm"
	"github.com/dragoman-a2a/dragoman/internal/llm/mcptools"
)

// A sampleHost is what sample agents work with: an engine on a journal, and where their files are kept.
type sampleHost struct {
	options *serveOptions
	storage *storage
	engine  *engine.Engine
	files   *files.Store
	logger  *slog.Logger
	drain   time.Duration
	samples []sample               // all there are
	running map[string]a2a.Service // the samples at work, by name
	scratch string                 // folder to be removed at the end; "" for none
	servers []*mcptools.Server     // of MCP, with tools for models
	tools   []llm.Tool             // of all of them
}

// openSampleHost opens what the flags name. On an error nothing is left open.
func (c *command) openSampleHost(ctx context.Context, o *serveOptions) (_ *sampleHost, err error) {
	logger, err := o.Logger(c.Terminal)
	if err != nil {
		return nil, err
	}
	w := &sampleHost{options: o, logger: logger, drain: o.Drain, samples: samples,
		running: make(map[string]a2a.Service)}
	defer func() {
		if err != nil {
			err = errors.Join(err, w.close(ctx))
		}
	}()
	if w.storage, err = c.openJournal(ctx, o); err != nil {
		return w, err
	}
	w.engine, err = engine.New(&engine.Options{Journal: w.storage.journal, Logger: logger, TurnLimit: o.turnLimit,
		Retention: o.retention})
	if err != nil {
		return w, err
	}
	folder := filepath.Join(w.storage.place, "files")
	if o.Data == cmdline.InMemory {
		if w.scratch, err = os.MkdirTemp("", "dragoman-files-"); err != nil {
			return w, err
		}
		folder = w.scratch
	}
	if w.files, err = files.Open(folder, &files.Options{Journal: w.storage.journal, Logger: logger}); err != nil {
		return w, err
	}
	if o.samples.model != nil && (o.agent == agentCoder || o.agent == cmdline.FolderSamples) {
		err = w.openTools(ctx)
	}
	return w, err
}

// start puts a sample to work, once, and returns it as a service.
func (w *sampleHost) start(s *sample) (a2a.Service, *a2a.AgentCard, error) {
	card := s.card()
	if service := w.running[s.name]; service != nil {
		return service, card, nil
	}
	worker, err := s.open(&w.options.samples, w)
	if err != nil {
		return nil, nil, err
	}
	agent := w.engine.Agent(s.name, w.files.Agent(worker),
		&engine.AgentOptions{Card: card, AllowAgentRole: w.options.agentRole})
	service := w.files.Service(agent, "")
	if s.wrap != nil {
		service = s.wrap(service)
	}
	w.running[s.name] = service
	return service, card, nil
}

// sampleByName returns another sample, for one that has it work for it.
func (w *sampleHost) sampleByName(name string) (a2a.Service, error) {
	i := slices.IndexFunc(w.samples, func(s sample) bool { return s.name == name })
	if i < 0 {
		return nil, fmt.Errorf("there is no sample %q", name)
	}
	service, _, err := w.start(&w.samples[i])
	return service, err
}

// close ends the engine first, then what it works with.
func (w *sampleHost) close(ctx context.Context) error {
	var err error
	if w.engine != nil {
		err = shutdown(ctx, w.engine, w.drain)
	}
	w.closeTools()
	if w.files != nil {
		err = errors.Join(err, w.files.Close())
	}
	if w.storage != nil {
		err = errors.Join(err, w.storage.close())
	}
	if w.scratch != "" {
		err = errors.Join(err, os.RemoveAll(w.scratch))
	}
	return err
}
