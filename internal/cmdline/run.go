// SPDX-License-Identifier: Apache-2.0

package cmdline

import (
	"io"
	"runtime/debug"

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
	ends      []func()
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
