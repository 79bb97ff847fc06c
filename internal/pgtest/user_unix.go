// SPDX-License-Identifier: Apache-2.0

//go:build unix

package pgtest

import (
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"syscall"
)

// give makes a folder that of the user that the server runs as.
func give(dir string) error {
	cred := credential()
	if cred == nil {
		return nil
	}
	return os.Chown(dir, int(cred.Uid), int(cred.Gid))
}

// demote has a program run as that user.
func demote(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Credential: credential()} }

// credential is nil for a user other than root, as whom the server runs.
func credential() *syscall.Credential {
	if os.Geteuid() != 0 {
		return nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		if u, err := user.Lookup(name); err == nil {
			uid, _ := strconv.ParseUint(u.Uid, 10, 32)
			gid, _ := strconv.ParseUint(u.Gid, 10, 32)
			return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
		}
	}
	return nil
}
