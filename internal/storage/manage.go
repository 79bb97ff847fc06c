// SPDX-License-Identifier: Apache-2.0

package storage

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/dragoman-a2a/dragoman/internal/cmdline"
	"github.com/dragoman-a2a/dragoman/journal"
	"github.com/dragoman-a2a/dragoman/push"
	"github.com/dragoman-a2a/dragoman/store/sqlite"
)

// pushSocket is the Unix socket in a data folder at which the process that has the folder takes commands about push
// configs. The permissions of the folder let only its user connect.
const pushSocket = "push.sock"

// maxCommand bounds a command at the socket, in bytes.
const maxCommand = 64 << 10

type pushCommand struct {
	Do        push.Action    `json:"do"`
	Selection push.Selection `json:"selection"`
	Page      string         `json:"page"`
}

type pushResult struct {
	Found []push.Status `json:"found"`
	Next  string        `json:"next"`
	Error string        `json:"error,omitzero"`
}

// takePushCommands serves the socket until the journal is closed. Without it the commands need the server stopped.
func (s *Journal) takePushCommands(logger *slog.Logger) {
	path := filepath.Join(s.Place, pushSocket)
	_ = os.Remove(path) // of a process that was killed: this one has the folder now
	ln, err := net.Listen("unix", path)
	if err == nil {
		err = os.Chmod(path, 0o600)
	}
	if err != nil {
		logger.Warn("the commands push list, retry, drop and recover will work only while the server is stopped",
			"error", err)
		return
	}
	s.commands = &http.Server{ReadTimeout: 10 * time.Second, Handler: answerPushCommands(s.Journal)}
	go func() { _ = s.commands.Serve(ln) }() // until Close
}

func answerPushCommands(j journal.Journal) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var command pushCommand
		err := json.NewDecoder(io.LimitReader(r.Body, maxCommand)).Decode(&command)
		var result pushResult
		if err == nil {
			result.Found, result.Next, err = push.Manage(r.Context(), j, command.Do, command.Selection, command.Page)
		}
		if err != nil {
			result.Error = err.Error()
		}
		_ = json.NewEncoder(w).Encode(result)
	}
}

// PushConfigs are the push configs in a folder, which another process may have. Close it.
type PushConfigs struct {
	journal *Journal // nil if another process has the folder
	client  *http.Client
	locked  error
}

// OpenPushConfigs opens the folder of an agent or command below the value of --data-dir, which must exist.
func OpenPushConfigs(ctx context.Context, run *cmdline.Run, dataDir, name string) (*PushConfigs, error) {
	if cmdline.IsDatabase(dataDir) {
		opened, err := openDatabase(ctx, run, dataDir, name, nil, nil)
		return &PushConfigs{journal: opened}, err
	}
	folder, err := run.DataFolder(dataDir, name)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(folder); errors.Is(err, fs.ErrNotExist) || !filepath.IsLocal(name) {
		return nil, cmdline.Usagef("there is no data folder %s", folder).WithHint(fmt.Sprintf(
			"give the name of the agent, as in serve --agent NAME; --%s names the folder above", cmdline.FlagDataDir))
	}
	opened, err := OpenFolder(ctx, run, folder, nil, nil)
	if err == nil {
		return &PushConfigs{journal: opened}, nil
	}
	if _, locked := errors.AsType[*sqlite.LockedError](err); !locked {
		return nil, cmdline.ExplainFolder(folder, err)
	}
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", filepath.Join(folder, pushSocket))
	}
	return &PushConfigs{locked: cmdline.ExplainFolder(folder, err),
		client: &http.Client{Transport: &http.Transport{DialContext: dial}, Timeout: time.Minute}}, nil
}

// Manage is [push.Manage], by the process that has the folder.
func (p *PushConfigs) Manage(ctx context.Context, do push.Action, sel push.Selection, page string) ([]push.Status,
	string, error) {
	if p.journal != nil {
		return push.Manage(ctx, p.journal, do, sel, page)
	}
	body, err := json.Marshal(pushCommand{do, sel, page})
	if err != nil {
		return nil, "", err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://push", bytes.NewReader(body))
	if err != nil {
		return nil, "", err
	}
	resp, err := p.client.Do(req)
	if _, dialled := errors.AsType[*net.OpError](err); dialled { // it sends no notifications
		return nil, "", p.locked
	}
	if err != nil {
		return nil, "", err
	}
	defer resp.Body.Close()
	var result pushResult
	if err := json.NewDecoder(resp.Body).Decode(&result); err != nil {
		return nil, "", fmt.Errorf("read the server's answer: %w", err)
	}
	if result.Error != "" {
		return nil, "", errors.New(result.Error)
	}
	return result.Found, result.Next, nil
}

// Close closes the folder.
func (p *PushConfigs) Close() error {
	if p.journal != nil {
		return p.journal.Close()
	}
	p.client.CloseIdleConnections()
	return nil
}
