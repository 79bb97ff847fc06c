// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"net/http"
	"slices"
	"strings"
)

// formChecks are about the form of answers, versions, and requests that are no requests.
var formChecks = []check{
	{
		name: "form.content-type", title: "answers come as JSON", v1: must("9.1", "V1-216", "V1-232"),
		v03:    must("3.2.1"),
		advice: "answer with Content-Type: application/json",
		run: func(s *session) {
			r := s.greeting()
			t := r.mediaType()
			if t != "application/json" && (t != "application/a2a+json" || s.dialect.transport != HTTPJSON) {
				r.failf("application/json", "%q", t)
			}
		},
	},
	{
		name: "form.envelope", title: "answers have the jsonrpc and the id of the request, and either result or error",
		over: JSONRPC,
		v1:   must("9.3", "V1-220"), v03: must("6.11"), advice: "repeat the id as it came", run: checkEnvelope,
	},
	{
		name: "form.number-id", title: "an id that is a number comes back as one", over: JSONRPC,
		v1: must("9.3", "V1-220"), v03: must("6.11"),
		advice: "repeat the id as it came, without making a string of it",
		run: func(s *session) {
			method, url, body := s.dialect.request(opGet, object{"id": newID()}, 42)
			r := s.post(method, url, s.dialect.header(), body)
			if o, _ := decode(r.answer); at(asObject(o), "id") != 42.0 {
				r.failf("id 42", "id %v", at(asObject(o), "id"))
			}
		},
	},
	{
		name: "form.bad-json", title: "what is no JSON is a parse error", v1: must("9.5", "V1-054", "V1-070"),
		v03:    must("8.1"),
		advice: "answer -32700 with id null, or HTTP 400",
		run:    rawCheck(`{"jsonrpc": "2.0", "id": 1, "method": `, parseError),
	},
	{
		name: "form.no-method", title: "a request without method is invalid", over: JSONRPC, v1: must("9.3", "V1-220"),
		v03:    must("8.1"),
		advice: "answer -32600", run: rawCheck(`{"jsonrpc": "2.0", "id": 1, "params": {}}`, invalidRequest),
	},
	{
		name: "form.unknown-method", title: "a method that does not exist is not found", over: JSONRPC,
		v1: must("9.3", "V1-220"), v03: must("8.1"),
		advice: "answer -32601",
		run:    rawCheck(`{"jsonrpc": "2.0", "id": 1, "method": "conformance/none", "params": {}}`, methodNotFound),
	},
	{
		name: "form.unknown-path", title: "a path that does not exist is not found", over: HTTPJSON,
		v1:     must("11.3", "V1-054"),
		advice: "answer 404 where no operation is",
		run: func(s *session) {
			s.post(http.MethodGet, s.dialect.root()+"/conformance-none", s.dialect.header(), nil).wants(methodNotFound)
		},
	},
	{
		name: "form.error", title: "errors have code, message and details of types that are named",
		v1: must("3.3.2", "V1-070", "V1-071", "V1-222", "V1-241"), v03: must("6.12"),
		advice: "give each error a code and a message, and each detail an @type", run: checkErrorForm,
	},
	{
		name: "form.error-info", title: "errors of the protocol name their reason", over: HTTPJSON,
		v1:     must("11.6", "V1-243"),
		advice: "add a google.rpc.ErrorInfo with reason and domain a2a-protocol.org to error.details",
		run:    checkErrorInfo,
	},
	{
		name: "form.error-info-jsonrpc", title: "errors of the protocol name their reason", over: JSONRPC,
		v1:     should("9.5", "V1-223"),
		advice: "add a google.rpc.ErrorInfo with reason and domain a2a-protocol.org to error.data", run: checkErrorInfo,
	},
	{
		name: "version.unknown", title: "a version that is not served is refused", v1: must("3.6.2", "V1-115"),
		advice: "answer VersionNotSupportedError to an A2A-Version that the interface does not speak",
		run:    func(s *session) { s.getAs("9.9").wants(versionNotSupport) },
	},
	{
		name: "version.none", title: "a request without version is read as 0.3", v1: must("3.6.2", "V1-116"),
		advice: "refuse operations of 1.0 that come without A2A-Version, or with an empty one",
		run: func(s *session) {
			_, task := s.task()
			header := s.dialect.header()
			header.Del("A2A-Version")
			s.callWith(opGet, object{"id": text(task, "id")}, header).
				wantsAnyFault("an error, since 0.3 does not have this operation")
		},
	},
	{
		name: "version.patch", title: "a patch number makes no other version", v1: must("3.6", "V1-111"),
		advice: "compare Major.Minor of A2A-Version only",
		run: func(s *session) {
			r := s.getAs("1.0.99")
			if r.is(versionNotSupport) {
				r.failf("the same answer as to 1.0", "%s", r.what())
			}
		},
	},
}

// getAs asks for a task that does not exist, in some version.
func (s *session) getAs(version string) *reply {
	header := s.dialect.header()
	header.Set("A2A-Version", version)
	return s.callWith(opGet, object{"id": newID()}, header)
}

// rawCheck sends a text in place of a message, and wants an error.
func rawCheck(body string, kind faultKind) func(*session) {
	return func(s *session) {
		method, url, _ := s.dialect.request(opSend, nil, "")
		s.post(method, url, s.dialect.header(), []byte(body)).wants(kind)
	}
}

func checkEnvelope(s *session) {
	r := s.getUnknown()
	value, problem := decode(r.answer)
	o := asObject(value)
	_, hasResult := o["result"]
	_, hasError := o["error"]
	switch {
	case problem != "":
		r.failf("a response of JSON-RPC", "%s", problem)
	case o["jsonrpc"] != "2.0":
		r.failf(`jsonrpc "2.0"`, "jsonrpc %v", o["jsonrpc"])
	case !strings.Contains(string(r.body), string(encode(o["id"]))) || text(o, "id") == "":
		r.failf("the id of the request", "id %v", o["id"])
	case hasResult == hasError:
		r.failf("either result or error", "result: %t, error: %t", hasResult, hasError)
	}
}

func (s *session) notThere() *reply {
	r := s.getUnknown()
	r.wantsAnyFault("an error")
	return r
}

func checkErrorForm(s *session) {
	r := s.notThere()
	o := asObject(r.fault.body["error"])
	if _, ok := o["code"].(float64); !ok || r.fault.message == "" {
		r.failf("code and message", "code %v and message %q", o["code"], r.fault.message)
	}
	if s.dialect.transport == HTTPJSON && (int(o["code"].(float64)) != r.status || text(o, "status") == "") {
		r.failf("the HTTP status as code, and its name as status", "code %v and status %q with HTTP %d",
			o["code"], text(o, "status"), r.status)
	}
	if s.dialect.profile == Profile03 {
		return // its data is free
	}
	for _, member := range []string{"data", "details"} {
		if _, isArray := o[member].([]any); o[member] != nil && !isArray {
			r.failf("an array", "%s is none", member)
		}
	}
	if slices.ContainsFunc(r.fault.details, func(d any) bool { return text(asObject(d), "@type") == "" }) {
		r.failf("objects with @type", "a detail without it")
	}
}

func checkErrorInfo(s *session) {
	r := s.notThere()
	for _, d := range r.fault.details {
		o := asObject(d)
		if text(o, "@type") == errorInfo && text(o, "reason") != "" && text(o, "domain") == "a2a-protocol.org" {
			return
		}
	}
	r.failf("an ErrorInfo of domain a2a-protocol.org with a reason", "none")
}
