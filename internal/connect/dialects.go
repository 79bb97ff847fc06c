// SPDX-License-Identifier: Apache-2.0

package connect

import (
	"slices"

	"github.com/spf13/pflag"

	"github.com/dragoman-a2a/dragoman/internal/cmdline"
	"github.com/dragoman-a2a/dragoman/server"
)

// DialectFlags are the flags of a server about protocol versions.
type DialectFlags struct {
	generations []string
	unversioned bool
	reopen      bool
	rawFiles    bool
}

// Register adds the flags.
func (d *DialectFlags) Register(flags *pflag.FlagSet) {
	flags.StringSliceVar(&d.generations, "generations", []string{"1.0", "0.3", "0.1"},
		"the protocol versions to serve; 0.3 includes 0.2")
	flags.BoolVar(&d.unversioned, "accept-unversioned", false,
		"read requests without A2A-Version as 1.0; the standard reads them as 0.3")
	flags.BoolVar(&d.reopen, "reopen-tasks", true,
		"let clients of 0.1 send messages to ended tasks; =false rejects them")
	flags.BoolVar(&d.rawFiles, "raw-files", false,
		"in 0.3 over gRPC and HTTP+JSON, read and write files as bytes instead of base64 text")
}

// Apply puts what the flags say into the options of a server.
func (d *DialectFlags) Apply(o *server.Options) error {
	o.AcceptUnversioned, o.RefuseReopening, o.RawFiles = d.unversioned, !d.reopen, d.rawFiles
	for _, name := range d.generations {
		generations, ok := Versions[name]
		if !ok || name == AnyVersion {
			return cmdline.Usagef("--generations has %q; use 1.0, 0.3, 0.2 and 0.1", name)
		}
		for _, gen := range generations {
			if !slices.Contains(o.Generations, gen) {
				o.Generations = append(o.Generations, gen)
			}
		}
	}
	return nil
}
