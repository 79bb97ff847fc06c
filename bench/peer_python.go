// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
)

const pythonPeerName = "Python SDK 1.3.0"

// startPython starts the agent of peers/python under uvicorn. The first time it installs what requirements.txt pins
// into a virtual environment beside the program.
func startPython(ctx context.Context) (*process, error) {
	folder := filepath.Join("peers", "python") // go run and make bench start here
	python := filepath.Join(folder, ".venv", "bin", "python")
	if runtime.GOOS == "windows" {
		python = filepath.Join(folder, ".venv", "Scripts", "python.exe")
	}
	installed := filepath.Join(folder, ".venv", "installed")
	if _, err := os.Stat(installed); err != nil {
		interpreter, err := exec.LookPath("python3")
		if err != nil {
			return nil, errors.New("there is no python3 on the PATH; install Python 3.10 or later with its modules " +
				"venv and pip")
		}
		for _, step := range []*exec.Cmd{
			exec.CommandContext(ctx, interpreter, "-m", "venv", filepath.Join(folder, ".venv")),
			exec.CommandContext(ctx, python, "-m", "pip", "install", "--quiet", "--no-input",
				"--disable-pip-version-check",
				"--no-deps", "-r", filepath.Join(folder, "requirements.txt")),
		} {
			if out, err := step.CombinedOutput(); err != nil {
				return nil, fmt.Errorf("%s: %w\n%s", step, err, out)
			}
		}
		if err := os.WriteFile(installed, nil, 0o644); err != nil {
			return nil, err
		}
	}
	return start(ctx, pythonPeerName, exec.Command(python, filepath.Join(folder, "server.py")))
}
