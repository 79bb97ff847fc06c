// SPDX-License-Identifier: Apache-2.0

//go:build !unix

package execagent

import "os/exec"

// Shell returns the command that runs a line of the shell.
func Shell(line string) []string { return []string{"cmd", "/C", line} }

// ownGroup leaves the command as it is: it is killed alone.
func ownGroup(cmd *exec.Cmd) (kill, done func()) {
	return func() { cmd.Process.Kill() }, func() {}
}
