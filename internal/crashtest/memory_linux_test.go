// SPDX-License-Identifier: Apache-2.0

package crashtest

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	pb10 "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/dragoman-a2a/dragoman/a2a"
)

const megabyte = 1 << 20

// memory returns what the process takes of the machine's memory now, and what it took at most, in bytes.
func (p *process) memory() (now, most int64) {
	p.t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		p.t.Fatal(err)
	}
	for line := range strings.Lines(string(status)) {
		var kilobytes int64
		if n, _ := fmt.Sscanf(line, "VmHWM: %d kB", &kilobytes); n == 1 {
			most = kilobytes << 10
		}
		if n, _ := fmt.Sscanf(line, "VmRSS: %d kB", &kilobytes); n == 1 {
			now = kilobytes << 10
		}
	}
	return now, most
}

// forgetMost makes what the process took at most what it takes now.
func (p *process) forgetMost() (now int64) {
	p.t.Helper()
	if err := os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", p.cmd.Process.Pid), []byte("5"), 0); err != nil {
		p.t.Fatal(err)
	}
	_, most := p.memory()
	return most
}

// post sends a JSON-RPC request of the current version, and returns the status, the answer's header and its length.
func (p *process) post(method, params string) (*http.Response, int64) {
	body := `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":` + params + `}`
	req, err := request(p.t.Context(), http.MethodPost, p.config.Addrs.Plain, "/", body)
	if err != nil {
		p.t.Error(err)
		return nil, 0
	}
	res, err := p.http.Do(req)
	if err != nil {
		p.t.Error(err)
		return nil, 0
	}
	defer res.Body.Close()
	n, err := io.Copy(io.Discard, res.Body)
	if err != nil {
		p.t.Error(err)
	}
	return res, n
}

// echoing returns the parameters of a message whose text the agent gives back. They have size bytes.
func echoing(size int) string {
	const before, after = `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"echo `, `"}]}}`
	return before + strings.Repeat("x", size-len(before)-len(after)) + after
}

var journals = map[string]config{"SQLite": {}, "memory": {InMemory: true}}

// A sender sends a message of 8 MB that the agent gives back. It reports whether the agent did, or the server was full.
type sender func(p *process) (served bool)

func sendOverHTTP(p *process) (served bool) {
	res, n := p.post("SendMessage", echoing(8*megabyte-100))
	switch {
	case res == nil:
	case res.StatusCode == http.StatusOK:
		return n > 16*megabyte-10_000
	case res.StatusCode != http.StatusServiceUnavailable || res.Header.Get("Retry-After") == "":
		p.t.Errorf("answered with %s", res.Status)
	}
	return false
}

func overGRPC(address func(addrs) string) sender {
	return func(p *process) (served bool) {
		conn, err := grpc.NewClient(address(p.config.Addrs),
			grpc.WithTransportCredentials(insecure.NewCredentials()),
			grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(32*megabyte)))
		if err != nil {
			p.t.Error(err)
			return false
		}
		defer conn.Close()
		ctx := metadata.AppendToOutgoingContext(p.t.Context(), "a2a-version", "1.0")
		res, err := pb10.NewA2AServiceClient(conn).SendMessage(ctx, &pb10.SendMessageRequest{Message: &pb10.Message{
			MessageId: "m", Role: pb10.Role_ROLE_USER,
			Parts: []*pb10.Part{{Content: &pb10.Part_Text{Text: "echo " + strings.Repeat("x", 8*megabyte-100)}}},
		}})
		if err != nil && status.Code(err) != codes.Unavailable {
			p.t.Errorf("answered with %v", err)
		}
		return err == nil && proto.Size(res) > 16*megabyte-10_000
	}
}

// TestLargeSendsAtOnce has callers send 8 MB each at the same time, and the agent give it back.
func TestLargeSendsAtOnce(t *testing.T) {
	senders, bound := prove(8, 32), prove[int64](600, 1000)*megabyte
	for binding, send := range map[string]sender{
		"HTTP":                sendOverHTTP,
		"gRPC on HTTP's port": overGRPC(func(a addrs) string { return a.Plain }),
		"gRPC on its own":     overGRPC(func(a addrs) string { return a.GRPC }),
	} {
		for name, c := range journals {
			t.Run(binding+" "+name, func(t *testing.T) {
				if binding != "HTTP" && name == "SQLite" && !prove(false, true) {
					t.Skip("the journal in memory shows it in less time")
				}
				p := start(t, c)
				var served atomic.Int32
				parallel(senders, senders, func(int) {
					if send(p) {
						served.Add(1)
					}
				})
				n := int(served.Load())
				_, most := p.memory()
				t.Logf("%d of %d were served; the process took %d MB at most", n, senders, most/megabyte)
				if most > bound || n < senders/2 {
					t.Errorf("%d of %d were served; the process took %d MB, over %d", n, senders, most/megabyte,
						bound/megabyte)
				}
			})
		}
	}
}

