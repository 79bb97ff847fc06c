// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// An operation is one of the protocol: its methods in JSON-RPC, and how HTTP+JSON of 1.0 calls it. {member} in a path
// stands for a member of the parameters. The others go into the body of a POST, and else into the query.
type operation struct{ v1, v03, path string }

const (
	push03   = "tasks/pushNotificationConfig/"
	pushPath = "/tasks/{taskId}/pushNotificationConfigs"
)

var (
	opSend         = operation{"SendMessage", "message/send", "POST /message:send"}
	opStream       = operation{"SendStreamingMessage", "message/stream", "POST /message:stream"}
	opGet          = operation{"GetTask", "tasks/get", "GET /tasks/{id}"}
	opList         = operation{"ListTasks", "", "GET /tasks"}
	opCancel       = operation{"CancelTask", "tasks/cancel", "POST /tasks/{id}:cancel"}
	opSubscribe    = operation{"SubscribeToTask", "tasks/resubscribe", "POST /tasks/{id}:subscribe"}
	opCreatePush   = operation{"CreateTaskPushNotificationConfig", push03 + "set", "POST " + pushPath}
	opGetPush      = operation{"GetTaskPushNotificationConfig", push03 + "get", "GET " + pushPath + "/{id}"}
	opListPush     = operation{"ListTaskPushNotificationConfigs", push03 + "list", "GET " + pushPath}
	opDeletePush   = operation{"DeleteTaskPushNotificationConfig", push03 + "delete", "DELETE " + pushPath + "/{id}"}
	opExtendedCard = operation{"GetExtendedAgentCard", "agent/getAuthenticatedExtendedCard", "GET /extendedAgentCard"}
)

// A dialect is a generation over a transport, at one address. Parameters are those of 1.0 everywhere.
type dialect struct {
	profile, transport string
	base, tenant       string
}

// interfaces returns the addresses in a card at which checks can speak a profile.
func interfaces(card object, profile string) []dialect {
	var found []dialect
	add := func(transport, base, tenant string) {
		d := dialect{profile, transport, base, tenant}
		if (transport == JSONRPC || transport == HTTPJSON && profile == Profile10) && !slices.Contains(found, d) {
			found = append(found, d)
		}
	}
	for _, i := range list(card, "supportedInterfaces") {
		if isVersion(text(i, "protocolVersion"), profile) {
			add(text(i, "protocolBinding"), text(i, "url"), text(i, "tenant"))
		}
	}
	if profile == Profile03 && len(found) == 0 && isVersion(text(card, "protocolVersion"), profile) {
		add(cmp.Or(text(card, "preferredTransport"), JSONRPC), text(card, "url"), "")
		for _, i := range list(card, "additionalInterfaces") {
			add(text(i, "transport"), text(i, "url"), "")
		}
	}
	return found
}

// isVersion reports whether a version is one of a profile: its patch number does not matter.
func isVersion(version, profile string) bool {
	return version == profile || strings.HasPrefix(version, profile+".")
}

func (d *dialect) header() http.Header {
	h := http.Header{"Accept": {"application/json"}}
	if d.profile == Profile10 {
		h.Set("A2A-Version", Profile10)
	}
	return h
}

func (d *dialect) request(op operation, params object, id any) (method, at string, body []byte) {
	if d.transport == JSONRPC {
		call := object{"jsonrpc": "2.0", "id": id, "method": op.v1}
		if d.profile == Profile03 {
			call["method"] = op.v03
		}
		if params = d.params(op, params); len(params) > 0 || d.profile == Profile10 {
			call["params"] = params
		}
		return http.MethodPost, d.base, encode(call)
	}
	method, path, _ := strings.Cut(op.path, " ")
	rest := object{}
	for name, value := range params {
		if place := "{" + name + "}"; strings.Contains(path, place) {
			path = strings.ReplaceAll(path, place, url.PathEscape(fmt.Sprint(value)))
		} else {
			rest[name] = value
		}
	}
	at = d.root() + path
	if method == http.MethodPost {
		return method, at, encode(rest)
	}
	if len(rest) > 0 {
		at += "?" + query(rest)
	}
	return method, at, nil
}

// root is the address below which the paths of HTTP+JSON are.
func (d *dialect) root() string {
	root := strings.TrimSuffix(d.base, "/")
	if d.tenant != "" {
		root += "/" + url.PathEscape(d.tenant)
	}
	return root
}

