// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"sync/atomic"
	"time"

	"github.com/dragoman-a2a/dragoman/apps/samples/hello"
	"github.com/dragoman-a2a/dragoman/engine"
	"github.com/dragoman-a2a/dragoman/internal/loadgen"
	"github.com/dragoman-a2a/dragoman/journal/memory"
	"github.com/dragoman-a2a/dragoman/push"
	"github.com/dragoman-a2a/dragoman/server"
)

const (
	pushTasks  = 200 // tasks of a measurement of deliveries, each with a config of its own
	pushChunks = 50  // chunks of each task
)

// servePush serves the agent in memory, and notifies webhooks.
func servePush(ctx context.Context, ln net.Listener) error {
	quiet := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	j := memory.New(nil)
	defer j.Close()
	sender, err := push.New(push.Options{Journal: j, AllowPrivate: true, Logger: quiet})
	if err != nil {
		return err
	}
	defer sender.Shutdown(context.WithoutCancel(ctx))
	eng, err := engine.New(&engine.Options{Journal: j, Push: sender, Logger: quiet})
	if err != nil {
		return err
	}
	svc := eng.Agent("hello", benchAgent(), &engine.AgentOptions{Card: hello.Card()})
	srv, err := server.New(svc, &server.Options{Card: hello.Card(), Logger: quiet, OnDrain: eng.Shutdown})
	if err != nil {
		return err
	}
	return srv.Serve(ctx, ln)
}

// webhooks are receivers in this process, which count what arrives.
type webhooks struct {
	urls     []string
	servers  []*http.Server
	arrived  atomic.Int64
	finished chan struct{} // gets a value for each task that has ended
}

func newWebhooks(n int) (*webhooks, error) {
	w := &webhooks{finished: make(chan struct{}, 1<<20)}
	for range n {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			w.Close()
			return nil, err
		}
		srv := &http.Server{Handler: w}
		go srv.Serve(ln)
		w.servers, w.urls = append(w.servers, srv), append(w.urls, "http://"+ln.Addr().String())
	}
	return w, nil
}

func (w *webhooks) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	w.arrived.Add(1)
	if bytes.Contains(body, []byte("TASK_STATE_COMPLETED")) {
		w.finished <- struct{}{}
	}
}

func (w *webhooks) Close() {
	for _, srv := range w.servers {
		srv.Close()
	}
}

// pushed is a request that sends a text, with a push config if there is a url.
func pushed(text, url string) string {
	config := ""
	if url != "" {
		config = fmt.Sprintf(`,"configuration":{"taskPushNotificationConfig":{"url":%q}}`, url)
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":`+
		`{"messageId":"m-%d","role":"ROLE_USER","parts":[{"text":%q}]}%s}}`, messageID(), text, config)
}

// measurePush is how many notifications a second reach webhooks, and what they cost the callers.
func measurePush(ctx context.Context, s *settings, _ *fleet) ([]row, error) {
	server, err := startOwn(ctx, "push", "push")
	if err != nil {
		return nil, err
	}
	defer server.stop()
	var rows []row
	for _, n := range []int{1, 100} {
		var rates, costs []float64
		for round := range s.rounds {
			wait := func() error { return nil }
			if round == s.rounds-1 {
				wait = profile(ctx, s, server, fmt.Sprintf("push, %d", n), s.slice)
			}
			rate, cost, err := deliveries(ctx, server, n)
			if err := errors.Join(err, wait()); err != nil {
				return nil, err
			}
			rates, costs = append(rates, rate), append(costs, cost)
		}
		rows = append(rows, row{Case: fmt.Sprintf("push, deliveries, receivers: %d", n),
			Ours: perSecond(median(rates)), CPU: fmt.Sprintf("%.0f a delivery", median(costs))})
	}
	hooks, err := newWebhooks(1)
	if err != nil {
		return nil, err
	}
	defer hooks.Close()
	for _, rate := range []float64{100, 1000} { // sends a second
		added, err := addedByPush(ctx, s, server, hooks.urls[0], rate)
		if err != nil {
			return nil, err
		}
		rows = append(rows, added)
	}
	return rows, nil
}

// addedByPush compares sends with a push config with those without one.
func addedByPush(ctx context.Context, s *settings, at *process, url string, rate float64) (row, error) {
	var without, with []time.Duration
	for range s.rounds {
		for _, c := range []struct {
			url  string
			into *[]time.Duration
		}{{"", &without}, {url, &with}} {
			p50, err := pushLatency(ctx, s, at, c.url, rate)
			if err != nil {
				return row{}, err
			}
			*c.into = append(*c.into, p50)
		}
	}
	a, b := median(without), median(with)
	added := 100 * (float64(b)/float64(a) - 1)
	return row{Case: fmt.Sprintf("push, added to a send, %.0f a second", rate), Ours: fmt.Sprintf("%+.1f %%", added),
		P50:   fmt.Sprintf("%s (without %s)", inMS(b), inMS(a)),
		Marks: []mark{{Name: "added", Got: added, Want: 5, Unit: " %", Under: true}}}, nil
}

// deliveries returns how many notifications a second n webhooks got, and the server's processor time of each. It
// counts from the first request to the last event of the last task.
func deliveries(ctx context.Context, at *process, n int) (rate, cost float64, err error) {
	hooks, err := newWebhooks(n)
	if err != nil {
		return 0, 0, err
	}
	defer hooks.Close()
	c, err := dial(at.Addr)
	if err != nil {
		return 0, 0, err
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(patience))
	before, err := at.usage(ctx)
	if err != nil {
		return 0, 0, err
	}
	began := time.Now()
	for i := range pushTasks {
		body, err := c.do(post(at.Path, pushed(fmt.Sprintf("chunks %d", pushChunks), hooks.urls[i%n])))
		if err != nil {
			return 0, 0, err
		}
		if !bytes.Contains(body, resultMember) {
			return 0, 0, fmt.Errorf("answered %.300s", body)
		}
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for i := range pushTasks {
		select {
		case <-hooks.finished:
		case <-ctx.Done():
			return 0, 0, fmt.Errorf("%d of %d tasks reached their webhooks: %w", i, pushTasks, ctx.Err())
		}
	}
	took, arrived := time.Since(began), float64(hooks.arrived.Load())
	after, err := at.usage(ctx)
	return arrived / took.Seconds(), float64(after.CPU-before.CPU) / arrived, err
}

// pushLatency returns the median of sends at a steady rate.
func pushLatency(ctx context.Context, s *settings, at *process, url string, rate float64) (time.Duration,
	error) {
	c, err := dial(at.Addr)
	if err != nil {
		return 0, err
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(2*s.slice + patience))
	report, err := loadgen.Run(ctx, loadgen.Options{Rate: rate, Duration: 2 * s.slice, Concurrency: 1,
		Drain: patience}, func(context.Context, func()) error {
		body, err := c.do(post(at.Path, pushed("Ada", url)))
		if err == nil && !bytes.Contains(body, resultMember) {
			err = fmt.Errorf("answered %.300s", body)
		}
		return err
	}, error.Error)
	if err == nil && report.Failed > 0 {
		err = fmt.Errorf("of %d requests %d failed: %v", report.Planned, report.Failed, report.Errors)
	}
	if err != nil {
		return 0, err
	}
	return report.Latency.P50, nil
}
