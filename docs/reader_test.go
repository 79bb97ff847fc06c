// SPDX-License-Identifier: Apache-2.0

//go:build unix

package docs

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/dragoman-a2a/dragoman/internal/llm/llmtest"
	"github.com/dragoman-a2a/dragoman/internal/pgtest"
)

// patience is how long a command may take, and a server to get ready; both may have to be compiled first.
const patience = 2 * time.Minute

// A reader follows a page in a checkout of its own.
type reader struct {
	t       *testing.T
	dir     string
	env     []string
	replace *strings.Replacer // what stands on the page, by what is there
	ids     map[string]string // ids of the page, by those that came
	serving []*process
}

// build builds the binary as the tutorial does.
func build(t *testing.T) string {
	t.Helper()
	for _, tool := range []string{"sh", "make", "curl"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("the pages need %s; install it to run this test, for example: apt-get install %[1]s", tool)
		}
	}
	dir := checkout(t)
	cmd := exec.CommandContext(t.Context(), "make", "-s", "build")
	cmd.Dir, cmd.Env = dir, environment(t)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("make build: %v\n%s", err, out)
	}
	return filepath.Join(dir, "bin", "dragoman")
}

// checkout returns a folder that looks like a fresh checkout. All but examples are links.
func checkout(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "dragoman") // pages put folders beside it
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		switch name := e.Name(); {
		case name == "bin", name == "data", name == "dist", name == "examples", strings.HasPrefix(name, "."):
		default:
			if err := os.Symlink(filepath.Join(root, name), filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := os.CopyFS(filepath.Join(dir, "examples"), os.DirFS(filepath.Join(root, "examples"))); err != nil {
		t.Fatal(err)
	}
	return dir
}

var address = regexp.MustCompile(`127\.0\.0\.1:\d+`)

// model is where pages expect a language model on the reader's machine.
const model = "OPENAI_BASE_URL=http://127.0.0.1:11434/v1"

// newReader returns the reader of a page, with free addresses in place of the page's.
func newReader(t *testing.T, page, binary string) *reader {
	t.Helper()
	r := &reader{t: t, dir: checkout(t), env: environment(t), ids: make(map[string]string)}
	if err := os.Mkdir(filepath.Join(r.dir, "bin"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(binary, filepath.Join(r.dir, "bin", "dragoman")); err != nil {
		t.Fatal(err)
	}
	var pairs []string
	if strings.Contains(page, model) {
		teller := llmtest.Func(t, tell)
		pairs = append(pairs, model, "OPENAI_BASE_URL="+teller.URL()+" OPENAI_API_KEY="+llmtest.Key)
	}
	addresses := address.FindAllString(page, -1)
	slices.Sort(addresses)
	for _, a := range slices.Compact(addresses) {
		pairs = append(pairs, a, freeAddress(t))
	}
	r.replace = strings.NewReplacer(pairs...)
	// The command is in the reader's PATH, and "make run" serves at the addresses of the page.
	r.env = append(r.env, "PATH="+filepath.Join(r.dir, "bin")+string(os.PathListSeparator)+os.Getenv("PATH"),
		"CURRENCY_ADDR="+r.replace.Replace("127.0.0.1:8080"), "HELLO_ADDR="+r.replace.Replace("127.0.0.1:8081"),
		"CONSOLE_ADDR="+r.replace.Replace("127.0.0.1:12000"), "EXPENSES_ADDR="+freeAddress(t),
		"HOST_ADDR="+freeAddress(t))
	if strings.Contains(page, "postgres://") {
		r.env = append(r.env, pgtest.Start(t).Env()...)
	}
	r.moveExamples()
	return r
}

// tell is a model that rolls two dice and then speaks.
func tell(r *llmtest.Request) llmtest.Step {
	if len(r.Results()) == 0 {
		return llmtest.Calls(llmtest.Call{Name: "roll", Args: `{"dice":"2d6"}`})
	}
	return llmtest.Text("The dice see clouds, and then sun.")
}

func freeAddress(t *testing.T) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	return ln.Addr().String()
}

// moveExamples gives the programs the addresses that the page has now.
func (r *reader) moveExamples() {
	err := filepath.WalkDir(filepath.Join(r.dir, "examples"), func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		return os.WriteFile(file, []byte(r.replace.Replace(string(text))), 0o600)
	})
	if err != nil {
		r.t.Fatal(err)
	}
}

// environment is that of a reader without settings of any kind, who has built before.
func environment(t *testing.T) []string {
	t.Helper()
	env := []string{"HOME=" + t.TempDir(), "GOFLAGS=-trimpath", "LC_ALL=C"}
	for _, name := range []string{"PATH", "TMPDIR", "GOROOT"} {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	names := []string{"GOCACHE", "GOMODCACHE", "GOPATH", "GOPROXY", "GOSUMDB", "GOTOOLCHAIN"}
	out, err := exec.CommandContext(t.Context(), "go", append([]string{"env"}, names...)...).Output()
	if err != nil {
		t.Fatalf("go env: %v", err)
	}
	for i, value := range strings.Split(strings.TrimSuffix(string(out), "\n"), "\n") {
		env = append(env, names[i]+"="+value)
	}
	return env
}

// run runs a block and compares what it prints.
func (r *reader) run(b block, printed *block) {
	r.t.Helper()
	switch b.note {
	case "serves":
		r.stop()
		r.serve(b, printed)
		return
	case "serves too":
		r.serve(b, printed)
		return
	}
	if what, ok := strings.CutPrefix(b.note, "needs "); ok {
		r.t.Logf("line %d: not run, as it needs %s", b.line, what)
		return
	}
	p := r.start(b)
	select {
	case <-p.done:
	case <-time.After(patience):
		r.t.Fatalf("line %d: does not end:\n%s", b.line, p.output())
	}
	want := 0
	if code, ok := strings.CutPrefix(b.note, "exits "); ok {
		want, _ = strconv.Atoi(code)
	}
	if p.code != want {
		r.t.Fatalf("line %d: exit code %d, want %d:\n%s", b.line, p.code, want, p.output())
	}
	if printed == nil {
		return
	}
	if err := r.match(*printed, p.output()); err != nil {
		r.t.Errorf("line %d: %v", printed.line, err)
	}
}

// serve starts a server and waits until it has printed what the page says.
func (r *reader) serve(b block, printed *block) {
	r.t.Helper()
	if printed == nil {
		r.t.Fatalf("line %d: the page has to say what a server prints when it is ready", b.line)
	}
	p := r.start(b)
	r.serving = append(r.serving, p)
	r.t.Cleanup(p.kill)
	deadline := time.After(patience)
	for {
		err := r.match(*printed, p.output())
		if err == nil {
			return
		}
		select {
		case <-p.wrote:
		case <-p.done:
			r.t.Fatalf("line %d: the server ended: %v", b.line, err)
		case <-deadline:
			r.t.Fatalf("line %d: the server is not ready: %v", b.line, err)
		}
	}
}

// stop ends the servers as Ctrl-C does, the last one first.
func (r *reader) stop() {
	r.t.Helper()
	for _, p := range slices.Backward(r.serving) {
		syscall.Kill(-p.cmd.Process.Pid, syscall.SIGINT)
		select {
		case <-p.done:
		case <-time.After(patience):
			r.t.Fatalf("the server does not end after Ctrl-C:\n%s", p.output())
		}
		if p.code != 0 && !p.other {
			r.t.Errorf("the server exits with %d after Ctrl-C:\n%s", p.code, p.output())
		}
	}
	r.serving = nil
}

// process is a block that runs. It is a group of its own, as in a terminal.
type process struct {
	cmd   *exec.Cmd
	done  chan struct{} // closed when it has ended; then code is set
	code  int
	other bool          // go run and make exit with a code of their own after Ctrl-C
	wrote chan struct{} // gets something after output

	mu   sync.Mutex
	text strings.Builder
}

var runsOther = regexp.MustCompile(`\b(?:go run|make) `)

func (r *reader) start(b block) *process {
	r.t.Helper()
	script := r.replace.Replace(b.text)
	for id, came := range r.ids {
		script = strings.ReplaceAll(script, id, came)
	}
	if strings.HasPrefix(b.note, "serves") {
		script = "trap : INT\n" + script // the shell outlives Ctrl-C, to tell how the server ended
	}
	p := &process{done: make(chan struct{}), wrote: make(chan struct{}, 1), other: runsOther.MatchString(b.text)}
	p.cmd = exec.Command("sh", "-e", "-c", script)
	p.cmd.Dir, p.cmd.Env = r.dir, r.env
	p.cmd.Stdout, p.cmd.Stderr = p, p
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := p.cmd.Start(); err != nil {
		r.t.Fatal(err)
	}
	go func() {
		defer close(p.done)
		err := p.cmd.Wait()
		if failed, ok := errors.AsType[*exec.ExitError](err); ok {
			p.code = failed.ExitCode()
		} else if err != nil {
			p.code = -1
			fmt.Fprintln(p, err)
		}
	}()
	return p
}

// Write takes what the process prints.
func (p *process) Write(text []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case p.wrote <- struct{}{}:
	default:
	}
	return p.text.Write(text)
}

func (p *process) output() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text.String()
}

func (p *process) kill() {
	syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
	<-p.done
}
