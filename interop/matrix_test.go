// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dragoman-a2a/dragoman/a2a"
)

var tested = &peer{name: "Peer", version: "1.2", kind: golang, generation: a2a.Generation03,
	transports: []string{a2a.BindingJSONRPC, a2a.BindingGRPC}}

// played returns a row in which everything that is expected went well, but for what change does.
func played(d direction, change func(map[string]result)) *row {
	r := &row{peer: tested, direction: d, transport: a2a.BindingJSONRPC, results: map[string]result{}}
	for _, s := range scenarios {
		if expected(r, s) {
			r.results[s] = result{Scenario: s, OK: true}
		}
	}
	if change != nil {
		change(r.results)
	}
	return r
}

func fail(scenario string) func(map[string]result) {
	return func(m map[string]result) { m[scenario] = result{Scenario: scenario, Detail: "why"} }
}

func TestKnownFaultsNameWhatThereIs(t *testing.T) {
	t.Parallel()
	if _, err := readKnown(); err != nil {
		t.Error(err)
	}
}

func TestFaultsAreChecked(t *testing.T) {
	t.Parallel()
	good := func() *fault {
		return &fault{Peer: peers[0].title(), Direction: fromPeer, Transports: []string{a2a.BindingGRPC},
			Scenarios: []string{"send"}, Reason: "because"}
	}
	if err := good().check(); err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func(*fault){
		"peer":      func(f *fault) { f.Peer = "nobody 1.0" },
		"direction": func(f *fault) { f.Direction = "up" },
		"transport": func(f *fault) { f.Transports = []string{"MAIL"} },
		"scenario":  func(f *fault) { f.Scenarios = []string{"sing"} },
		"no reason": func(f *fault) { f.Reason = "" },
		"no cell":   func(f *fault) { f.Scenarios = nil },
	} {
		f := good()
		spoil(f)
		if f.check() == nil {
			t.Errorf("%s: taken", name)
		}
	}
}

func TestVerdict(t *testing.T) {
	t.Parallel()
	known := []*fault{{Peer: "Peer 1.2", Direction: fromPeer, Transports: []string{a2a.BindingJSONRPC},
		Scenarios: []string{"get"}, Reason: "because"}}
	for name, c := range map[string]struct {
		row      *row
		complete bool
		err      string // part of the verdict; empty for none
		summary  string
	}{
		"all green, nothing left out": {played(fromPeer, nil), true, "known.json explains what is not red",
			"11 ok, 0 explained, 0 FAIL"},
		"all green, but not the whole": {played(fromPeer, nil), false, "", "11 ok, 0 explained, 0 FAIL"},
		"what is known":                {played(fromPeer, fail("get")), true, "", "10 ok, 1 explained, 0 FAIL"},
		"something else": {played(fromPeer, fail("send")), false, "1 red cells",
			"10 ok, 0 explained, 1 FAIL"},
		"known, but in another direction": {played(toPeer, fail("get")), false, "1 red cells",
			"11 ok, 0 explained, 1 FAIL"},
		"not reached": {played(fromPeer, func(m map[string]result) { delete(m, "push") }), false,
			"1 red cells", "10 ok, 0 explained, 1 FAIL"},
		"no such call": {
			played(fromPeer, func(m map[string]result) { m["resubscribe"] = result{Absent: true} }), false, "",
			"10 ok, 0 explained, 0 FAIL",
		},
	} {
		m := judge([]*row{c.row}, known, c.complete)
		if err := m.verdict(); (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: verdict %v, want %q", name, err, c.err)
		}
		if m.summary() != c.summary {
			t.Errorf("%s: %s, want %s", name, m.summary(), c.summary)
		}
		if m.text() == "" || strings.Contains(m.text(), "FAIL") != (m.count(red) > 0) {
			t.Errorf("%s: %s", name, m.text())
		}
	}
}

func TestMarkdown(t *testing.T) {
	t.Parallel()
	known := []*fault{{Peer: "Peer 1.2", Direction: fromPeer, Transports: []string{a2a.BindingJSONRPC},
		Scenarios: []string{"get"}, Reason: "because"}}
	text := judge([]*row{played(fromPeer, fail("get")), played(toPeer, nil)}, known, true).markdown()
	for _, line := range []string{
		"| Peer 1.2 | 0.3 | JSONRPC | ok | ok | ok | ok | [1] | ok | ok | ok | ok | ok | ok |", // neither list nor cli
		"| Peer 1.2 | 0.3 | JSONRPC | ok | ok | ok | ok | ok | ok | ok | ok | ok | ok | ok | ok |",
		"1. Peer 1.2, client over JSONRPC: because",
	} {
		if !slices.Contains(strings.Split(text, "\n"), line) {
			t.Errorf("no line %q in\n%s", line, text)
		}
	}
}

func TestResultsAreFoundAmongLogs(t *testing.T) {
	t.Parallel()
	got := readResults(
		[]byte("starting\n{\"level\":\"info\"}\n{\"scenario\":\"send\",\"ok\":true,\"detail\":\"x\"}\n{broken\n" +
			"{\"scenario\":\"get\",\"ok\":false,\"absent\":true,\"detail\":\"none\"}"))
	if len(got) != 2 || !got["send"].OK || got["send"].Detail != "x" || !got["get"].Absent {
		t.Errorf("%+v", got)
	}
}

func TestMissingPeersFailOnlyWhereTheyShouldBe(t *testing.T) {
	t.Parallel()
	noTool := []skip{{tested, errors.New("there is no node on the PATH")}}
	noNet := []skip{{tested, &unreachableError{errors.New("no such host")}}}
	for name, c := range map[string]struct {
		skipped []skip
		strict  bool
		fails   bool
	}{
		"a tool, at home": {noTool, false, false}, "a tool, in CI": {noTool, true, true},
		"the network, in CI": {noNet, true, false},
	} {
		if err := missing(c.skipped, c.strict); (err != nil) != c.fails {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestRowsAreChosen(t *testing.T) {
	t.Parallel()
	count := func(pattern string) (n int) {
		l := &lab{settings: &settings{rows: regexp.MustCompile(pattern)}}
		for _, p := range peers {
			n += len(l.wanted(p))
		}
		return n
	}
	clients, agents := 0, 0 // of frameworks: clients have four rows each, agents three
	for _, p := range peers {
		if p.framework && slices.Contains(p.directions(), asClient) {
			clients++
		}
		if p.framework && slices.Contains(p.directions(), asAgent) {
			agents++
		}
	}
	for pattern, want := range map[string]int{
		"": 85 + 4*clients + 3*agents, "gateway": 4 + clients + agents, "as client, host": clients,
		"google-adk.*as agent": 3, "coordinator|bridge": 37,
		`Python a2a-sdk 1\.3\.0, agent`: 3, "documents.*client": 1, "nobody": 0,
	} {
		if n := count(pattern); n != want {
			t.Errorf("%q chooses %d rows, want %d", pattern, n, want)
		}
	}
}
