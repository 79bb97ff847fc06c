// SPDX-License-Identifier: Apache-2.0

package files

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"log/slog"
	"mime"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/journal"
)

// Options configure a [Store]. The zero value is ready.
type Options struct {
	// Journal has the tasks that the files belong to: files of tasks that it no longer has are not given out any more,
	// and removed within the hour. Nil means that files stay until RemoveTask.
	Journal journal.Journal
	// Logger gets a line for what went wrong on the store's own errands. Nil means slog.Default().
	Logger *slog.Logger

	MaxFile  int64 // bytes of one file; 0 means 64 MiB
	MaxTotal int64 // bytes of all files; 0 means 10 GiB
	// bytes of all files of one owner, with whatever agents and tenants; 0 means a tenth of MaxTotal
	MaxOwner int64
	// parts of more bytes are given out by URL even if nobody asks; 0 means 256 KiB, below 0 never
	Threshold int
	Lifetime  time.Duration // how long a URL works at least, and twice that at most; 0 means 1 h
}

// Defaults returns the options with every zero value replaced by what it means.
func (o Options) Defaults() Options {
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	o.MaxFile = cmp.Or(o.MaxFile, 64<<20)
	o.MaxTotal = cmp.Or(o.MaxTotal, 10<<30)
	o.MaxOwner = cmp.Or(o.MaxOwner, (o.MaxTotal+9)/10)
	o.Threshold = cmp.Or(o.Threshold, 256<<10)
	o.Lifetime = cmp.Or(o.Lifetime, time.Hour)
	return o
}

// Errors of a Store, to be found with errors.Is.
var (
	ErrNotFound = errors.New("files: there is no such file")
	ErrTooLarge = errors.New("files: the file is too large")
	ErrFull     = errors.New("files: there is no room for another file")
	ErrQuota    = errors.New("files: one owner has no room for another file")
)

// Store keeps files in a folder, which one process may use at a time. It is safe for concurrent use.
type Store struct {
	dir  string
	opts Options
	key  []byte // signs URLs

	mu     sync.Mutex
	total  int64            // bytes of all files
	owners map[string]int64 // and of each owner who has any

	sweeping sync.Mutex
	swept    time.Time // when the last sweep began that came to its end

	sync func(folder string) error // makes what is new in a folder durable

	stop context.CancelFunc
	done sync.WaitGroup
}

// A File is what is known of one file.
type File struct {
	ID        string      `json:"-"` // of letters, digits and a hyphen; nobody can guess it
	MediaType string      `json:"mediaType,omitzero"`
	Name      string      `json:"name,omitzero"`
	Size      int64       `json:"size"`
	SHA256    string      `json:"sha256"` // of the content, in hexadecimal
	Created   time.Time   `json:"created"`
	Key       journal.Key `json:"-"` // the task that it belongs to
}

// Open opens a folder, and makes it if need be. With a Journal, files without a task are removed from then on, until
// Close. Errors: those of the file system; a negative limit, by the name of its field.
func Open(dir string, opts *Options) (*Store, error) {
	if opts == nil {
		opts = &Options{}
	}
	for name, value := range map[string]int64{
		"MaxFile": opts.MaxFile, "MaxTotal": opts.MaxTotal, "MaxOwner": opts.MaxOwner, "Lifetime": int64(opts.Lifetime),
	} {
		if value < 0 {
			return nil, fmt.Errorf("files: Options.%s is negative", name)
		}
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("files: %w", err)
	}
	key, err := readKey(filepath.Join(dir, "key"))
	if err != nil {
		return nil, err
	}
	s := &Store{dir: dir, opts: opts.Defaults(), key: key, owners: make(map[string]int64), sync: syncFolder}
	if err := s.tidy(); err != nil {
		return nil, fmt.Errorf("files: %w", err)
	}
	ctx, stop := context.WithCancel(context.Background())
	s.stop = stop
	if s.opts.Journal != nil {
		s.done.Go(func() { s.sweepLoop(ctx) })
	}
	return s, nil
}

// Close ends the store's own errands. Files can still be read.
func (s *Store) Close() error {
	s.stop()
	s.done.Wait()
	return nil
}

// partial ends the names of files that are being written.
const partial = ".part"

