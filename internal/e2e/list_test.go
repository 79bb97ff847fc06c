// SPDX-License-Identifier: Apache-2.0

package e2e_test

import (
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"
)

// list returns the ids that a list shows, and checks what every page must have.
func (c *caller) list(t *testing.T, params string) (ids []string, page map[string]any) {
	t.Helper()
	page = c.ok(t, "ListTasks", params)
	for _, name := range []string{"tasks", "nextPageToken", "pageSize", "totalSize"} {
		if !has(page, name) {
			t.Fatalf("%s is not there: %v", name, page)
		}
	}
	at[string](t, page, "nextPageToken")
	for i := range at[[]any](t, page, "tasks") {
		ids = append(ids, at[string](t, page, "tasks", i, "id"))
	}
	return ids, page
}

// fill makes n tasks in a context, the newest first. The clock of statuses has milliseconds, so they lie apart.
func (c *caller) fill(t *testing.T, n int, text, in string) (ids []string) {
	t.Helper()
	for range n {
		task := c.send(t, text, contextID(in))
		ids = append([]string{idOf(t, task)}, ids...)
		stamp := timeOf(t, task)
		for !time.Now().UTC().Truncate(time.Millisecond).After(stamp) {
			runtime.Gosched()
		}
	}
	return ids
}

func timeOf(t *testing.T, task map[string]any) time.Time {
	t.Helper()
	stamp, err := time.Parse(time.RFC3339Nano, at[string](t, task, "status", "timestamp"))
	if err != nil {
		t.Fatal(err)
	}
	return stamp
}

func TestEmptyList(t *testing.T) {
	eachJournal(t, nil, func(t *testing.T, c *caller) {
		ids, page := c.list(t, `{}`)
		if len(ids) != 0 || page["nextPageToken"] != "" || page["totalSize"] != 0.0 || page["pageSize"] != 50.0 {
			t.Errorf("page %v", page)
		}
	})
}

// Pages follow a cursor: what changes while somebody turns them neither repeats a task nor hides one.
func TestListPages(t *testing.T) {
	eachJournal(t, nil, func(t *testing.T, c *caller) {
		want := c.fill(t, 7, "ask", "a")
		var got []string
		token := ""
		for pages := 1; ; pages++ {
			ids, page := c.list(t, fmt.Sprintf(`{"contextId":"a","pageSize":3,"pageToken":%q}`, token))
			got = append(got, ids...)
			if page["pageSize"] != 3.0 || page["totalSize"] != 7.0 && pages == 1 {
				t.Errorf("page %d: %v of %v", pages, page["pageSize"], page["totalSize"])
			}
			if token = at[string](t, page, "nextPageToken"); token == "" {
				if pages != 3 {
					t.Errorf("%d pages", pages)
				}
				break
			}
			c.fill(t, 1, "ask", "a") // a newer one, on a page that has been turned
		}
		if !slices.Equal(got, want) {
			t.Errorf("pages show\n%v, want\n%v", got, want)
		}
		c.wantFails(t, "ListTasks", `{"contextId":"b","pageToken":"bm90IG9uZQ"}`, "INVALID_PARAMS", "pageToken", "")
	})
}

// Without a size a page has fifty tasks, and a hundred at most.
func TestListPageSize(t *testing.T) {
	each(t, nil, func(t *testing.T, c *caller) {
		for range 102 {
			c.send(t, "echo")
		}
		for params, want := range map[string]int{`{}`: 50, `{"pageSize":1}`: 1, `{"pageSize":100}`: 100} {
			ids, page := c.list(t, params)
			if len(ids) != want || page["pageSize"] != float64(want) || page["totalSize"] != 102.0 ||
				page["nextPageToken"] == "" {
				t.Errorf("%s: %d tasks, page size %v of %v", params, len(ids), page["pageSize"], page["totalSize"])
			}
		}
	})
}

// The list is sorted by the time of the status, the newest first: a task that moves comes to the top.
func TestListOrder(t *testing.T) {
	eachJournal(t, nil, func(t *testing.T, c *caller) {
		ids := c.fill(t, 4, "ask", "a")
		c.send(t, "echo", taskID(ids[2]))
		want := []string{ids[2], ids[0], ids[1], ids[3]}
		got, page := c.list(t, `{}`)
		if !slices.Equal(got, want) {
			t.Errorf("order %v, want %v", got, want)
		}
		for i := 1; i < len(got); i++ {
			if timeOf(t, at[map[string]any](t, page, "tasks", i)).After(
				timeOf(t, at[map[string]any](t, page, "tasks", i-1))) {
				t.Errorf("task %d is newer than the one before it", i)
			}
		}
	})
}

