// SPDX-License-Identifier: Apache-2.0

package console

import (
	"log/slog"
	"strings"
	"testing"

	"github.com/dragoman-a2a/dragoman/store/sqlite"
)

// The newest rows are kept, up to their number and their size.
func TestWireIsBounded(t *testing.T) {
	t.Parallel()
	db, err := sqlite.Open(t.Context(), t.TempDir(), sqlite.Options{Program: "test"})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	tables, err := openTables(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	log, err := openWire(t.Context(), tables, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	const large = maxWireBytes/maxWireBody + wireTrim // rows with large bodies
	body := strings.Repeat("x", maxWireBody)
	for range large {
		log.add(&wireRow{Body: body})
	}
	for range maxWire {
		log.add(&wireRow{})
	}
	log.close()
	log.add(&wireRow{}) // which comes to nothing
	if err := tables.addWire(t.Context(), []*wireRow{{Body: body}}, true); err != nil {
		t.Fatal(err)
	}
	var rows, bytes, last int
	err = db.QueryRowContext(t.Context(), `SELECT count(*), sum(length(body)), max(seq) FROM console_wire`).
		Scan(&rows, &bytes, &last)
	if err != nil || rows != maxWire || bytes > maxWireBytes || last != large+maxWire+1 {
		t.Errorf("%d rows of %d bytes are left, the last one %d: %v", rows, bytes, last, err)
	}
}

func TestAbout(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]struct {
		code  int
		about string
	}{
		`{"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"no task"}}`: {-32001, "no task"},
		`{"error":{"code":404,"status":"NOT_FOUND","message":"no task"}}`:      {0, "no task"},
		`{"result":{"task":{"status":{"state":"TASK_STATE_INPUT_REQUIRED"}}}}`: {0, "task input-required"},
		`{"statusUpdate":{"status":{"state":"TASK_STATE_WORKING"}}}`:           {0, "status working"},
		`{"artifactUpdate":{"artifact":{"name":"a.txt"}}}`:                     {0, "artifact a.txt"},
		`{"result":{"kind":"status-update","status":{"state":"working"}}}`:     {0, "status working"},
		`{"result":{"kind":"task","status":{"state":"completed"}}}`:            {0, "task completed"},
		`{"result":{"kind":"message","parts":[]}}`:                             {0, "message"},
		`{"result":{"id":"1","status":{"state":"completed"}}}`:                 {0, "completed"},
		`{"result":{"message":{"parts":[]}}}`:                                  {0, "message"},
		`<html>`:                                                               {0, ""},
		`{"a":1}`:                                                              {0, ""},
	} {
		if code, about := aboutOf([]byte(body)); code != want.code || about != want.about {
			t.Errorf("%s: %d %q", body, code, about)
		}
	}
}

// An event that comes in pieces is kept once; comments are not.
func TestExchangeTakesEvents(t *testing.T) {
	t.Parallel()
	log := &wireLog{queue: make(chan *wireRow, 10)}
	e := &exchange{log: log, stream: true}
	for _, piece := range []string{": alive\n\n", "id: 1\r\nda", "ta: {\"a\":1}\r\n", "\r", "\n",
		"data: x\n\ndata: cut"} {
		e.take([]byte(piece))
	}
	close(log.queue)
	var bodies []string
	for r := range log.queue {
		bodies = append(bodies, r.Body)
	}
	if len(bodies) != 2 || bodies[0] != "id: 1\r\ndata: {\"a\":1}\r\n\r\n" || bodies[1] != "data: x\n\n" {
		t.Errorf("the events are %q", bodies)
	}
}
