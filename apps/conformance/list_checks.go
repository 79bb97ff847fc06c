// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"fmt"
	"slices"
	"time"
)

// listChecks are about listing tasks, which 0.3 does not have over JSON-RPC.
var listChecks = []check{
	{
		name: "list.members", title: "a list has tasks, nextPageToken, pageSize and totalSize",
		v1:     must("3.1.4", "V1-019", "V1-351"),
		advice: "write all four, also when they are empty or 0",
		run: func(s *session) {
			r, page := s.list(object{"contextId": newID()}) // the empty list is where they get lost
			_, isArray := page["tasks"].([]any)
			_, isString := page["nextPageToken"].(string)
			_, hasSize := page["pageSize"].(float64)
			_, hasTotal := page["totalSize"].(float64)
			if !isArray || !isString || !hasSize || !hasTotal {
				r.failf("an array, a string and two numbers",
					"tasks %v, nextPageToken %v, pageSize %v, totalSize %v", page["tasks"], page["nextPageToken"],
					page["pageSize"], page["totalSize"])
			}
		},
	},
	{
		name: "list.context", title: "the filter for a context gives the tasks of that, and no others",
		v1:     must("3.1.4", "V1-022"),
		advice: "filter by contextId", run: checkListContext,
	},
	{
		name: "list.shape", title: "tasks of a list have what they need", v1: must("5.7", "V1-348"),
		advice: "list whole tasks",
		run: func(s *session) {
			r, page := s.listFamily()
			for _, task := range list(page, "tasks") {
				shape{r, s.dialect, "tasks as the standard has them"}.task(task)
			}
		},
	},
	{
		name: "list.no-artifacts", title: "a list leaves artifacts out unless asked", v1: must("3.1.4", "V1-017"),
		advice: "leave the member out; an empty array is one too many", run: checkListArtifacts(false),
	},
	{
		name: "list.artifacts", title: "a list shows artifacts when asked", v1: should("3.1.4", "V1-018"),
		advice: "show artifacts when includeArtifacts is true", run: checkListArtifacts(true),
	},
	{
		name: "list.order", title: "the task that changed last comes first", v1: must("3.1.4", "V1-024", "V1-026"),
		advice: "sort by the timestamp of the status, descending", run: checkListOrder,
	},
	{
		name: "list.page-size", title: "a page has no more tasks than asked for", v1: must("3.1.4", "V1-345"),
		advice: "cut pages to pageSize",
		run: func(s *session) {
			context, _ := s.family()
			r, page := s.list(object{"contextId": context, "pageSize": 1})
			if n := len(list(page, "tasks")); n > 1 {
				r.failf("at most 1 task", "%d", n)
			}
		},
	},
	{
		name: "list.pages", title: "pages give each task once, and the last one has an empty token",
		v1:     must("3.1.4", "V1-020", "V1-023"),
		advice: "go on behind the task at which the page before ended", run: checkListPages,
	},
	{
		name: "list.bad-page-size", title: "a pageSize below 1 or above 100 is invalid",
		v1:     should("3.1.4", "V1-345", "V1-062"),
		advice: "answer invalid params", run: listWants("pageSize", 0, 101),
	},
	{
		name: "list.bad-token", title: "a pageToken that the agent did not make is invalid",
		v1:     must("3.3.2", "V1-062"),
		advice: "answer invalid params", run: listWants("pageToken", "conformance-none"),
	},
	{
		name: "list.bad-status", title: "a status that does not exist is invalid", v1: must("3.3.2", "V1-062"),
		advice: "answer invalid params", run: listWants("status", "TASK_STATE_CONFORMANCE"),
	},
	{
		name: "list.status", title: "the filter for a state gives tasks in that only", v1: must("3.1.4", "V1-022"),
		advice: "filter by status", run: checkListStatus,
	},
	{
		name: "list.timestamp-after", title: "statusTimestampAfter is the first time that counts",
		v1:     must("3.1.4", "V1-346"),
		advice: "list what changed at that time or later", run: checkListAfter,
	},
}

func (s *session) list(params object) (*reply, object) {
	r := s.call(opList, params)
	return r, r.result()
}

