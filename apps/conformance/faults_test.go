// SPDX-License-Identifier: Apache-2.0

package conformance_test

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dragoman-a2a/dragoman/apps/conformance"
	"github.com/dragoman-a2a/dragoman/apps/samples/flaky"
)

// faults are planted one at a time: each is found by the checks that are for it, and by no others.
var faults = []struct {
	name      string
	profile   string // 1.0 unless it says otherwise
	transport string // JSON-RPC unless it says otherwise
	wire      func() *faulty
	found     string // the names of checks
}{
	{name: "nothing", wire: func() *faulty { return &faulty{} }},
	{name: "nothing over HTTP+JSON", transport: conformance.HTTPJSON, wire: func() *faulty { return &faulty{} }},
	{name: "nothing in 0.3", profile: conformance.Profile03, wire: func() *faulty { return &faulty{} }},

	// The card.
	{name: "the card is text", found: "card.content-type",
		wire: onAnswer("GET /.well-known/agent-card.json",
			func(a *http.Response, _ object) { a.Header.Set("Content-Type", "text/plain") })},
	{name: "the card has no version", found: "card.members",
		wire: onAnswer("GET /.well-known/agent-card.json", func(_ *http.Response, o object) { delete(o, "version") })},
	{name: "a skill has no tags", found: "card.members",
		wire: onAnswer("GET /.well-known/agent-card.json",
			func(_ *http.Response, o object) { delete(o["skills"].([]any)[0].(object), "tags") })},
	{name: "the card requires a scheme that it does not declare", found: "card.security",
		wire: onAnswer("GET /.well-known/agent-card.json", func(_ *http.Response, o object) {
			o["securityRequirements"] = []any{object{"schemes": object{"none": object{}}}}
		})},
	{name: "the card cannot be cached", found: "card.caching",
		wire: onAnswer("GET /.well-known/agent-card.json", func(a *http.Response, _ object) { a.Header.Del("ETag") })},
	{name: "the card says 1.0.1", found: "card.no-patch-versions",
		wire: onAnswer("GET /.well-known/agent-card.json", func(_ *http.Response, o object) {
			o["supportedInterfaces"].([]any)[0].(object)["protocolVersion"] = "1.0.1"
		})},
	{name: "an interface is not there", found: "interface.answers",
		wire: onAnswer("GET /.well-known/agent-card.json", func(_ *http.Response, o object) {
			face := o["supportedInterfaces"].([]any)[0].(object)
			face["url"] = strings.TrimSuffix(face["url"].(string), "/") + "/none"
		})},
	{name: "push is declared and not there", found: "push.unknown-task push.create push.get push.list push.delete",
		wire: onAnswer("GET /.well-known/agent-card.json",
			func(_ *http.Response, o object) { in(o, "capabilities")["pushNotifications"] = true })},
	{name: "streams are there and not declared", found: "stream.not-declared subscribe.not-declared",
		wire: onAnswer("GET /.well-known/agent-card.json",
			func(_ *http.Response, o object) { in(o, "capabilities")["streaming"] = false })},
	{name: "the extended card is declared and not there", found: "extended.card",
		wire: onAnswer("GET /.well-known/agent-card.json",
			func(_ *http.Response, o object) { in(o, "capabilities")["extendedAgentCard"] = true })},

	// The form of answers.
	{name: "answers are HTML", found: "form.content-type",
		wire: onAnswer("SendMessage", func(a *http.Response, _ object) { a.Header.Set("Content-Type", "text/html") })},
	{name: "ids come back as strings", found: "form.number-id",
		wire: onAnswer("GetTask", func(_ *http.Response, o object) {
			if _, ok := o["id"].(float64); ok {
				o["id"] = "42"
			}
		})},
	{name: "another id", found: "form.envelope", wire: onAnswer("GetTask", func(_ *http.Response, o object) {
		if _, ok := o["id"].(string); ok {
			o["id"] = "none"
		}
	})},
	{name: "a parse error is an internal one", found: "form.bad-json",
		wire: onFault(-32700, func(o object) { o["code"] = -32603 })},
	{name: "an unknown method is an internal error", found: "form.unknown-method",
		wire: onFault(-32601, func(o object) { o["code"] = -32603 })},
	{name: "errors have no message", found: "form.error", wire: onFault(-32001, func(o object) { o["message"] = "" })},
	{name: "errors have no details", transport: conformance.HTTPJSON, found: "form.error-info",
		wire: onFault(404, func(o object) { o["details"] = []any{} })},
	{name: "each version is 1.0", found: "version.unknown", wire: onRequest("", func(r *http.Request, _ object) {
		if r.Header.Get("A2A-Version") == "9.9" {
			r.Header.Set("A2A-Version", "1.0")
		}
	})},
	{name: "no version is 1.0", transport: conformance.HTTPJSON, found: "version.none",
		wire: onRequest("", func(r *http.Request, _ object) {
			if r.Header.Get("A2A-Version") == "" {
				r.Header.Set("A2A-Version", "1.0")
			}
		})},

	// Messages.
	{name: "an artifact without id", found: "send.shape",
		wire: onAnswer("SendMessage", func(_ *http.Response, o object) {
			if a, _ := in(o, "result", "task")["artifacts"].([]any); len(a) > 0 {
				delete(a[0].(object), "artifactId")
			}
		})},
	{name: "a part of 0.3", found: "send.shape", wire: onAnswer("SendMessage", func(_ *http.Response, o object) {
		if a, _ := in(o, "result", "task")["artifacts"].([]any); len(a) > 0 {
			a[0].(object)["parts"] = []any{object{"kind": "text", "text": "x"}}
		}
	})},
	{name: "snake_case", found: "send.camel-case", wire: onAnswer("SendMessage", func(_ *http.Response, o object) {
		if task := in(o, "result", "task"); task != nil {
			task["context_id"] = task["contextId"]
		}
	})},
	{name: "times of a zone", found: "send.timestamp", wire: onAnswer("SendMessage", func(_ *http.Response, o object) {
		if status := in(o, "result", "task", "status"); status != nil {
			changed, _ := time.Parse(time.RFC3339, status["timestamp"].(string))
			status["timestamp"] = changed.In(time.FixedZone("", 7200)).Format(time.RFC3339Nano)
		}
	})},
	{name: "answers do not wait", found: "send.waits", wire: onAnswer("SendMessage", func(_ *http.Response, o object) {
		if status := in(o, "result", "task", "status"); status["state"] == "TASK_STATE_COMPLETED" {
			status["state"] = "TASK_STATE_WORKING"
		}
	})},
	{name: "a context of the client is replaced", found: "send.own-context",
		wire: onRequest("SendMessage", func(_ *http.Request, o object) {
			m := in(o, "params", "message")
			if c, _ := m["contextId"].(string); m["taskId"] == nil && strings.HasPrefix(c, "conformance-") {
				delete(m, "contextId")
			}
		})},
	{name: "contexts are not compared", found: "send.context-mismatch",
		wire: onRequest("SendMessage", func(_ *http.Request, o object) {
			if m := in(o, "params", "message"); m["taskId"] != nil {
				delete(m, "contextId")
			}
		})},
	{name: "an answer makes a new task", found: "send.answer-question send.ended-task",
		wire: onRequest("SendMessage", func(_ *http.Request, o object) {
			if m := in(o, "params", "message"); m["contextId"] == nil && m["taskId"] != nil &&
				!strings.HasPrefix(m["taskId"].(string), "conformance-") {
				delete(m, "taskId")
			}
		})},
	{name: "an unknown task is made", found: "send.unknown-task",
		wire: onRequest("SendMessage", func(_ *http.Request, o object) {
			m := in(o, "params", "message")
			if id, _ := m["taskId"].(string); strings.HasPrefix(id, "conformance-") {
				delete(m, "taskId")
			}
		})},
	{name: "unknown members are refused", found: "send.unknown-members",
		wire: onRequest("SendMessage", func(_ *http.Request, o object) {
			if in(o, "params")["conformanceUnknown"] != nil {
				delete(in(o, "params"), "message")
			}
		})},
	{name: "a message to an ended task is an internal error", found: "send.ended-task",
		wire: onAnswer("SendMessage", func(_ *http.Response, o object) {
			if e := in(o, "error"); e["code"] == -32004.0 {
				e["code"] = -32603
			}
		})},

	// Tasks.
	{name: "an unknown task is an internal error", found: "get.unknown-task",
		wire: onAnswer("GetTask", func(_ *http.Response, o object) {
			if e := in(o, "error"); e["code"] == -32001.0 {
				e["code"] = -32603
			}
		})},
	{name: "an unknown task is an internal error in 0.3", profile: conformance.Profile03, found: "get.unknown-task",
		wire: onAnswer("tasks/get", func(_ *http.Response, o object) {
			if e := in(o, "error"); e["code"] == -32001.0 {
				e["code"] = -32603
			}
		})},
	{name: "tasks change their id", found: "get.task send.return-immediately",
		wire: onAnswer("GetTask", func(_ *http.Response, o object) {
			if task := in(o, "result"); task != nil {
				task["id"] = "another"
			}
		})},
	{name: "historyLength is ignored", found: "get.history-length get.history-length-0",
		wire: onRequest("GetTask", func(_ *http.Request, o object) {
			if n, _ := in(o, "params")["historyLength"].(float64); n >= 0 {
				delete(in(o, "params"), "historyLength")
			}
		})},
	{name: "historyLength of sends is ignored", found: "send.history-length",
		wire: onRequest("SendMessage", func(_ *http.Request,
			o object) {
			delete(in(o, "params", "configuration"), "historyLength")
		})},
	{name: "the first messages instead of the last", found: "get.history-length",
		wire: onAnswer("GetTask", func(_ *http.Response, o object) {
			if h, _ := in(o, "result")["history"].([]any); len(h) == 1 {
				h[0].(object)["messageId"] = "first"
			}
		})},
	{name: "ended tasks are cancelled", found: "cancel.ended-task",
		wire: onAnswer("CancelTask", func(_ *http.Response, o object) {
			if e := in(o, "error"); e["code"] == -32002.0 {
				delete(o, "error")
				o["result"] = object{"id": "x", "status": object{"state": "TASK_STATE_COMPLETED"}}
			}
		})},
	{name: "no cancel", found: "cancel.open-task cancel.unknown-task cancel.ended-task",
		wire: onAnswer("CancelTask", func(_ *http.Response, o object) {
			delete(o, "result")
			o["error"] = object{"code": -32601, "message": "method not found"}
		})},

	// Lists.
	{name: "no nextPageToken at the end", found: "list.members",
		wire: onAnswer("ListTasks", func(_ *http.Response, o object) {
			if page := in(o, "result"); page["nextPageToken"] == "" {
				delete(page, "nextPageToken")
			}
		})},
	{name: "no filter for contexts", found: "list.context",
		wire: onRequest("ListTasks", func(_ *http.Request, o object) {
			if p := in(o, "params"); len(p) == 1 {
				delete(p, "contextId")
			}
		})},
	{name: "lists in the wrong order", found: "list.order",
		wire: onAnswer("ListTasks", func(_ *http.Response, o object) {
			tasks, _ := in(o, "result")["tasks"].([]any)
			slices.Reverse(tasks)
		})},
	{name: "lists with artifacts", found: "list.no-artifacts",
		wire: onRequest("ListTasks", func(_ *http.Request, o object) { in(o, "params")["includeArtifacts"] = true })},
	{name: "lists never with artifacts", found: "list.artifacts",
		wire: onRequest("ListTasks", func(_ *http.Request, o object) { delete(in(o, "params"), "includeArtifacts") })},
	{name: "pageSize is ignored", found: "list.page-size",
		wire: onRequest("ListTasks", func(_ *http.Request, o object) {
			if n, _ := in(o, "params")["pageSize"].(float64); n == 1 {
				delete(in(o, "params"), "pageSize")
			}
		})},
	{name: "each page is the first", found: "list.pages", wire: onRequest("ListTasks", func(_ *http.Request, o object) {
		if in(o, "params")["contextId"] != nil {
			delete(in(o, "params"), "pageToken")
		}
	})},
	{name: "any token will do", found: "list.bad-token", wire: onRequest("ListTasks", func(_ *http.Request, o object) {
		if in(o, "params")["contextId"] == nil {
			delete(in(o, "params"), "pageToken")
		}
	})},
	{name: "no filter for states", found: "list.bad-status list.status",
		wire: onRequest("ListTasks", func(_ *http.Request, o object) { delete(in(o, "params"), "status") })},
	{name: "no filter for times", found: "list.timestamp-after",
		wire: onRequest("ListTasks", func(_ *http.Request,
			o object) {
			delete(in(o, "params"), "statusTimestampAfter")
		})},

	// Streams.
	{name: "streams are JSON", found: "stream.content-type", wire: func() *faulty {
		return &faulty{answer: func(op string, a *http.Response, _ object) {
			if op == "SendStreamingMessage" && strings.HasPrefix(a.Header.Get("Content-Type"), "text/event-stream") {
				a.Header.Set("Content-Type", "application/json")
			}
		}}
	}},
	{name: "the task does not come first", found: "stream.first-event",
		wire: onEvent("SendStreamingMessage", func(n int, e object, emit func(object)) {
			if n > 0 {
				emit(e)
			}
		})},
	{name: "the last status does not come", found: "stream.ends",
		wire: onEvent("SendStreamingMessage", func(_ int, e object, emit func(object)) {
			if in(e, "result", "statusUpdate", "status")["state"] != "TASK_STATE_COMPLETED" {
				emit(e)
			}
		})},
	{name: "the last status does not come over HTTP+JSON", transport: conformance.HTTPJSON, found: "stream.ends",
		wire: onEvent("POST /message:stream", func(_ int, e object, emit func(object)) {
			if in(e, "statusUpdate", "status")["state"] != "TASK_STATE_COMPLETED" {
				emit(e)
			}
		})},
	{name: "the last event is not final", profile: conformance.Profile03, found: "stream.final",
		wire: onEvent("message/stream", func(_ int, e object, emit func(object)) {
			if r := in(e, "result"); r["final"] == true {
				r["final"] = false
			}
			emit(e)
		})},
	{name: "events of another task", found: "stream.one-task",
		wire: onEvent("SendStreamingMessage", func(_ int, e object, emit func(object)) {
			if u := in(e, "result", "statusUpdate"); u != nil {
				u["taskId"] = "another"
			}
			emit(e)
		})},
	{name: "events out of order", found: "stream.adds-up", wire: func() *faulty {
		var held object
		return onEvent("SendStreamingMessage", func(n int, e object, emit func(object)) {
			if n == 2 { // the second chunk
				held = e
				return
			}
			emit(e)
			if n == 3 {
				emit(held)
			}
		})()
	}},
	{name: "an event is lost", found: "stream.adds-up", wire: func() *faulty {
		lost := false
		return onEvent("SendStreamingMessage", func(_ int, e object, emit func(object)) {
			if !lost && in(e, "result", "artifactUpdate")["append"] == true {
				lost = true
				return
			}
			emit(e)
		})()
	}},
	{name: "an event has two things", found: "stream.events",
		wire: onEvent("SendStreamingMessage", func(_ int, e object, emit func(object)) {
			if in(e, "result", "statusUpdate") != nil {
				in(e, "result")["metadata"] = object{}
				in(e, "result")["message"] = object{}
			}
			emit(e)
		})},
	{name: "a subscription begins with nothing", found: "subscribe.first-event",
		wire: onEvent("SubscribeToTask", func(n int, e object, emit func(object)) {
			if n == 0 {
				emit(object{"jsonrpc": "2.0", "id": e["id"],
					"result": object{"statusUpdate": object{"taskId": "x", "contextId": "y",
						"status": in(e, "result", "task", "status")}}})
				return
			}
			emit(e)
		})},
	{name: "a subscription does not see the end", found: "subscribe.ends",
		wire: onEvent("SubscribeToTask", func(n int, e object, emit func(object)) {
			if n == 0 {
				emit(e)
			}
		})},
}

