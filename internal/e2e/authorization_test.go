// SPDX-License-Identifier: Apache-2.0

package e2e_test

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/client"
	"github.com/dragoman-a2a/dragoman/engine"
	"github.com/dragoman-a2a/dragoman/internal/wire"
	"github.com/dragoman-a2a/dragoman/journal/sqlite"
	"github.com/dragoman-a2a/dragoman/server"
	"github.com/dragoman-a2a/dragoman/server/grpc"
)

// teller needs an authorization for each payment, and says nothing about what it got.
type teller struct {
	mu    sync.Mutex
	grant string         // of the last question
	got   map[string]int // credentials, and how often
}

func (b *teller) Run(_ context.Context, t *agent.Turn) error {
	c, inBand := t.Credentials(t.Message())
	b.mu.Lock()
	defer b.mu.Unlock()
	if inBand {
		b.got[c.Value]++
	}
	if inBand || t.Grant() != "" {
		return t.Artifact("receipt", a2a.TextPart("paid"))
	}
	b.grant = t.NewGrant()
	return t.Authorize(agent.Authorization{Schemes: []string{"oauth2"}, Scopes: []string{"pay"},
		URL: "https://bank.example/?state=x", Instructions: "Allow the payment.", Grant: b.grant})
}

func (b *teller) asked() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.grant
}

// In every protocol version and binding, also through a gateway, a task that needs an authorization says so in the same
// part of data. It goes on by the agent's callback, or by credentials in a message, which are in no answer, file or
// log.
func TestInTaskAuthorization(t *testing.T) {
	t.Parallel()
	const secret = "marked-secret-0123"
	folder := t.TempDir()
	j, err := sqlite.Open(t.Context(), folder)
	if err != nil {
		t.Fatal(err)
	}
	var log lockedBuffer
	logger := slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	eng, err := engine.New(&engine.Options{Journal: j, Logger: logger})
	if err != nil {
		t.Fatal(err)
	}
	b := &teller{got: map[string]int{}}
	s := &stack{client: httpClient(t), engine: eng}
	card := scriptCard()
	s.url = s.serveService(t, eng.Agent("teller", b, &engine.AgentOptions{Card: card, TakesCredentials: true}), card,
		nil,
		func(o *server.Options) { o.GRPC, o.CardGRPC, o.Logger = grpc.New(nil), true, logger })
	inBand := 0
	for where, url := range map[string]string{"direct": s.url, "gateway": s.serveGateway(t)} {
		dialed, err := client.Dial(t.Context(), url, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer dialed.Close()
		at := *s
		at.url = url
		for _, iface := range dialed.Card().SupportedInterfaces {
			name := where + " " + iface.ProtocolVersion + " " + iface.Binding
			card := dialed.Card().Clone()
			card.SupportedInterfaces = []a2a.AgentInterface{iface}
			c, err := client.New(card, &client.Options{Generations: wire.Generations,
				Extensions: []string{a2a.CredentialsExtension}})
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			task := payment(t, c)
			need, ok := agent.FindAuthorization(task.Status.Message.Parts...)
			if want := (agent.Authorization{Schemes: []string{"oauth2"}, Scopes: []string{"pay"},
				URL: "https://bank.example/?state=x", Instructions: "Allow the payment."}); !ok || !same(need, want) {
				t.Errorf("%s: the task asks for %+v", name, need)
			}
			if task.Status.State != a2a.TaskStateAuthRequired {
				t.Errorf("%s: the task is %s", name, task.Status.State)
			}
			if iface.ProtocolVersion == "0.1" { // which has no such state; our client knows by the metadata
				expect(t, at.must(t, "tasks/get", `{"id":"`+string(task.ID)+`"}`), map[string]any{
					"status.state":                    "input-required",
					"status.message.parts.1.data.url": "https://bank.example/?state=x"})
			}
			if err := eng.Granted(t.Context(), b.asked(), func(_ context.Context, g engine.Grant) error {
				return nil
			}); err != nil {
				t.Errorf("%s: the callback: %v", name, err)
			}
			ended := endOf(t, c, task.ID)
			if ended.Status.State != a2a.TaskStateCompleted {
				t.Errorf("%s: after the callback the task is %s", name, ended.Status.State)
			}

			answer := text("here")
			answer.Message.TaskID = payment(t, c).ID
			part, err := a2a.Credentials{Scheme: "oauth2", Value: secret}.Part()
			if err != nil {
				t.Fatal(err)
			}
			answer.Message.Parts = append(answer.Message.Parts, part)
			_, err = c.SendMessage(t.Context(), answer)
			if err != nil {
				t.Errorf("%s: credentials in a message: %v", name, err)
				continue
			}
			inBand++
			history := 10
			paid, err := c.GetTask(t.Context(), &a2a.GetTaskRequest{ID: answer.Message.TaskID, HistoryLength: &history})
			if err != nil {
				t.Fatal(err)
			}
			shown, err := paid.MarshalJSON()
			if err != nil || bytes.Contains(shown, []byte(secret)) || !bytes.Contains(shown, []byte("[redacted]")) {
				t.Errorf("%s: the answer is %s, %v", name, shown, err)
			}
		}
	}
	if b.got[secret] != inBand || inBand != 14 {
		t.Errorf("%d turns got the credentials of %d messages", b.got[secret], inBand)
	}
	shutDown(eng)
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(log.String(), secret) {
		t.Errorf("the log has the credentials")
	}
	files, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("the folder has %v, %v", files, err)
	}
	for _, name := range files {
		content, err := os.ReadFile(name)
		if err != nil || bytes.Contains(content, []byte(secret)) {
			t.Errorf("%s has the credentials (%v)", name, err)
		}
	}
}

// lockedBuffer is a log that is read while a server may still write to it.
type lockedBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

func same(a, b agent.Authorization) bool {
	return strings.Join(a.Schemes, " ") == strings.Join(b.Schemes, " ") && a.URL == b.URL &&
		strings.Join(a.Scopes, " ") == strings.Join(b.Scopes, " ") && a.Instructions == b.Instructions
}

// payment starts a task that waits for an authorization.
func payment(t *testing.T, c *client.Client) *a2a.Task {
	t.Helper()
	res, err := c.SendMessage(t.Context(), text("pay"))
	if err != nil {
		t.Fatal(err)
	}
	return res.(*a2a.Task)
}

// endOf follows a task until it has ended.
func endOf(t *testing.T, c *client.Client, id a2a.TaskID) *a2a.Task {
	t.Helper()
	for {
		task, err := c.GetTask(t.Context(), &a2a.GetTaskRequest{ID: id})
		if err != nil {
			t.Fatal(err)
		}
		if task.Status.State.Terminal() || t.Context().Err() != nil {
			return task
		}
	}
}
