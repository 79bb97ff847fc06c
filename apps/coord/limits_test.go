// SPDX-License-Identifier: Apache-2.0

package coord

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

// A project takes data up to its limits, and no more.
func TestLimits(t *testing.T) {
	t.Parallel()
	many := func(n int, format string) []string {
		all := make([]string, n)
		for i := range all {
			all[i] = fmt.Sprintf(format, i)
		}
		return all
	}
	wait := func(c Announce) Announce {
		c.Wait = time.Minute
		return c
	}
	long := func(n int) string { return strings.Repeat("x", n) }
	for what, test := range map[string]struct {
		before func(b *bed, i int) Command // what is done so often before
		times  int
		fits   Command
		over   Command // nil: fits once more is over
	}{
		"leases": {func(_ *bed, i int) Command { return announce("a", fmt.Sprint("f", i)) }, maxLeases - 1,
			announce("a", "x"), announce("a", "y")},
		"queue": {func(_ *bed, i int) Command { return wait(announce(fmt.Sprint("s", min(i, 1)), "f")) }, maxQueue,
			wait(announce("b", "f")), wait(announce("c", "f"))},
		"paths": {func(_ *bed, i int) Command {
			return announce("a", many(maxPaths, fmt.Sprint("d", i, "/%d"))...)
		}, maxAllPaths/maxPaths - 1, announce("a", many(maxPaths, "e/%d")...), announce("b", "y")},
		"patterns": {func(_ *bed, i int) Command {
			return announce("a", many(maxClaimPatterns, fmt.Sprint("d", i, "/%d/*"))...)
		}, maxPatterns/maxClaimPatterns - 1, announce("a", many(maxClaimPatterns, "e/%d/*")...), announce("b", "y*")},
		"todos": {func(*bed, int) Command { return AddTodo{Session: "a", Item: "t"} }, maxTodos - 1,
			AddTodo{Session: "a", Item: "t"}, nil},
		"interfaces": {func(_ *bed, i int) Command {
			return Define{Session: "a", Name: fmt.Sprint(i),
				Definition: "{}"}
		}, maxInterfaces - 1, Define{Session: "a", Name: "I", Definition: "{}"},
			Define{Session: "a", Name: "J", Definition: "{}"}},
		"questions": {func(_ *bed, i int) Command { return Ask{From: "a", To: "b", Query: "?"} }, maxAsked - 1,
			Ask{From: "a", To: "b", Query: "?"}, nil},

		"paths of a claim": {nil, 0, announce("a", many(maxPaths, "f%d")...),
			announce("a", many(maxPaths+1, "g%d")...)},
		"patterns of a claim": {nil, 0, announce("a", many(maxClaimPatterns, "f%d*")...),
			announce("a", many(maxClaimPatterns+1, "g%d*")...)},
		"path":    {nil, 0, announce("a", long(maxPath)), announce("a", long(maxPath+1))},
		"pattern": {nil, 0, announce("a", long(maxPattern-1)+"*"), announce("a", long(maxPattern)+"*")},
		"name": {nil, 0, Register{Session: long(maxName), TaskID: long(maxName), Branch: long(maxName)},
			Register{Session: long(maxName + 1), TaskID: "1"}},
		"task": {nil, 0, CompleteTask{"a", long(maxName)}, CompleteTask{"a", long(maxName + 1)}},
		"branch": {nil, 0, Register{Session: "a", TaskID: "1", Branch: long(maxName)},
			Register{Session: "a", TaskID: "1", Branch: long(maxName + 1)}},
		"description": {nil, 0, Register{Session: "a", TaskID: "1", Description: long(maxShort)},
			Register{Session: "a", TaskID: "1", Description: long(maxShort + 1)}},
		"text": {nil, 0, Broadcast{Session: "a", Content: long(maxText)},
			Broadcast{Session: "a", Content: long(maxText + 1)}},
		"todo": {nil, 0, AddTodo{Session: "a", Item: long(maxText)},
			AddTodo{Session: "a", Item: long(maxText + 1)}},
		"query": {nil, 0, Ask{From: "a", To: "b", Query: long(maxText)},
			Ask{From: "a", To: "b", Query: long(maxText + 1)}},
		"response": {nil, 0, Respond{From: "a", To: "b", MessageID: "m", Response: long(maxText)},
			Respond{From: "a", To: "b", MessageID: "m", Response: long(maxText + 1)}},
		"id": {nil, 0, UpdateTodo{"a", long(maxName + maxStamp), "blocked"},
			UpdateTodo{"a", long(maxName + maxStamp + 1), "blocked"}},
		"definition": {nil, 0, Define{Session: "a", Name: "I", Definition: long(maxText)},
			Define{Session: "a", Name: "I", Definition: long(maxText + 1)}},
		"checked": {nil, 0, Conflicts{Paths: make([]string, maxChecked)},
			Conflicts{Paths: make([]string, maxChecked+1)}},
		"roots": {nil, 0, Configure{Settings{Roots: many(maxRoots, "/%d")}},
			Configure{Settings{Roots: many(maxRoots+1, "/%d")}}},
		"root": {nil, 0, Configure{Settings{Roots: []string{long(maxRoot)}}},
			Configure{Settings{Roots: []string{long(maxRoot + 1)}}}},
		"time to live": {nil, 0, Announce{Session: "a", Paths: []string{"x"}, ChangeType: "modify", TTL: 0},
			Announce{Session: "a", Paths: []string{"x"}, ChangeType: "modify", TTL: -1}},
		"wait": {nil, 0, wait(announce("a", "x")),
			Announce{Session: "a", Paths: []string{"x"}, ChangeType: "modify", Wait: -1}},
		"read":    {nil, 0, Check{Session: "a", Limit: 1}, Check{Session: "a", Limit: -1}},
		"changes": {nil, 0, RecentChanges{Limit: 1}, RecentChanges{Limit: -1}},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			b := newBed(t)
			b.as("", Register{Session: "b", TaskID: "1"})
			refused := func(c Command) bool {
				got := b.as("", c)
				return strings.Contains(got, `"code":"`+CodeLimit) || strings.Contains(got, `"code":"`+CodeInvalid)
			}
			for i := range test.times {
				if c := test.before(b, i); refused(c) {
					t.Fatalf("the %dth: %+v", i+1, c)
				}
			}
			if refused(test.fits) {
				t.Errorf("what just fits is refused: %.200s", fmt.Sprint(test.fits))
			}
			if test.over == nil {
				test.over = test.fits
			}
			if !refused(test.over) {
				t.Errorf("what is over the limit is taken: %.200s", fmt.Sprint(test.over))
			}
		})
	}
}

