// SPDX-License-Identifier: Apache-2.0

//go:build unix

package samplescmd_test

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/dragoman-a2a/dragoman/internal/clitest"
	"github.com/dragoman-a2a/dragoman/internal/clitest/dragoman"
	"github.com/dragoman-a2a/dragoman/internal/cmdline"
)

// halfRequest opens a request that never gets whole, which a drain waits for.
func halfRequest(t *testing.T, url string) {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	io.WriteString(conn, "POST / HTTP/1.1\r\nHost: localhost\r\nA2A-Version: 1.0\r\nContent-Type: "+
		"application/json\r\nContent-Length: 100\r\nExpect: 100-continue\r\n\r\n")
	answer := make([]byte, len("HTTP/1.1 100"))
	if _, err := io.ReadFull(conn, answer); err != nil || string(answer) != "HTTP/1.1 100" {
		t.Fatalf("the server does not read the body: %q %v", answer, err)
	}
}

func TestSecondSignalEndsTheServerAtOnce(t *testing.T) {
	t.Parallel()
	s, url := clitest.Serve(t, "serve", "--agent", "hello", "--addr", "127.0.0.1:0", "--data-dir", ":memory:")
	halfRequest(t, url)
	s.Cmd.Process.Signal(syscall.SIGTERM)
	awaitRefused(t, url) // it drains
	select {
	case <-s.Done:
		t.Fatal("the server did not wait for the open request")
	default:
	}
	again := time.NewTicker(50 * time.Millisecond) // one that comes within the moment of the first may be lost
	defer again.Stop()
	for ended, deadline := false, time.After(10*time.Second); !ended; {
		s.Cmd.Process.Signal(syscall.SIGTERM)
		select {
		case <-s.Done:
			ended = true
		case <-again.C:
		case <-deadline:
			t.Fatal("the second signal did not end the server")
		}
	}
	failed, ok := errors.AsType[*exec.ExitError](s.Cmd.Wait())
	if !ok || failed.Sys().(syscall.WaitStatus).Signal() != syscall.SIGTERM {
		t.Errorf("ended with %v, want the signal", failed)
	}
}

// A server that a script started in the background must not end by the Ctrl-C that is meant for the script: the signal
// that the script sends then would be its second.
func TestIgnoredInterruptStaysIgnored(t *testing.T) {
	t.Parallel()
	const script = `trap "" INT; exec "$0" serve --agent hello --addr 127.0.0.1:0 --data-dir :memory:`
	s, err := clitest.Start(exec.Command("sh", "-c", script, clitest.Link(t)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Kill)
	if _, err := s.Ready(); err != nil {
		t.Fatal(err)
	}
	status, err := os.ReadFile("/proc/" + strconv.Itoa(s.Cmd.Process.Pid) + "/status")
	if err != nil {
		t.Skip("there is no /proc; run this test on Linux")
	}
	_, ignored, _ := strings.Cut(string(status), "SigIgn:")
	mask, err := strconv.ParseUint(strings.Fields(ignored)[0], 16, 64)
	if err != nil || mask&(1<<(syscall.SIGINT-1)) == 0 {
		t.Errorf("SIGINT is not ignored: %x %v", mask, err)
	}
	s.Cmd.Process.Signal(syscall.SIGTERM)
	<-s.Done
	if err := s.Cmd.Wait(); err != nil {
		t.Errorf("SIGTERM: %v", err)
	}
}

// A server logs that it has no file descriptor left for further connections.
func TestNoDescriptorsLeft(t *testing.T) {
	t.Parallel()
	s, err := clitest.Start(exec.Command("sh", "-c", `ulimit -n 32; exec "$0" serve --echo --addr 127.0.0.1:0`,
		clitest.Link(t)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Kill)
	url, err := s.Ready()
	if err != nil {
		t.Fatal(err)
	}
	for range 40 {
		conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
	}
	const want = "the server cannot accept connections"
	again := time.NewTicker(10 * time.Millisecond)
	defer again.Stop()
	for deadline := time.Now().Add(10 * time.Second); !strings.Contains(s.Output(), want); <-again.C {
		if time.Now().After(deadline) {
			t.Fatalf("the log does not say %q:\n%s", want, s.Output())
		}
	}
}

// awaitRefused returns once nobody listens at a URL any more.
func awaitRefused(t *testing.T, url string) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); {
		conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
		if err != nil {
			return
		}
		conn.Close()
	}
	t.Fatal("the server still accepts connections")
}

func TestServeOverTLS(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cert, key := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	writeCertificate(t, cert, key)
	_, url := clitest.Serve(t, "serve", "--agent", "hello", "--addr", "127.0.0.1:0", "--data-dir", ":memory:",
		"--tls-cert", cert, "--tls-key", key)
	if !strings.HasPrefix(url, "https://") {
		t.Fatalf("serving at %s", url)
	}
	transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}} // it is the test's own
	defer transport.CloseIdleConnections()
	resp, err := (&http.Client{Transport: transport}).Get(url + "/.well-known/agent-card.json")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if body, _ := io.ReadAll(resp.Body); !strings.Contains(string(body), `"url":"https://`) {
		t.Errorf("the card is %s", body)
	}
	if got := dragoman.Run(t.Context(), "card", "get", "-a", url); got.Code != cmdline.ExitUnreachable ||
		!strings.Contains(got.Stderr, "certificate") {
		t.Errorf("a certificate that nobody vouches for: exit code %d: %s", got.Code, got.Stderr)
	}
}

// BenchmarkStart measures from the start of the process to the line that says that it serves. The test binary stands
// for the built one, which is a little quicker.
func BenchmarkStart(b *testing.B) {
	for _, data := range []string{cmdline.InMemory, "tasks"} {
		b.Run(strings.Trim(data, ":"), func(b *testing.B) {
			for b.Loop() {
				s, _ := clitest.Serve(b, "serve", "--agent", "currency", "--addr", "127.0.0.1:0", "--data-dir", data)
				b.StopTimer()
				s.Kill()
				b.StartTimer()
			}
		})
	}
}