func query(params object) string {
	q := url.Values{}
	for name, value := range params {
		q.Set(name, fmt.Sprint(value))
	}
	return q.Encode()
}

func (d *dialect) params(op operation, params object) object {
	if d.profile == Profile10 {
		with := object{}
		if d.tenant != "" {
			with["tenant"] = d.tenant
		}
		maps.Copy(with, params)
		return with
	}
	switch op {
	case opCreatePush:
		config := maps.Clone(params)
		delete(config, "taskId")
		return object{"taskId": params["taskId"], "pushNotificationConfig": config}
	case opGetPush, opDeletePush:
		return object{"id": params["taskId"], "pushNotificationConfigId": params["id"]}
	case opListPush:
		return object{"id": params["taskId"]}
	}
	return params
}

// A message is what a check says.
type message struct {
	id, text      string
	task, context string
}

func (d *dialect) send(m message, configuration object) object {
	msg := object{"messageId": m.id, "role": "ROLE_USER", "parts": []any{object{"text": m.text}}}
	if d.profile == Profile03 {
		msg["kind"], msg["role"], msg["parts"] = "message", "user", []any{object{"kind": "text", "text": m.text}}
	}
	if m.task != "" {
		msg["taskId"] = m.task
	}
	if m.context != "" {
		msg["contextId"] = m.context
	}
	params := object{"message": msg}
	if d.profile == Profile03 { // it has blocking, the opposite of returnImmediately, and names no default
		converted := object{"blocking": configuration["returnImmediately"] != true}
		maps.Copy(converted, configuration)
		delete(converted, "returnImmediately")
		configuration = converted
	}
	if len(configuration) > 0 {
		params["configuration"] = configuration
	}
	return params
}

// The kinds of what agents say.
const (
	kindTask     = "task"
	kindMessage  = "message"
	kindStatus   = "statusUpdate"
	kindArtifact = "artifactUpdate"
)

// unwrap returns what an answer to a message, or an event of a stream, holds. The problem is empty when it is one
// thing.
func (d *dialect) unwrap(o object) (kind string, payload object, problem string) {
	if d.profile == Profile03 {
		kinds := map[string]string{"task": kindTask, "message": kindMessage, "status-update": kindStatus,
			"artifact-update": kindArtifact}
		if kind = kinds[text(o, "kind")]; kind == "" {
			return "", nil, fmt.Sprintf("kind is %q", text(o, "kind"))
		}
		return kind, o, ""
	}
	for _, k := range []string{kindTask, kindMessage, kindStatus, kindArtifact} {
		if _, ok := o[k]; !ok {
			continue
		}
		if kind != "" {
			return "", nil, "it has both " + kind + " and " + k
		}
		kind, payload = k, asObject(o[k])
	}
	if kind == "" || payload == nil {
		return "", nil, "it has none of task, message, statusUpdate and artifactUpdate"
	}
	return kind, payload, ""
}

// The states of tasks, as 1.0 writes them.
const (
	stateCompleted     = "TASK_STATE_COMPLETED"
	stateCanceled      = "TASK_STATE_CANCELED"
	stateInputRequired = "TASK_STATE_INPUT_REQUIRED"
	stateAuthRequired  = "TASK_STATE_AUTH_REQUIRED"
)

// states are those of 0.3 as 1.0 writes them.
var states = map[string]string{
	"submitted": "TASK_STATE_SUBMITTED", "working": "TASK_STATE_WORKING", "completed": stateCompleted,
	"failed":   "TASK_STATE_FAILED",
	"canceled": stateCanceled, "input-required": stateInputRequired, "rejected": "TASK_STATE_REJECTED",
	"auth-required": stateAuthRequired,
	"unknown":       "TASK_STATE_UNSPECIFIED",
}

// state returns the state of a task, or of an update of its status, as 1.0 writes it; "" for one that does not exist.
func (d *dialect) state(task object) string {
	said := text(task, "status", "state")
	if d.profile == Profile03 {
		return states[said]
	}
	if slices.Contains(slices.Collect(maps.Values(states)), said) {
		return said
	}
	return ""
}

func isTerminal(state string) bool {
	return slices.Contains([]string{stateCompleted, stateCanceled, "TASK_STATE_FAILED", "TASK_STATE_REJECTED"}, state)
}

func isInterrupted(state string) bool {
	return state == stateInputRequired || state == stateAuthRequired
}
