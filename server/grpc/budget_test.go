// SPDX-License-Identifier: Apache-2.0

package grpc_test

import (
	"context"
	"encoding/binary"
	"io"
	"net/http"
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

// While a large message is worked on another one waits for a moment and is refused, on both ports; small ones are
// served.
func TestBudget(t *testing.T) {
	t.Parallel()
	svc := &held{echoing(t), make(chan struct{}), make(chan struct{})}
	r := start(t, svc, server.Options{Limits: server.Limits{RequestBytes: 200 << 10, Wait: time.Millisecond}},
		grpc.Options{Addr: "127.0.0.1:0"})
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
		if err := send(100 << 10); status.Code(err) != codes.Unavailable ||
			!strings.Contains(err.Error(), "requests as it may") {
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

// A large message has its room before it arrives, on the port that gRPC shares with HTTP: one that stays half sent
// keeps others out until its call ends.
func TestBudgetOfMessagesOnTheirWay(t *testing.T) {
	t.Parallel()
	r := start(t, echoing(t), server.Options{Limits: server.Limits{RequestBytes: 200 << 10, Wait: time.Millisecond}},
		grpc.Options{})
	client := pb10.NewA2AServiceClient(dial(t, strings.TrimPrefix(r.url, "http://"), insecure.NewCredentials()))
	wantSoon := func(want codes.Code, when string) {
		t.Helper()
		ctx := withVersion(timeout(t))
		for {
			_, err := client.SendMessage(ctx, &pb10.SendMessageRequest{Message: &pb10.Message{
				MessageId: "m", Role: pb10.Role_ROLE_USER,
				Parts: []*pb10.Part{{Content: &pb10.Part_Text{Text: strings.Repeat("x", 100<<10)}}},
			}})
			if status.Code(err) == want {
				return
			}
			if ctx.Err() != nil {
				t.Fatalf("%s: %v, want %v", when, err, want)
			}
		}
	}
	wantSoon(codes.OK, "before")

	over, cancel := sendHalf(t, r)
	wantSoon(codes.Unavailable, "while another message is half sent")
	cancel()
	if err := <-over; err == nil {
		t.Error("the half of a message is answered")
	}
	wantSoon(codes.OK, "afterwards")
}

// sendHalf sends half of a message of 140 KiB. over gets how the call ended, which cancel ends early.
func sendHalf(t *testing.T, r *running) (over <-chan error, cancel func()) {
	t.Helper()
	var protocols http.Protocols
	protocols.SetUnencryptedHTTP2(true)
	transport := &http.Transport{Protocols: &protocols}
	t.Cleanup(transport.CloseIdleConnections)
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	body, rest := io.Pipe()
	t.Cleanup(func() { rest.Close() })
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, r.url+pb10.A2AService_SendMessage_FullMethodName, body)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/grpc")
	req.Header.Set("Te", "trailers")
	req.Header.Set("A2A-Version", "1.0")
	ended := make(chan error, 1)
	go func() {
		resp, err := transport.RoundTrip(req)
		if err == nil {
			_, err = io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
		}
		ended <- err
	}()
	prefix := binary.BigEndian.AppendUint32([]byte{0}, 140<<10)
	if _, err := rest.Write(append(prefix, make([]byte, 70<<10)...)); err != nil {
		t.Fatal(err)
	}
	return ended, cancel
}

// TestHalfSentMessageGivesWay has a caller that sends half of a large message and stalls, on the port that gRPC shares
// with HTTP: the next ones get its room long before Limits.BodyTimeout.
func TestHalfSentMessageGivesWay(t *testing.T) {
	t.Parallel()
	r := start(t, echoing(t), server.Options{Limits: server.Limits{RequestBytes: 200 << 10, Wait: time.Minute,
		WriteTimeout: 200 * time.Millisecond}}, grpc.Options{})
	client := pb10.NewA2AServiceClient(dial(t, strings.TrimPrefix(r.url, "http://"), insecure.NewCredentials()))
	over, _ := sendHalf(t, r)
	for again := true; again; { // the first ones may come before the half has room
		_, err := client.SendMessage(withVersion(timeout(t)), &pb10.SendMessageRequest{Message: &pb10.Message{
			MessageId: "m", Role: pb10.Role_ROLE_USER,
			Parts: []*pb10.Part{{Content: &pb10.Part_Text{Text: strings.Repeat("x", 100<<10)}}},
		}})
		if err != nil {
			t.Fatalf("the next caller got %v", err)
		}
		select {
		case <-over:
			again = false
		default:
		}
	}
}
