// SPDX-License-Identifier: Apache-2.0

// Package audit keeps a log of who did what: a file of JSON lines that only grows, in which each line has the hash of
// the one before, so that [Verify] finds lines that were changed, taken out or put in.
//
// The chain is no secret: whoever can write the file can write all of it anew. [Head] is what to keep elsewhere against
// that, and against lines that are missing at the end.
package audit

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/gofrs/flock"
)

// A Record is one use of one operation.
type Record struct {
	Time      time.Time `json:"time"`
	Subject   string    `json:"subject,omitzero"` // on whose behalf
	Client    string    `json:"client,omitzero"`  // the program that called
	Actors    []string  `json:"actors,omitempty"` // programs that acted for the subject, the nearest one first
	Agent     string    `json:"agent,omitzero"`
	Operation string    `json:"operation"`
	Task      string    `json:"task,omitzero"`
	Context   string    `json:"context,omitzero"`
	Result    string    `json:"result"` // "ok", or the reason of the error, such as "TASK_NOT_FOUND"
	RequestID string    `json:"requestId,omitzero"`
	Trace     string    `json:"trace,omitzero"` // W3C trace id
}

// Head is the end of a log: how many lines it has, and the hash of the last one. The zero Head is that of an empty log.
type Head struct {
	Lines int64
	Hash  string
}

// line is a Record as it stands in the file. The member hash, which follows, is that of the line up to it.
type line struct {
	Number int64  `json:"n"`
	Prev   string `json:"prev"`
	Record `json:",inline"`
}

// Log appends to a file. It is safe for concurrent use.
type Log struct {
	file  *os.File
	queue chan entry
	done  chan struct{} // closed when the writer has ended
	quit  chan struct{} // closed to end it
	lock  *flock.Flock  // so that no other process appends
	sync  func() error  // brings the file to disk
	close func() error
}

type entry struct {
	record  *Record
	written chan error
}

// waiting is how many records wait for the file at most; further callers wait for room.
const waiting = 1024

// syncEvery is the time within which what was written is on disk. A process that dies loses nothing that was written.
// If the disk fails, further records are refused until it is well again.
const syncEvery = time.Second

// Open opens a log for appending, and makes the file, for its owner alone, if it is missing. A last line that a crash
// left unfinished is cut off. The chain goes on from the last line, which must be whole; Open does not read the others.
//
// One process at a time may have a log open: it holds a lock on the file with ".lock" behind its name.
func Open(path string) (*Log, error) {
	lock := flock.New(path + ".lock")
	if locked, err := lock.TryLock(); err != nil || !locked {
		return nil, errors.Join(fmt.Errorf("audit: %s is open in another process", path), err)
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, errors.Join(err, lock.Unlock())
	}
	head, size, err := tail(f)
	if err == nil {
		err = f.Truncate(size)
	}
	if err == nil {
		_, err = f.Seek(size, io.SeekStart)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("audit: %s: %w", path, err), f.Close(), lock.Unlock())
	}
	l := &Log{file: f, queue: make(chan entry, waiting), done: make(chan struct{}), quit: make(chan struct{}),
		lock: lock, sync: f.Sync}
	l.close = sync.OnceValue(l.end)
	go l.write(head)
	return l, nil
}

// firstLine is how the first line of a log begins.
const firstLine = `{"n":1,"prev":"",`

// maxLine bounds a line in bytes. Names in a Record come from callers and are cut, so that a line is far below it.
const maxLine = 64 << 10

// tail returns the end of the log in a file, and the length of the file up to it.
func tail(f *os.File) (Head, int64, error) {
	info, err := f.Stat()
	if err != nil {
		return Head{}, 0, err
	}
	size := info.Size()
	start := max(0, size-2*maxLine)
	text := make([]byte, size-start)
	if _, err := f.ReadAt(text, start); err != nil {
		return Head{}, 0, err
	}
	end := bytes.LastIndexByte(text, '\n') + 1
	if end == 0 {
		if start > 0 || !bytes.HasPrefix([]byte(firstLine), text) && !bytes.HasPrefix(text, []byte(firstLine)) {
			return Head{}, 0, errors.New("the file is no audit log")
		}
		return Head{}, 0, nil // its first line was not finished
	}
	last := text[bytes.LastIndexByte(text[:end-1], '\n')+1 : end-1]
	got, err := read(last)
	if err != nil {
		return Head{}, 0, fmt.Errorf("the last line: %w", err)
	}
	return Head{got.Number, hashOf(last)}, start + int64(end), nil
}

// Append writes a record. It returns once the record is in the file, or says why it is not.
func (l *Log) Append(ctx context.Context, r Record) error {
	e := entry{&r, make(chan error, 1)}
	select {
	case l.queue <- e:
	case <-ctx.Done():
		return ctx.Err()
	case <-l.quit:
		return errClosed
	}
	select {
	case err := <-e.written:
		return err
	case <-l.done: // after the last write
		select {
		case err := <-e.written:
			return err
		default:
			return errClosed
		}
	}
}

var errClosed = errors.New("audit: the log is closed")

// Close writes what waits, and closes the file.
func (l *Log) Close() error { return l.close() }

