// SPDX-License-Identifier: Apache-2.0

package files

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/dragoman-a2a/dragoman/journal"
)

const (
	sweepInterval = time.Hour // like the journal's own upkeep
	// grace is how old a folder is at least before it can be without a task: a file is written before the event that
	// shows it is committed, and that may be the task's first.
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

// Sweep removes the files of tasks that the journal has no more. The store does that by itself once an hour: the journal
// forgets tasks in its own time and says so to nobody, and to look there is right also after a crash. Without a Journal
// nothing is removed.
func (s *Store) Sweep(ctx context.Context) error {
	if s.opts.Journal == nil {
		return nil
	}
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
	return errors.Join(err, ctx.Err())
}

func (s *Store) sweepFolder(ctx context.Context, e fs.DirEntry) error {
	info, err := e.Info()
	if err != nil || time.Since(info.ModTime()) < grace {
		return ignoreGone(err)
	}
	folder := filepath.Join(s.dir, e.Name())
	key, err := readOwner(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("files: %s: %w", folder, err)
	}
	if err == nil {
		_, err := s.opts.Journal.Head(ctx, key)
		if !errors.Is(err, journal.ErrNotFound) {
			return err
		}
	}
	return s.remove(folder)
}

// RemoveTask removes the files of a task. A task without files is not an error.
func (s *Store) RemoveTask(key journal.Key) error { return s.remove(s.folder(key)) }

// remove removes a folder of files: their content first, so that what is left by a crash is still counted right.
func (s *Store) remove(folder string) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return ignoreGone(err)
	}
	for _, e := range entries {
		if filepath.Ext(e.Name()) != "" {
			continue
		}
		info, err := e.Info()
		if err != nil {
			continue
		}
		if err := os.Remove(filepath.Join(folder, e.Name())); err != nil {
			return ignoreGone(err)
		}
		s.free(info.Size())
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
