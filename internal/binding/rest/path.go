// SPDX-License-Identifier: Apache-2.0

package rest

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/dragoman-a2a/dragoman/internal/binding"
	"github.com/dragoman-a2a/dragoman/internal/wire"
)

// A route is what the path of a request names (A2A 1.0 §11.3). http.ServeMux cannot tell these paths apart: it has no
// pattern for what follows a colon, and finds /{tenant}/tasks and /tasks/{id} in conflict.
type route struct {
	resource resource
	old      bool // of a generation before 1.0
	tenant   string
	task     string
	config   string
}

// A resource is a shape of path. The method decides which operations it allows.
type resource uint8

const (
	resNone resource = iota
	resSend
	resStream
	resTasks
	resTask
	resCancel
	resSubscribe
	resConfigs
	resConfig
	resCard
	resCard02 // the extended card until 0.2.6
)

// methods are what can be done with a resource.
var methods = map[resource]map[string]wire.Operation{
	resSend:   {http.MethodPost: wire.OpSendMessage},
	resStream: {http.MethodPost: wire.OpStreamMessage},
	resTasks:  {http.MethodGet: wire.OpListTasks},
	resTask:   {http.MethodGet: wire.OpGetTask},
	resCancel: {http.MethodPost: wire.OpCancelTask},
	// the text says POST, the proto GET
	resSubscribe: {http.MethodPost: wire.OpSubscribe, http.MethodGet: wire.OpSubscribe},
	resConfigs:   {http.MethodPost: wire.OpCreatePushConfig, http.MethodGet: wire.OpListPushConfigs},
	resConfig:    {http.MethodGet: wire.OpGetPushConfig, http.MethodDelete: wire.OpDeletePushConfig},
	resCard:      {http.MethodGet: wire.OpExtendedCard},
	resCard02:    {http.MethodGet: wire.OpExtendedCard},
}

// allow is the Allow header of each resource.
var allow = map[resource]string{
	resSend: "POST", resStream: "POST", resTasks: "GET", resTask: "GET", resCancel: "POST",
	resSubscribe: "GET, POST", resConfigs: "GET, POST", resConfig: "DELETE, GET", resCard: "GET", resCard02: "GET",
}

// match parses an escaped path. A path that names nothing has the resource resNone. The first segment is a tenant
// unless it means something by itself.
func match(escaped string) route {
	rest, ok := strings.CutPrefix(escaped, "/")
	if !ok {
		return route{}
	}
	first, after, more := strings.Cut(rest, "/")
	if r := matchOld(first, after); r.resource != resNone {
		return r
	}
	if r := matchBelow(rest); r.resource != resNone {
		return r
	}
	tenant, err := url.PathUnescape(first)
	if err != nil || tenant == "" || !more || binding.ReservedTenant(tenant) {
		return route{}
	}
	r := matchBelow(after)
	r.tenant = tenant
	return r
}

// matchOld parses a path of 0.2 or 0.3, which is below /v1 but for that of the extended card until 0.2.6. The proto of
// 0.3 has a slip in one path, task instead of tasks, which somebody may have followed.
func matchOld(first, after string) route {
	var r route
	switch {
	case first == "agent" && after == "authenticatedExtendedCard":
		r.resource = resCard02
	case first == "v1" && after == "card":
		r.resource = resCard
	case first == "v1" && after != "extendedAgentCard":
		if typo, ok := strings.CutPrefix(after, "task/"); ok {
			after = "tasks/" + typo
		}
		r = matchBelow(after)
	}
	r.old = true
	return r
}

// matchBelow parses a path below the base or the tenant.
func matchBelow(path string) route {
	first, rest, more := strings.Cut(path, "/")
	first, err := url.PathUnescape(first)
	switch {
	case err != nil:
		return route{}
	case first == "tasks" && more:
		return matchTask(rest)
	case more:
		return route{}
	case first == "tasks":
		return route{resource: resTasks}
	case first == "message:send":
		return route{resource: resSend}
	case first == "message:stream":
		return route{resource: resStream}
	case first == "extendedAgentCard":
		return route{resource: resCard}
	}
	return route{}
}

// matchTask parses what follows tasks/. An action is split off before the id is unescaped, so that an id which ends in
// ":cancel" can still be named, with its colon escaped.
func matchTask(path string) route {
	segment, rest, more := strings.Cut(path, "/")
	if more {
		return matchConfig(segment, rest)
	}
	id, res := segment, resTask
	if colon := strings.LastIndexByte(segment, ':'); colon >= 0 {
		switch segment[colon+1:] {
		case "cancel":
			id, res = segment[:colon], resCancel
		case "subscribe":
			id, res = segment[:colon], resSubscribe
		}
	}
	task, err := url.PathUnescape(id)
	if err != nil || task == "" {
		return route{}
	}
	return route{resource: res, task: task}
}

// matchConfig parses what follows tasks/{id}/.
func matchConfig(id, path string) route {
	task, err := url.PathUnescape(id)
	if err != nil || task == "" {
		return route{}
	}
	name, last, more := strings.Cut(path, "/")
	if name != "pushNotificationConfigs" || strings.Contains(last, "/") {
		return route{}
	}
	if !more {
		return route{resource: resConfigs, task: task}
	}
	config, err := url.PathUnescape(last)
	if err != nil || config == "" {
		return route{}
	}
	return route{resource: resConfig, task: task, config: config}
}