// onRequest plants a fault in the requests of an operation, "" for all.
func onRequest(op string, edit func(*http.Request, object)) func() *faulty {
	return func() *faulty {
		return &faulty{request: func(got string, r *http.Request, body object) {
			if (op == "" || got == op) && (body != nil || op == "") {
				edit(r, body)
			}
		}}
	}
}

// onAnswer plants a fault in the answers to an operation.
func onAnswer(op string, edit func(*http.Response, object)) func() *faulty {
	return func() *faulty {
		return &faulty{answer: func(got string, a *http.Response, body object) {
			if got == op && body != nil {
				edit(a, body)
			}
		}}
	}
}

// onFault plants a fault in the errors of a code.
func onFault(code float64, edit func(object)) func() *faulty {
	return func() *faulty {
		return &faulty{answer: func(_ string, _ *http.Response, body object) {
			if e := in(body, "error"); e["code"] == code {
				edit(e)
			}
		}}
	}
}

// onEvent plants a fault in the events of the streams of an operation.
func onEvent(op string, edit func(n int, e object, emit func(object))) func() *faulty {
	return func() *faulty {
		return &faulty{event: func(got string, n int, e object, emit func(object)) {
			if got == op {
				edit(n, e, emit)
			} else {
				emit(e)
			}
		}}
	}
}

