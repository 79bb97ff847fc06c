// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

const jsPeerName = "JS SDK 1.3.0"

// startJS starts the agent of peers/js, whose dependencies are installed as its lock file says the first time.
func startJS(ctx context.Context) (*process, error) {
	folder := filepath.Join("peers", "js") // go run and make bench start here
	node, err := exec.LookPath("node")
	if err != nil {
		return nil, errors.New("there is no node on the PATH; install Node.js 20 or later")
	}
	if _, err := os.Stat(filepath.Join(folder, "node_modules", "@a2a-js", "sdk")); err != nil {
		install := exec.CommandContext(ctx, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
		install.Dir = folder
		if out, err := install.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("npm ci in bench/peers/js: %w\n%s", err, out)
		}
	}
	cmd := exec.Command(node, "server.mjs")
	cmd.Dir = folder
	return start(ctx, jsPeerName, cmd)
}