func (l *Log) end() error {
	close(l.quit)
	<-l.done
	return errors.Join(l.file.Sync(), l.file.Close(), l.lock.Unlock())
}

// write writes records, all that wait in one piece. It ends with quit.
func (l *Log) write(head Head) {
	defer close(l.done)
	sync := time.NewTicker(syncEvery)
	defer sync.Stop()
	dirty, lost := false, error(nil) // lost: what was written may not be on disk
	for {
		select {
		case <-sync.C:
			if dirty {
				lost = l.sync()
				dirty = lost != nil
			}
		case e := <-l.queue:
			if lost != nil {
				e.written <- fmt.Errorf("audit: the file does not reach the disk: %w", lost)
				continue
			}
			head = l.writeAll(head, e)
			dirty = true
		case <-l.quit:
			for {
				select {
				case e := <-l.queue:
					head = l.writeAll(head, e)
				default:
					return
				}
			}
		}
	}
}

// writeAll writes a record and those that wait behind it, and returns the new end of the log. After an error the log
// ends where it did.
func (l *Log) writeAll(head Head, first entry) Head {
	batch := []entry{first}
	for len(batch) < waiting && len(l.queue) > 0 {
		batch = append(batch, <-l.queue)
	}
	next, text := head, []byte(nil)
	for i, e := range batch {
		var err error
		if text, next, err = appendLine(text, next, e.record); err != nil {
			e.written <- fmt.Errorf("audit: %w", err)
			batch[i].written = nil
		}
	}
	err := l.put(text)
	if err != nil {
		next, err = head, fmt.Errorf("audit: %w", err)
	}
	for _, e := range batch {
		if e.written != nil {
			e.written <- err
		}
	}
	return next
}

// put writes text at the end of the file, as a whole or not at all.
func (l *Log) put(text []byte) error {
	at, err := l.file.Seek(0, io.SeekCurrent)
	if err != nil {
		return err
	}
	if _, err = l.file.Write(text); err == nil {
		return nil
	}
	_, seek := l.file.Seek(at, io.SeekStart)
	return errors.Join(err, l.file.Truncate(at), seek)
}

const hashMember = `,"hash":"`

func appendLine(dst []byte, head Head, r *Record) ([]byte, Head, error) {
	cut := *r
	cut.Actors = slices.Clone(cut.Actors[:min(len(cut.Actors), 16)])
	texts := []*string{&cut.Subject, &cut.Client, &cut.Agent, &cut.Operation, &cut.Task, &cut.Context, &cut.Result,
		&cut.RequestID, &cut.Trace}
	for i := range cut.Actors {
		texts = append(texts, &cut.Actors[i])
	}
	for _, s := range texts {
		*s = strings.ToValidUTF8((*s)[:min(len(*s), 1024)], "")
	}
	body, err := json.Marshal(line{head.Lines + 1, head.Hash, cut})
	if err != nil {
		return dst, head, err
	}
	body = body[:len(body)-1] // the brace comes after the hash
	sum := sha256.Sum256(body)
	hash := hex.EncodeToString(sum[:])
	dst = append(append(dst, body...), hashMember...)
	dst = append(append(dst, hash...), '"', '}', '\n')
	return dst, Head{head.Lines + 1, hash}, nil
}

// hashOf returns the hash that stands at the end of a line.
func hashOf(text []byte) string {
	i := bytes.LastIndex(text, []byte(hashMember))
	return string(bytes.TrimSuffix(text[i+len(hashMember):], []byte(`"}`)))
}

// read returns a line whose hash is right.
func read(text []byte) (*line, error) {
	i := bytes.LastIndex(text, []byte(hashMember))
	if i < 0 || !bytes.HasSuffix(text, []byte(`"}`)) {
		return nil, errors.New("it is no line of an audit log")
	}
	sum := sha256.Sum256(text[:i])
	if hashOf(text) != hex.EncodeToString(sum[:]) {
		return nil, errors.New("it was changed: its hash is not that of its text")
	}
	var got line
	if err := json.Unmarshal(append(bytes.Clone(text[:i]), '}'), &got); err != nil {
		return nil, fmt.Errorf("it is no line of an audit log: %w", err)
	}
	return &got, nil
}

// Verify reads a log from its beginning and returns its end. The error names the first line that is wrong. Each line is
// handed to see, which may be nil.
func Verify(r io.Reader, see func(Record)) (Head, error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	var head Head
	for lines.Scan() {
		got, err := read(lines.Bytes())
		switch {
		case err != nil:
		case got.Number != head.Lines+1:
			err = fmt.Errorf("it has the number %d: lines before it are missing or were put in", got.Number)
		case got.Prev != head.Hash:
			err = errors.New("it does not follow the line before: that one was replaced")
		}
		if err != nil {
			return head, fmt.Errorf("line %d: %w", head.Lines+1, err)
		}
		head = Head{got.Number, hashOf(lines.Bytes())}
		if see != nil {
			see(got.Record)
		}
	}
	if err := lines.Err(); err != nil {
		return head, fmt.Errorf("line %d: %w", head.Lines+1, err)
	}
	return head, nil
}
