// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// A reply is an exchange whose answer was read: a result or an error of the protocol, or neither, and then why.
type reply struct {
	*exchange
	value   any    // the result
	fault   *fault // or else the error
	problem string // or else why the answer is neither
	binding string
}

type fault struct {
	code    int // of JSON-RPC; over HTTP+JSON the status, and in a stream what stands for it
	message string
	details []any
	body    object
}

// reason returns that of the first ErrorInfo.
func (f *fault) reason() string {
	for _, d := range f.details {
		if text(asObject(d), "@type") == errorInfo {
			return text(asObject(d), "reason")
		}
	}
	return ""
}

const errorInfo = "type.googleapis.com/google.rpc.ErrorInfo"

// A faultKind is a kind of error as each binding shows it.
type faultKind struct {
	name     string
	code     int   // of JSON-RPC
	statuses []int // of HTTP, in 1.0.1 and in 1.0.0
	reason   string
}

// The errors of the protocol (A2A 1.0 §5.4) and of JSON-RPC.
var (
	taskNotFound     = faultKind{"TaskNotFoundError", -32001, []int{404}, "TASK_NOT_FOUND"}
	notCancelable    = faultKind{"TaskNotCancelableError", -32002, []int{400, 409}, "TASK_NOT_CANCELABLE"}
	pushNotSupported = faultKind{"PushNotificationNotSupportedError", -32003, []int{400},
		"PUSH_NOTIFICATION_NOT_SUPPORTED"}
	unsupported       = faultKind{"UnsupportedOperationError", -32004, []int{400}, "UNSUPPORTED_OPERATION"}
	contentType       = faultKind{"ContentTypeNotSupportedError", -32005, []int{400, 415}, "CONTENT_TYPE_NOT_SUPPORTED"}
	cardNotConfigured = faultKind{"ExtendedAgentCardNotConfiguredError", -32007, []int{400},
		"EXTENDED_AGENT_CARD_NOT_CONFIGURED"}
	versionNotSupport = faultKind{"VersionNotSupportedError", -32009, []int{400}, "VERSION_NOT_SUPPORTED"}

	parseError     = faultKind{"JSON parse error", -32700, []int{400}, ""}
	invalidRequest = faultKind{"invalid request", -32600, []int{400}, ""}
	methodNotFound = faultKind{"method not found", -32601, []int{404, 405, 501}, ""}
	invalidParams  = faultKind{"invalid params", -32602, []int{400, 422}, ""}
)

// ofProtocol are the errors that name a reason of their own.
var ofProtocol = []faultKind{taskNotFound, notCancelable, pushNotSupported, unsupported, contentType, cardNotConfigured,
	versionNotSupport}

func (r *reply) is(kind faultKind) bool {
	if r.fault == nil {
		return false
	}
	if r.binding == JSONRPC {
		return r.fault.code == kind.code
	}
	reason := r.fault.reason()
	if kind.reason == "" && slices.ContainsFunc(ofProtocol, func(k faultKind) bool { return k.reason == reason }) {
		return false
	}
	return slices.Contains(kind.statuses, r.fault.code) && (kind.reason == "" || reason == "" || reason == kind.reason)
}

// wants fails unless the answer is an error of one of some kinds.
func (r *reply) wants(kinds ...faultKind) {
	var names []string
	for _, kind := range kinds {
		if r.is(kind) {
			return
		}
		names = append(names, kind.name+" ("+kind.as(r.binding)+")")
	}
	r.refused(strings.Join(names, ", or "))
}

// refused fails, and lets the check see whether the operation is there at all.
func (r *reply) refused(expected string) {
	panic(&finding{outcome: Fail, expected: expected, got: r.what(), exchange: r.exchange, reply: r})
}

// absent reports whether an error says that there is no such operation; for an optional one also by the errors that say
// that the agent does not have it.
func (r *reply) absent(optional bool) bool {
	switch {
	case r.fault == nil:
		return false
	case r.binding == JSONRPC:
		code := r.fault.code
		return code == methodNotFound.code || optional && (code == unsupported.code || code == pushNotSupported.code)
	}
	reason := r.fault.reason()
	if reason == "" {
		return slices.Contains(methodNotFound.statuses, r.fault.code)
	}
	return optional && (reason == unsupported.reason || reason == pushNotSupported.reason)
}

func (k faultKind) as(binding string) string {
	if binding == JSONRPC {
		return fmt.Sprint(k.code)
	}
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(k.statuses), " ", " or "), "[]")
}

func (r *reply) wantsAnyFault(expected string) {
	if r.fault == nil {
		r.failf(expected, "%s", r.what())
	}
}

// what says in short what the answer is.
func (r *reply) what() string {
	switch {
	case r.fault != nil && r.binding == JSONRPC:
		return fmt.Sprintf("error %d: %s", r.fault.code, shorten([]byte(r.fault.message), 200))
	case r.fault != nil:
		return strings.TrimRight(fmt.Sprintf("HTTP %d %s: %s", r.status, r.fault.reason(),
			shorten([]byte(r.fault.message), 200)), ": ")
	case r.problem != "":
		return r.problem
	}
	return "a result and no error"
}

// result returns the result, which has to be an object.
func (r *reply) result() object {
	if r.fault != nil || r.problem != "" {
		r.refused("a result")
	}
	o := asObject(r.value)
	if o == nil {
		r.failf("a result that is a JSON object", "a result that is none")
	}
	return o
}

// unauthorized reports whether the agent wants credentials, or others.
func (r *reply) unauthorized() bool {
	return r.status == http.StatusUnauthorized || r.status == http.StatusForbidden
}

// read takes an answer apart.
func (d *dialect) read(ex *exchange) *reply {
	r := &reply{exchange: ex, binding: d.transport}
	value, problem := decode(ex.answer)
	o := asObject(value)
	switch {
	case len(ex.answer) == 0 && d.transport == HTTPJSON && ex.status/100 == 2:
		r.value = object{}
	case problem != "" && ex.status/100 != 2 && d.transport == HTTPJSON:
		r.fault = &fault{code: ex.status, message: shorten(ex.answer, 200)}
	case problem != "":
		r.problem = fmt.Sprintf("HTTP %d with %s", ex.status, problem)
	case d.transport == JSONRPC:
		r.fromJSONRPC(o)
	case ex.status/100 == 2:
		r.value = value
	default:
		r.fault = faultOf(at(o, "error"), "details")
		if r.fault == nil {
			r.fault = &fault{message: shorten(ex.answer, 200)}
		}
		r.fault.code, r.fault.body = ex.status, o
	}
	return r
}

func (r *reply) fromJSONRPC(o object) {
	if r.fault = faultOf(o["error"], "data"); r.fault != nil {
		r.fault.body = o
	} else if value, ok := o["result"]; ok {
		r.value = value
	} else {
		r.problem = fmt.Sprintf("HTTP %d with neither result nor error", r.status)
	}
}

// faultOf reads an error, whose details are in a member.
func faultOf(value any, details string) *fault {
	o := asObject(value)
	if o == nil {
		return nil
	}
	f := &fault{message: text(o, "message")}
	if code, ok := o["code"].(float64); ok {
		f.code = int(code)
	}
	f.details, _ = o[details].([]any)
	return f
}
