// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/dragoman-a2a/dragoman/apps/samples/hello"
	"github.com/dragoman-a2a/dragoman/engine"
	"github.com/dragoman-a2a/dragoman/server"
)

// servers starts each kind of server in this process.
func servers(t *testing.T) map[string]*process {
	t.Helper()
	eng, err := engine.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { eng.Shutdown(context.Background()) })
	ours, err := server.New(eng.Agent("hello", benchAgent(), nil), &server.Options{Card: hello.Card()})
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]*process{}
	for name, h := range map[string]http.Handler{"bare": http.HandlerFunc(serveBare), "ours": ours, "go": goPeer()} {
		found[name] = inProcess(t, name, h)
	}
	return found
}

func inProcess(t *testing.T, name string, h http.Handler) *process {
	srv, control := httptest.NewServer(h), httptest.NewServer(controls())
	t.Cleanup(srv.Close)
	t.Cleanup(control.Close)
	at := func(s *httptest.Server) string { return strings.TrimPrefix(s.URL, "http://") }
	return &process{name: name, ready: ready{Addr: at(srv), Path: "/", Control: at(control)}}
}

func TestEveryServerAnswersTheLoad(t *testing.T) {
	for name, s := range servers(t) {
		r, err := load(t.Context(), s, 3, 50*time.Millisecond, sends(s.Path))
		if err != nil || r.rate <= 0 || r.p50 <= 0 || r.p99 < r.p50 {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
		tasks, err := makeTasks(s, 64)
		if err != nil || len(tasks) != 64 {
			t.Errorf("%s: %d tasks, %v", name, len(tasks), err)
			continue
		}
		if _, err := load(t.Context(), s, 2, 50*time.Millisecond, gets(s.Path, tasks)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAnAnswerWithoutAResultFailsTheMeasurement(t *testing.T) {
	s := inProcess(t, "refusing", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"no"}}`)
	}))
	if r, err := load(t.Context(), s, 1, 10*time.Millisecond, sends("/")); err == nil {
		t.Errorf("measured %+v", r)
	}
}

func TestChunksAreAllThere(t *testing.T) {
	all := servers(t)
	for _, name := range []string{"ours", "go"} {
		if took, err := streamChunks(all[name], 40); err != nil || took <= 0 {
			t.Errorf("%s: %v, %v", name, took, err)
		}
	}
}

func TestFirstEvents(t *testing.T) {
	times, err := firstEvents(t.Context(), servers(t)["ours"], 20*time.Millisecond)
	if err != nil || len(times) == 0 {
		t.Errorf("%v, %v", times, err)
	}
}

// Pieces of any size must be counted alike: what is looked for may lie across two reads.
func TestEventsAreCountedAcrossReads(t *testing.T) {
	const body = "id: 1\ndata: {\"data\":1}\n\ndata: {\"state\":\"TASK_STATE_COMPLETED\"}\n\n"
	for size := 1; size <= len(body); size++ {
		s := inProcess(t, "slow", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			for rest := body; rest != ""; {
				n := min(size, len(rest))
				io.WriteString(w, rest[:n])
				w.(http.Flusher).Flush()
				rest = rest[n:]
			}
		}))
		c, err := dial(s.Addr)
		if err != nil {
			t.Fatal(err)
		}
		stream, err := c.open(post("/", "{}"))
		if err != nil {
			t.Fatal(err)
		}
		events, done, err := stream.drain()
		if events != 2 || !done || err != nil {
			t.Errorf("pieces of %d bytes: %d events, completed %t, %v", size, events, done, err)
		}
		c.Close()
	}
}

func TestJudgement(t *testing.T) {
	for _, c := range []struct {
		mark mark
		want bool
	}{
		{atLeast("ratio", 0.65, 0.65, ""), true},
		{atLeast("ratio", 0.64, 0.65, ""), false},
		{under("p99", 8*time.Millisecond, 8*time.Millisecond), true},
		{under("p99", 9*time.Millisecond, 8*time.Millisecond), false},
	} {
		r := row{Case: "of a test", Marks: []mark{c.mark}}
		r.judge()
		if (r.Verdict == "ok") != c.want || (r.Reason == "") != c.want {
			t.Errorf("%v: %+v", c.mark, r)
		}
	}
	var out strings.Builder
	printTable(&out, []row{{Case: "a", Marks: []mark{atLeast("ratio", 1, 1, "")}}}, []string{"nothing"})
	for _, want := range []string{"| case ", "| a ", "ratio ≥ 1", "SKIPPED: nothing"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the table lacks %q:\n%s", want, out.String())
		}
	}
}

func TestMedians(t *testing.T) {
	for want, of := range map[float64][]float64{2: {3, 1, 2}, 2.5: {4, 1, 2, 3}} {
		if got := median(of); got != want {
			t.Errorf("median of %v is %v", of, got)
		}
	}
	if got := fmt.Sprintf("%.2f", ratio([]result{{rate: 1}, {rate: 4}, {rate: 9}},
		[]result{{rate: 2}, {rate: 4}, {rate: 3}})); got != "1.00" {
		t.Errorf("the median of ratios is %s", got)
	}
}
