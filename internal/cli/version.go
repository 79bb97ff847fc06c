// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/dragoman-a2a/dragoman/a2a"
)

// version returns the module's version as the Go tool recorded it: that of the tag or commit it was built from, or
// "(devel)".
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(devel)"
	}
	return info.Main.Version
}

func (c *command) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version of the program and of the protocol",
		Example: "  dragoman version\n  dragoman version -o json",
		Args:    noArgs,
		RunE: func(*cobra.Command, []string) error {
			rows := []row{
				{"Version", "version", version()},
				{"Protocol", "protocol", string(a2a.Generation10)},
				{"Go", "go", runtime.Version()},
				{"Platform", "platform", runtime.GOOS + "/" + runtime.GOARCH},
			}
			return c.showRows(rows)
		},
	}
}

// row is a value with its label in text and its name in JSON.
type row struct{ label, name, value string }

func (c *command) showRows(rows []row) error {
	if c.options.output == outputJSON {
		object := make(map[string]string, len(rows))
		for _, r := range rows {
			object[r.name] = r.value
		}
		return c.showValue(object)
	}
	for _, r := range rows {
		fmt.Fprintf(c.out, "%s: %s\n", r.label, inline(r.value))
	}
	fmt.Fprintln(c.out)
	return nil
}
