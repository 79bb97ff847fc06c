// SPDX-License-Identifier: Apache-2.0

package files

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/journal"
)

const (
	sweepInterval = time.Hour // like the journal's own upkeep
	// grace is how old a folder is at least before it can be without a task, and a file before its task can be without
	// a reference to it: a file is written before the event that shows it is committed, and that may be the task's
	// first.
	grace = 10 * time.Minute
)

func (s *Store) sweepLoop(ctx context.Context) {
	tick := time.NewTicker(sweepInterval)
	defer tick.Stop()
	for {
		if err := s.Sweep(ctx); err != nil && ctx.Err() == nil {
			s.opts.Logger.Warn("cannot remove files of removed tasks; trying again later", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// Sweep removes the files of tasks that the journal no longer has, and the files that their task does not refer to. A
// crash can leave those behind when an artifact was replaced or an event was refused. The store sweeps by itself once
// an hour, because the journal does not report the tasks that it deletes. Without a Journal, Sweep removes nothing.
func (s *Store) Sweep(ctx context.Context) error {
	if s.opts.Journal == nil {
		return nil
	}
	s.sweeping.Lock()
	defer s.sweeping.Unlock()
	begun := time.Now()
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return fmt.Errorf("files: %w", err)
	}
	for _, e := range entries {
		if !e.IsDir() || !isHex(e.Name()) || ctx.Err() != nil {
			continue
		}
		err = errors.Join(err, s.sweepFolder(ctx, e))
	}
	if err = errors.Join(err, ctx.Err()); err == nil {
		s.swept = begun
	}
	return err
}

func (s *Store) sweepFolder(ctx context.Context, e fs.DirEntry) error {
	info, err := e.Info()
	if err != nil || time.Since(info.ModTime()) < grace {
		return ignoreGone(err)
	}
	folder := filepath.Join(s.dir, e.Name())
	key, err := readOwner(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return s.remove(folder)
	}
	if err != nil {
		return fmt.Errorf("files: %s: %w", folder, err)
	}
	_, err = s.opts.Journal.Head(ctx, key)
	switch {
	case errors.Is(err, journal.ErrNotFound):
		return s.remove(folder)
	case err != nil:
		return err
	case info.ModTime().Before(s.swept.Add(-grace)):
		return nil // nothing has come since the last sweep, which saw to the rest
	}
	return s.removeUnnamed(ctx, key, folder)
}

// removeUnnamed removes the files of a task that it does not refer to, except those that it may be about to.
func (s *Store) removeUnnamed(ctx context.Context, key journal.Key, folder string) error {
	// before the task is read, or a file might be there that it has had no time to name
	entries, err := os.ReadDir(folder)
	if err != nil {
		return ignoreGone(err)
	}
	snap, err := s.opts.Journal.Load(ctx, key)
	if errors.Is(err, journal.ErrNotFound) {
		return nil // the next sweep removes all of it
	}
	if err != nil {
		return err
	}
	named := namedIn(snap.Task)
	for _, e := range entries {
		id := filepath.Base(folder) + "-" + e.Name()
		if !isHex(e.Name()) || named[id] {
			continue
		}
		if info, err := e.Info(); err != nil || time.Since(info.ModTime()) < grace {
			continue
		}
		if err := s.removeFile(id); err != nil {
			return err
		}
	}
	return nil
}

// namedIn returns the ids of the files that a task refers to, in what its agent made.
func namedIn(task *a2a.Task) map[string]bool {
	named := make(map[string]bool)
	view(func(_ a2a.TaskID, p a2a.Part) a2a.Part {
		if id, _, ok := parseReference(string(p.Content.(a2a.URL))); ok {
			named[id] = true
		}
		return p
	}).task(task)
	return named
}

// removeFile removes one file, by its id: the content first, so that what is left by a crash is still counted right.
// One that is not there is not an error.
func (s *Store) removeFile(id string) error {
	folder, base, _ := strings.Cut(id, "-")
	folder = filepath.Join(s.dir, folder)
	name := filepath.Join(folder, base)
	info, err := os.Stat(name)
	if err == nil {
		err = os.Remove(name)
	}
	if err != nil {
		return ignoreGone(err)
	}
	s.count(ownerOf(folder), -info.Size())
	return ignoreGone(os.Remove(name + ".json"))
}

// RemoveTask removes the files of a task. A task without files is not an error.
func (s *Store) RemoveTask(key journal.Key) error { return s.remove(s.folder(key)) }

func (s *Store) remove(folder string) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return ignoreGone(err)
	}
	for _, e := range entries {
		if !isHex(e.Name()) {
			continue
		}
		if err := s.removeFile(filepath.Base(folder) + "-" + e.Name()); err != nil {
			return err
		}
	}
	if err := os.RemoveAll(folder); err != nil {
		return fmt.Errorf("files: %w", err)
	}
	return nil
}

func ignoreGone(err error) error {
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return fmt.Errorf("files: %w", err)
}

// alive reports whether a file's task is there; without a journal every task is.
func (s *Store) alive(ctx context.Context, f *File) (bool, error) {
	if s.opts.Journal == nil {
		return true, nil
	}
	_, err := s.opts.Journal.Head(ctx, f.Key)
	if errors.Is(err, journal.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}