// tidy removes what a crash left behind, and counts the rest.
func (s *Store) tidy() error {
	var owner string // of the folder that is walked
	return filepath.WalkDir(s.dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			owner = ownerOf(name)
			return nil
		}
		if strings.HasSuffix(name, partial) {
			return os.Remove(name)
		}
		if filepath.Ext(name) == "" && filepath.Dir(name) != s.dir {
			info, err := d.Info()
			if err != nil {
				return err
			}
			s.count(owner, info.Size())
		}
		return nil
	})
}

func (s *Store) folder(key journal.Key) string { return filepath.Join(s.dir, folderName(key)) }

// folderName is the same for the same key, and says nothing about it: part of it is in URLs.
func folderName(key journal.Key) string {
	h := sha256.New()
	for _, part := range []string{key.Agent, key.Tenant, key.Owner, string(key.ID)} {
		fmt.Fprintf(h, "%d:%s", len(part), part)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// Put keeps what r has as a file of a task; of about only the MediaType and the Name count. It returns once the file is
// on disk. Errors: ErrTooLarge, ErrQuota, ErrFull, those of r and of the file system.
//
// With a Journal, a file that no artifact and no message of its task refers to is removed some time later.
func (s *Store) Put(ctx context.Context, key journal.Key, r io.Reader, about File) (*File, error) {
	folder, err := s.makeFolder(key)
	if err != nil {
		return nil, fmt.Errorf("files: %w", err)
	}
	id := make([]byte, 16)
	rand.Read(id)
	base := hex.EncodeToString(id)
	f := &File{
		ID: filepath.Base(folder) + "-" + base, MediaType: cleanType(about.MediaType), Name: cleanName(about.Name),
		Created: time.Now().UTC().Truncate(time.Second), Key: key,
	}
	if err := s.write(ctx, filepath.Join(folder, base), r, f); err != nil {
		return nil, err
	}
	return f, nil
}

func (s *Store) makeFolder(key journal.Key) (string, error) {
	folder := s.folder(key)
	if err := os.Mkdir(folder, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	raw, err := json.Marshal(owner{key.Agent, key.Tenant, key.Owner, key.ID})
	if err != nil {
		return "", err
	}
	return folder, writeFile(filepath.Join(folder, ownerFile), raw)
}

// owner is a journal.Key, in the file that says to which task a folder belongs.
type owner struct {
	Agent  string     `json:"agent"`
	Tenant string     `json:"tenant,omitzero"`
	Owner  string     `json:"owner,omitzero"`
	ID     a2a.TaskID `json:"task"`
}

const ownerFile = "task.json"

// write makes the file under its name only when all of it is on disk.
func (s *Store) write(ctx context.Context, name string, r io.Reader, f *File) (err error) {
	tmp, err := os.OpenFile(name+partial, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("files: %w", err)
	}
	counted := &counter{ctx: ctx, store: s, owner: f.Key.Owner, to: tmp, sum: sha256.New()}
	defer func() {
		if err != nil {
			s.count(f.Key.Owner, -counted.n)
			// the last one is there when only the folder was not synced
			for _, ext := range []string{".json", partial, ""} {
				os.Remove(name + ext)
			}
		}
	}()
	_, err = io.Copy(counted, r)
	if err = cmp.Or(err, tmp.Sync(), tmp.Close()); err != nil {
		tmp.Close()
		return fmt.Errorf("files: write: %w", err)
	}
	f.Size, f.SHA256 = counted.n, hex.EncodeToString(counted.sum.Sum(nil))
	raw, err := json.Marshal(f)
	if err != nil {
		return fmt.Errorf("files: %w", err)
	}
	if err := cmp.Or(writeFile(name+".json", raw), os.Rename(name+partial, name),
		s.sync(filepath.Dir(name))); err != nil {
		return fmt.Errorf("files: %w", err)
	}
	return nil
}

// counter writes to a file within the limits.
type counter struct {
	ctx   context.Context
	store *Store
	owner string
	to    io.Writer
	sum   hash.Hash
	n     int64
}

func (c *counter) Write(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, context.Cause(c.ctx)
	}
	if limit := c.store.opts.MaxFile; c.n+int64(len(p)) > limit {
		return 0, fmt.Errorf("%w: it has more than %d bytes", ErrTooLarge, limit)
	}
	if err := c.store.take(c.owner, int64(len(p))); err != nil {
		return 0, err
	}
	c.n += int64(len(p))
	c.sum.Write(p)
	return c.to.Write(p)
}

// take counts bytes that are about to be written.
func (s *Store) take(owner string, n int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.owners[owner]+n > s.opts.MaxOwner {
		return fmt.Errorf("%w: the files of all its tasks may have %d bytes", ErrQuota, s.opts.MaxOwner)
	}
	if s.total+n > s.opts.MaxTotal {
		return fmt.Errorf("%w: all files may have %d bytes", ErrFull, s.opts.MaxTotal)
	}
	s.counted(owner, n)
	return nil
}

// count counts bytes that are there, or below 0 that are there no more.
func (s *Store) count(owner string, n int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.counted(owner, n)
}

func (s *Store) counted(owner string, n int64) {
	s.total += n
	if s.owners[owner] += n; s.owners[owner] == 0 {
		delete(s.owners, owner)
	}
}

// Open opens a file for reading, by its id. Close it. Error: ErrNotFound, also for what is no id.
func (s *Store) Open(id string) (*os.File, *File, error) {
	folder, base, _ := strings.Cut(id, "-")
	if !isHex(folder) || !isHex(base) {
		return nil, nil, ErrNotFound
	}
	name := filepath.Join(s.dir, folder, base)
	key, err := readOwner(filepath.Join(s.dir, folder))
	if err != nil {
		return nil, nil, notFound(err)
	}
	f := &File{ID: id, Key: key}
	raw, err := os.ReadFile(name + ".json")
	if err == nil {
		err = json.Unmarshal(raw, f)
	}
	var content *os.File
	if err == nil {
		content, err = os.Open(name)
	}
	if err != nil {
		return nil, nil, notFound(err)
	}
	return content, f, nil
}

// isOf reports whether an id is that of a file of a task. The folder in the id stands for the whole key: the same task
// id in the scope of somebody else is another folder.
func isOf(key journal.Key, id string) bool {
	folder, base, _ := strings.Cut(id, "-")
	return folder == folderName(key) && isHex(base)
}

// isHex reports whether s is one half of an id, and so a name without any path in it.
func isHex(s string) bool {
	return len(s) == 32 && strings.Trim(s, "0123456789abcdef") == ""
}

func notFound(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return ErrNotFound
	}
	return fmt.Errorf("files: %w", err)
}

func readOwner(folder string) (journal.Key, error) {
	raw, err := os.ReadFile(filepath.Join(folder, ownerFile))
	if err != nil {
		return journal.Key{}, err
	}
	var o owner
	if err := json.Unmarshal(raw, &o); err != nil {
		return journal.Key{}, fmt.Errorf("%s: %w", ownerFile, err)
	}
	return journal.Key{Scope: journal.Scope{Agent: o.Agent, Tenant: o.Tenant, Owner: o.Owner}, ID: o.ID}, nil
}

// ownerOf returns whose the files of a folder are; "" where that cannot be told, when they are counted and when they
// go.
func ownerOf(folder string) string {
	key, _ := readOwner(folder)
	return key.Owner
}

func (s *Store) read(id string) ([]byte, error) {
	content, f, err := s.Open(id)
	if err != nil {
		return nil, err
	}
	defer content.Close()
	b := make([]byte, f.Size)
	if _, err := io.ReadFull(content, b); err != nil {
		return nil, fmt.Errorf("files: %w", err)
	}
	return b, nil
}

// maxName bounds a file's name, which goes into headers and URLs.
const maxName = 128

// cleanName returns the last element of a path, without what would be more than a name to somebody's shell, browser or
// file system.
func cleanName(name string) string {
	name = strings.ReplaceAll(name, `\`, "/")
	name = name[strings.LastIndexByte(name, '/')+1:]
	name = strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f && r < 0xa0 || r == 0xfffd || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 {
			return -1 // also what turns the direction of writing, and so hides a name's end
		}
		return r
	}, name)
	if len(name) > maxName {
		ext := filepath.Ext(name)
		if len(ext) > 16 {
			ext = ""
		}
		name = strings.ToValidUTF8(name[:maxName-len(ext)], "") + ext
	}
	if strings.Trim(name, ". ") == "" {
		return ""
	}
	return name
}

// cleanType returns a media type that can be a header's value; "" for what is none.
func cleanType(mediaType string) string {
	kind, params, err := mime.ParseMediaType(mediaType)
	if err != nil || !strings.Contains(kind, "/") {
		return ""
	}
	return mime.FormatMediaType(kind, params)
}
