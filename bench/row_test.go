// SPDX-License-Identifier: Apache-2.0

package main

import "testing"

func TestSummary(t *testing.T) {
	t.Parallel()
	met := row{Case: "chunks", Marks: []mark{atLeast("ratio", 2, 1, "")}}
	short := row{Case: "send", Conns: 64, Marks: []mark{atLeast("ratio", 1, 2, "")}}
	rows := []row{met, {Case: "no target"}}
	for want, with := range map[string][]row{
		"All 1 rows with a target meet it.":                          rows,
		"Of 2 rows with a target 1 meet it and 1 do not: send (64).": append(rows, short),
	} {
		for i := range with {
			with[i].judge()
		}
		if got := summary(with); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
