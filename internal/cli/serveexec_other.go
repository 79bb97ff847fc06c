// SPDX-License-Identifier: Apache-2.0

//go:build !unix

package cli

import "os/exec"

var shell = []string{"cmd", "/C"}

// ownGroup leaves the command as it is: it is killed alone.
func ownGroup(cmd *exec.Cmd) (kill, done func()) {
	return func() { cmd.Process.Kill() }, func() {}
}
