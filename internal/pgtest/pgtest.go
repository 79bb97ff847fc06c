// SPDX-License-Identifier: Apache-2.0

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
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"
	"go.uber.org/goleak"
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

// Main is the TestMain of a package: it runs the tests, stops the server that they share, looks for goroutines that
// they left behind, and exits.
func Main(m *testing.M) {
	code := m.Run()
	if shared != nil {
		shared.remove()
	}
	if err := goleak.Find(); err != nil && code == 0 {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
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

// Env is what libpq needs to find the server, for programs that a test runs.
func (s *Server) Env() []string {
	return []string{"PGHOST=127.0.0.1", "PGPORT=" + strconv.Itoa(s.port), "PGUSER=postgres"}
}

func (s *Server) url(database string) string {
	return fmt.Sprintf("postgres://postgres@127.0.0.1:%d/%s?sslmode=disable", s.port, database)
}

// Pool starts PgBouncer in transaction mode in front of the server until the end of the test, and returns what makes
// the URL of a database one through it. Without PgBouncer it skips the test.
func (s *Server) Pool(t testing.TB) (through func(url string) string) {
	t.Helper()
	bin, err := exec.LookPath("pgbouncer")
	if err != nil {
		if bin = "/usr/sbin/pgbouncer"; !exists(bin) {
			t.Skip("PgBouncer is not installed: apt-get install pgbouncer")
		}
	}
	port, err := freePort()
	if err != nil {
		t.Fatal(err)
	}
	config := fmt.Sprintf(`[databases]
* = host=127.0.0.1 port=%d user=postgres
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = %d
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 4
`, s.port, port)
	file := filepath.Join(s.dir, "pgbouncer.ini")
	if err := os.WriteFile(file, []byte(config), 0o644); err != nil {
		t.Fatal(err)
	}
	pooler := s.command(bin, "-q", file)
	if err := pooler.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = pooler.Process.Kill()
		_ = pooler.Wait()
	})
	through = func(url string) string { return strings.Replace(url, strconv.Itoa(s.port), strconv.Itoa(port), 1) }
	if err := answers(through(s.url("postgres"))); err != nil {
		t.Fatal(err)
	}
	return through
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

func freePort() (int, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer ln.Close()
	return ln.Addr().(*net.TCPAddr).Port, nil
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
	if err := give(dir); err != nil {
		return nil, err
	}
	if s.port, err = freePort(); err != nil {
		return nil, err
	}
	initdb := s.command(filepath.Join(s.bin, "initdb"), "-D", s.data(), "-U", "postgres", "-A", "trust", "--no-sync",
		"-E", "UTF8")
	if out, err := initdb.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("initdb: %w\n%s", err, out)
	}
	return s, s.Up()
}

// Up starts the server and waits until it answers.
func (s *Server) Up() error {
	s.process = s.command(filepath.Join(s.bin, "postgres"), "-D", s.data(), "-p", strconv.Itoa(s.port),
		"-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=", "-c", "fsync=off",
		"-c", "max_connections=300", "-c", "shared_buffers=64MB")
	s.process.Stderr = &s.log
	if err := s.process.Start(); err != nil {
		return err
	}
	return answers(s.url("postgres"))
}

// answers waits until a server takes statements.
func answers(url string) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	db, err := sql.Open("pgx", url)
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
	cmd := exec.Command(name, args...)
	cmd.Dir = s.dir
	cmd.Env = append(os.Environ(), "LC_ALL=C", "TZ=UTC")
	demote(cmd)
	return cmd
}

// find returns the folder of the newest server's programs; "" if there is none.
func find() string {
	folders, _ := filepath.Glob("/usr/lib/postgresql/*/bin")
	more, _ := filepath.Glob("/usr/pgsql-*/bin")
	folders = append(folders, more...)
	slices.SortFunc(folders, func(a, b string) int { return len(b) - len(a) })
	for _, name := range append(folders, filepath.SplitList(os.Getenv("PATH"))...) {
		if exists(filepath.Join(name, "initdb")) {
			return name
		}
	}
	return ""
}
