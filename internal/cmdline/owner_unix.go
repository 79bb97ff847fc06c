// SPDX-License-Identifier: Apache-2.0

//go:build unix

package cmdline

import (
	"io/fs"
	"os"
	"syscall"
)

// IsForeign reports whether a file belongs to somebody who is neither the user nor the administrator.
func IsForeign(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && stat.Uid != 0 && int(stat.Uid) != os.Geteuid()
}
