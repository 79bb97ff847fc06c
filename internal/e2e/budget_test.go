// SPDX-License-Identifier: Apache-2.0

package e2e_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/engine"
	"github.com/dragoman-a2a/dragoman/server"
)

// The budget for requests has room for one large message. An agent that has not said anything yet does not keep it: the
// engine counts the message from the time it takes it.
func TestAQuietAgentKeepsNoRoomForRequests(t *testing.T) {
	t.Parallel()
	e, err := engine.New(&engine.Options{Logger: quiet})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { shutDown(e) })
	entered, leave := make(chan struct{}, 2), make(chan struct{})
	svc := e.Agent("quiet", agent.Func(func(context.Context, *agent.Turn) error {
		entered <- struct{}{}
		<-leave
		return nil
	}), nil)
	s := &stack{script: &script{}, engine: e, client: httpClient(t)}
	url := s.serveService(t, svc, scriptCard(), nil, func(o *server.Options) {
		o.Limits = server.Limits{RequestBytes: 200 << 10, Wait: time.Millisecond}
	})
	sent := make(chan error, 2)
	for range 2 {
		go func() { sent <- s.sendLarge(t.Context(), url, 140<<10) }()
		select {
		case <-entered:
		case err := <-sent:
			t.Fatalf("a message is answered before its agent has said anything: %v", err)
		}
	}
	close(leave)
	for range 2 {
		if err := <-sent; err != nil {
			t.Error(err)
		}
	}
}

// sendLarge sends a message with so many bytes of text.
func (s *stack) sendLarge(ctx context.Context, url string, size int) error {
	body := `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"` +
		strings.Repeat("x", size) + `"}]}}}`
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("A2A-Version", "1.0")
	resp, err := s.client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %.300s", resp.Status, answer)
	}
	return err
}
