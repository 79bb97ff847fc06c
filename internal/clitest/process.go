// SPDX-License-Identifier: Apache-2.0

package clitest

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"go.uber.org/goleak"
)

// Main runs the tests of a package and then looks for goroutines that they left behind. If the test binary is called by
// one of the names, it runs that program instead.
func Main(m *testing.M, programs map[string]func() int) {
	// A program under the race detector waits a second before it exits, for reports of other threads; tests run more
	// than a hundred. Reports are printed, and fail the program, without that too.
	os.Setenv("GORACE", "atexit_sleep_ms=10 "+os.Getenv("GORACE"))
	mains := make(map[string]func())
	for name, program := range programs {
		mains[name] = func() { os.Exit(program()) }
	}
	testscript.Main(checked{m}, mains)
}

type checked struct{ *testing.M }

func (m checked) Run() int {
	code := m.M.Run()
	if err := goleak.Find(); code == 0 && err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

// Link returns a path of the test binary under the name of the program, which it then is.
func Link(t testing.TB) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "dragoman")
	if err := os.Symlink(self, link); err != nil {
		t.Fatal(err)
	}
	return link
}

// Command returns the program as a command in a folder of its own, with variables besides those of this process.
func Command(t testing.TB, env []string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(Link(t), args...)
	cmd.Env = append(os.Environ(), env...)
	cmd.Dir = t.TempDir()
	return cmd
}

// A Process is a running command that serves.
type Process struct {
	Cmd  *exec.Cmd
	Done chan struct{} // closed when its error stream has ended

	url    chan string
	mu     sync.Mutex
	stderr strings.Builder
}

// StartProgram starts the program in a folder, with some variables of an environment.
func StartProgram(args []string, dir string, getenv func(string) string) (*Process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(self)
	cmd.Args = append([]string{"dragoman"}, args...)
	cmd.Dir = dir
	for _, name := range []string{"HOME", "PATH", "XDG_DATA_HOME", "TMPDIR", "GOCOVERDIR", "GORACE",
		"DRAGOMAN_TOKEN"} {
		cmd.Env = append(cmd.Env, name+"="+getenv(name))
	}
	return Start(cmd)
}

// Start starts a command.
func Start(cmd *exec.Cmd) (*Process, error) {
	p := &Process{Cmd: cmd, url: make(chan string, 1), Done: make(chan struct{})}
	stderr, err := cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	go p.read(bufio.NewScanner(stderr))
	return p, nil
}

// Serve starts the program in a folder of its own and waits until it says where it serves. It is killed when the test
// ends.
func Serve(t testing.TB, args ...string) (p *Process, url string) {
	t.Helper()
	p, err := StartProgram(args, t.TempDir(), os.Getenv)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Kill)
	if url, err = p.Ready(); err != nil {
		t.Fatal(err)
	}
	return p, url
}

// Ready waits until the server says that it is ready, and returns its URL.
func (p *Process) Ready() (string, error) {
	select {
	case url := <-p.url:
		return url, nil
	case <-p.Done:
		return "", fmt.Errorf("the server ended at once:\n%s", p.Output())
	case <-time.After(30 * time.Second):
		return "", errors.New("the server does not get ready:\n" + p.Output())
	}
}

// Kill kills the process.
func (p *Process) Kill() {
	p.Cmd.Process.Kill()
	<-p.Done
	p.Cmd.Wait()
}

// ready is the line that says where a server is.
var ready = regexp.MustCompile(`^(?:serving|recording|gateway to) .* at (http\S+)$`)

// read collects the error stream and finds the line that says that the server is ready.
func (p *Process) read(lines *bufio.Scanner) {
	defer close(p.Done)
	for lines.Scan() {
		p.mu.Lock()
		p.stderr.WriteString(lines.Text() + "\n")
		p.mu.Unlock()
		if found := ready.FindStringSubmatch(lines.Text()); found != nil {
			p.url <- found[1]
		}
	}
}

// Output returns the error stream so far.
func (p *Process) Output() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.stderr.String()
}
