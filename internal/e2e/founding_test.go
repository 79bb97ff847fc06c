// SPDX-License-Identifier: Apache-2.0

package e2e_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/apps/samples/coder"
	"github.com/dragoman-a2a/dragoman/apps/samples/currency"
	"github.com/dragoman-a2a/dragoman/apps/samples/images"
	"github.com/dragoman-a2a/dragoman/apps/samples/movies"
	"github.com/dragoman-a2a/dragoman/engine"
	"github.com/dragoman-a2a/dragoman/files"
	"github.com/dragoman-a2a/dragoman/server"
)

var update = flag.Bool("update", false, "write what the agents answer into testdata")

// TestFoundingClients plays what the programs of April and May 2025 send that came with the first documents, and
// compares what they get to the letter. The preamble of the file says what each of them cannot do without.
func TestFoundingClients(t *testing.T) {
	t.Parallel()
	const file = "testdata/founding.txtar"
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	client := httpClient(t)
	agents := map[string]string{}
	for name, a := range map[string]struct {
		agent agent.Agent
		card  *a2a.AgentCard
	}{
		"coder":    {coder.New(coder.Options{}), coder.Card()},
		"currency": {currency.New(currency.Options{}), currency.Card()},
		"images":   {images.New(images.Options{}), images.Card()},
		"movies":   {movies.New(movies.Options{}), movies.Card()},
	} {
		agents[name] = serveWithFiles(t, client, name, a.agent, a.card)
	}
	var played []txtar.File
	for i, f := range archive.Files {
		name, ok := strings.CutSuffix(f.Name, ".request")
		if !ok {
			continue
		}
		got := askAsFounder(t, client, agents, f.Data)
		played = append(played, f, txtar.File{Name: name + ".response", Data: got})
		if *update {
			continue
		}
		if i+1 == len(archive.Files) || archive.Files[i+1].Name != name+".response" {
			t.Errorf("%s has no response; run the test with -update", name)
		} else if diff := cmp.Diff(string(archive.Files[i+1].Data), string(got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	if *update {
		archive.Files = played
		if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// serveWithFiles serves an agent as the samples are served, its files kept beside the journal.
func serveWithFiles(t *testing.T, client *http.Client, name string, a agent.Agent, card *a2a.AgentCard) string {
	t.Helper()
	j := inMemory(t)
	e, err := engine.New(&engine.Options{Journal: j, Logger: quiet})
	if err != nil {
		t.Fatal(err)
	}
	store, err := files.Open(filepath.Join(t.TempDir(), "files"), &files.Options{Journal: j, Logger: quiet})
	if err != nil {
		t.Fatal(err)
	}
	ready := make(chan string, 1)
	srv, err := server.New(store.Service(e.Agent(name, store.Agent(a), &engine.AgentOptions{Card: card}), ""),
		&server.Options{
			Card: card, Logger: quiet, DrainTimeout: 10 * time.Millisecond,
			OnReady: func(_ net.Addr, url string) { ready <- url },
		})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- srv.ListenAndServe(ctx, "127.0.0.1:0") }()
	t.Cleanup(func() {
		client.CloseIdleConnections()
		stop()
		<-done
		shutDown(e)
		store.Close()
	})
	return <-ready
}

// askAsFounder sends a request that is written as the agent's name, header lines, an empty line and a body, and returns
// status, media type and body of the answer without what differs from run to run.
func askAsFounder(t *testing.T, client *http.Client, agents map[string]string, request []byte) []byte {
	t.Helper()
	head, body, _ := bytes.Cut(request, []byte("\n\n"))
	lines := strings.Split(string(head), "\n")
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, agents[lines[0]],
		bytes.NewReader(bytes.TrimSpace(body)))
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range lines[1:] {
		name, value, _ := strings.Cut(line, ": ")
		req.Header.Set(name, value)
	}
	res, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	if res.Header.Get("Content-Type") == "text/event-stream" {
		readAsFounder(t, string(answer))
	}
	for _, u := range unsteadyInAnswers {
		answer = u.expression.ReplaceAllFunc(answer, u.steady)
	}
	return append(fmt.Appendf(nil, "%d %s\n\n", res.StatusCode, res.Header.Get("Content-Type")),
		append(bytes.TrimSpace(answer), '\n')...)
}

// readAsFounder reads a stream as the JavaScript client does: a block is one line of data, and all of the rest is JSON.
func readAsFounder(t *testing.T, stream string) {
	t.Helper()
	for block := range strings.SplitSeq(strings.TrimSpace(stream), "\n\n") {
		text, ok := strings.CutPrefix(block, "data: ")
		if !ok {
			t.Errorf("a block that does not begin with data: %q", block)
		}
		object(t, text)
	}
}

var unsteadyInAnswers = []struct {
	expression *regexp.Regexp
	steady     func([]byte) []byte
}{
	{regexp.MustCompile(`"timestamp":"[^"]*"`), func([]byte) []byte { return []byte(`"timestamp":"..."`) }},
	{regexp.MustCompile(`"text":"[^"\\]*\\n(?:[^"\\]|\\.)*"`),
		func(b []byte) []byte { return fmt.Appendf(nil, `"text":"%d lines"`, bytes.Count(b, []byte(`\n`))) }},
	{regexp.MustCompile(`"bytes":"[^"]*"`),
		func(b []byte) []byte { return fmt.Appendf(nil, `"bytes":"over 256 KiB: %t"`, len(b)*3/4 > 256<<10) }},
}