// Each fault is found by what is for it, and by nothing else.
func TestPlantedFaultsAreFound(t *testing.T) {
	t.Parallel()
	url := serve(t, flaky.New(flaky.Options{}), flaky.Card(), flaky.Service)
	for _, f := range faults {
		t.Run(f.name, func(t *testing.T) {
			o := conformance.Options{Profile: f.profile, Transports: []string{f.transport}, Text: "chunks 5",
				Ask: "ask", Timeout: 30 * time.Second}
			if o.Profile == "" {
				o.Profile = conformance.Profile10
			}
			if f.transport == "" {
				o.Transports[0] = conformance.JSONRPC
			}
			o.HTTPClient = &http.Client{Transport: f.wire()}
			report := run(t, url, o)
			got, want := bad(report), strings.Fields(f.found)
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				for _, r := range report.Results {
					if r.Bad() || r.Outcome == conformance.Warn {
						t.Logf("%s: got %s, want %s\nsent %s\ngot %s", r.Check, r.Reason, r.Expected, r.Request,
							r.Answer)
					}
				}
				t.Errorf("found %v, want %v", got, want)
			}
		})
	}
}

// A feature that the card declares and the agent does not have is missing, which is not the same as wrong.
func TestAdvertisedAndMissing(t *testing.T) {
	t.Parallel()
	url := serve(t, flaky.New(flaky.Options{}), flaky.Card(), flaky.Service)
	wire := onAnswer("GET /.well-known/agent-card.json",
		func(_ *http.Response, o object) { in(o, "capabilities")["pushNotifications"] = true })()
	report := run(t, url, conformance.Options{Text: "complete", Timeout: 30 * time.Second,
		HTTPClient: &http.Client{Transport: wire}})
	if missing, failed := report.Count(conformance.Missing), report.Count(conformance.Fail); missing != 10 ||
		failed != 0 || report.Conforms() {
		t.Errorf("%d missing and %d failed over two transports, want the five of push each", missing, failed)
	}
}