func TestListFilters(t *testing.T) {
	eachJournal(t, nil, func(t *testing.T, c *caller) {
		a := c.fill(t, 2, "ask", "a")
		b := c.fill(t, 2, "echo", "b")
		bTask := c.ok(t, "GetTask", byID(b[1]))
		stamp := at[string](t, bTask, "status", "timestamp")
		later := timeOf(t, bTask).Add(time.Millisecond).In(time.FixedZone("", 2*3600)).Format(
			"2006-01-02T15:04:05.000Z07:00")
		all := append(slices.Clone(b), a...)
		for params, want := range map[string][]string{
			`{}`:                                                all,
			`{"contextId":"a"}`:                                 a,
			`{"contextId":"none"}`:                              nil,
			`{"status":"TASK_STATE_INPUT_REQUIRED"}`:            a,
			`{"status":"TASK_STATE_COMPLETED"}`:                 b,
			`{"status":"TASK_STATE_FAILED"}`:                    nil,
			`{"contextId":"a","status":"TASK_STATE_COMPLETED"}`: nil,
			`{"statusTimestampAfter":"` + stamp + `"}`:          b, // at that time or after it
			`{"statusTimestampAfter":"` + later + `"}`:          b[:1],
			`{"statusTimestampAfter":"` + stamp + `","status":"TASK_STATE_INPUT_REQUIRED"}`: nil,
		} {
			got, page := c.list(t, params)
			if !slices.Equal(got, want) || page["totalSize"] != float64(len(want)) {
				t.Errorf("%s: %v of %v, want %v", params, got, page["totalSize"], want)
			}
		}
	})
}

// Artifacts are there when asked for, also as an empty list, and not at all otherwise.
func TestListArtifacts(t *testing.T) {
	eachJournal(t, nil, func(t *testing.T, c *caller) {
		with, without := idOf(t, c.send(t, "echo hi")), idOf(t, c.send(t, "ask"))
		for _, params := range []string{`{}`, `{"includeArtifacts":false}`} {
			_, page := c.list(t, params)
			for i := range 2 {
				if task := at[map[string]any](t, page, "tasks", i); has(task, "artifacts") {
					t.Errorf("%s: %v", params, task)
				}
			}
		}
		_, page := c.list(t, `{"includeArtifacts":true}`)
		for i := range 2 {
			task := at[map[string]any](t, page, "tasks", i)
			artifacts := at[[]any](t, task, "artifacts")
			switch idOf(t, task) {
			case with:
				if len(artifacts) != 1 || textOf(at[map[string]any](t, artifacts, 0)) != "echo hi" {
					t.Errorf("artifacts %v", artifacts)
				}
			case without:
				if len(artifacts) != 0 {
					t.Errorf("artifacts %v", artifacts)
				}
			}
		}
	})
}

// Each caller lists the own tasks only, whatever the filter.
func TestListShowsOwnTasks(t *testing.T) {
	eachJournal(t, byHeader, func(t *testing.T, c *caller) {
		alice, bob := c.with("X-User: alice"), c.with("X-User: bob")
		a, b := alice.fill(t, 2, "ask", "shared"), bob.fill(t, 1, "ask", "shared")
		for _, params := range []string{`{}`, `{"contextId":"shared"}`, `{"status":"TASK_STATE_INPUT_REQUIRED"}`} {
			if got, page := alice.list(t, params); !slices.Equal(got, a) || page["totalSize"] != 2.0 {
				t.Errorf("alice, %s: %v of %v", params, got, page["totalSize"])
			}
			if got, page := bob.list(t, params); !slices.Equal(got, b) || page["totalSize"] != 1.0 {
				t.Errorf("bob, %s: %v of %v", params, got, page["totalSize"])
			}
		}
		_, page := alice.list(t, `{"pageSize":1}`)
		bob.wantFails(t, "ListTasks", fmt.Sprintf(`{"pageSize":1,"pageToken":%q}`, page["nextPageToken"]),
			"INVALID_PARAMS", "pageToken", "")
	})
}
