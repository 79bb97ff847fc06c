// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// envPrefixes begin the names of variables, the one that counts first at the front. The second is that of the A2A
// command-line specification, so that what is set up for another tool works here too.
var envPrefixes = []string{"DRAGOMAN_", "A2ACLI_"}

// onlyFlags are options that no variable sets: whether the output is a stream must be visible in the command, and the
// parts of a message have an order. Help and version are no options at all.
var onlyFlags = []string{"stream", "help", "version"}

// secrets are options whose values are never shown.
var secrets = []string{"bearer", "svc-param"}

// annotationPart marks the flags of a message's parts, as one of them has the name of an option of serve.
const annotationPart = "part"

func takesEnvironment(f *pflag.Flag) bool {
	_, part := f.Annotations[annotationPart]
	return !part && !slices.Contains(onlyFlags, f.Name)
}

// fromEnvironment returns the value of the variable for a flag, and the variable's name; "" when there is none. An
// empty variable counts as none.
func (c *command) fromEnvironment(flag string) (value, variable string) {
	suffix := strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
	for _, prefix := range envPrefixes {
		if value, ok := c.LookupEnv(prefix + suffix); ok && value != "" {
			return value, prefix + suffix
		}
	}
	return "", ""
}

// fillFromEnvironment sets the flags of cmd that the command line leaves out.
func (c *command) fillFromEnvironment(cmd *cobra.Command) error {
	var failed error
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Changed {
			c.origin[f.Name] = "flag"
			return
		}
		if failed != nil || !takesEnvironment(f) {
			return
		}
		value, variable := c.fromEnvironment(f.Name)
		if variable == "" {
			return
		}
		if err := f.Value.Set(value); err != nil {
			failed = usagef("%s: %v", variable, err)
			return
		}
		c.origin[f.Name] = variable
	})
	return failed
}

func afterFirst(path string) string {
	_, rest, found := strings.Cut(path, " ")
	if !found {
		return ""
	}
	return " " + rest
}
