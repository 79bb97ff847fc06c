// SPDX-License-Identifier: Apache-2.0

package rest

import (
	"fmt"
	"net/url"
	"strconv"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/wire/v03pb"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// parameters reads the query of a request (A2A 1.0 §11.5) and collects everything that is wrong with it. Parameters
// that it is not asked for are ignored, as unknown members of a body are.
type parameters struct {
	values     url.Values
	old        bool // the request is one of 0.3
	violations []a2a.Violation
}

func parseParameters(raw string, old bool) (*parameters, *a2a.Error) {
	if raw == "" {
		return &parameters{old: old}, nil
	}
	values, err := url.ParseQuery(raw)
	if err != nil {
		return nil, &a2a.Error{Kind: a2a.ErrInvalidParams, Message: "the query string is malformed", Cause: err}
	}
	return &parameters{values: values, old: old}, nil
}

// err returns what was wrong with the parameters that were read.
func (q *parameters) err() *a2a.Error {
	if len(q.violations) == 0 {
		return nil
	}
	return &a2a.Error{Kind: a2a.ErrInvalidParams, Violations: q.violations}
}

func (q *parameters) wrong(name, format string, args ...any) {
	q.violations = append(q.violations, a2a.Violation{Field: name, Description: fmt.Sprintf(format, args...)})
}

// text returns a parameter, "" when it is absent or empty, which ProtoJSON does not tell apart. Before 1.0 servers took
// the names that fields have in the proto, too.
func (q *parameters) text(name string) string {
	values := q.values[name]
	if q.old && values == nil {
		values = q.values[v03pb.SnakeCase(name)]
	}
	if len(values) > 1 {
		q.wrong(name, "must not be given more than once")
		return ""
	}
	if len(values) == 0 {
		return ""
	}
	return values[0]
}

// count returns a parameter that is a number of things, or nil when it is absent.
func (q *parameters) count(name string) *int {
	text := q.text(name)
	if text == "" {
		return nil
	}
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil || n < 0 {
		q.wrong(name, "must be a whole number of 0 or more, not %.40q", text)
		return nil
	}
	count := int(n)
	return &count
}

func (q *parameters) flag(name string) bool {
	switch text := q.text(name); text {
	case "true":
		return true
	case "", "false":
	default:
		q.wrong(name, "must be true or false, not %.40q", text)
	}
	return false
}

func (q *parameters) state(name string) a2a.TaskState {
	text := q.text(name)
	if text == "" {
		return a2a.TaskStateUnspecified
	}
	if q.old {
		state, ok := v03pb.StateNamed(text)
		if !ok {
			q.wrong(name, "must be a task state such as TASK_STATE_WORKING, not %.40q", text)
		}
		return state
	}
	var state a2a.TaskState
	quoted, err := jsontext.AppendQuote(nil, text)
	if err != nil || json.Unmarshal(quoted, &state) != nil {
		q.wrong(name, "must be a task state such as TASK_STATE_WORKING, not %.40q", text)
	}
	return state
}

func (q *parameters) time(name string) time.Time {
	text := q.text(name)
	if text == "" {
		return time.Time{}
	}
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		q.wrong(name, "must be an ISO 8601 time such as 2026-01-02T03:04:05Z, not %.40q", text)
	}
	return t
}

// maxMillis is more or less the year 9999.
const maxMillis = 253_402_300_799_999

// updatedAfter returns the time after which tasks were updated. Drafts after 0.3.0 have it in milliseconds since 1970,
// their proto as a timestamp.
func (q *parameters) updatedAfter() time.Time {
	const inText, inProto = "lastUpdatedAfter", "lastUpdatedTime"
	text := q.text(inText)
	if text == "" {
		return q.time(inProto)
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < -maxMillis || n > maxMillis {
		q.wrong(inText, "must be a time in milliseconds since 1970, not %.40q", text)
		return time.Time{}
	}
	return time.UnixMilli(n).UTC()
}
