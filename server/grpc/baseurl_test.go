// SPDX-License-Identifier: Apache-2.0

package grpc_test

import (
	"context"
	"log/slog"
	"net"
	"testing"

	pb10 "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/server"
	"github.com/dragoman-a2a/dragoman/server/grpc"
)

// everywhere is a listener that says of itself that it has every address of the machine.
type everywhere struct{ net.Listener }

func (e everywhere) Addr() net.Addr {
	return &net.TCPAddr{IP: net.IPv4zero, Port: e.Listener.Addr().(*net.TCPAddr).Port}
}

// asking notes the base URL of the last call.
type asking struct {
	a2a.Service
	base chan string
}

func (a *asking) GetTask(ctx context.Context, _ *a2a.GetTaskRequest) (*a2a.Task, error) {
	a.base <- a2a.CallFrom(ctx).BaseURL
	return nil, a2a.NewError(a2a.ErrTaskNotFound, "")
}

// A call at gRPC's own port names that port as its host. The server serves everything else, such as files, at the main
// port.
func TestBaseURLIsThatOfTheMainPort(t *testing.T) {
	t.Parallel()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	svc := &asking{echoing(t), make(chan string, 1)}
	own, ready := make(chan string, 1), make(chan struct{})
	srv, err := server.New(svc, &server.Options{
		Card: aCard(), Logger: slog.New(slog.DiscardHandler), OnReady: func(net.Addr, string) { close(ready) },
		GRPC: grpc.New(&grpc.Options{Addr: "127.0.0.1:0", OnReady: func(a net.Addr) { own <- a.String() }}),
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- srv.Serve(ctx, everywhere{ln}) }()
	defer func() { end(); <-done }()
	<-ready
	main := ln.Addr().String()
	for _, port := range []string{main, <-own} {
		client := pb10.NewA2AServiceClient(dial(t, port, insecure.NewCredentials()))
		client.GetTask(withVersion(timeout(t)), &pb10.GetTaskRequest{Id: "t"})
		if got := <-svc.base; got != "http://"+main {
			t.Errorf("at %s: %q, want http://%s", port, got, main)
		}
	}
}
