// SPDX-License-Identifier: Apache-2.0

package console_test

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/apps/console"
	"github.com/dragoman-a2a/dragoman/client"
	"github.com/dragoman-a2a/dragoman/internal/a2atest"
)

// A passed is a row of the wire.
type passed struct {
	Seq      int64             `json:"seq"`
	Exchange int64             `json:"exchange"`
	Dir      string            `json:"dir"`
	Verb     string            `json:"verb"`
	Method   string            `json:"method"`
	Status   int               `json:"status"`
	Code     int               `json:"code"`
	Failed   bool              `json:"failed"`
	Cut      bool              `json:"cut"`
	About    string            `json:"about"`
	Size     int64             `json:"size"`
	Headers  map[string]string `json:"headers"`
	Body     string            `json:"body"`
}

// wire reads the wire after a row until found says so.
func (b *bench) wire(after int64, found func(passed) bool) []passed {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.t.Context(), 20*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, "GET", b.web.URL+"/api/wire", nil)
	if err != nil {
		b.t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		b.t.Fatal(err)
	}
	defer resp.Body.Close()
	var all []passed
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, 8<<20)
	for lines.Scan() {
		text, ok := strings.CutPrefix(lines.Text(), "data:")
		if !ok {
			continue
		}
		var rows []passed
		if err := json.Unmarshal([]byte(text), &rows); err != nil {
			b.t.Fatal(err)
		}
		for _, row := range rows {
			if row.Seq <= after {
				continue
			}
			if all = append(all, row); found(row) {
				return all
			}
		}
	}
	b.t.Fatalf("the stream ended after %+v: %v", all, lines.Err())
	return nil
}

// whole is a row with its headers and its body.
func (b *bench) whole(seq int64) passed {
	b.t.Helper()
	text, err := json.Marshal(b.must("GET", "wire/"+strconv.FormatInt(seq, 10), nil))
	if err != nil {
		b.t.Fatal(err)
	}
	var row passed
	if err := json.Unmarshal(text, &row); err != nil {
		b.t.Fatal(err)
	}
	return row
}

func saysState(about string) func(passed) bool {
	return func(p passed) bool { return p.About == about }
}

// What is on the wire is kept in its order, without credentials, and can be sent again.
func TestWire(t *testing.T) {
	t.Parallel()
	const secret = "s3cret-of-the-agent"
	b := open(t, console.Options{Client: client.Options{Interceptors: []client.Interceptor{client.Bearer(secret)}}})
	id := b.converse(a2atest.Serve(t, echo, card))
	b.must("POST", "conversations/"+id+"/messages", say(`{"password":"hunter2-hunter2"}`))
	all := b.wire(0, saysState("status completed"))
	if all[0].Method != "GET /.well-known/agent-card.json" || all[0].Verb != "GET" || all[1].Dir != "answer" {
		t.Errorf("it begins with %+v", all[:2])
	}
	var request passed
	for _, row := range all {
		if row.Dir == "request" && row.Method == "SendStreamingMessage" {
			request = row
		}
	}
	answer, event := all[request.Seq], all[len(all)-1]
	if answer.Dir != "answer" || answer.Exchange != request.Exchange || answer.Status != 200 || event.Dir != "event" ||
		event.Exchange != request.Exchange || event.Method != request.Method || event.Failed {
		t.Errorf("%+v is answered by %+v and %+v", request, answer, event)
	}
	if got := b.whole(request.Seq); got.Headers["Authorization"] != "[redacted]" || int(got.Size) != len(got.Body) ||
		!jsontext.Value(got.Body).IsValid() {
		t.Errorf("the request is %+v", got)
	}
	if got := b.whole(event.Seq); !strings.HasPrefix(got.Body, "data:") && !strings.HasPrefix(got.Body, "id:") {
		t.Errorf("the event is %q", got.Body)
	}

	b.must("POST", "wire/"+strconv.FormatInt(request.Seq, 10)+"/replay", nil)
	again := b.wire(event.Seq, func(p passed) bool { return p.Dir != "request" })
	if again[0].Method != request.Method || again[0].Exchange == request.Exchange {
		t.Errorf("sent again: %+v", again)
	}
	for _, row := range []string{strconv.FormatInt(event.Seq, 10), "999999", "x"} {
		status, _ := b.ask("POST", "wire/"+row+"/replay", nil)
		if status != http.StatusConflict && status != http.StatusNotFound {
			t.Errorf("%s: %d", row, status)
		}
	}

	resp, err := http.Get(b.web.URL + "/api/wire.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil || bytes.Contains(text, []byte(secret)) {
		t.Errorf("the export has the token, or %v", err)
	}
	if lines := bytes.Count(text, []byte{'\n'}); lines < len(all) {
		t.Errorf("the export has %d lines of %d", lines, len(all))
	}

	b.stop()
	b.start(console.Options{})
	kept := b.wire(0, func(p passed) bool { return p.Seq == event.Seq })
	if len(kept) != len(all) {
		t.Errorf("after a restart %d rows are left of %d", len(kept), len(all))
	}
	b.must("DELETE", "wire", nil)
	if status, _ := b.ask("GET", "wire/"+strconv.FormatInt(event.Seq, 10), nil); status != http.StatusNotFound {
		t.Errorf("a row that was cleared: %d", status)
	}
}

// Errors of JSON-RPC come with the status 200, and a large body is cut.
func TestWireErrors(t *testing.T) {
	t.Parallel()
	mux := http.NewServeMux()
	srv := httptest.NewServer(mux)
	defer srv.Close()
	card := *card
	card.SupportedInterfaces = []a2a.AgentInterface{{URL: srv.URL + "/rpc", Binding: "JSONRPC", ProtocolVersion: "1.0"}}
	text, err := json.Marshal(&card)
	if err != nil {
		t.Fatal(err)
	}
	mux.HandleFunc("/.well-known/agent-card.json", func(w http.ResponseWriter, _ *http.Request) { w.Write(text) })
	mux.HandleFunc("/rpc", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, `{"jsonrpc":"2.0","id":1,"error":{"code":-32005,"message":"no such type",`+
			`"data":[{"apiKey":"abc"}]}}`)
	})
	b := open(t, console.Options{})
	id := b.converse(srv.URL)
	b.must("POST", "conversations/"+id+"/messages", say(strings.Repeat("x", 100_000)))
	all := b.wire(0, func(p passed) bool { return p.Code != 0 })
	failed, request := all[len(all)-1], all[len(all)-2]
	if failed.Code != -32005 || failed.Status != 200 || !failed.Failed || failed.About == "" {
		t.Errorf("the error is %+v", failed)
	}
	if got := b.whole(failed.Seq); strings.Contains(got.Body, "abc") {
		t.Errorf("the error shows a key: %s", got.Body)
	}
	if got := b.whole(request.Seq); !got.Cut || got.Size < 100_000 || len(got.Body) > 64<<10 {
		t.Errorf("a large request has %d bytes of %d", len(got.Body), got.Size)
	}
	status, _ := b.ask("POST", "wire/"+strconv.FormatInt(request.Seq, 10)+"/replay", nil)
	if status != http.StatusConflict {
		t.Errorf("a request that was cut is sent again: %d", status)
	}
	srv.Close()
	b.must("POST", "conversations/"+id+"/messages", say("again"))
	all = b.wire(failed.Seq, func(p passed) bool { return p.Dir == "end" })
	if end := all[len(all)-1]; !end.Failed || end.About == "" {
		t.Errorf("no answer is %+v", end)
	}
}
