// SPDX-License-Identifier: Apache-2.0

//go:build unix

// Package pgtest runs a PostgreSQL server for the tests of a package: the one that is installed, on a folder of its own
// and a free port of this machine.
package pgtest

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"
)

// Missing says how to get a server.
const Missing = "PostgreSQL is not installed: run scripts/postgres.sh, or apt-get install postgresql"

// Server is a running server. Tests of it may stop it and start it again.
type Server struct {
	bin, dir string
	port     int
	process  *exec.Cmd
	log      bytes.Buffer
	number   atomic.Int64
}

var (
	shared   *Server
	startErr error
	once     sync.Once
)

// Run runs the tests of a package and then stops the server that they share. It is for TestMain.
func Run(m *testing.M) int {
	code := m.Run()
	if shared != nil {
		shared.remove()
	}
	return code
}

// New returns the URL of an empty database on the server that the tests of a package share. Without PostgreSQL it skips
// the test.
func New(t testing.TB) string {
	t.Helper()
	once.Do(func() { shared, startErr = start() })
	if startErr != nil {
		t.Fatal(startErr)
	}
	if shared == nil {
		t.Skip(Missing)
	}
	return shared.Database(t)
}

// Start starts a server for one test, which removes it.
func Start(t testing.TB) *Server {
	t.Helper()
	s, err := start()
	if err != nil {
		t.Fatal(err)
	}
	if s == nil {
		t.Skip(Missing)
	}
	t.Cleanup(s.remove)
	return s
}

// Database makes an empty database and returns its URL.
func (s *Server) Database(t testing.TB) string {
	t.Helper()
	db, err := sql.Open("pgx", s.url("postgres"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	name := fmt.Sprintf("test%d", s.number.Add(1))
	if _, err := db.ExecContext(t.Context(), "CREATE DATABASE "+name+" STRATEGY wal_log"); err != nil {
		t.Fatal(err)
	}
	return s.url(name)
}

func (s *Server) url(database string) string {
	return fmt.Sprintf("postgres://postgres@127.0.0.1:%d/%s?sslmode=disable", s.port, database)
}

// start makes the folder and starts a server in it. It returns nil if none is installed.
func start() (_ *Server, err error) {
	bin := find()
	if bin == "" {
		return nil, nil
	}
	dir, err := os.MkdirTemp("", "dragoman-postgres-")
	if err != nil {
		return nil, err
	}
	s := &Server{bin: bin, dir: dir}
	defer func() {
		if err != nil {
			err = fmt.Errorf("%w\n%s", err, s.log.Bytes())
			s.remove()
		}
	}()
	if cred := credential(); cred != nil {
		if err := os.Chown(dir, int(cred.Uid), int(cred.Gid)); err != nil {
			return nil, err
		}
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s.port = ln.Addr().(*net.TCPAddr).Port
	ln.Close()
	initdb := s.command("initdb", "-D", s.data(), "-U", "postgres", "-A", "trust", "--no-sync", "-E", "UTF8")
	if out, err := initdb.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("initdb: %w\n%s", err, out)
	}
	return s, s.Up()
}

// Up starts the server and waits until it answers.
func (s *Server) Up() error {
	s.process = s.command("postgres", "-D", s.data(), "-p", strconv.Itoa(s.port), "-c", "listen_addresses=127.0.0.1",
		"-c", "unix_socket_directories=", "-c", "fsync=off", "-c", "max_connections=300", "-c", "shared_buffers=64MB")
	s.process.Stderr = &s.log
	if err := s.process.Start(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	db, err := sql.Open("pgx", s.url("postgres"))
	if err != nil {
		return err
	}
	defer db.Close()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		if err = db.PingContext(ctx); err == nil {
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("the server does not answer: %w", err)
		}
	}
}

// Down ends the server: SIGINT rolls all transactions back, SIGQUIT is a crash. Its data stay.
func (s *Server) Down(how syscall.Signal) {
	if s.process != nil && s.process.Process != nil {
		_ = s.process.Process.Signal(how)
		_ = s.process.Wait()
	}
	s.process = nil
}

func (s *Server) remove() {
	s.Down(syscall.SIGQUIT)
	_ = os.RemoveAll(s.dir)
}

func (s *Server) data() string { return filepath.Join(s.dir, "data") }

// command is a program of the server, as another user than root, as whom it does not run.
func (s *Server) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(s.bin, name), args...)
	cmd.Dir = s.dir
	cmd.Env = append(os.Environ(), "LC_ALL=C", "TZ=UTC")
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: credential()}
	return cmd
}

func credential() *syscall.Credential {
	if os.Geteuid() != 0 {
		return nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		if u, err := user.Lookup(name); err == nil {
			uid, _ := strconv.ParseUint(u.Uid, 10, 32)
			gid, _ := strconv.ParseUint(u.Gid, 10, 32)
			return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
		}
	}
	return nil
}

// find returns the folder of the newest server's programs; "" if there is none.
func find() string {
	folders, _ := filepath.Glob("/usr/lib/postgresql/*/bin")
	more, _ := filepath.Glob("/usr/pgsql-*/bin")
	folders = append(folders, more...)
	slices.SortFunc(folders, func(a, b string) int { return len(b) - len(a) })
	for _, name := range append(folders, filepath.SplitList(os.Getenv("PATH"))...) {
		if _, err := os.Stat(filepath.Join(name, "initdb")); err == nil {
			return name
		}
	}
	return ""
}
