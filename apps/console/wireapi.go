// SPDX-License-Identifier: Apache-2.0

package console

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/binding/sse"
	"github.com/dragoman-a2a/dragoman/internal/redact"
)

// wireAPI is what the section Wire asks for.
type wireAPI struct{ c *Console }

// streamWire writes what is on the wire after a row, many rows in one event, and what comes, until the caller leaves.
func (a wireAPI) streamWire(w http.ResponseWriter, r *http.Request) (any, error) {
	after, err := strconv.ParseInt("0"+r.FormValue("after"), 10, 64)
	if err != nil {
		return nil, a2a.InvalidParams("after", "must be the number of a row")
	}
	return nil, a.c.stream(w, r, a.c.wire.news, "wire", func(ctx context.Context) ([]byte, bool, error) {
		rows, err := a.c.tables.wire(ctx, after)
		if err != nil || len(rows) == 0 {
			return nil, false, err
		}
		after = rows[len(rows)-1].Seq
		text, err := json.Marshal(rows)
		return sse.AppendEvent(nil, strconv.FormatInt(after, 10), text), len(rows) == wirePerRead, err
	})
}

func (a wireAPI) wireRow(r *http.Request) (wireRow, error) {
	seq, err := strconv.ParseInt(r.PathValue("seq"), 10, 64)
	if err != nil {
		return wireRow{}, errUnknown
	}
	return a.c.tables.wireRow(r.Context(), seq)
}

func (a wireAPI) showWire(_ http.ResponseWriter, r *http.Request) (any, error) {
	return a.wireRow(r)
}

func (a wireAPI) clearWire(_ http.ResponseWriter, r *http.Request) (any, error) {
	return done, a.c.tables.clearWire(r.Context())
}

// exportWire writes everything that is kept of the wire, one row on each line.
func (a wireAPI) exportWire(w http.ResponseWriter, r *http.Request) (any, error) {
	w.Header().Set("Content-Type", "application/jsonl")
	w.Header().Set("Content-Disposition", `attachment; filename="wire.jsonl"`)
	for after := int64(0); ; {
		rows, err := a.c.tables.wireWhole(r.Context(), after, wireBatch)
		if err != nil || len(rows) == 0 {
			return nil, err
		}
		for _, row := range rows {
			text, err := json.Marshal(row)
			if err != nil {
				return nil, err
			}
			if _, err := w.Write(append(text, '\n')); err != nil {
				return nil, nil // the caller is gone
			}
		}
		after = rows[len(rows)-1].Seq
	}
}

// A replayError refuses to send a request again.
type replayError string

func (e replayError) Error() string { return string(e) }

// maxReplay bounds how long an answer to a request that is sent again is followed.
const maxReplay = 10 * time.Minute

// replayWire sends a request again, as it was. What comes of it is on the wire.
func (a wireAPI) replayWire(_ http.ResponseWriter, r *http.Request) (any, error) {
	row, err := a.wireRow(r)
	switch {
	case err != nil:
		return nil, err
	case row.Dir != wireRequest:
		return nil, replayError("only a request can be sent again")
	case row.Verb == "gRPC":
		return nil, replayError("a call over gRPC cannot be sent again; send the message in a conversation")
	case row.Cut:
		return nil, replayError("only the first part of the request was kept, so it cannot be sent again")
	case strings.Contains(row.URL+row.Body, redact.Mark) || strings.Contains(row.URL, "redacted@"):
		return nil, replayError("the request holds a credential, which is not kept, so it cannot be sent again")
	}
	ctx, cancel := context.WithTimeout(a.c.ctx, maxReplay)
	req, err := http.NewRequestWithContext(ctx, row.Verb, row.URL, strings.NewReader(row.Body))
	if err != nil {
		cancel()
		return nil, err
	}
	for name, value := range row.Headers {
		if value != redact.Mark {
			req.Header.Set(name, value)
		}
	}
	web := a.c.tapped(row.Agent).HTTPClient
	a.c.work.Go(func() {
		defer cancel()
		resp, err := web.Do(req)
		if err != nil {
			return // it is on the wire
		}
		defer resp.Body.Close()
		_, err = io.Copy(io.Discard, resp.Body)
		if err != nil && !errors.Is(err, context.Canceled) {
			a.c.logger.Debug("a replayed request has no whole answer", "error", err)
		}
	})
	return done, nil
}
