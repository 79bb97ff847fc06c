// SPDX-License-Identifier: Apache-2.0

//go:build unix

package coordcmd

import (
	"os/exec"
	"syscall"
)

// apart lets a command live on when the terminal or the program that started it ends.
func apart(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
