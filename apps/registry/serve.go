// SPDX-License-Identifier: Apache-2.0

package registry

import (
	"cmp"
	"context"
	"crypto/tls"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/dragoman-a2a/dragoman/internal/httpserver"
)

// ServeOptions tunes [Serve]. The zero value of each field means its default.
type ServeOptions struct {
	TLS    *tls.Config   // nil means plain HTTP
	Drain  time.Duration // how long open requests may take to end when ctx has ended; 0 means 30 s
	Logger *slog.Logger  // nil means slog.Default()
	// AnyHost answers on a loopback address whatever host requests name, for a proxy in front. Otherwise it must be a
	// name of this machine, so that no web page reaches the registry under a name of its own.
	AnyHost bool
}

// Serve serves a handler on ln, which it closes, until ctx ends and open requests have come to their end. opts may be
// nil. It returns nil after that.
func Serve(ctx context.Context, ln net.Listener, h http.Handler, opts *ServeOptions) error {
	var o ServeOptions
	if opts != nil {
		o = *opts
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	if tcp, ok := ln.Addr().(*net.TCPAddr); ok && tcp.IP.IsLoopback() && !o.AnyHost {
		h = localOnly(h)
	}
	srv := &http.Server{
		Handler: h, TLSConfig: o.TLS,
		// a card that comes slowly must fit into the time to answer
		ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 30 * time.Second, WriteTimeout: time.Minute,
		IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10,
		BaseContext: func(net.Listener) context.Context { return context.WithoutCancel(ctx) },
		ErrorLog:    httpserver.ErrorLog(o.Logger),
	}
	failed := make(chan error, 1)
	go func() {
		if o.TLS != nil {
			failed <- srv.ServeTLS(ln, "", "")
		} else {
			failed <- srv.Serve(ln)
		}
	}()
	select {
	case err := <-failed:
		return fmt.Errorf("registry: %w", err)
	case <-ctx.Done():
	}
	drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), cmp.Or(o.Drain, 30*time.Second))
	defer cancel()
	err := srv.Shutdown(drain)
	if err != nil {
		err = fmt.Errorf("registry: requests were cut that did not end in time: %w", err)
		_ = srv.Close() // what matters was said
	}
	<-failed
	return err
}

// localOnly lets through only requests that name this machine, see ServeOptions.AnyHost.
func localOnly(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !httpserver.IsLocal(r.Host) {
			writeProblem(w, &problem{statuses[ErrForbidden].title, http.StatusForbidden,
				"this registry listens for its own machine only, so it must be called as localhost or 127.0.0.1, not " +
					"as " + strings.ToValidUTF8(clip(r.Host, 100), "?"), ErrForbidden})
			return
		}
		h.ServeHTTP(w, r)
	})
}
