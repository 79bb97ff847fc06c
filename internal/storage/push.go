// SPDX-License-Identifier: Apache-2.0

package storage

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/cmdline"
	"github.com/dragoman-a2a/dragoman/internal/guard"
	"github.com/dragoman-a2a/dragoman/journal"
	"github.com/dragoman-a2a/dragoman/push"
)

const (
	// envPushKey has the key that encrypts the secrets of push configs, in hexadecimal digits.
	envPushKey = "DRAGOMAN_PUSH_KEY"
	// pushKeyFile has it otherwise, in the folder of the journal.
	pushKeyFile = "push.key"
)

// PushOptions are the flags of push notifications.
type PushOptions struct {
	on, private bool
	allow       []string
}

// Flags adds the flags.
func (o *PushOptions) Flags(flags *pflag.FlagSet) {
	flags.BoolVar(&o.on, "push", false, "notify webhooks that callers register, over https and at public "+
		"addresses; --sign-key also signs the notifications")
	flags.BoolVar(&o.private, "allow-private-push", false,
		"--push, also over http and in private networks and on this machine, for development")
	flags.StringArrayVar(&o.allow, "push-allow", nil, "--push, also to this host name, address or prefix such as "+
		"10.1.0.0/16 in private networks or on this machine (repeatable)")
}

// Open returns the sender of push notifications over a journal, nil without the flags. signer and shown may be nil,
// see [push.Options].
func (o *PushOptions) Open(run *cmdline.Run, j *Journal, logger *slog.Logger, signer push.Signer,
	shown func(journal.Key, string, a2a.Event) a2a.Event) (*push.Sender, error) {
	if !o.on && !o.private && o.allow == nil {
		return nil, nil
	}
	if _, err := guard.ParsePermit(o.allow); err != nil {
		return nil, cmdline.Usagef("--push-allow: %v", err)
	}
	key, err := pushKey(run, j)
	if err != nil {
		return nil, err
	}
	sender, err := push.New(push.Options{Journal: j.Journal, Key: key, AllowPrivate: o.private,
		Allow: o.allow, Logger: logger, Signer: signer, Shown: shown})
	if err == nil && j.db != nil && j.waker == nil { // else the commands open the database
		j.takePushCommands(logger)
	}
	return sender, err
}

// pushKey reads the key from the environment or the file, which it makes if there is none. A journal in memory needs no
// key that lasts.
func pushKey(run *cmdline.Run, j *Journal) ([]byte, error) {
	if text := run.Env(envPushKey); text != "" {
		return decodeKey(text, envPushKey)
	}
	if j.db == nil {
		return nil, nil
	}
	if j.waker != nil {
		return nil, cmdline.Usagef("there is no key for the secrets of push configs, which all nodes share").WithHint(
			fmt.Sprintf("set %s to the same %d random bytes on each node, as made by: openssl rand -hex %[2]d",
				envPushKey, push.KeySize))
	}
	path := filepath.Join(j.Place, pushKeyFile)
	text, err := os.ReadFile(path)
	switch {
	case err == nil:
		return decodeKey(strings.TrimSpace(string(text)), path)
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	key := make([]byte, push.KeySize)
	rand.Read(key)
	return key, os.WriteFile(path, []byte(hex.EncodeToString(key)+"\n"), 0o600)
}

func decodeKey(text, from string) ([]byte, error) {
	key, err := hex.DecodeString(text)
	if err != nil || len(key) != push.KeySize {
		return nil, cmdline.Usagef("%s is no key of push notifications", from).WithHint(
			fmt.Sprintf("give %d random bytes as hexadecimal digits: openssl rand -hex %[1]d", push.KeySize))
	}
	return key, nil
}
