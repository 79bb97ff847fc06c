// SPDX-License-Identifier: Apache-2.0

//go:build unix

package terminal

import (
	"os"

	"golang.org/x/sys/unix"
)

// terminalColumns returns how wide a terminal is.
func terminalColumns(f *os.File) int {
	size, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
	if err != nil || size.Col == 0 {
		return standardColumns
	}
	return int(size.Col)
}
