// SPDX-License-Identifier: Apache-2.0

//go:build unix

package dragoman_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"syscall"
	"time"

	"github.com/dragoman-a2a/dragoman"
	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
)

// serve serves a hello-world agent until the process is told to stop.
func serve(addr string) error {
	card := &a2a.AgentCard{Name: "Hello", Description: "Greets whoever writes", Version: "1.0.0"}
	hello := agent.Func(func(ctx context.Context, t *agent.Turn) error {
		return t.Artifact("greeting", a2a.TextPart("Hello, "+t.Text()+"!"))
	})
	return dragoman.Serve(addr, card, hello)
}

// greet asks the agent at a URL to greet Ann.
func greet(ctx context.Context, url string) (string, error) {
	c, err := dragoman.Dial(ctx, url)
	if err != nil {
		return "", err
	}
	defer c.Close()
	return c.Ask(ctx, "Ann")
}

func Example() {
	addr := freeAddress()
	served := make(chan error, 1)
	go func() { served <- serve(addr) }()

	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	awaitListener(ctx, addr)
	fmt.Println(greet(ctx, "http://"+addr))

	syscall.Kill(os.Getpid(), syscall.SIGTERM)
	fmt.Println("served:", <-served)
	// Output:
	// Hello, Ann! <nil>
	// served: <nil>
}

func freeAddress() string {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	defer ln.Close()
	return ln.Addr().String()
}

// awaitListener returns once somebody listens on addr.
func awaitListener(ctx context.Context, addr string) {
	for ctx.Err() == nil {
		if conn, err := new(net.Dialer).DialContext(ctx, "tcp", addr); err == nil {
			conn.Close()
			return
		}
	}
}
