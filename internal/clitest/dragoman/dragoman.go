// SPDX-License-Identifier: Apache-2.0

// Package dragoman runs the whole program in tests of its commands.
package dragoman

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/internal/a2atest"
	"github.com/dragoman-a2a/dragoman/internal/cli"
	"github.com/dragoman-a2a/dragoman/internal/clitest"
)

// Main is TestMain of packages whose tests run the program.
func Main(m *testing.M) { clitest.Main(m, map[string]func() int{"dragoman": cli.Main}) }

// Result is what a run leaves behind.
type Result struct {
	Code           int
	Stdout, Stderr string
}

// Run runs the program in this process, with an empty environment and standard input.
func Run(ctx context.Context, args ...string) Result {
	var out, err bytes.Buffer
	r := cli.Run{
		Program: "dragoman", Args: args, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &err,
		LookupEnv: func(string) (string, bool) { return "", false },
	}
	code := r.Do(ctx)
	return Result{code, out.String(), err.String()}
}

// ServeAgent serves an agent until the test ends, and returns its URL.
func ServeAgent(t *testing.T, a agent.Agent) string {
	modes := []string{"text/plain"}
	return a2atest.Serve(t, a, &a2a.AgentCard{Name: "Test", Description: "For tests", Version: "1",
		DefaultInputModes: modes, DefaultOutputModes: modes})
}
