// SPDX-License-Identifier: Apache-2.0

package sqlite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/gofrs/flock"

	"github.com/dragoman-a2a/dragoman/store"
)

// Holder is the process that holds a data folder.
type Holder struct {
	PID     int       `json:"pid"`
	Program string    `json:"program"`
	Host    string    `json:"host"`
	Since   time.Time `json:"since"`
}

// LockedError is returned by [Open] for a folder that another process, or this one, has open.
type LockedError struct {
	Dir string
	// Holder is who has it. The zero value means that this could not be found out.
	Holder Holder
}

func (e *LockedError) Error() string {
	if e.Holder.PID == 0 {
		return fmt.Sprintf("the data folder %s is in use by another process; stop it, or name another folder", e.Dir)
	}
	h := e.Holder
	return fmt.Sprintf("the data folder %s is in use by %s (process %d on %s, since %s); stop it, or name another "+
		"folder",
		e.Dir, h.Program, h.PID, h.Host, h.Since.Local().Format(time.DateTime))
}

// folderLock is held while the database is open. The operating system drops it when the process ends in whatever way.
type folderLock struct {
	flock *flock.Flock
	owner string
}

func lockFolder(ctx context.Context, dir, program string) (*folderLock, error) {
	l := &folderLock{flock: flock.New(filepath.Join(dir, lockName)), owner: filepath.Join(dir, ownerName)}
	ok, err := l.flock.TryLock()
	if err != nil {
		return nil, classifyOS(err)
	}
	if !ok {
		return nil, &LockedError{Dir: dir, Holder: readHolder(ctx, l.owner)}
	}
	// A full disk must not keep anybody from reading what is there.
	if err := classifyOS(l.sign(program)); err != nil && !errors.Is(err, store.ErrDiskFull) {
		return nil, errors.Join(err, l.flock.Unlock())
	}
	return l, nil
}

// sign writes who holds the lock. That is a file of its own because Windows lets nobody else read a locked one. It is
// also the proof that the folder can be written.
func (l *folderLock) sign(program string) error {
	if program == "" {
		program = filepath.Base(os.Args[0])
	}
	host, err := os.Hostname()
	if err != nil {
		host = "unknown host"
	}
	b, err := json.Marshal(Holder{PID: os.Getpid(), Program: program, Host: host, Since: time.Now().UTC()})
	if err != nil {
		return fmt.Errorf("write %s: %w", ownerName, err)
	}
	// The file is written in place: Windows refuses to replace a file while a process reads it, and readHolder reads
	// again if it finds half of it.
	return os.WriteFile(l.owner, append(b, '\n'), 0o600)
}

func (l *folderLock) release() error {
	// A file that stays behind does no harm: it is read only while a process holds the lock, and that process has
	// rewritten it.
	_ = os.Remove(l.owner)
	return l.flock.Unlock()
}

// readHolder waits a moment for a process that has the lock and has not signed yet.
func readHolder(ctx context.Context, path string) Holder {
	ctx, cancel := context.WithTimeout(ctx, 200*time.Millisecond)
	defer cancel()
	retry := time.NewTicker(10 * time.Millisecond)
	defer retry.Stop()
	for {
		var h Holder
		b, err := os.ReadFile(path)
		if err == nil && json.Unmarshal(b, &h) == nil && h.PID != 0 {
			return h
		}
		select {
		case <-ctx.Done():
			return Holder{}
		case <-retry.C:
		}
	}
}
