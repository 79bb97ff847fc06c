// SPDX-License-Identifier: Apache-2.0

package grpc_test

import (
	"context"
	"strings"
	"testing"
	"time"

	pb10 "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/server"
	"github.com/dragoman-a2a/dragoman/server/grpc"
)

// held keeps large messages until it is told to let them go.
type held struct {
	a2a.Service
	entered, leave chan struct{}
}

func (h *held) SendMessage(_ context.Context, req *a2a.SendMessageRequest) (a2a.SendResult, error) {
	if a2a.SizeOf(req.Message) > 64<<10 {
		h.entered <- struct{}{}
		<-h.leave
	}
	return a2a.NewMessage(a2a.RoleAgent, a2a.TextPart("ok")), nil
}

// While a large message is worked on another one waits for a moment and is refused, on both ports; small ones are served.
func TestBudget(t *testing.T) {
	t.Parallel()
	svc := &held{echoing(t), make(chan struct{}), make(chan struct{})}
	r := start(t, svc, server.Options{Limits: server.Limits{RequestBytes: 200 << 10, Wait: time.Millisecond}}, grpc.Options{Addr: "127.0.0.1:0"})
	for name, addr := range map[string]string{"shared": strings.TrimPrefix(r.url, "http://"), "own": r.own} {
		client := pb10.NewA2AServiceClient(dial(t, addr, insecure.NewCredentials()))
		send := func(size int) error {
			_, err := client.SendMessage(withVersion(timeout(t)), &pb10.SendMessageRequest{Message: &pb10.Message{
				MessageId: "m", Role: pb10.Role_ROLE_USER,
				Parts: []*pb10.Part{{Content: &pb10.Part_Text{Text: strings.Repeat("x", size)}}},
			}})
			return err
		}
		first := make(chan error)
		go func() { first <- send(140 << 10) }()
		<-svc.entered
		if err := send(100 << 10); status.Code(err) != codes.Unavailable || !strings.Contains(err.Error(), "requests as it may") {
			t.Errorf("%s port: a large message: %v", name, err)
		}
		if err := send(10 << 10); err != nil {
			t.Errorf("%s port: a small message: %v", name, err)
		}
		svc.leave <- struct{}{}
		if err := <-first; err != nil {
			t.Errorf("%s port: the first message: %v", name, err)
		}
	}
}
