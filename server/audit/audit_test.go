// SPDX-License-Identifier: Apache-2.0

package audit_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/dragoman-a2a/dragoman/server/audit"
)

func open(t *testing.T, path string) *audit.Log {
	t.Helper()
	l, err := audit.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func closed(t *testing.T, l *audit.Log) {
	t.Helper()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
}

func appendN(t *testing.T, l *audit.Log, from, n int) {
	t.Helper()
	for i := range n {
		if err := l.Append(t.Context(), audit.Record{Time: time.Unix(int64(from+i), 0).UTC(), Subject: "ann",
			Operation: "SendMessage", Task: fmt.Sprint(from + i), Result: "ok"}); err != nil {
			t.Fatal(err)
		}
	}
}

func TestAppendAndVerify(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	want := audit.Record{Time: time.Unix(1, 2).UTC(), Subject: `a"b`, Client: "cli",
		Actors: []string{"host", "gateway"},
		Agent:  "clock", Operation: "GetTask", Task: `t","hash":"x`, Context: "c", Result: "TASK_NOT_FOUND",
		RequestID: "r", Trace: "4bf92f3577b34da6a3ce929d0e0e4736"}
	l := open(t, path)
	if err := l.Append(t.Context(), want); err != nil {
		t.Fatal(err)
	}
	closed(t, l)
	l = open(t, path) // the chain goes on
	appendN(t, l, 2, 9)
	closed(t, l)
	if err := l.Append(t.Context(), want); err == nil {
		t.Error("a closed log takes records")
	}

	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var all []audit.Record
	head, err := audit.Verify(bytes.NewReader(text), func(r audit.Record) { all = append(all, r) })
	if err != nil || head.Lines != 10 || len(head.Hash) != 64 {
		t.Fatalf("%+v, %v", head, err)
	}
	if diff := cmp.Diff(want, all[0]); diff != "" || all[9].Task != "10" {
		t.Errorf("%s %+v", diff, all[9])
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("others can read the log: %v, %v", info.Mode(), err)
	}
}

// Each change of a line, each line that is missing, doubled, put in or moved is found, and its place is named.
func TestTampering(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	l := open(t, path)
	appendN(t, l, 1, 10)
	closed(t, l)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(strings.TrimSuffix(string(text), "\n"), "\n")
	other := filepath.Join(t.TempDir(), "other.jsonl")
	l = open(t, other)
	appendN(t, l, 100, 10)
	closed(t, l)
	foreign, err := os.ReadFile(other)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		lines []string
		want  string
	}{
		"changed": {slices.Concat(lines[:4], []string{strings.Replace(lines[4], "ann", "bob", 1)},
			lines[5:]), "line 5: it was changed"},
		"missing": {slices.Concat(lines[:4], lines[5:]), "line 5: it has the number 6"},
		"doubled": {slices.Concat(lines[:4], lines[3:]), "line 5: it has the number 4"},
		"moved": {slices.Concat(lines[:4], lines[5:6], lines[4:5], lines[6:]),
			"line 5: it has the number 6"},
		"replaced": {slices.Concat(lines[:4], strings.SplitAfter(string(foreign), "\n")[4:5],
			lines[5:]), "line 5: it does not follow"},
		"the beginning is missing": {lines[1:], "line 1: it has the number 2"},
		"something else":           {slices.Concat(lines[:4], []string{"hello\n"}, lines[5:]), "line 5: it is no line"},
	} {
		_, err := audit.Verify(strings.NewReader(strings.Join(c.lines, "")), nil)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
	whole, _ := audit.Verify(bytes.NewReader(text), nil)
	cut, err := audit.Verify(strings.NewReader(strings.Join(lines[:9], "")), nil)
	if err != nil || cut == whole {
		t.Errorf("the end is missing: %+v, %v; the head should differ", cut, err)
	}
}

// A process that dies in the middle of a line loses that record, and the chain goes on.
func TestUnfinishedLine(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	l := open(t, path)
	appendN(t, l, 1, 3)
	closed(t, l)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, cut := range []int{1, 2, 20, 100} {
		if err := os.WriteFile(path, text[:len(text)-cut], 0o600); err != nil {
			t.Fatal(err)
		}
		l := open(t, path)
		appendN(t, l, 3, 1)
		closed(t, l)
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if head, err := audit.Verify(bytes.NewReader(got), nil); err != nil || head.Lines != 3 {
			t.Errorf("cut by %d: %+v, %v", cut, head, err)
		}
	}
	for _, bad := range []string{"hello\n", "hello", strings.Repeat("x", 1<<20)} {
		if err := os.WriteFile(path, []byte(bad), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := audit.Open(path); err == nil {
			t.Errorf("%.10q is continued", bad)
		}
	}
}

// Names come from callers. None makes a record fail, or the log one that cannot be opened again.
func TestStrangeNames(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	l := open(t, path)
	for _, name := range []string{strings.Repeat("x", 1023) + "é", "\xff", "a\nb", strings.Repeat("y", 200_000)} {
		r := audit.Record{Time: time.Unix(1, 0), Subject: name, Actors: []string{name}, Operation: name, Result: "ok"}
		if err := l.Append(t.Context(), r); err != nil {
			t.Errorf("%.10q: %v", name, err)
		}
	}
	if err := l.Append(t.Context(), audit.Record{Time: time.Date(20000, 1, 1, 0, 0, 0, 0, time.UTC)}); err == nil {
		t.Error("a time that JSON cannot hold is taken")
	}
	closed(t, l)
	closed(t, l) // once more does nothing
	l = open(t, path)
	appendN(t, l, 1, 1)
	closed(t, l)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if head, err := audit.Verify(bytes.NewReader(text), nil); err != nil || head.Lines != 5 {
		t.Errorf("%+v, %v", head, err)
	}
}

func TestOneWriter(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	l := open(t, path)
	if _, err := audit.Open(path); err == nil || !strings.Contains(err.Error(), "is open in another process") {
		t.Errorf("a second writer: %v", err)
	}
	closed(t, l)
	closed(t, open(t, path))
}

func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	l := open(t, path)
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() { appendN(t, l, i*100, 100) })
	}
	all.Wait()
	closed(t, l)
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if head, err := audit.Verify(f, nil); err != nil || head.Lines != 2000 {
		t.Errorf("%+v, %v", head, err)
	}
}

func BenchmarkAppend(b *testing.B) {
	l, err := audit.Open(filepath.Join(b.TempDir(), "audit.jsonl"))
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	b.RunParallel(func(p *testing.PB) {
		for p.Next() {
			if err := l.Append(b.Context(),
				audit.Record{Subject: "ann", Operation: "GetTask", Result: "ok"}); err != nil {
				b.Error(err)
			}
		}
	})
}