// Of what only the newest matters there is no more than may be.
func TestLimitsAfterADeletion(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	for i := range maxCompleted + 1 {
		b.as("", CompleteTask{"a", fmt.Sprint(i)})
	}
	for i := range maxChanges + 1 {
		b.lease(announce("a", fmt.Sprint("f", i)))
	}
	if s := b.p.state; len(s.Completed) != maxCompleted || s.Completed[0] != "1" || len(s.Changes) != maxChanges ||
		s.Changes[0].FilePath != "f1" {
		t.Errorf("%d tasks from %s on, %d changes from %s on", len(s.Completed), s.Completed[0], len(s.Changes),
			s.Changes[0].FilePath)
	}
	b.as("", Register{Session: "b", TaskID: "1"})
	b.as("", Ask{From: "a", To: "b", Query: "?"})
	for range maxInbox {
		b.as("", Broadcast{Session: "a", Content: "!"})
	}
	if s := b.p.state.Sessions.get("b"); len(s.Inbox) != maxInbox || s.Dropped != 1 || s.Inbox[0].Type != TypeQuery {
		t.Errorf("%d messages, %d dropped, the first is a %s", len(s.Inbox), s.Dropped, s.Inbox[0].Type)
	}
}

// Bad project names are refused wherever a project is named: paths of folders, and characters that no name may have.
func TestNamesOfProjects(t *testing.T) {
	t.Parallel()
	h := NewHub(nil)
	defer h.Close()
	for id, good := range map[string]bool{
		"shop": true, "a/b": true, "a:b": true, "..x": true, "x..": true, "/a": true, "a/": true, "лиса": true,
		"": false, "/": false, "//": false, "/./": false, `\`: false, "...": false, ".": false, "..": false,
		"../x": false, "a/../b": false, "a/.": false, `..\x`: false, "a\nb": false, "a\u200bb": false, "a\xff": false,
		strings.Repeat("n", 201): false,
	} {
		_, err := h.Do(t.Context(), id, "", ListAgents{})
		if _, bad := errors.AsType[*BadProjectError](err); bad == good || (CheckProject(id) == nil) != good {
			t.Errorf("%q: %v", id, err)
		}
	}
}
