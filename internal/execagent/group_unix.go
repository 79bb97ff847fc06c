// SPDX-License-Identifier: Apache-2.0

//go:build unix

package execagent

import (
	"errors"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

// Shell returns the command that runs a line of the shell.
func Shell(line string) []string { return []string{"/bin/sh", "-c", line} }

// ownGroup runs a command in a process group of its own, which is asked to end when the command is cancelled, and
// killed when it does not, or by kill. Call done when the command has ended: it kills what a cancelled command has left
// behind.
func ownGroup(cmd *exec.Cmd) (kill, done func()) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	var killing *time.Timer
	var mu sync.Mutex
	kill = func() { syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.Cancel = func() error {
		mu.Lock()
		defer mu.Unlock()
		if killing == nil {
			killing = time.AfterFunc(killAfter, kill)
		}
		err := syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM)
		if errors.Is(err, syscall.ESRCH) {
			return os.ErrProcessDone
		}
		return err
	}
	return kill, func() {
		mu.Lock()
		defer mu.Unlock()
		if killing != nil && killing.Stop() {
			kill()
		}
	}
}
