// SPDX-License-Identifier: Apache-2.0

package coordcmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/dragoman-a2a/dragoman/internal/cmdline"
)

const startPatience = 15 * time.Second

// coordLog is the file in the data folder that has what a coordinator says that was started in the background.
const coordLog = "serve.log"

// startEvery is the pause between two looks whether it has.
const startEvery = 50 * time.Millisecond

// ensureRunning starts a coordinator on this machine if none answers. Of several that start at once, one gets the
// address.
func (c *commands) ensureRunning(ctx context.Context, o *coordOptions) error {
	_, _, err := c.healthOf(ctx, o)
	if f, ok := errors.AsType[*cmdline.Failure](err); !ok || f.Code != cmdline.CodeUnreachable {
		return err
	}
	addr, ok := o.startable()
	if !ok {
		return err
	}
	folder, err := c.dataFolder(o.data)
	if err != nil {
		return err
	}
	started, err := c.start(folder, addr)
	if err != nil {
		return err
	}
	return c.await(ctx, o, started)
}

// startable returns the address of a coordinator that can be started here: one on this machine, without TLS.
func (o *coordOptions) startable() (addr string, ok bool) {
	u, err := url.Parse(o.url)
	if err != nil || u.Scheme != "http" || u.Port() == "" || u.Path != "" {
		return "", false
	}
	if ip := net.ParseIP(u.Hostname()); u.Hostname() != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return "", false
	}
	return u.Host, true
}

type startedCoord struct {
	ended <-chan error
	log   string // the file of what it says
	begin int64  // where that begins
}

// start starts a coordinator that outlives this program and logs to a file.
func (c *commands) start(folder, addr string) (*startedCoord, error) {
	self, err := c.self()
	if err != nil {
		return nil, err
	}
	dir := folder
	if folder == cmdline.InMemory {
		dir = os.TempDir()
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the folder of the coordinator: %w", err)
	}
	log := filepath.Join(dir, coordLog)
	if folder == cmdline.InMemory {
		log = os.DevNull
	}
	file, err := os.OpenFile(log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the log of the coordinator: %w", err)
	}
	defer file.Close() // the other process has it
	begin, err := file.Seek(0, io.SeekEnd)
	if err != nil {
		begin = 0 // of what is no file, such as the null device
	}
	dataDir := folder
	if folder != cmdline.InMemory {
		dataDir = filepath.Dir(folder)
	}
	// Credentials for callers in the environment are meant for other servers: this one is for its own machine.
	cmd := exec.Command(self, "coord", "serve", "--addr", addr, "--"+cmdline.FlagDataDir, dataDir, "--token=",
		"--access=")
	cmd.Args[0] = c.Program
	cmd.Stderr, cmd.Dir = file, dir
	apart(cmd)
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the coordinator: %w", err)
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	return &startedCoord{ended: done, log: log, begin: begin}, nil
}

// self returns the file of this program, as it was called: an update replaces what a symbolic link leads to.
func (c *commands) self() (string, error) {
	file, err := exec.LookPath(c.Program)
	if err == nil {
		file, err = filepath.Abs(file)
	}
	if err != nil {
		return "", fmt.Errorf("find this program: %w", err)
	}
	return file, nil
}

// await waits until a coordinator answers, be it another one than the started one.
func (c *commands) await(ctx context.Context, o *coordOptions, started *startedCoord) error {
	ended := started.ended
	ctx, cancel := context.WithTimeout(ctx, startPatience)
	defer cancel()
	tick := time.NewTicker(startEvery)
	defer tick.Stop()
	for {
		_, _, err := c.healthOf(ctx, o)
		if err == nil {
			return nil
		}
		select {
		case <-tick.C:
		case <-ended:
			ended = nil
			if _, _, err := c.healthOf(ctx, o); err != nil && !occupied(o) {
				return startFailure(started.log, started.begin)
			}
		case <-ctx.Done():
			return startFailure(started.log, started.begin)
		}
	}
}

func occupied(o *coordOptions) bool {
	addr, _ := o.startable()
	conn, err := net.DialTimeout("tcp", addr, time.Second)
	if err != nil {
		return false
	}
	return conn.Close() == nil
}

// startFailure says why a coordinator did not start, as it said so itself after a place in its log.
func startFailure(log string, begin int64) error {
	f := &cmdline.Failure{Exit: cmdline.ExitUnreachable, Code: cmdline.CodeUnreachable,
		Message: "the coordinator could not be started", Hint: "see " + log + ", or start it with dragoman coord serve"}
	text, err := os.ReadFile(log)
	if err != nil || begin > int64(len(text)) {
		return f
	}
	for line := range strings.Lines(string(text[begin:])) {
		line = strings.TrimSpace(line)
		if why, ok := strings.CutPrefix(line, "Error: "); ok {
			f.Message = "the coordinator could not be started: " + why
		}
		if hint, ok := strings.CutPrefix(line, "Hint: "); ok {
			f.Hint = hint
		}
	}
	return f
}
