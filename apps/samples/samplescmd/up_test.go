// SPDX-License-Identifier: Apache-2.0

package samplescmd

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/apps/samples/hello"
	"github.com/dragoman-a2a/dragoman/internal/cmdline"
	"github.com/dragoman-a2a/dragoman/internal/terminal"
)

// When a sample cannot be opened, those that serve already come to their end before anything of theirs is closed.
func TestSeedPortsEndTogether(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := ln.Addr().(*net.TCPAddr).Port
	ln.Close()
	var ended atomic.Bool
	began, opened := make(chan struct{}), errors.New("no second sample")
	worker := agent.Func(func(ctx context.Context, turn *agent.Turn) error {
		close(began)
		<-ctx.Done()
		ended.Store(true)
		return ctx.Err()
	})
	all := []sample{
		{name: "first", port: port, card: hello.Card,
			open: func(*sampleHost) (agent.Agent, error) { return worker, nil }},
		{name: "second", card: hello.Card, open: func(*sampleHost) (agent.Agent, error) {
			go callHello("http://" + ln.Addr().String())
			select {
			case <-began:
			case <-time.After(10 * time.Second):
				t.Error("the first sample does not serve")
			}
			return nil, opened
		}},
	}
	run := &cmdline.Run{Terminal: terminal.New(strings.NewReader(""), io.Discard, io.Discard)}
	o := &hostOptions{ListenOptions: cmdline.ListenOptions{Data: cmdline.InMemory, Drain: 100 * time.Millisecond,
		LogLevel: "error", LogFormat: "text"}}
	h, err := openHost(t.Context(), run, o, cmdline.FolderSamples, nil)
	if err != nil {
		t.Fatal(err)
	}
	h.samples = all
	defer h.close(context.WithoutCancel(t.Context()))
	if err := h.onSeedPorts(t.Context()); !errors.Is(err, opened) {
		t.Errorf("got %v", err)
	}
	if !ended.Load() {
		t.Error("the first sample works on")
	}
}

// callHello sends a message to an agent, which may end before it answers.
func callHello(url string) {
	const message = `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"1",` +
		`"role":"ROLE_USER","parts":[{"text":"hi"}]}}}`
	req, _ := http.NewRequest(http.MethodPost, url, strings.NewReader(message))
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("A2A-Version", "1.0")
	if resp, err := http.DefaultClient.Do(req); err == nil {
		resp.Body.Close()
	}
}

// The index names samples that are safe to type and to show: names that fit a path, and ports that differ.
func TestSamplesTable(t *testing.T) {
	t.Parallel()
	names, ports := make(map[string]bool), make(map[int]bool)
	for _, s := range samples {
		if names[s.name] || ports[s.port] || s.name != strings.ToLower(s.name) || s.shows == "" || s.example == "" ||
			strings.ContainsAny(s.example, `"$`+"`") {
			t.Errorf("%+v", s)
		}
		names[s.name], ports[s.port] = true, true
	}
	doc, err := os.ReadFile("../../../docs/samples.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range samples {
		if !strings.Contains(string(doc), "["+s.name+"](../apps/samples/") ||
			!strings.Contains(string(doc), "| "+strconv.Itoa(s.port)+" | "+s.shows+" |") {
			t.Errorf("docs/samples.md does not have %s as the program lists it", s.name)
		}
	}
}
