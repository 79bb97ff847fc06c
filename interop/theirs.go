// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os/exec"
	"strings"
	"time"
)

// A result is what became of one scenario. The clients of peers write it as one line of JSON.
type result struct {
	Scenario string
	OK       bool
	Absent   bool   // the implementation has no such call
	Detail   string // worth showing
}

// playClient lets a peer's client talk to our servers at two URLs and reads what it says of that.
func (l *lab) playClient(ctx context.Context, r *row, currency, probe string) map[string]result {
	cmd := r.program.command(ctx, r.program.client, currency, probe, r.transport)
	if expected(r, "host") {
		cmd.Env = append(cmd.Environ(), "DRAGOMAN_HOST_URL="+l.host)
	}
	if expected(r, "login") {
		cmd.Env = append(cmd.Environ(), "DRAGOMAN_GUARDED_URL="+l.guarded)
	}
	return l.playProgram(r, cmd)
}

// playProgram runs a client and reads its results.
func (l *lab) playProgram(r *row, cmd *exec.Cmd) map[string]result {
	var stdout bytes.Buffer
	cmd.Stdout = &stdout
	var tail tail
	cmd.Stderr = io.MultiWriter(&output{lab: l, cmd: cmd}, &tail)
	cmd.WaitDelay = 5 * time.Second
	err := cmd.Run()
	results := readResults(stdout.Bytes())
	if err == nil {
		return results
	}
	// The first scenario without a result fails with the error of the program.
	for _, s := range scenarios {
		if _, said := results[s]; !said && expected(r, s) {
			results[s] = result{Scenario: s, Detail: err.Error() + ": " + tail.String()}
			break
		}
	}
	return results
}

// readResults reads the lines that are results; some SDKs log to standard output, too.
func readResults(out []byte) map[string]result {
	results := map[string]result{}
	for line := range bytes.Lines(out) {
		var r result
		if bytes.HasPrefix(line, []byte("{")) && json.Unmarshal(line, &r) == nil && r.Scenario != "" {
			results[r.Scenario] = r
		}
	}
	return results
}

// A tail keeps the end of what is written to it.
type tail struct{ kept []byte }

func (t *tail) Write(p []byte) (int, error) {
	t.kept = append(t.kept, p...)
	t.kept = t.kept[max(0, len(t.kept)-600):]
	return len(p), nil
}

func (t *tail) String() string { return strings.TrimSpace(string(t.kept)) }
