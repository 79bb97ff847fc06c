// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/pprof"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/dragoman-a2a/dragoman/internal/gctune"
)

// serveArg makes this program one of the servers. Its last argument says which: "bare", "go", "trpc", "memory",
// "sqlite:" or "coord:" and a folder, "gateway:" and the address of the agent behind it, "jwt:" and the URL of keys,
// "limited", "callers", or "abusers:" and their rate and the address that they call.
const serveArg = "serve"

// ready is what a server says on its standard output, in one line, when it can be called.
type ready struct {
	Addr    string // of the server
	Path    string // of JSON-RPC
	Control string // where usage is
}

// usage is what a server process has used since its start, or uses now.
type usage struct {
	CPU        int64 // microseconds of processor time
	Goroutines int
	Heap       int64 // bytes in use after a collection; only when asked for
	Stack      int64 // the same
}

// serve runs a server until standard input ends, so that none outlives the program that started it.
func serve(kind string) error {
	ctx, stop := context.WithCancel(context.Background())
	go func() {
		io.Copy(io.Discard, os.Stdin)
		stop()
	}()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	control, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	go http.Serve(control, controls())
	err = json.NewEncoder(os.Stdout).Encode(ready{Addr: ln.Addr().String(), Path: "/",
		Control: control.Addr().String()})
	if err != nil {
		return err
	}
	kind, folder, _ := strings.Cut(kind, ":") // or what else follows
	if kind != "go" && kind != "trpc" {
		gctune.Tune(slog.Default()) // as dragoman serve does; the bare handler has the same
	}
	switch kind {
	case "bare":
		return serveHandler(ctx, ln, http.HandlerFunc(serveBare))
	case "go":
		return serveHandler(ctx, ln, goPeer())
	case "trpc":
		h, err := trpcPeer()
		if err != nil {
			return err
		}
		return serveHandler(ctx, ln, h)
	case "memory", "sqlite":
		return serveOurs(ctx, ln, folder, nil)
	case "jwt":
		return serveOurs(ctx, ln, "", takeJWTs(folder))
	case "limited", "callers":
		return serveOurs(ctx, ln, "", knowCallers(kind == "limited"))
	case "abusers":
		return flood(ctx, folder)
	case "push":
		return servePush(ctx, ln)
	case "coord":
		return serveCoord(ctx, ln, folder)
	case "log":
		return serveLog(ctx, ln, folder)
	case "gateway":
		return serveGateway(ctx, ln, folder)
	}
	return fmt.Errorf("there is no server %q", kind)
}

func serveHandler(ctx context.Context, ln net.Listener, h http.Handler) error {
	srv := &http.Server{Handler: h}
	stop := context.AfterFunc(ctx, func() { srv.Close() })
	defer stop()
	if err := srv.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// controls answers what the measuring program asks about this process.
func controls() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/usage", func(w http.ResponseWriter, r *http.Request) {
		u := usage{CPU: processorTime().Microseconds(), Goroutines: runtime.NumGoroutine()}
		if r.URL.Query().Has("memory") {
			runtime.GC()
			runtime.GC() // what pools held goes with the second one
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			u.Heap, u.Stack = int64(m.HeapAlloc), int64(m.StackInuse)
		}
		json.NewEncoder(w).Encode(u)
	})
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	return mux
}

// endGrace is how long the measuring program waits for a server to end by itself.
const endGrace = 10 * time.Second
