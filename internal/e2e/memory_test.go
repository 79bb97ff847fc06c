// SPDX-License-Identifier: Apache-2.0

package e2e_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"runtime/metrics"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dragoman-a2a/dragoman/engine"
	"github.com/dragoman-a2a/dragoman/server"
)

// childVariable makes the test binary a server whose memory can be watched from outside.
const childVariable = "DRAGOMAN_E2E_SERVER"

const heapObjects = "/memory/classes/heap/objects:bytes"

func heapInUse() int64 {
	sample := []metrics.Sample{{Name: heapObjects}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64())
}

// serveAsChild serves the script, prints its URL, and answers each line on standard input with the bytes that the heap
// held at most since the line before. It ends with its standard input.
func serveAsChild() {
	ready := make(chan string, 1)
	e, err := engine.New(&engine.Options{Logger: quiet})
	if err != nil {
		panic(err)
	}
	srv, err := server.New(e.Agent("script", &script{}, nil), &server.Options{
		Card: scriptCard(), Logger: quiet, OnReady: func(_ net.Addr, url string) { ready <- url },
	})
	if err != nil {
		panic(err)
	}
	go srv.ListenAndServe(context.Background(), "127.0.0.1:0")
	fmt.Println(<-ready)

	var peak atomic.Int64
	go func() {
		for range time.Tick(time.Millisecond) {
			if now := heapInUse(); now > peak.Load() {
				peak.Store(now)
			}
		}
	}()
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		fmt.Println(peak.Load())
		runtime.GC()
		peak.Store(heapInUse())
	}
}

// startChild starts a server as a process of its own, and returns its URL and what asks it for the peak of its heap.
func startChild(t *testing.T) (url string, peak func() int64) {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	child := exec.CommandContext(t.Context(), program)
	child.Env = append(os.Environ(), childVariable+"=1")
	child.Stderr = os.Stderr
	in, err := child.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		child.Wait()
	})
	lines := bufio.NewScanner(out)
	read := func() string {
		if !lines.Scan() {
			t.Fatalf("the server's process ended: %v", lines.Err())
		}
		return lines.Text()
	}
	return read(), func() int64 {
		fmt.Fprintln(in)
		n, err := strconv.ParseInt(read(), 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
}

// endless reads as a JSON string that goes on for n bytes.
type endless struct{ left int }

func (e *endless) Read(p []byte) (int, error) {
	if e.left == 0 {
		return 0, io.EOF
	}
	n := min(len(p), e.left)
	for i := range p[:n] {
		p[i] = 'x'
	}
	e.left -= n
	return n, nil
}

// A body of 100 MB is refused by its limit, whether its length is announced or not, and the server's process stays
// within 16 MiB of what it holds when idle.
func TestHundredMegabytes(t *testing.T) {
	url, peak := startChild(t)
	s := &stack{url: url, client: httpClient(t)}
	for _, b := range bindings {
		s.caller(t, b).send(t, "echo warm")
	}
	peak()
	idle := peak()
	for _, b := range bindings {
		for _, announced := range []bool{true, false} {
			for _, op := range []string{"SendMessage", "SendStreamingMessage"} {
				s.caller(t, b).sendMegabytes(t, op, 100, announced)
			}
		}
	}
	if most := peak(); most-idle > 16<<20 {
		t.Errorf("the heap grew from %.1f to %.1f MiB", float64(idle)/(1<<20), float64(most)/(1<<20))
	}
	s.caller(t, bindings[0]).send(t, "echo still here")
}

// sendMegabytes sends a message whose text is that long, and checks that it is refused.
func (c *caller) sendMegabytes(t *testing.T, op string, megabytes int, announced bool) {
	t.Helper()
	method, path, frame := c.request(op, message("~"))
	before, after, _ := strings.Cut(frame, "~")
	size := megabytes * 1_000_000
	body := io.MultiReader(strings.NewReader(before), &endless{left: size}, strings.NewReader(after))
	req, err := http.NewRequestWithContext(t.Context(), method, c.url+path, body)
	if err != nil {
		t.Fatal(err)
	}
	if req.ContentLength = -1; announced {
		req.ContentLength = int64(len(before) + size + len(after))
	}
	req.Header.Set("A2A-Version", "1.0")
	req.Header.Set("Content-Type", "application/json")
	resp, err := c.client.Do(req)
	if err != nil {
		t.Fatalf("%s, announced %t: %v", op, announced, err)
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	a := answer{status: resp.StatusCode, header: resp.Header, body: string(got)}
	_, a.failure = c.result(t, a.body)
	c.wantError(t, a, "REQUEST_TOO_LARGE", "", "8388608 bytes")
}