func TestHosts(t *testing.T) {
	t.Parallel()
	_, err := conformance.Run(t.Context(), "http://192.0.2.1:8080", nil)
	if _, ok := errors.AsType[*conformance.HostError](err); !ok {
		t.Errorf("another host: %v", err)
	}
	if _, err := conformance.Run(t.Context(), "127.0.0.1:8080", nil); err == nil {
		t.Error("what is no URL is taken for one")
	}
	url := serve(t, flaky.New(flaky.Options{}), flaky.Card(), flaky.Service)
	elsewhere := onAnswer("GET /.well-known/agent-card.json", func(_ *http.Response, o object) {
		for _, face := range o["supportedInterfaces"].([]any) {
			face.(object)["url"] = "http://192.0.2.1/a2a"
		}
	})()
	elsewhere.request = func(_ string, r *http.Request, _ object) {
		if r.URL.Host == "192.0.2.1" {
			t.Error("a host that only the card names is spoken to")
		}
	}
	report := run(t, url, conformance.Options{AnyHost: true, HTTPClient: &http.Client{Transport: elsewhere}})
	if last := report.Results[len(report.Results)-1]; last.Check != "interface.answers" ||
		last.Outcome != conformance.Skip || !strings.Contains(last.Reason, "192.0.2.1") {
		t.Errorf("%+v", last)
	}
}

// An agent that does not answer messages is not waited for in each check.
func TestAgentThatDoesNotAnswer(t *testing.T) {
	t.Parallel()
	url := serve(t, flaky.New(flaky.Options{}), flaky.Card(), flaky.Service)
	asked := 0
	wire := onRequest("SendMessage", func(r *http.Request, _ object) {
		asked++
		<-r.Context().Done()
	})()
	report := run(t, url, conformance.Options{Transports: []string{conformance.JSONRPC},
		Timeout: 300 * time.Millisecond, HTTPClient: &http.Client{Transport: wire}})
	if asked == 0 || asked > 3 || report.Conforms() || report.Count(conformance.Skip) < 40 {
		t.Errorf("asked %d times, %d failed, %d skipped", asked, report.Count(conformance.Fail),
			report.Count(conformance.Skip))
	}
}