// TestOneLargeRequest sends one message of 8 MB: it costs at most 64 MB beyond its own body. On a busy machine the
// garbage collector comes late, which only adds to the cost, so the least of three counts.
func TestOneLargeRequest(t *testing.T) {
	for name, c := range journals {
		t.Run(name, func(t *testing.T) {
			least := costOfLargeRequest(t, c)
			for range 2 {
				if least > 64*megabyte {
					least = min(least, costOfLargeRequest(t, c))
				}
			}
			if least > 64*megabyte {
				t.Errorf("the request cost %d MB beyond its body", least/megabyte)
			}
		})
	}
}

// costOfLargeRequest returns what one message of 8 MB costs a new process beyond its body.
func costOfLargeRequest(t *testing.T, c config) int64 {
	t.Helper()
	p := start(t, c)
	p.post("SendMessage", echoing(200))
	_, idle := p.memory()
	const size = 8*megabyte - 100
	if res, n := p.post("SendMessage", echoing(size)); res == nil || n < 2*size-10_000 {
		t.Fatalf("the answer has %d bytes", n)
	}
	_, most := p.memory()
	t.Logf("the process took %d MB before and %d MB at most", idle/megabyte, most/megabyte)
	return most - idle - size
}

// TestALongList lists tasks that take many times what a page may: each page is small, and all of them are there once.
func TestALongList(t *testing.T) {
	tasks := prove(24, 100)
	for name, c := range journals {
		t.Run(name, func(t *testing.T) {
			p := start(t, c)
			for range tasks {
				p.post("SendMessage", echoing(megabyte))
			}
			c := p.dial(p.config.Addrs.Plain)
			seen := map[a2a.TaskID]bool{}
			pages, size, dearest := 0, a2a.MaxPageSize, int64(0)
			req := &a2a.ListTasksRequest{PageSize: &size, IncludeArtifacts: true, HistoryLength: &size}
			for {
				p.usage() // a collection
				before := p.forgetMost()
				page, err := c.ListTasks(t.Context(), req)
				if err != nil {
					t.Fatal(err)
				}
				_, most := p.memory()
				dearest = max(dearest, most-before)
				bytes := 0
				for _, task := range page.Tasks {
					bytes += a2a.SizeOf(task)
					if seen[task.ID] || len(task.Artifacts) != 1 || len(task.History) != 1 {
						t.Fatalf("task %s is there twice or not whole", task.ID)
					}
					seen[task.ID] = true
				}
				if pages++; bytes > 5*megabyte || len(page.Tasks) == 0 {
					t.Errorf("page %d has %d tasks of %d bytes", pages, len(page.Tasks), bytes)
				}
				if req.PageToken = page.NextPageToken; req.PageToken == "" {
					break
				}
			}
			t.Logf("%d tasks on %d pages, each at %d MB or less", len(seen), pages, dearest/megabyte)
			if len(seen) != tasks || dearest > 64*megabyte {
				t.Errorf("%d of %d tasks on %d pages, at up to %d MB", len(seen), tasks, pages, dearest/megabyte)
			}
		})
	}
}

// TestManyReadersOfALargeTask has 300 readers subscribe to a task of 4 MB and read nothing.
func TestManyReadersOfALargeTask(t *testing.T) {
	const readers = 300
	for name, c := range journals {
		t.Run(name, func(t *testing.T) {
			c.WriteTimeout = time.Hour
			p := start(t, c)
			s, err := p.sendStream(t.Context(), bindings[0], p.config.Addrs.Plain, "stream 84 50000 never")
			if err != nil {
				t.Fatal(err)
			}
			first, err := s.next()
			if err != nil {
				t.Fatal(err)
			}
			id := taskOf(t, first).ID
			agent := p.dial(p.config.Addrs.Plain)
			eventually(t, "the task is large", func() bool {
				task := get(t, agent, id)
				return len(task.Artifacts) == 1 && len(task.Artifacts[0].Parts) == 84
			})
			idle := p.usage()
			for i := range readers {
				stall(t, bindings[i%len(bindings)], p.config.Addrs.Plain, id, "", 0)
			}
			eventually(t, "all readers are served",
				func() bool { return p.usage().Goroutines >= idle.Goroutines+readers })
			now, most := p.memory()
			t.Logf("%d readers; the process takes %d MB, and took %d MB at most", readers, now/megabyte, most/megabyte)
			if most > 300*megabyte {
				t.Errorf("%d readers made the process take %d MB", readers, most/megabyte)
			}
		})
	}
}

// TestATaskLargerThanAPage checks that any one task can be had, however large it is.
func TestATaskLargerThanAPage(t *testing.T) {
	p := start(t, config{InMemory: true})
	p.post("SendMessage", echoing(7*megabyte))
	res, n := p.post("ListTasks", `{"includeArtifacts":true,"historyLength":10}`)
	if res == nil || res.StatusCode != http.StatusOK || n < 14*megabyte-10_000 {
		t.Errorf("the page has %d bytes", n)
	}
}
