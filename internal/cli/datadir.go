// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"github.com/spf13/pflag"

	"github.com/dragoman-a2a/dragoman/store/sqlite"
)

// flagDataDir names the flag for the folder that the program keeps data in.
const flagDataDir = "data-dir"

// inMemory is the value of --data-dir that keeps nothing.
const inMemory = ":memory:"

// The folders of the data folder, beside one for each agent of serve.
const (
	folderChat     = "chat"
	folderCoord    = "coord"
	folderRegistry = "registry"
	folderSamples  = "samples"
)

// dataDirFlag adds the flag for the data folder, which is the same for all commands.
func (c *command) dataDirFlag(flags *pflag.FlagSet, dir *string) {
	flags.StringVar(dir, flagDataDir, "", "folder to keep data in, with a folder for each agent or command; "+
		":memory: keeps nothing (default: the user's data folder)")
	if home, err := c.dataHome(); err == nil {
		flags.SetAnnotation(flagDataDir, annotationEmpty, []string{filepath.Join(home, "dragoman")})
	}
}

// dataFolder returns the folder of one agent or command below the value of --data-dir; inMemory for that.
func (c *command) dataFolder(dir, name string) (string, error) {
	switch dir {
	case inMemory:
		return inMemory, nil
	case "":
		home, err := c.dataHome()
		if err != nil {
			return "", fmt.Errorf("find the user's data folder: %w; name one with --%s", err, flagDataDir)
		}
		dir = filepath.Join(home, "dragoman")
	}
	return filepath.Join(dir, name), nil
}

// explainFolder says why a folder of the data folder cannot be opened, and what to do.
func explainFolder(folder string, err error) *failure {
	f := &failure{exit: exitFailure, code: codeInternal, message: strings.TrimPrefix(err.Error(), "sqlite: open "),
		hint: fmt.Sprintf("name another data folder with --%s", flagDataDir)}
	locked, isLocked := errors.AsType[*sqlite.LockedError](err)
	_, missing := os.Stat(folder)
	switch {
	case isLocked:
		f.message, _, _ = strings.Cut(locked.Error(), "; ")
		f.hint = fmt.Sprintf("stop it, or name another data folder with --%s", flagDataDir)
	case errors.Is(missing, fs.ErrNotExist), errors.Is(missing, syscall.ENOTDIR):
		f.message = fmt.Sprintf("cannot create the data folder %s: %s", folder, lastCause(err))
		f.hint += fmt.Sprintf(", or keep nothing with --%s %s", flagDataDir, inMemory)
	}
	return f
}

// dataHome returns where programs of this user keep data, by the custom of the operating system.
func (c *command) dataHome() (string, error) {
	if dir, ok := c.LookupEnv("XDG_DATA_HOME"); ok && filepath.IsAbs(dir) {
		return dir, nil
	}
	if runtime.GOOS == "windows" {
		return os.UserCacheDir() // %LocalAppData%, which is not only for caches
	}
	if runtime.GOOS == "darwin" {
		return os.UserConfigDir() // ~/Library/Application Support
	}
	home, ok := c.LookupEnv("HOME")
	if !ok || !strings.HasPrefix(home, "/") {
		return "", errors.New("HOME is not set")
	}
	return filepath.Join(home, ".local", "share"), nil
}
