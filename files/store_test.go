// SPDX-License-Identifier: Apache-2.0

package files_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/files"
	"github.com/dragoman-a2a/dragoman/journal"
	"github.com/dragoman-a2a/dragoman/journal/memory"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func open(t *testing.T, dir string, opts *files.Options) *files.Store {
	t.Helper()
	s, err := files.Open(dir, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func keyOf(id a2a.TaskID) journal.Key {
	return journal.Key{Scope: journal.Scope{Agent: "a", Owner: "alice"}, ID: id}
}

func put(t *testing.T, s *files.Store, key journal.Key, content string, about files.File) *files.File {
	t.Helper()
	f, err := s.Put(t.Context(), key, strings.NewReader(content), about)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestPutAndOpen(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "files")
	f := put(t, open(t, dir, nil), keyOf("t-1"), "hello",
		files.File{MediaType: "text/plain; charset=utf-8", Name: "a/b/hello.txt"})
	sum := sha256.Sum256([]byte("hello"))
	if f.Name != "hello.txt" || f.Size != 5 || f.SHA256 != hex.EncodeToString(sum[:]) {
		t.Errorf("%+v", f)
	}
	content, got, err := open(t, dir, nil).Open(f.ID) // by the next process
	if err != nil {
		t.Fatal(err)
	}
	defer content.Close()
	if *got != *f {
		t.Errorf("%+v, want %+v", got, f)
	}
	if b, err := io.ReadAll(content); string(b) != "hello" || err != nil {
		t.Errorf("%q, %v", b, err)
	}
	info, err := os.Stat(filepath.Join(dir, "key"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the key: %v, %v", info.Mode(), err)
	}
}

func TestOpenNothing(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir(), nil)
	f := put(t, s, keyOf("t-1"), "x", files.File{})
	for _, id := range []string{"", "x", "-", "../key", f.ID[:33], f.ID + "x", strings.ToUpper(f.ID),
		f.ID[:33] + strings.Repeat("0", 32), strings.Repeat("0", 32) + "-" + strings.Repeat("0", 32), "../" + f.ID} {
		if _, _, err := s.Open(id); !errors.Is(err, files.ErrNotFound) {
			t.Errorf("%q: %v", id, err)
		}
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir, &files.Options{MaxFile: 10, MaxTotal: 25, MaxOwner: 100})
	fill := func(n int) error {
		_, err := s.Put(t.Context(), keyOf("t-1"), bytes.NewReader(make([]byte, n)), files.File{})
		return err
	}
	if err := fill(11); !errors.Is(err, files.ErrTooLarge) || !strings.Contains(err.Error(), "10 bytes") {
		t.Errorf("11 of 10: %v", err)
	}
	for range 2 {
		if err := fill(10); err != nil {
			t.Errorf("10 of 10: %v", err)
		}
	}
	if err := fill(6); !errors.Is(err, files.ErrFull) || !strings.Contains(err.Error(), "25 bytes") {
		t.Errorf("26 of 25: %v", err)
	}
	if err := fill(5); err != nil {
		t.Errorf("25 of 25: %v", err) // what did not fit takes no room
	}
	s = open(t, dir, &files.Options{MaxTotal: 25, MaxOwner: 100})
	if err := fill(1); !errors.Is(err, files.ErrFull) {
		t.Errorf("after a restart: %v", err)
	}
	if err := s.RemoveTask(keyOf("t-1")); err != nil {
		t.Fatal(err)
	}
	if err := fill(25); err != nil {
		t.Errorf("after removal: %v", err)
	}
	left, err := filepath.Glob(filepath.Join(dir, "*", "*.part"))
	if len(left) > 0 || err != nil {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// The quota limits one owner over all agents and tenants, also after a restart, and leaves room for other owners.
func TestQuota(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	of := func(agent, tenant, owner string) journal.Key {
		return journal.Key{Scope: journal.Scope{Agent: agent, Tenant: tenant, Owner: owner}, ID: "t"}
	}
	fill := func(s *files.Store, key journal.Key, n int) error {
		_, err := s.Put(t.Context(), key, bytes.NewReader(make([]byte, n)), files.File{})
		return err
	}
	s := open(t, dir, &files.Options{MaxTotal: 100}) // a tenth is 10
	if err := errors.Join(fill(s, of("a", "", "alice"), 6), fill(s, of("b", "x", "alice"), 4)); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := fill(s, of("c", "y", "alice"), 1); !errors.Is(err, files.ErrQuota) ||
			!strings.Contains(err.Error(), "10 bytes") {
			t.Errorf("11 of 10: %v", err)
		}
		if err := fill(s, of("a", "", "bob"), 5); err != nil {
			t.Errorf("bob: %v", err)
		}
		s = open(t, dir, &files.Options{MaxTotal: 100})
	}
	if err := s.RemoveTask(of("b", "x", "alice")); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(fill(s, of("c", "y", "alice"), 4)); err != nil {
		t.Errorf("after removal: %v", err)
	}
	if got := (files.Options{}).Defaults().MaxOwner; got != 1<<30 {
		t.Errorf("by default %d", got)
	}
}

// A file of which it is not known that it is on disk is neither there nor counted.
func TestUnsyncedFileIsNotThere(t *testing.T) {
	t.Parallel()
	dir, lost := t.TempDir(), errors.New("the disk is gone")
	s := open(t, dir, &files.Options{MaxOwner: 5})
	s.BreakSync(lost)
	if _, err := s.Put(t.Context(), keyOf("t-1"), strings.NewReader("12345"), files.File{}); !errors.Is(err, lost) {
		t.Errorf("%v", err)
	}
	left, err := filepath.Glob(filepath.Join(dir, "*", "*"))
	if len(left) != 1 || err != nil { // whose folder it is
		t.Errorf("left: %v, %v", left, err)
	}
	s.MendSync()
	put(t, s, keyOf("t-1"), "12345", files.File{})
	s = open(t, dir, &files.Options{MaxOwner: 5})
	if err := s.RemoveTask(keyOf("t-1")); err != nil {
		t.Fatal(err)
	}
	put(t, s, keyOf("t-1"), "12345", files.File{})
}

type broken struct{ io.Reader }

func (b broken) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

func TestBrokenUploadLeavesNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir, &files.Options{MaxOwner: 5})
	if _, err := s.Put(t.Context(), keyOf("t-1"), broken{strings.NewReader("12345")}, files.File{}); !errors.Is(err,
		io.ErrUnexpectedEOF) {
		t.Errorf("%v", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Put(ended, keyOf("t-1"), strings.NewReader("12345"), files.File{}); !errors.Is(err,
		context.Canceled) {
		t.Errorf("%v", err)
	}
	put(t, s, keyOf("t-1"), "12345", files.File{}) // all of the room is still there
}

func TestCrashLeavesNoPartOfAFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	f := put(t, open(t, dir, nil), keyOf("t-1"), "x", files.File{})
	partial := filepath.Join(dir, f.ID[:32], strings.Repeat("a", 32)+".part")
	if err := os.WriteFile(partial, []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := open(t, dir, &files.Options{MaxOwner: 2})
	if _, err := os.Stat(partial); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("it is still there: %v", err)
	}
	put(t, s, keyOf("t-1"), "y", files.File{})
}

func TestBadOptions(t *testing.T) {
	t.Parallel()
	if _, err := files.Open(t.TempDir(), &files.Options{MaxFile: -1}); err == nil ||
		!strings.Contains(err.Error(), "MaxFile") {
		t.Errorf("%v", err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "key"), []byte("abc"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := files.Open(dir, nil); err == nil || !strings.Contains(err.Error(), "remove it") {
		t.Errorf("%v", err)
	}
}

// age makes a store's files and folders older than the time that a task may take to come into the journal.
func age(t *testing.T, dir string) {
	t.Helper()
	past := time.Now().Add(-time.Hour)
	for _, pattern := range []string{"*/*", "*"} {
		names, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			if err := os.Chtimes(name, past, past); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// addTask puts a finished task into a journal.
func addTask(t *testing.T, j journal.Journal, key journal.Key, artifacts ...*a2a.Artifact) {
	t.Helper()
	status := a2a.TaskStatus{State: a2a.TaskStateCompleted, Timestamp: time.Now().Add(-time.Hour)}
	task := &a2a.Task{ID: key.ID, ContextID: "c", Status: status, Artifacts: artifacts}
	_, err := j.Append(t.Context(), &journal.Commit{
		Key: key, Create: &journal.Create{Holder: "n", TTL: time.Minute}, Release: true,
		Events: []journal.Event{{Seq: 1, Time: time.Now(), Wire: a2a.NewStreamEvent("1", task)}},
		Head:   &journal.Head{Key: key, ContextID: "c", Status: status, Created: time.Now(), Seq: 1},
		Task:   func() *a2a.Task { return task },
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestFilesGoWithTheirTask(t *testing.T) {
	t.Parallel()
	dir, j := t.TempDir(), memory.New(nil)
	defer j.Close()
	s := open(t, dir, &files.Options{Journal: j, MaxOwner: 2})
	addTask(t, j, keyOf("kept"))
	gone, kept := put(t, s, keyOf("gone"), "x", files.File{}), put(t, s, keyOf("kept"), "y", files.File{})
	exists := func(f *files.File) bool {
		content, _, err := s.Open(f.ID)
		if err == nil {
			content.Close()
		}
		return err == nil
	}
	sweep := func() {
		t.Helper()
		if err := s.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if sweep(); !exists(gone) {
		t.Error("a file is removed before its task can be in the journal")
	}
	age(t, dir)
	if sweep(); exists(gone) || !exists(kept) {
		t.Errorf("without task: %t, with it: %t", exists(gone), exists(kept))
	}
	put(t, s, keyOf("kept"), "z", files.File{}) // there is room again
	if n, err := j.Prune(t.Context(), time.Now(), 10); n != 1 || err != nil {
		t.Fatalf("%d pruned, %v", n, err)
	}
	age(t, dir)
	if sweep(); exists(kept) {
		t.Error("a file outlives its task")
	}
	left, err := filepath.Glob(filepath.Join(dir, "*"))
	if len(left) != 1 || err != nil { // the key
		t.Errorf("left: %v, %v", left, err)
	}
}

// Files that their task does not refer to, as a crash leaves them, go as well, but not those that it may yet refer to.
func TestUnnamedFilesAreSwept(t *testing.T) {
	t.Parallel()
	dir, j := t.TempDir(), memory.New(nil)
	defer j.Close()
	s := open(t, dir, nil) // without a journal it does nothing by itself
	named, unnamed := put(t, s, keyOf("t"), "x", files.File{}), put(t, s, keyOf("t"), "y", files.File{})
	addTask(t, j, keyOf("t"), &a2a.Artifact{ID: "a",
		Parts: []a2a.Part{a2a.URLPart("dragoman-file:"+named.ID+"/x", "", "")}})
	exists := func(f *files.File) bool {
		content, _, err := s.Open(f.ID)
		if err == nil {
			content.Close()
		}
		return err == nil
	}
	restart := func() {
		t.Helper()
		s = open(t, dir, &files.Options{Journal: j, MaxOwner: 4})
		if err := s.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if restart(); !exists(unnamed) {
		t.Error("a file is removed before its task can refer to it")
	}
	age(t, dir)
	late := put(t, s, keyOf("t"), "z", files.File{})
	folder, past := filepath.Join(dir, late.ID[:32]), time.Now().Add(-11*time.Minute)
	if err := os.Chtimes(folder, past, past); err != nil {
		t.Fatal(err)
	}
	if restart(); exists(unnamed) || !exists(named) || !exists(late) {
		t.Errorf("unnamed: %t, named: %t, late: %t", exists(unnamed), exists(named), exists(late))
	}
	put(t, s, keyOf("t"), "12", files.File{}) // there is room again
}

// A store with a journal sweeps by itself when it is opened.
func TestSweepAtTheStart(t *testing.T) {
	t.Parallel()
	dir, j := t.TempDir(), memory.New(nil)
	defer j.Close()
	put(t, open(t, dir, nil), keyOf("gone"), "x", files.File{})
	age(t, dir)
	open(t, dir, &files.Options{Journal: j})
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		left, err := filepath.Glob(filepath.Join(dir, "*"))
		if err != nil {
			t.Fatal(err)
		}
		if len(left) == 1 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("left: %v", left)
		}
	}
}
