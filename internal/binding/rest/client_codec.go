// SPDX-License-Identifier: Apache-2.0

package rest

import (
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/binding/sse"
	"github.com/dragoman-a2a/dragoman/internal/wire"
)

// path joins segments to a path below the tenant, if there is one.
func path(tenant string, segments ...string) string {
	var b strings.Builder
	if tenant != "" {
		segments = append([]string{tenant}, segments...)
	}
	for _, s := range segments {
		b.WriteByte('/')
		b.WriteString(escape(s))
	}
	return b.String()
}

// escape makes one segment of a text. A segment of dots only would be taken for a step in the path.
func escape(s string) string {
	if s == "." || s == ".." {
		return strings.ReplaceAll(s, ".", "%2E")
	}
	return url.PathEscape(s)
}

func pushPath(tenant string, task a2a.TaskID, config ...string) string {
	return path(tenant, append([]string{"tasks", string(task), "pushNotificationConfigs"}, config...)...)
}

// query collects the query parameters that are set (A2A 1.0 §11.5).
type query struct{ values url.Values }

func (q *query) text(name, value string) {
	if value == "" {
		return
	}
	if q.values == nil {
		q.values = url.Values{}
	}
	q.values.Set(name, value)
}

func (q *query) number(name string, value *int) {
	if value != nil {
		q.text(name, strconv.Itoa(*value))
	}
}

// String returns the query with its question mark, or "" when nothing is set.
func (q *query) String() string {
	if len(q.values) == 0 {
		return ""
	}
	return "?" + q.values.Encode()
}

func listQuery(req *a2a.ListTasksRequest) string {
	var q query
	q.text("contextId", string(req.ContextID))
	if req.Status != a2a.TaskStateUnspecified {
		q.text("status", req.Status.String())
	}
	q.number("pageSize", req.PageSize)
	q.text("pageToken", req.PageToken)
	q.number("historyLength", req.HistoryLength)
	if !req.StatusTimestampAfter.IsZero() {
		q.text("statusTimestampAfter", req.StatusTimestampAfter.UTC().Format(time.RFC3339Nano))
	}
	if req.IncludeArtifacts {
		q.text("includeArtifacts", "true")
	}
	return q.String()
}

// isError reports whether a body is an error of the binding (A2A 1.0 §11.6) and not JSON of something else.
func isError(body []byte) bool {
	var in struct {
		Error jsontext.Value `json:"error"`
	}
	return json.Unmarshal(body, &in) == nil && in.Error.Kind() == '{'
}

// decodeEvent reads one event of a stream: a StreamResponse, or the error that ends the stream.
func decodeEvent(e sse.Event) (a2a.StreamEvent, error) {
	event, err := a2a.DecodeStreamResponse(e.Data)
	if err == nil {
		return a2a.NewStreamEvent(e.ID, event), nil
	}
	if isError(e.Data) {
		return a2a.StreamEvent{}, wire.DecodeStatusError(0, e.Data)
	}
	return a2a.StreamEvent{}, unreadable(err)
}

// unreadable makes an error of what a peer sent and could not be decoded.
func unreadable(err error) error { return wire.Unreadable(err) }
