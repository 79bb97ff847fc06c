// SPDX-License-Identifier: Apache-2.0

package files_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/apps/samples/files"
	"github.com/dragoman-a2a/dragoman/engine"
	blobs "github.com/dragoman-a2a/dragoman/files"
	"github.com/dragoman-a2a/dragoman/internal/wiretest"
	"github.com/dragoman-a2a/dragoman/journal/memory"
	"github.com/dragoman-a2a/dragoman/server"
	"github.com/dragoman-a2a/dragoman/server/grpc"
)

// serve serves the agent as a program would: its files kept in a store, which gives them out on the same port.
func serve(t *testing.T) string {
	t.Helper()
	j := memory.New(nil)
	store, err := blobs.Open(t.TempDir(), &blobs.Options{Journal: j})
	if err != nil {
		t.Fatal(err)
	}
	quiet := slog.New(slog.DiscardHandler)
	e, err := engine.New(&engine.Options{Journal: j, Logger: quiet})
	if err != nil {
		t.Fatal(err)
	}
	card := files.Card()
	svc := e.Agent("files", store.Agent(files.New(files.Options{})), &engine.AgentOptions{Card: card})
	mux, ready := http.NewServeMux(), make(chan string, 1)
	srv, err := server.New(store.Service(svc, ""), &server.Options{
		Card: card, Logger: quiet, GRPC: grpc.New(nil), Handler: mux, DrainTimeout: 100 * time.Millisecond,
		OnReady: func(_ net.Addr, url string) { ready <- url },
	})
	if err != nil {
		t.Fatal(err)
	}
	mux.Handle("/", srv)
	mux.Handle(blobs.Path, store)
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- srv.ListenAndServe(ctx, "127.0.0.1:0") }()
	t.Cleanup(func() {
		stop()
		<-done
		end, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		e.Shutdown(end)
		store.Close()
		j.Close()
	})
	return <-ready
}

func TestOverEachBinding(t *testing.T) {
	t.Parallel()
	wiretest.At(t, serve(t), play)
}

// play is a conversation: a question without a file, the file, and a question in a form.
func play(t *testing.T, c *wiretest.Caller) {
	t.Helper()
	task := c.Send(t, message("How many rows are there?"))
	if task.Status.State != a2a.TaskStateInputRequired {
		t.Fatalf("without a file: %v", task.Status.State)
	}
	m := message("how many rows?", csvFile)
	m.TaskID = task.ID
	if task = c.Send(t, m); task.Status.State != a2a.TaskStateCompleted ||
		task.Artifacts[0].Text() != "There are 3 rows." {
		t.Fatalf("with the file: %+v", task)
	}
	context := task.ContextID

	m = message("average price by city")
	m.ContextID = context
	wanted := agent.Wanted{MediaType: "application/json",
		Schema: []byte(
			`{"type":"array","items":{"type":"object","properties":{"city":{"type":"string"},` +
				`"mean_price":{"type":"number"}},"required":["city","mean_price"]}}`)}
	if err := wanted.Hint(&m.Parts[0].Metadata); err != nil {
		t.Fatal(err)
	}
	task = c.Send(t, m)
	part := task.Artifacts[0].Parts[0]
	if got, ok := part.Content.(a2a.Data); !ok ||
		canonical(string(got)) != `[{"city":"Bergen","mean_price":12.5},{"city":"Oslo","mean_price":15}]` ||
		string(part.Metadata["mimeType"]) != `"application/json"` {
		t.Errorf("as data: %+v", part)
	}
}

// The requests for structured data of the documents of April 2025, 0.1 and 0.2, with a question that this agent can
// answer.
func TestRequestsOfTheFirstDocuments(t *testing.T) {
	t.Parallel()
	url := serve(t)
	file := base64.StdEncoding.EncodeToString([]byte(sales))
	const schema = `{"type":"array","items":{"type":"object","properties":{"city":{"type":"string"},` +
		`"price":{"type":"number"}}}}`
	for name, row := range map[string]struct{ request, mark string }{
		"April 2025": {`{"jsonrpc":"2.0","id":9,"method":"tasks/send","params":{"id":"t-1","sessionId":"s-1",
			"message":{"role":"user","parts":[
			{"type":"text","text":"show rows","metadata":{"mimeType":"application/json","schema":` + schema + `}},
			{"type":"file","file":{"name":"sales.csv","mimeType":"text/csv","bytes":"` + file + `"}}]},
				"metadata":{}}}`, ""},
		"0.1": {`{"jsonrpc":"2.0","id":"req-008","method":"tasks/send","params":{"id":"t-2","message":{"role":"user",
			"parts":[
			{"type":"text","text":"show rows","metadata":{"desiredOutputMimeType":"application/json",
			"desiredOutputSchemaRef":"` + files.SchemaAnswer + `"}},
			{"type":"file","file":{"name":"sales.csv","mimeType":"text/csv",
			"bytes":"` + file + `"}}]}}}`, files.SchemaAnswer},
		"0.2": {`{"jsonrpc":"2.0","id":9,"method":"message/send","params":{"message":{"role":"user","messageId":"m-1",
			"parts":[
			{"kind":"text","text":"show rows","metadata":{"mimeType":"application/json","schema":` + schema + `}},
			{"kind":"file","file":{"name":"sales.csv","mimeType":"text/csv","bytes":"` + file + `"}}]},
				"metadata":{}}}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
			res, err := c.Post(url+"/", "application/json", bytes.NewReader([]byte(row.request)))
			if err != nil {
				t.Fatal(err)
			}
			defer res.Body.Close()
			body, err := io.ReadAll(res.Body)
			if err != nil {
				t.Fatal(err)
			}
			var answer struct {
				Result struct {
					Status    struct{ State string }
					Artifacts []struct {
						Parts []struct {
							Type, Kind string
							Data       any
							Metadata   map[string]any
						}
					}
				}
			}
			if err := json.Unmarshal(body, &answer, json.MatchCaseInsensitiveNames(true)); err != nil ||
				answer.Result.Status.State != "completed" {
				t.Fatalf("%s, %v", body, err)
			}
			part := answer.Result.Artifacts[0].Parts[0]
			if part.Type+part.Kind != "data" || part.Metadata["mimeType"] != "application/json" {
				t.Errorf("the part: %s", body)
			}
			if mark, _ := part.Metadata["schemaRef"].(string); mark != row.mark {
				t.Errorf("schemaRef %q, want %q", mark, row.mark)
			}
			if data := fmt.Sprint(part.Data); !strings.Contains(data, "Bergen") {
				t.Errorf("the data: %s", data)
			}
		})
	}
}
