// SPDX-License-Identifier: Apache-2.0

package rest

import (
	"fmt"
	"net/url"
	"strconv"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// parameters reads the query of a request (A2A 1.0 §11.5) and collects everything that is wrong with it. Parameters
// that it is not asked for are ignored, as unknown members of a body are.
type parameters struct {
	values     url.Values
	violations []a2a.Violation
}

func parseParameters(raw string) (*parameters, *a2a.Error) {
	if raw == "" {
		return &parameters{}, nil
	}
	values, err := url.ParseQuery(raw)
	if err != nil {
		return nil, &a2a.Error{Kind: a2a.ErrInvalidParams, Message: "the query string is malformed", Cause: err}
	}
	return &parameters{values: values}, nil
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

// text returns a parameter, "" when it is absent or empty, which ProtoJSON does not tell apart.
func (q *parameters) text(name string) string {
	values := q.values[name]
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
	var state a2a.TaskState
	if text == "TASK_STATE_CANCELLED" { // as it was spelled before 1.0
		return a2a.TaskStateCanceled
	}
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
