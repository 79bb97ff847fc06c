// SPDX-License-Identifier: Apache-2.0

package grpc_test

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	pb10 "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	google "google.golang.org/grpc"
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
	for name, addr := range map[string]string{"shared": r.host(), "own": r.own} {
		client := pb10.NewA2AServiceClient(dial(t, addr, insecure.NewCredentials()))
		send := func(size int) error {
			_, err := client.SendMessage(withVersion(timeout(t)), large(size))
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

// large returns a request to send a message of so many bytes.
func large(size int) *pb10.SendMessageRequest {
	return &pb10.SendMessageRequest{Message: &pb10.Message{
		MessageId: "m", Role: pb10.Role_ROLE_USER,
		Parts: []*pb10.Part{{Content: &pb10.Part_Text{Text: strings.Repeat("x", size)}}},
	}}
}

// wantSoon sends large messages until one is answered with a code.
func wantSoon(t *testing.T, addr string, want codes.Code, when string) {
	t.Helper()
	client := pb10.NewA2AServiceClient(dial(t, addr, insecure.NewCredentials()))
	for ctx := withVersion(timeout(t)); ; {
		_, err := client.SendMessage(ctx, large(100<<10))
		if status.Code(err) == want {
			return
		}
		if ctx.Err() != nil {
			t.Fatalf("%s: %v, want %v", when, err, want)
		}
	}
}

// onBothPorts runs a test with the address of each port of a server.
func onBothPorts(t *testing.T, svc func(*testing.T) a2a.Service, limits server.Limits,
	test func(t *testing.T, addr string)) {
	for _, own := range []bool{false, true} {
		t.Run(map[bool]string{false: "shared", true: "own"}[own], func(t *testing.T) {
			t.Parallel()
			r := start(t, svc(t), server.Options{Limits: limits}, grpc.Options{Addr: "127.0.0.1:0"})
			if own {
				test(t, r.own)
			} else {
				test(t, r.host())
			}
		})
	}
}

// A large message has its room before it arrives: one that stays half sent keeps others out until its call ends.
func TestBudgetOfMessagesOnTheirWay(t *testing.T) {
	t.Parallel()
	limits := server.Limits{RequestBytes: 200 << 10, Wait: time.Millisecond}
	onBothPorts(t, echoing, limits, func(t *testing.T, addr string) {
		wantSoon(t, addr, codes.OK, "before")
		over, cancel := sendHalf(t, addr)
		wantSoon(t, addr, codes.Unavailable, "while another message is half sent")
		cancel()
		if err := <-over; err == nil {
			t.Error("the half of a message is answered")
		}
		wantSoon(t, addr, codes.OK, "afterwards")
	})
}

// sendHalf sends half of a message of 140 KiB. over gets how the call ended, which cancel ends early.
func sendHalf(t *testing.T, addr string) (over <-chan error, cancel func()) {
	t.Helper()
	var protocols http.Protocols
	protocols.SetUnencryptedHTTP2(true)
	transport := &http.Transport{Protocols: &protocols}
	t.Cleanup(transport.CloseIdleConnections)
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	body, rest := io.Pipe()
	t.Cleanup(func() { rest.Close() })
	req, err := http.NewRequestWithContext(ctx, http.MethodPost,
		"http://"+addr+pb10.A2AService_SendMessage_FullMethodName, body)
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

// TestHalfSentMessageGivesWay has a caller that sends half of a large message and stalls: the next ones get its room
// long before Limits.BodyTimeout.
func TestHalfSentMessageGivesWay(t *testing.T) {
	t.Parallel()
	limits := server.Limits{RequestBytes: 200 << 10, Wait: time.Minute, WriteTimeout: 200 * time.Millisecond}
	onBothPorts(t, echoing, limits, func(t *testing.T, addr string) {
		client := pb10.NewA2AServiceClient(dial(t, addr, insecure.NewCredentials()))
		over, _ := sendHalf(t, addr)
		for again := true; again; { // the first ones may come before the half has room
			if _, err := client.SendMessage(withVersion(timeout(t)), large(100<<10)); err != nil {
				t.Fatalf("the next caller got %v", err)
			}
			select {
			case <-over:
				again = false
			default:
			}
		}
	})
}

// A large answer keeps its room until its reader has read it.
func TestBudgetOfAnswersOnTheirWay(t *testing.T) {
	t.Parallel()
	limits := server.Limits{AnswerBytes: 2 << 20, Wait: time.Millisecond}
	onBothPorts(t, func(t *testing.T) a2a.Service {
		return &showing{echoing(t), &a2a.Task{ID: "t", Status: a2a.TaskStatus{State: a2a.TaskStateCompleted},
			Artifacts: []*a2a.Artifact{{ID: "a", Parts: []a2a.Part{a2a.TextPart(strings.Repeat("x", 1<<20))}}}}}
	}, limits, func(t *testing.T, addr string) {
		client := pb10.NewA2AServiceClient(dial(t, addr, insecure.NewCredentials()))
		get := func() error {
			_, err := client.GetTask(withVersion(timeout(t)), &pb10.GetTaskRequest{Id: "t"})
			return err
		}
		if err := get(); err != nil {
			t.Fatal(err)
		}
		conn, err := google.NewClient(addr, google.WithTransportCredentials(insecure.NewCredentials()),
			google.WithStaticStreamWindowSize(64<<10))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		slow, err := conn.NewStream(withVersion(timeout(t)), &google.StreamDesc{ServerStreams: true},
			pb10.A2AService_GetTask_FullMethodName)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(slow.SendMsg(&pb10.GetTaskRequest{Id: "t"}), slow.CloseSend()); err != nil {
			t.Fatal(err)
		}
		if _, err := slow.Header(); err != nil { // the answer is on its way
			t.Fatal(err)
		}
		if err := get(); status.Code(err) != codes.Unavailable {
			t.Errorf("beside an answer that is not read: %v", err)
		}
		if err := slow.RecvMsg(new(pb10.Task)); err != nil {
			t.Errorf("the slow reader got %v", err)
		}
		if err := slow.RecvMsg(new(pb10.Task)); err != io.EOF {
			t.Errorf("the slow reader got %v", err)
		}
		if err := get(); err != nil {
			t.Errorf("after it was read: %v", err)
		}
	})
}

// showing shows one task.
type showing struct {
	a2a.Service
	task *a2a.Task
}

func (s *showing) GetTask(context.Context, *a2a.GetTaskRequest) (*a2a.Task, error) {
	return s.task, nil
}
