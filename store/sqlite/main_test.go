// SPDX-License-Identifier: Apache-2.0

package sqlite

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/dragoman-a2a/dragoman/store"
)

// Some tests need a second process: they start this test binary again with the
// name of a role in the environment.
const (
	roleVar = "DRAGOMAN_TEST_ROLE"
	dirVar  = "DRAGOMAN_TEST_DIR"
)

func TestMain(m *testing.M) {
	switch role := os.Getenv(roleVar); role {
	case "":
		goleak.VerifyTestMain(m)
	case "hold":
		exit(roleHold(os.Getenv(dirVar)))
	case "open":
		exit(roleOpen(os.Getenv(dirVar)))
	case "write":
		exit(roleWrite(os.Getenv(dirVar)))
	default:
		exit(fmt.Errorf("no role %q", role))
	}
}

func exit(err error) {
	if err != nil {
		fmt.Println("error", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// roleHold opens the folder and keeps it until it is killed or its input ends.
func roleHold(dir string) error {
	db, err := Open(context.Background(), dir, Options{Program: "the holder"})
	if err != nil {
		return err
	}
	fmt.Println("ready")
	_, _ = io.Copy(io.Discard, os.Stdin)
	return db.Close()
}

// roleOpen opens the folder and closes it again.
func roleOpen(dir string) error {
	db, err := Open(context.Background(), dir, Options{})
	if err != nil {
		return fmt.Errorf("uid %d: %w", os.Getuid(), err)
	}
	return db.Close()
}

// roleWrite writes from several goroutines, and prints each number after its
// commit, until it is killed.
func roleWrite(dir string) error {
	db, err := Open(context.Background(), dir, Options{})
	if err != nil {
		return err
	}
	if err := exec1(context.Background(), db,
		`CREATE TABLE IF NOT EXISTS item (id INTEGER PRIMARY KEY, body BLOB)`); err != nil {
		return err
	}
	failed := make(chan error)
	for g := range 8 {
		go func() {
			for i := g; ; i += 8 {
				if err := exec1(context.Background(), db, insertItem, i, body); err != nil {
					failed <- err
					return
				}
				fmt.Println(i) // one write call, so a line is whole or absent
			}
		}()
	}
	return <-failed
}

const insertItem = `INSERT INTO item (id, body) VALUES ($1, $2)`

var body = make([]byte, 1000)

// process is a child in some role.
type process struct {
	*exec.Cmd
	in  io.WriteCloser
	out *bufio.Scanner
}

func start(t *testing.T, role, dir string) *process {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), roleVar+"="+role, dirVar+"="+dir)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return &process{cmd, in, bufio.NewScanner(out)}
}

// expect reads one line of the child's output.
func (p *process) expect(t *testing.T, want string) {
	t.Helper()
	if !p.out.Scan() || strings.TrimSpace(p.out.Text()) != want {
		t.Fatalf("the child said %q, want %q", p.out.Text(), want)
	}
}

func exec1(ctx context.Context, db *store.DB, query string, args ...any) error {
	return db.Write(ctx, func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.ExecContext(ctx, query, args...)
		return err
	})
}

func mustOpen(t testing.TB, dir string, opts Options) *store.DB {
	t.Helper()
	db, err := Open(t.Context(), dir, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

func mustExec(t testing.TB, db *store.DB, query string, args ...any) {
	t.Helper()
	if err := exec1(t.Context(), db, query, args...); err != nil {
		t.Fatal(err)
	}
}

func count(t testing.TB, db *store.DB) (n int) {
	t.Helper()
	if err := db.QueryRowContext(t.Context(), `SELECT count(*) FROM item`).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func checkIntegrity(t testing.TB, db *store.DB) {
	t.Helper()
	var verdict string
	if err := db.QueryRowContext(t.Context(), `PRAGMA integrity_check`).Scan(&verdict); err != nil || verdict != "ok" {
		t.Fatalf("integrity check: %s, %v", verdict, err)
	}
}

const createItem = `CREATE TABLE item (id INTEGER PRIMARY KEY, body BLOB)`
