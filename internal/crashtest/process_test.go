// SPDX-License-Identifier: Apache-2.0

package crashtest

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/dragoman-a2a/dragoman/client"
)

// patience is how long something may take that happens at once on a quiet machine.
const patience = 30 * time.Second

// A process is a server process on a data folder; it can be started again.
type process struct {
	t      testing.TB
	config config
	cmd    *exec.Cmd
	stdin  io.Closer
	exited chan error // gets the end of cmd
	http   *http.Client
}

// start starts a server process, which ends with the test.
func start(t testing.TB, c config) *process {
	t.Helper()
	if c.Folder == "" {
		c.Folder = t.TempDir()
	}
	p := &process{t: t, config: c, http: &http.Client{Transport: &http.Transport{}}}
	p.run()
	t.Cleanup(func() {
		p.http.CloseIdleConnections()
		p.kill()
	})
	return p
}

// run starts the process and waits until it serves, at the addresses that it had before.
func (p *process) run() {
	p.t.Helper()
	text, err := json.Marshal(p.config)
	if err != nil {
		p.t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), configEnv+"="+string(text))
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		p.t.Fatal(err)
	}
	if p.stdin, err = cmd.StdinPipe(); err != nil {
		p.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	p.cmd, p.exited = cmd, make(chan error, 1)
	line, err := bufio.NewReader(out).ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, &p.config.Addrs)
	}
	if err != nil {
		p.t.Fatalf("the server did not start: %q, %v", line, err)
	}
	exited := p.exited
	go func() { exited <- cmd.Wait() }()
}

// kill ends the process as a power cut does, but for what the kernel has not written yet.
func (p *process) kill() {
	p.t.Helper()
	if p.cmd == nil {
		return
	}
	p.cmd.Process.Kill() // fails only when it has ended
	<-p.exited
	p.gone()
}

func (p *process) gone() {
	p.stdin.Close()
	p.cmd = nil
}

// terminate asks the process to drain.
func (p *process) terminate() {
	p.t.Helper()
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		p.t.Fatal(err)
	}
}

// ended waits until the process has ended well.
func (p *process) ended() {
	p.t.Helper()
	select {
	case err := <-p.exited:
		if err != nil {
			p.t.Errorf("the server ended with %v", err)
		}
		p.gone()
	case <-time.After(patience):
		p.t.Fatal("the server does not end")
	}
}

// stop drains the process and waits for its end; where there is no SIGTERM it is killed.
func (p *process) stop() {
	p.t.Helper()
	if runtime.GOOS == "windows" {
		p.kill()
		return
	}
	p.terminate()
	p.ended()
}

// open opens a gate.
func (p *process) open(gate string) {
	p.t.Helper()
	res, err := p.http.Post("http://"+p.config.Addrs.Control+"/open/"+gate, "", nil)
	if err != nil {
		p.t.Fatal(err)
	}
	res.Body.Close()
	if res.StatusCode != http.StatusOK {
		p.t.Fatal(res.Status)
	}
}

// usage measures the process.
func (p *process) usage() usage {
	p.t.Helper()
	res, err := p.http.Get("http://" + p.config.Addrs.Control + "/usage")
	if err != nil {
		p.t.Fatal(err)
	}
	defer res.Body.Close()
	var u usage
	if err := json.NewDecoder(res.Body).Decode(&u); err != nil {
		p.t.Fatal(err)
	}
	return u
}

// dial returns our client of an agent; bindings may be empty.
func (p *process) dial(addr string, bindings ...string) *client.Client {
	p.t.Helper()
	c, err := client.Dial(p.t.Context(), "http://"+addr, &client.Options{Bindings: bindings})
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { c.Close() })
	return c
}

// eventually polls until done reports true.
func eventually(t testing.TB, what string, done func() bool) {
	t.Helper()
	deadline := time.Now().Add(patience)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !done() {
		if time.Now().After(deadline) {
			t.Fatalf("it did not happen that %s", what)
		}
		<-tick.C
	}
}
