// SPDX-License-Identifier: Apache-2.0

package cmdline

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

	"github.com/dragoman-a2a/dragoman/store"
	"github.com/dragoman-a2a/dragoman/store/postgres"
	"github.com/dragoman-a2a/dragoman/store/sqlite"
)

// FlagDataDir names the flag for the folder that the program keeps data in.
const FlagDataDir = "data-dir"

// InMemory is the value of --data-dir that keeps nothing.
const InMemory = ":memory:"

// The folders of the data folder, beside one for each agent of serve.
const (
	FolderChat     = "chat"
	FolderCoord    = "coord"
	FolderRegistry = "registry"
	FolderSamples  = "samples"
)

// AnnotationEmpty tells what an option stands for that is empty.
const AnnotationEmpty = "empty"

// DataDirFlag adds the flag for the data folder, which is the same for all commands.
func (r *Run) DataDirFlag(flags *pflag.FlagSet, dir *string) {
	flags.StringVar(dir, FlagDataDir, "", "folder to keep data in, with a folder for each agent or command; "+
		":memory: keeps nothing; postgres://USER@HOST/DATABASE keeps tasks where several nodes share them (default: "+
		"the user's data folder)")
	if home, err := r.DataHome(); err == nil {
		flags.SetAnnotation(FlagDataDir, AnnotationEmpty, []string{filepath.Join(home, "dragoman")})
	}
}

// DataFolder returns the folder of one agent or command below the value of --data-dir; inMemory for that.
func (r *Run) DataFolder(dir, name string) (string, error) {
	switch {
	case IsDatabase(dir):
		return "", Usagef("--%s is the URL of a database, and this command keeps its data in a folder", FlagDataDir).
			WithHint("a database is for serve, samples up and host --serve")
	case strings.Contains(dir, "://"):
		return "", Usagef("--%s is a URL of no known kind of database", FlagDataDir).WithHint( // it may have a password
			"give a folder, or a URL such as postgres://USER@HOST/DATABASE")
	case dir == InMemory:
		return InMemory, nil
	case dir == "":
		home, err := r.DataHome()
		if err != nil {
			return "", fmt.Errorf("find the user's data folder: %w; name one with --%s", err, FlagDataDir)
		}
		dir = filepath.Join(home, "dragoman")
	}
	return filepath.Join(dir, name), nil
}

// IsDatabase reports whether the value of --data-dir is the URL of a database.
func IsDatabase(dir string) bool { return postgres.IsURL(dir) }

// ExplainDatabase says why a database cannot be opened.
func ExplainDatabase(err error) *Failure {
	f := &Failure{Exit: ExitFailure, Code: CodeInternal, Message: strings.TrimPrefix(err.Error(), "postgres: ")}
	if errors.Is(err, store.ErrUnreachable) {
		f.Exit, f.Code = ExitUnreachable, CodeUnreachable
		f.Hint = "start the database's server, or name another one with --" + FlagDataDir
	}
	return f
}

// ExplainFolder says why a folder of the data folder cannot be opened, and what to do.
func ExplainFolder(folder string, err error) *Failure {
	f := &Failure{Exit: ExitFailure, Code: CodeInternal, Message: strings.TrimPrefix(err.Error(), "sqlite: open "),
		Hint: fmt.Sprintf("name another data folder with --%s", FlagDataDir)}
	locked, isLocked := errors.AsType[*sqlite.LockedError](err)
	_, missing := os.Stat(folder)
	switch {
	case isLocked:
		f.Message, _, _ = strings.Cut(locked.Error(), "; ")
		f.Hint = fmt.Sprintf("stop it, or name another data folder with --%s", FlagDataDir)
	case errors.Is(missing, fs.ErrNotExist), errors.Is(missing, syscall.ENOTDIR):
		f.Message = fmt.Sprintf("cannot create the data folder %s: %s", folder, LastCause(err))
		f.Hint += fmt.Sprintf(", or keep nothing with --%s %s", FlagDataDir, InMemory)
	}
	return f
}

// DataHome returns where programs of this user keep data, by the custom of the operating system.
func (r *Run) DataHome() (string, error) {
	if dir, ok := r.LookupEnv("XDG_DATA_HOME"); ok && filepath.IsAbs(dir) {
		return dir, nil
	}
	if runtime.GOOS == "windows" {
		return os.UserCacheDir() // %LocalAppData%, which is not only for caches
	}
	if runtime.GOOS == "darwin" {
		return os.UserConfigDir() // ~/Library/Application Support
	}
	home, ok := r.LookupEnv("HOME")
	if !ok || !strings.HasPrefix(home, "/") {
		return "", errors.New("HOME is not set")
	}
	return filepath.Join(home, ".local", "share"), nil
}

// ConfigHome returns where programs of this user keep their settings, by the custom of the operating system.
func (r *Run) ConfigHome() (string, error) {
	if dir, ok := r.LookupEnv("XDG_CONFIG_HOME"); ok && filepath.IsAbs(dir) {
		return dir, nil
	}
	variable, folder := "HOME", ".config"
	switch runtime.GOOS {
	case "windows":
		variable, folder = "AppData", ""
	case "darwin":
		folder = filepath.Join("Library", "Application Support")
	}
	home, ok := r.LookupEnv(variable)
	if !ok || !filepath.IsAbs(home) {
		return "", errors.New(variable + " is not set")
	}
	return filepath.Join(home, folder), nil
}
