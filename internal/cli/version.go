// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/cmdline"
	"github.com/dragoman-a2a/dragoman/internal/terminal"
)

// stamp is the commit that the program was built from, as the Makefile knows it; "" when the linker was not told.
var stamp string

// commit returns the commit that the program was built from, with "-dirty" after it if files were changed; "" when
// neither the Makefile nor the Go tool recorded it.
func commit() string {
	if stamp != "" {
		return stamp
	}
	info, _ := debug.ReadBuildInfo()
	return commitOf(info)
}

func commitOf(info *debug.BuildInfo) string {
	if info == nil {
		return ""
	}
	var revision, dirty string
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			revision = s.Value[:min(12, len(s.Value))]
		case s.Key == "vcs.modified" && s.Value == "true":
			dirty = "-dirty"
		}
	}
	if revision == "" {
		return ""
	}
	return revision + dirty
}

func (c *command) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version of the program and of the protocol",
		Example: "  dragoman version\n  dragoman version -o json",
		Args:    cmdline.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			rows := []row{{"Version", "version", cmdline.Version()}}
			if commit := commit(); commit != "" {
				rows = append(rows, row{"Commit", "commit", commit})
			}
			return c.showRows(append(rows,
				row{"Protocol", "protocol", string(a2a.Generation10)},
				row{"Go", "go", runtime.Version()},
				row{"Platform", "platform", runtime.GOOS + "/" + runtime.GOARCH},
			))
		},
	}
}

// row is a value with its label in text and its name in JSON.
type row struct{ label, name, value string }

func (c *command) showRows(rows []row) error {
	if c.AsJSON {
		object := make(map[string]string, len(rows))
		for _, r := range rows {
			object[r.name] = r.value
		}
		return c.ShowValue(object)
	}
	for _, r := range rows {
		fmt.Fprintf(c.Out, "%s: %s\n", r.label, terminal.Inline(r.value))
	}
	fmt.Fprintln(c.Out)
	return nil
}
