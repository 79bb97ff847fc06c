// SPDX-License-Identifier: Apache-2.0

//go:build unix

package samplescmd_test

import (
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/dragoman-a2a/dragoman/internal/clitest"
	"github.com/dragoman-a2a/dragoman/internal/clitest/dragoman"
	"github.com/dragoman-a2a/dragoman/internal/cmdline"
)

// samplesProcess starts samples up and returns it with its URL, and how long it took.
func samplesProcess(t *testing.T, args ...string) (*clitest.Process, string, time.Duration) {
	t.Helper()
	begun := time.Now()
	s, err := clitest.StartProgram(append([]string{"samples", "up"}, args...), t.TempDir(), os.Getenv)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Kill)
	url, err := s.Ready()
	if err != nil {
		t.Fatal(err)
	}
	return s, url, time.Since(begun)
}

// memoryOf returns how much of a process is in memory, in bytes; 0 where that cannot be told.
func memoryOf(pid int) int {
	status, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(status), "VmRSS:")
	fields := strings.Fields(rest)
	if len(fields) < 2 || fields[1] != "kB" {
		return 0
	}
	kilobytes, _ := strconv.Atoi(fields[0])
	return kilobytes << 10
}

// All samples together start at once and need little: less than 2 s and 60 MB.
func TestSamplesAreLight(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector multiplies time and memory; run it without -race")
	}
	s, url, took := samplesProcess(t, "--addr", "127.0.0.1:0", "--data-dir", t.TempDir())
	if took > 2*time.Second {
		t.Errorf("they started in %v", took)
	}
	list := getSamples(t, url)
	if all := listSamples(t); len(list) != len(all) {
		t.Fatalf("%d samples of %d", len(list), len(all))
	}
	for _, s := range list {
		getCard(t, s.URL)
	}
	used := memoryOf(s.Cmd.Process.Pid)
	if used > 60<<20 {
		t.Errorf("they use %d MB", used>>20)
	}
	t.Logf("started in %v, %d MB in memory", took, used>>20)
}

// awaitText waits until a process has said something.
func awaitText(t *testing.T, s *clitest.Process, text string) {
	t.Helper()
	look := time.NewTicker(5 * time.Millisecond)
	defer look.Stop()
	for deadline := time.After(30 * time.Second); !strings.Contains(s.Output(), text); {
		select {
		case <-look.C:
		case <-s.Done:
			t.Fatalf("it ended at once:\n%s", s.Output())
		case <-deadline:
			t.Fatalf("it does not say %q:\n%s", text, s.Output())
		}
	}
}

// sampleEntry is a sample in JSON.
type sampleEntry struct {
	Name string `json:"name"`
	Port int    `json:"port"`
	URL  string `json:"url"`
}

// listSamples returns what samples list prints.
func listSamples(t *testing.T) []sampleEntry {
	t.Helper()
	var list []sampleEntry
	got := dragoman.Run(t.Context(), "samples", "list", "-o", "json")
	if err := json.Unmarshal([]byte(got.Stdout), &list); err != nil {
		t.Fatal(err)
	}
	return list
}

// getSamples asks for the list.
func getSamples(t *testing.T, url string) []sampleEntry {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Accept", "application/json")
	var list struct {
		Agents []sampleEntry `json:"agents"`
	}
	getJSON(t, req, &list)
	return list.Agents
}

// getCard asks for an agent's card and returns its name.
func getCard(t *testing.T, url string) string {
	t.Helper()
	url = strings.TrimSuffix(url, "/")
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url+"/.well-known/agent-card.json", nil)
	if err != nil {
		t.Fatal(err)
	}
	var card struct {
		Name                string `json:"name"`
		SupportedInterfaces []struct {
			URL     string `json:"url"`
			Binding string `json:"protocolBinding"`
			Tenant  string `json:"tenant"`
		} `json:"supportedInterfaces"`
	}
	getJSON(t, req, &card)
	grpc := false
	for _, i := range card.SupportedInterfaces {
		want := url
		if i.Binding == "GRPC" { // which has no scheme, and a tenant instead of a path
			host, name, below := strings.Cut(strings.TrimPrefix(url, "http://"), "/agents/")
			grpc, want = grpc || below == (i.Tenant != ""), host
			if i.Tenant != name {
				t.Errorf("the card at %s names the tenant %q for gRPC", url, i.Tenant)
			}
		}
		if i.URL != want {
			t.Errorf("the card at %s leads to %s", url, i.URL)
		}
	}
	if !grpc {
		t.Errorf("the card at %s has no gRPC", url)
	}
	return card.Name
}

func getJSON(t *testing.T, req *http.Request, v any) {
	t.Helper()
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	req.Header.Set("Accept", "application/json, application/grpc")
	resp, err := (&http.Client{Transport: transport}).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s", req.URL, resp.Status)
	}
	if err := json.UnmarshalRead(resp.Body, v); err != nil {
		t.Fatalf("%s: %v", req.URL, err)
	}
}

// With --seed-ports each sample is where the documents of A2A had it.
func TestSamplesOnSeedPorts(t *testing.T) {
	for _, s := range listSamples(t) {
		ln, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(s.Port)))
		if err != nil {
			t.Skipf("port %d is taken; stop what listens there to run this test", s.Port)
		}
		ln.Close()
	}
	args := []string{"samples", "up", "--seed-ports", "--data-dir", cmdline.InMemory}
	s, err := clitest.StartProgram(args, t.TempDir(), os.Getenv)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Kill)
	awaitText(t, s, "data of the samples: ")
	for port, want := range map[int]string{10000: "Currency Agent", 10001: "Image Generator Agent",
		10002: "Reimbursement Agent", 41241: "Movie Agent", 41242: "Coder Agent", 10007: "Repair Shop"} {
		if got := getCard(t, "http://127.0.0.1:"+strconv.Itoa(port)); got != want {
			t.Errorf("port %d: %q, want %q", port, got, want)
		}
	}
	s.Cmd.Process.Signal(syscall.SIGTERM)
	<-s.Done
	if err := s.Cmd.Wait(); err != nil {
		t.Errorf("it did not drain: %v\n%s", err, s.Output())
	}
}

func TestSamplesOnOnePortSayThatTheyLive(t *testing.T) {
	t.Parallel()
	_, url, _ := samplesProcess(t, "--addr", "127.0.0.1:0", "--data-dir", cmdline.InMemory)
	for _, path := range []string{"/healthz", "/readyz"} {
		resp, err := http.Get(url + path)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			t.Errorf("%s: %s", path, resp.Status)
		}
	}
}
