// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/internal/cmdline"
)

// soon is far less than the 30 s that turns get when nobody is in a hurry, and more than a busy machine needs.
const soon = 12 * time.Second

// endless is an agent that takes a message and never ends; it says that it works, or nothing.
func endless(works bool, begun chan<- struct{}, why chan<- error) agent.Agent {
	return agent.Func(func(ctx context.Context, t *agent.Turn) error {
		if works {
			t.Working(a2a.TextPart("thinking"))
		}
		begun <- struct{}{}
		<-ctx.Done()
		why <- context.Cause(ctx)
		return ctx.Err()
	})
}

// A host for one message is over soon after its time is up, whatever its agent does, and tasks that nobody can come
// back to are cancelled.
func TestHostAskEndsWithItsTimeout(t *testing.T) {
	t.Parallel()
	for _, works := range []bool{false, true} {
		begun, why := make(chan struct{}, 1), make(chan error, 1)
		url := serveAgent(t, endless(works, begun, why), nil)
		start := time.Now()
		got := run(t.Context(), "host", "ask", "-a", url, "--data-dir", ":memory:", "--timeout", "2s", "@Test do it")
		if took := time.Since(start); got.code != cmdline.ExitTimeout || took > soon ||
			!strings.Contains(got.stderr, "no result within 2s") {
			t.Errorf("after %v: %+v", took, got)
		}
		if !works {
			continue // there is no task that could be cancelled
		}
		select {
		case cause := <-why:
			if !errors.Is(cause, agent.ErrCanceled) {
				t.Errorf("the agent was ended by %v", cause)
			}
		case <-time.After(soon):
			t.Error("the agent goes on")
		}
	}
}

// With a folder the task goes on with the next host: its agent is left alone.
func TestHostAskLeavesKeptTasksAlone(t *testing.T) {
	t.Parallel()
	begun, why := make(chan struct{}, 1), make(chan error, 1)
	url := serveAgent(t, endless(true, begun, why), nil)
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	var stderr strings.Builder
	r := Run{
		Program: "dragoman", Args: []string{"host", "ask", "--stream", "-a", url, "--data-dir", t.TempDir(),
			"@Test do it"},
		Stdin: strings.NewReader(""), Stderr: &stderr, LookupEnv: func(string) (string, bool) { return "", false },
		Stdout: whenWritten(func() { // the task is known to the user: who leaves earlier is told no name
			<-begun
			interrupt()
		}),
	}
	start := time.Now()
	code := r.Do(ctx)
	if took := time.Since(start); code != cmdline.ExitInterrupted || took > soon ||
		!strings.Contains(stderr.String(), "--task-id") {
		t.Errorf("after %v: %d %s", took, code, stderr.String())
	}
	select {
	case cause := <-why:
		t.Errorf("the agent was ended by %v", cause)
	default:
	}
}

// A user who leaves the conversation does not wait for agents that do not end.
func TestQuittingAHost(t *testing.T) {
	t.Parallel()
	released := make(chan struct{})
	url := serveAgent(t, agent.Func(func(_ context.Context, turn *agent.Turn) error {
		turn.Working(a2a.TextPart("thinking"))
		<-released
		return nil
	}), nil)
	t.Cleanup(func() { close(released) })
	for name, args := range map[string][]string{"quick": nil, "told": {"--drain", "3s"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			working := make(chan struct{}, 10)
			var keys interrupter
			stderr := &locked{}
			r := Run{
				Program: "dragoman", Args: append([]string{"host", "-a", url, "--data-dir", t.TempDir()}, args...),
				Stdin:  strings.NewReader(""),
				Stdout: &signalling{after: "thinking", then: working}, Stderr: stderr,
				LookupEnv: func(string) (string, bool) { return "", false },
				person:    &person{lines: []string{"@Test do it", "/quit"}}, onInterrupt: keys.take,
			}
			ended := make(chan int, 1)
			go func() { ended <- r.Do(t.Context()) }()
			<-working
			start := time.Now()
			keys.now()
			keys.now()
			code := <-ended
			if took := time.Since(start); took > soon {
				t.Errorf("it took %v", took)
			}
			text := stderr.String()
			if told := strings.Contains(text, "Waiting for agents; Ctrl-C leaves."); name == "told" && !told {
				t.Errorf("%d: %s", code, text)
			}
			if name == "quick" && strings.Contains(text, "Error:") {
				t.Errorf("%s", text)
			}
		})
	}
}

// The host's own words for getting away from an open question are in its help, and not in that of chat.
func TestHelpOfAHost(t *testing.T) {
	t.Parallel()
	url := serveAgent(t, formAgent, nil)
	var stderr bytes.Buffer
	r := Run{
		Program: "dragoman", Args: []string{"host", "-a", url, "--data-dir", ":memory:"}, Stdin: strings.NewReader(""),
		Stdout: io.Discard, Stderr: &stderr,
		LookupEnv: func(string) (string, bool) { return "", false }, person: &person{lines: []string{"/help", "/quit"}},
	}
	if code := r.Do(t.Context()); code != cmdline.ExitOK {
		t.Fatalf("%d: %s", code, stderr.String())
	}
	has(t, "the help", stderr.String(), "new: ... ", "@NAME ... ")
	if got, _ := converse(t, []string{"/help"}, "-a", url); strings.Contains(got.stderr, "@NAME") {
		t.Errorf("chat has it, too: %s", got.stderr)
	}
}

// The user cannot mend the wrong answer of an agent, so no hint asks for that.
func TestAnswersWithoutSenseAreTheAgents(t *testing.T) {
	t.Parallel()
	got := run(t.Context(), "send", "-a", serveHandler(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if r.Method == http.MethodGet {
			fmt.Fprintf(w,
				`{"name":"Odd","description":"d","version":"1","skills":[],"capabilities":{},`+
					`"defaultInputModes":["text/plain"],"defaultOutputModes":["text/plain"],`+
					`"supportedInterfaces":[{"url":"http://%s/rpc","protocolBinding":"JSONRPC",`+
					`"protocolVersion":"1.0"}]}`,
				r.Host)
			return
		}
		io.WriteString(w, `{"jsonrpc":"2.0","id":1,"result":null}`)
	}), "hi")
	if got.code != cmdline.ExitFailure || got.stderr != "Error: cannot read the agent's answer: the result is "+
		"null\nHint: tell whoever runs the agent; --debug shows what it answered\n" {
		t.Errorf("%+v", got)
	}
}

// locked is a buffer for several writers.
type locked struct {
	mu sync.Mutex
	b  bytes.Buffer
}

var _ io.Writer = (*locked)(nil)

func (l *locked) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *locked) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// whenWritten returns a writer that calls a function at the first write.
func whenWritten(f func()) io.Writer { return &trigger{f: sync.OnceFunc(f)} }

type trigger struct{ f func() }

func (t *trigger) Write(p []byte) (int, error) {
	t.f()
	return len(p), nil
}
