// SPDX-License-Identifier: Apache-2.0

package crashtest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/engine"
	"github.com/dragoman-a2a/dragoman/internal/gctune"
	"github.com/dragoman-a2a/dragoman/journal/postgres"
	"github.com/dragoman-a2a/dragoman/journal/sql"
	"github.com/dragoman-a2a/dragoman/push"
	"github.com/dragoman-a2a/dragoman/server"
	"github.com/dragoman-a2a/dragoman/server/grpc"
	"github.com/dragoman-a2a/dragoman/store"
	database "github.com/dragoman-a2a/dragoman/store/postgres"
	"github.com/dragoman-a2a/dragoman/store/sqlite"
)

// configEnv holds the JSON of a [config] in the server process.
const configEnv = "DRAGOMAN_PROOF_SERVER"

// config is what the server process is told.
type config struct {
	Folder       string
	Addrs        addrs         // to bind; zero values are chosen by the system
	WriteTimeout time.Duration // 0 means the default
	DrainTimeout time.Duration // 0 means 20 s
	InMemory     bool          // no database
	Database     string        // URL of one that several processes share; "" for one in the folder
	LeaseTTL     time.Duration // 0 means the default
	Push         bool          // webhooks on this machine are notified, and tried again soon
}

// addrs are the addresses of a server process, which prints them as a line of JSON once it serves.
type addrs struct {
	Plain     string // an agent that is not resumable
	Resumable string
	Control   string
	GRPC      string // of the agent at Plain, on a port of gRPC's own
}

// usage is what the control address tells of the process.
type usage struct {
	Goroutines int
	Heap       int64 // bytes of live objects and of stacks, right after a collection
}

// serve is the server process: the whole stack on a database, until SIGTERM.
func serve(text string) error {
	var c config
	if err := json.Unmarshal([]byte(text), &c); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	go func() { // a parent that dies leaves nothing behind
		io.Copy(io.Discard, os.Stdin)
		os.Exit(2)
	}()
	quiet := slog.New(slog.DiscardHandler) // what fails here is part of the proof
	place := c.Folder
	if c.Database != "" {
		place = c.Database
	}
	db, err := openPlace(ctx, place)
	if err != nil {
		return err
	}
	defer db.Close()
	j, err := sql.New(ctx, db, nil)
	if err != nil {
		return err
	}
	defer j.Close()
	gctune.Tune(quiet)
	options := &engine.Options{Journal: j, Logger: quiet, LeaseTTL: c.LeaseTTL}
	if c.Database != "" {
		waker, err := postgres.NewWaker(c.Database, quiet)
		if err != nil {
			return err
		}
		defer waker.Close()
		options.Waker = waker
	}
	if c.InMemory {
		options.Journal = nil
	}
	if c.Push {
		sender, err := push.New(push.Options{Journal: j, Key: make([]byte, push.KeySize), AllowPrivate: true,
			Logger: quiet, Timeout: 500 * time.Millisecond,
			Schedule: slices.Repeat([]time.Duration{50 * time.Millisecond}, 1e4),
			Poll:     50 * time.Millisecond})
		if err != nil {
			return err
		}
		defer sender.Shutdown(context.WithoutCancel(ctx))
		options.Push = sender
	}
	eng, err := engine.New(options)
	if err != nil {
		return err
	}
	g := &gates{}
	plain, err := newScripted("plain", c.Folder, g)
	if err != nil {
		return err
	}
	again, err := newScripted("resumable", c.Folder, g)
	if err != nil {
		return err
	}
	lns, err := listen(c.Addrs.Plain, c.Addrs.Resumable, c.Addrs.Control)
	if err != nil {
		return err
	}
	if c.DrainTimeout == 0 {
		c.DrainTimeout = 20 * time.Second
	}
	var wg sync.WaitGroup
	failed := make([]error, 2)
	own := make(chan string, 1)
	for i, a := range []agent.Agent{plain, resumable{again}} {
		name := []string{"plain", "resumable"}[i]
		options := &server.Options{
			Card: &a2a.AgentCard{
				Name: name, Description: "Does what it is told.", Version: "1",
				DefaultInputModes: []string{"text/plain"}, DefaultOutputModes: []string{"text/plain"},
			},
			Logger: quiet, OnDrain: eng.Shutdown, DrainTimeout: c.DrainTimeout,
			Limits: server.Limits{WriteTimeout: c.WriteTimeout},
		}
		if i == 0 {
			options.GRPC = grpc.New(&grpc.Options{Addr: "127.0.0.1:0", OnReady: func(a net.Addr) { own <- a.String() }})
		}
		srv, err := server.New(eng.Agent(name, a, nil), options)
		if err != nil {
			return err
		}
		wg.Go(func() { failed[i] = srv.Serve(ctx, lns[i]) })
	}
	controls := &http.Server{Handler: control(g)}
	go controls.Serve(lns[2])
	line, err := json.Marshal(addrs{lns[0].Addr().String(), lns[1].Addr().String(), lns[2].Addr().String(), <-own})
	if err != nil {
		return err
	}
	fmt.Println(string(line))
	wg.Wait()
	controls.Close()
	return errors.Join(failed...)
}

// openPlace opens the database at a URL or in a folder.
func openPlace(ctx context.Context, place string) (*store.DB, error) {
	if database.IsURL(place) {
		return database.Open(ctx, place)
	}
	return sqlite.Open(ctx, place, sqlite.Options{})
}

// listen binds each address. One that a killed process had may take a moment to come free.
func listen(addresses ...string) ([]net.Listener, error) {
	var lns []net.Listener
	for _, addr := range addresses {
		if addr == "" {
			addr = "127.0.0.1:0"
		}
		ln, err := net.Listen("tcp", addr)
		if err != nil {
			return nil, err
		}
		lns = append(lns, ln)
	}
	return lns, nil
}

// control opens gates and measures.
func control(g *gates) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /open/{gate}", func(w http.ResponseWriter, r *http.Request) {
		close(g.gate(r.PathValue("gate")))
	})

	mux.HandleFunc("GET /usage", func(w http.ResponseWriter, r *http.Request) {
		runtime.GC()
		runtime.GC() // what pools held is free only after the second one
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		json.NewEncoder(w).Encode(usage{runtime.NumGoroutine(), int64(m.HeapAlloc + m.StackInuse)})
	})
	return mux
}
