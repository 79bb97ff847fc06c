// SPDX-License-Identifier: Apache-2.0

package cmdline

import (
	"errors"
	"io"
	"runtime/debug"
	"strings"

	"github.com/dragoman-a2a/dragoman/internal/terminal"
)

// A Run is one run of the program, as its commands see it.
type Run struct {
	*terminal.Terminal
	Program   string // how the user called it, for the commands that it prints
	Name      string // the command, as "dragoman samples up"
	Dir       string // the folder that the user is in; "" for nowhere
	Stdin     io.Reader
	Stdout    io.Writer // without escapes, for other protocols than text
	LookupEnv func(string) (string, bool)
	Config    string // the value of --config
	// Origin says where the value of an option comes from, by its name: SourceFlag, or a variable and the file that it
	// stands in. It has no entry for defaults.
	Origin map[string]string

	// OnInterrupt lets Ctrl-C call a function that returns soon instead of ending the command; nil ends that. BeforeEnd
	// has a function called before a second signal ends the process.
	OnInterrupt, BeforeEnd func(func())

	ends []func()
}

// ErrLeft ends a command that the user left, as a signal does.
var ErrLeft = errors.New("left")

// The origins of options that no variable sets.
const (
	SourceFlag    = "flag"
	SourceDefault = "default"
)

// FromFlag reports whether the command line has an option.
func (r *Run) FromFlag(name string) bool { return r.Origin[name] == SourceFlag }

// TellSource adds to a hint which variable an option comes from, if it is one, which people forget; what is what the
// option gives.
func (r *Run) TellSource(flag, what string, f *Failure) *Failure {
	if source := r.Origin[flag]; source != "" && source != SourceFlag {
		f.Hint = strings.TrimPrefix(f.Hint+"; "+what+" is from "+source, "; ")
	}
	return f
}

// FlagConfig names the flag whose value is a file with settings.
const FlagConfig = "config"

// ConfigFlag returns --config with its value, if the command line has it, for another command.
func (r *Run) ConfigFlag() []string {
	if !r.FromFlag(FlagConfig) {
		return nil
	}
	return []string{"--" + FlagConfig, r.Config}
}

// Env returns a variable of the environment, "" when it is not set.
func (r *Run) Env(name string) string {
	value, _ := r.LookupEnv(name)
	return value
}

// OnEnd has f called when the command has ended.
func (r *Run) OnEnd(f func()) { r.ends = append(r.ends, f) }

// End calls what is to be called when the command has ended.
func (r *Run) End() {
	for _, f := range r.ends {
		f()
	}
}

// Version returns the module's version as the Go tool recorded it: that of the tag or commit it was built from, or
// "(devel)".
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(devel)"
	}
	return info.Main.Version
}
