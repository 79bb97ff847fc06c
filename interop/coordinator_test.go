// SPDX-License-Identifier: Apache-2.0

package main

import (
	"slices"
	"strings"
	"testing"
)

// A client that plays all scripts calls all tools.
func TestScriptsCallAllTools(t *testing.T) {
	t.Parallel()
	scripts, err := readScripts()
	if err != nil {
		t.Fatal(err)
	}
	called := map[string]bool{}
	for _, script := range scripts {
		for line := range strings.Lines(script) {
			if who, call, ok := strings.Cut(line, "> "); ok && !strings.Contains(who, " ") {
				tool, _, _ := strings.Cut(call, " ")
				called[tool] = true
			}
		}
	}
	for _, tool := range coordTools {
		if !called[tool] {
			t.Errorf("no script calls %s", tool)
		}
	}
	if len(coordTools) != 19+2 {
		t.Errorf("%d tools", len(coordTools))
	}
}

// There are rows for both transports, each with the revisions that a client speaks.
func TestRowsOfClientsOfMCP(t *testing.T) {
	t.Parallel()
	rows := map[direction]int{}
	for _, p := range peers {
		for _, d := range p.directions() {
			if p.mcp != (d == toCoordinator || d == toBridge) {
				t.Errorf("%s has rows for %s", p.title(), d)
			}
			if p.mcp {
				rows[d] += len(p.over(d))
			}
		}
	}
	if rows[toCoordinator] != 8+6+4+6+1 || rows[toBridge] != 2+4+2+4 {
		t.Errorf("rows: %v", rows)
	}
	r := &row{peer: peers[0], direction: fromPeer}
	for _, s := range ofOthers[toCoordinator] {
		if expected(r, s) != slices.Contains(ofA2A, s) {
			t.Errorf("%s: %t", s, expected(r, s))
		}
	}
}

// An answer of the bridge that is another one than it should be is red.
func TestAnswersOfTheBridgeAreCompared(t *testing.T) {
	t.Parallel()
	answer := func(texts ...string) *mcpAnswer {
		a := &mcpAnswer{}
		for _, text := range texts {
			a.Content = append(a.Content, mcpContent{"text", text})
		}
		return a
	}
	const end = `{"status":"completed","task_id":"1"}`
	if _, err := says(answer("hello", end), "hello", "completed"); err != nil {
		t.Error(err)
	}
	failed := answer("hello", end)
	failed.Failed = true
	for name, bad := range map[string]*mcpAnswer{
		"text": answer("bye", end), "status": answer("hello", `{"status":"failed","task_id":"1"}`), "failed": failed,
		"no task":   answer("hello", `{"status":"completed"}`),
		"no report": answer("hello"), "nothing": answer(),
	} {
		if _, err := says(bad, "hello", "completed"); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
}
