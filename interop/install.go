// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
)

// An unreachableError says that a registry could not be asked.
type unreachableError struct{ cause error }

func (e *unreachableError) Error() string {
	return "there is no network to install it from: " + e.cause.Error()
}

func (e *unreachableError) Unwrap() error { return e.cause }

// noNetwork matches what pip, npm and go say when they reach nothing.
var noNetwork = regexp.MustCompile(`(?i)NewConnectionError|name resolution|network is unreachable|no such host|` +
	`connection refused|i/o timeout|ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ENETUNREACH|ECONNRESET`)

// A program is how the two roles of a peer are started: name and first arguments, the folder, and the environment.
type program struct {
	client, agent []string
	folder        string
	env           []string
}

// command returns a command with the arguments of a role after its own.
func (p *program) command(ctx context.Context, role []string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, role[0], append(role[1:len(role):len(role)], args...)...)
	cmd.Dir, cmd.Env = p.folder, append(os.Environ(), p.env...)
	return cmd
}

// install makes a peer ready to run, from the cache if it is there.
func install(ctx context.Context, cache string, p *peer) (*program, error) {
	source, err := filepath.Abs(filepath.Join("peers", filepath.FromSlash(p.folder)))
	if err != nil {
		return nil, err
	}
	switch p.kind {
	case python, plainPython:
		return installPython(ctx, cache, source, p)
	case javaScript:
		return installJavaScript(ctx, cache, source)
	default:
		return installGo(ctx, cache, source)
	}
}

func installPython(ctx context.Context, cache, source string, p *peer) (*program, error) {
	interpreter, err := exec.LookPath("python3")
	if err != nil {
		return nil, errors.New("there is no python3 on the PATH; install Python 3.10 or later with its modules venv " +
			"and pip")
	}
	if p.kind == python {
		venv, err := cached(ctx, cache, source, "requirements.txt", func(folder string) error {
			if err := quietly(exec.CommandContext(ctx, interpreter, "-m", "venv", folder)); err != nil {
				return fmt.Errorf("%w; install Python's modules venv and pip (python3-venv on Debian and Ubuntu)", err)
			}
			// a2a-min asks for a newer Python than it needs.
			return quietly(exec.CommandContext(ctx, inVenv(folder), "-m", "pip", "install", "--quiet", "--no-input",
				"--disable-pip-version-check", "--no-deps", "--ignore-requires-python", "-r",
				filepath.Join(source, "requirements.txt")))
		})
		if err != nil {
			return nil, err
		}
		interpreter = inVenv(venv)
	}
	return &program{
		client: []string{interpreter, "client.py"}, agent: []string{interpreter, "agent.py"}, folder: source,
		env: []string{"PYTHONPATH=" + pythonPath(source), "PYTHONDONTWRITEBYTECODE=1"},
	}, nil
}

// pythonPath returns where the programs find what they share: beside their own folder, and with the SDKs'.
func pythonPath(source string) string {
	beside := filepath.Dir(source)
	return beside + string(os.PathListSeparator) + filepath.Join(filepath.Dir(beside), "python")
}

func inVenv(folder string) string {
	if runtime.GOOS == "windows" {
		return filepath.Join(folder, "Scripts", "python.exe")
	}
	return filepath.Join(folder, "bin", "python")
}

func installJavaScript(ctx context.Context, cache, source string) (*program, error) {
	node, err := exec.LookPath("node")
	if err != nil {
		return nil, errors.New("there is no node on the PATH; install Node.js 20 or later")
	}
	npm, err := exec.LookPath("npm")
	if err != nil {
		return nil, errors.New("there is no npm on the PATH; install Node.js 20 or later with npm")
	}
	folder, err := cached(ctx, cache, source, "package-lock.json", func(folder string) error {
		for _, name := range []string{"package.json", "package-lock.json"} {
			if err := copyFile(filepath.Join(folder, name), filepath.Join(source, name)); err != nil {
				return err
			}
		}
		cmd := exec.CommandContext(ctx, npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund")
		cmd.Dir = folder
		return quietly(cmd)
	})
	if err != nil {
		return nil, err
	}
	// Node looks for modules beside the program, so the programs go where the modules are.
	programs, err := filepath.Glob(filepath.Join(source, "*.mjs"))
	if err != nil {
		return nil, err
	}
	shared, err := filepath.Glob(filepath.Join(filepath.Dir(source), "*.mjs"))
	if err != nil {
		return nil, err
	}
	for _, from := range append(programs, shared...) {
		if err := copyFile(filepath.Join(folder, filepath.Base(from)), from); err != nil {
			return nil, err
		}
	}
	return &program{client: []string{node, "client.mjs"}, agent: []string{node, "agent.mjs"}, folder: folder}, nil
}

func installGo(ctx context.Context, cache, source string) (*program, error) {
	binary := filepath.Join(cache, "go-"+filepath.Base(source))
	if runtime.GOOS == "windows" {
		binary += ".exe"
	}
	cmd := exec.CommandContext(ctx, "go", "build", "-o", binary, ".")
	cmd.Dir = source
	if err := quietly(cmd); err != nil {
		return nil, err
	}
	return &program{client: []string{binary, "client"}, agent: []string{binary, "agent"}, folder: source}, nil
}

// cached returns the folder of what fill installs, which is named by the lock file it installs from, and lets fill do
// that if it has not come to its end there yet.
func cached(ctx context.Context, cache, source, lock string, fill func(folder string) error) (string, error) {
	pins, err := os.ReadFile(filepath.Join(source, lock))
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(pins)
	folder := filepath.Join(cache, fmt.Sprintf("%s-%s-%x", filepath.Base(filepath.Dir(source)), filepath.Base(source),
		sum[:6]))
	done := filepath.Join(folder, ".installed")
	if _, err := os.Stat(done); err == nil {
		return folder, nil
	}
	if err := os.RemoveAll(folder); err != nil { // of an installation that was interrupted
		return "", err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", err
	}
	if err := fill(folder); err != nil {
		return "", errors.Join(err, ctx.Err())
	}
	return folder, os.WriteFile(done, nil, 0o644)
}

// quietly runs a command whose output matters only when it fails.
func quietly(cmd *exec.Cmd) error {
	out, err := cmd.CombinedOutput()
	if err == nil {
		return nil
	}
	if len(out) > 2000 {
		out = out[len(out)-2000:]
	}
	err = fmt.Errorf("%s %s: %w\n%s", filepath.Base(cmd.Path), cmd.Args[1], err, out)
	if noNetwork.Match(out) {
		return &unreachableError{err}
	}
	return err
}

func copyFile(to, from string) error {
	content, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, content, 0o644)
}
