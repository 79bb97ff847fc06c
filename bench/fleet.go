// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// A process is a server that is measured.
type process struct {
	name string
	old  bool // speaks 0.2 and 0.3, not 1.0
	ready
	cmd   *exec.Cmd
	stdin io.Closer
}

// start starts a server and waits until it can be called.
func start(ctx context.Context, name string, cmd *exec.Cmd) (*process, error) {
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	s := &process{name: name, cmd: cmd, stdin: stdin}
	giveUp := time.AfterFunc(30*time.Second, func() { cmd.Process.Kill() })
	defer giveUp.Stop()
	out := bufio.NewReader(stdout)
	line, err := out.ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, &s.ready)
	}
	if err != nil {
		s.stop()
		return nil, fmt.Errorf("the server %s did not start: %w", name, err)
	}
	go io.Copy(io.Discard, out)
	return s, ctx.Err()
}

// startOwn starts this program as a server.
func startOwn(ctx context.Context, name, kind string) (*process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return start(ctx, name, exec.Command(self, serveArg, kind))
}

// stop ends the server and waits for that.
func (s *process) stop() {
	s.stdin.Close()
	giveUp := time.AfterFunc(endGrace, func() { s.cmd.Process.Kill() })
	defer giveUp.Stop()
	s.cmd.Wait()
}

func (s *process) usage(ctx context.Context) (usage, error) { return s.ask(ctx, "/usage") }

// memory is usage with what is in use after a collection.
func (s *process) memory(ctx context.Context) (usage, error) { return s.ask(ctx, "/usage?memory") }

func (s *process) ask(ctx context.Context, path string) (usage, error) {
	var u usage
	body, err := s.fetch(ctx, path)
	if err == nil {
		err = json.Unmarshal(body, &u)
	}
	return u, err
}

func (s *process) fetch(ctx context.Context, path string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+s.Control+path, nil)
	if err != nil {
		return nil, err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return nil, errors.New(res.Status)
	}
	return io.ReadAll(io.LimitReader(res.Body, 64<<20))
}

// profile keeps a CPU profile of the next seconds of one of our servers in a file, if the settings ask for it. The
// returned function waits for it.
func profile(ctx context.Context, s *settings, at *process, name string, during time.Duration) func() error {
	if s.profile == "" || at.name == jsPeerName || at.name == pythonPeerName {
		return func() error { return nil }
	}
	file := filepath.Join(s.profile, strings.NewReplacer(" ", "-", ",", "").Replace(name)+".pprof")
	done := make(chan error, 1)
	go func() {
		body, err := at.fetch(ctx, fmt.Sprintf("/debug/pprof/profile?seconds=%d", max(1, int(during.Seconds()))))
		if err == nil {
			err = os.WriteFile(file, body, 0o644)
		}
		done <- err
	}()
	return func() error { return <-done }
}

// A fleet is the servers that several measurements share. Those that nobody calls cost nothing.
type fleet struct {
	bare, memory, sqlite *process
	goPeer               *process   // nil when skipped
	peers                []*process // all that are not skipped, goPeer first
	skipped              []string
	folder               string // for data; removed at the end
}

func newFleet(ctx context.Context, peers bool) (_ *fleet, err error) {
	f := &fleet{}
	defer func() {
		if err != nil {
			f.stop()
		}
	}()
	if f.folder, err = os.MkdirTemp("", "dragoman-bench-"); err != nil {
		return nil, err
	}
	for _, own := range []struct {
		at         **process
		name, kind string
	}{
		{&f.bare, "bare", "bare"},
		{&f.memory, "memory", "memory"},
		{&f.sqlite, "SQLite", "sqlite:" + filepath.Join(f.folder, "shared")},
	} {
		if *own.at, err = startOwn(ctx, own.name, own.kind); err != nil {
			return nil, err
		}
	}
	if !peers {
		f.skip("the other implementations, as -peers=false says")
		return f, nil
	}
	if err := f.startPeers(ctx); err != nil {
		return nil, err
	}
	return f, ctx.Err()
}

// startPeers starts the other implementations. Those that have to be installed are skipped where they cannot be.
func (f *fleet) startPeers(ctx context.Context) error {
	goPeer, err := startOwn(ctx, goPeerName, "go")
	if err != nil {
		return err
	}
	f.goPeer, f.peers = goPeer, append(f.peers, goPeer)
	for _, p := range []struct {
		name  string
		start func(context.Context) (*process, error)
	}{{jsPeerName, startJS}, {pythonPeerName, startPython}} {
		peer, err := p.start(ctx)
		if err != nil {
			f.skip(p.name + ": " + err.Error())
			continue
		}
		f.peers = append(f.peers, peer)
	}
	trpc, err := startOwn(ctx, trpcPeerName, "trpc")
	if err != nil {
		return err
	}
	trpc.old = true
	f.peers = append(f.peers, trpc)
	return nil
}

// skip notes, loudly, what is not measured.
func (f *fleet) skip(what string) {
	f.skipped = append(f.skipped, what)
	fmt.Fprintln(os.Stderr, "bench: SKIPPED", what)
}

func (f *fleet) stop() {
	for _, s := range append([]*process{f.bare, f.memory, f.sqlite}, f.peers...) {
		if s != nil {
			s.stop()
		}
	}
	if f.folder != "" {
		os.RemoveAll(f.folder)
	}
}