// listFamily gets a page of the tasks of a context that has several.
func (s *session) listFamily() (*reply, object) {
	context, _ := s.family()
	return s.list(object{"contextId": context})
}

func ids(page object) []string {
	var all []string
	for _, task := range list(page, "tasks") {
		all = append(all, text(task, "id"))
	}
	return all
}

// listWants gives a list parameters that are wrong, and wants each to be refused.
func listWants(name string, values ...any) func(*session) {
	return func(s *session) {
		for _, value := range values {
			s.call(opList, object{name: value}).wants(invalidParams)
		}
	}
}

func checkListContext(s *session) {
	context, want := s.family()
	r, page := s.list(object{"contextId": context})
	got := ids(page)
	for _, id := range want {
		if !slices.Contains(got, id) {
			r.failf("the task "+id, "it is not there")
		}
	}
	for _, task := range list(page, "tasks") {
		if text(task, "contextId") != context {
			r.failf("tasks of context "+context, "one of %q", text(task, "contextId"))
		}
	}
}

func checkListArtifacts(include bool) func(*session) {
	return func(s *session) {
		ended := s.ended()
		if len(list(ended, "artifacts")) == 0 {
			skipf("no task has artifacts; choose another text (--text)")
		}
		params := object{"contextId": text(ended, "contextId")}
		if include {
			params["includeArtifacts"] = true
		}
		r, page := s.list(params)
		for _, task := range list(page, "tasks") {
			if _, has := task["artifacts"]; has != include {
				r.failf(fmt.Sprintf("artifacts: %t", include), "artifacts: %t", has)
			}
		}
	}
}

func checkListOrder(s *session) {
	r, page := s.listFamily()
	var before time.Time
	for i, task := range list(page, "tasks") {
		changed, err := time.Parse(time.RFC3339Nano, text(task, "status", "timestamp"))
		if err != nil {
			skipf("the status has no timestamp")
		}
		if i > 0 && changed.After(before) {
			r.failf("timestamps that descend", "%s after %s", changed.Format(time.RFC3339Nano),
				before.Format(time.RFC3339Nano))
		}
		before = changed
	}
}

func checkListPages(s *session) {
	context, want := s.family()
	params, seen := object{"contextId": context, "pageSize": 1}, []string{}
	for range 2 * (len(want) + 8) { // the context has some more tasks, but not many
		r, page := s.list(params)
		for _, id := range ids(page) {
			if slices.Contains(seen, id) {
				r.failf("each task once", "the task %s twice", id)
			}
			seen = append(seen, id)
		}
		token := text(page, "nextPageToken")
		if token != "" {
			params["pageToken"] = token
			continue
		}
		for _, id := range want {
			if !slices.Contains(seen, id) {
				r.failf("the task "+id+" on some page", "it is on none")
			}
		}
		return
	}
	skipf("there are too many pages")
}

func checkListStatus(s *session) {
	ended := s.ended()
	context, id := text(ended, "contextId"), text(ended, "id")
	for _, state := range []string{s.dialect.state(ended), "TASK_STATE_WORKING"} {
		r, page := s.list(object{"contextId": context, "status": state})
		isIn := slices.Contains(ids(page), id)
		if want := state == s.dialect.state(ended); isIn != want {
			r.failf(fmt.Sprintf("the task %s, which is %s: %t", id, s.dialect.state(ended), want), "%t", isIn)
		}
	}
}

func checkListAfter(s *session) {
	ended := s.ended()
	said := text(ended, "status", "timestamp")
	changed, err := time.Parse(time.RFC3339Nano, said)
	if err != nil {
		skipf("the status has no timestamp")
	}
	context, id := text(ended, "contextId"), text(ended, "id")
	r, page := s.list(object{"contextId": context, "statusTimestampAfter": said})
	if !slices.Contains(ids(page), id) {
		r.failf("the task "+id+", which changed at that time", "it is not there")
	}
	r, page = s.list(object{"contextId": context,
		"statusTimestampAfter": changed.Add(time.Second).UTC().Format("2006-01-02T15:04:05.000Z")})
	if slices.Contains(ids(page), id) {
		r.failf("no task that changed before", "the task %s", id)
	}
}
