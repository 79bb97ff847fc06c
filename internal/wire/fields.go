// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"cmp"
	"slices"

	"github.com/dragoman-a2a/dragoman/a2a"
)

// withinSend is where the model has the push config that comes with a message.
const withinSend = "configuration.taskPushNotificationConfig"

// fieldNames are what older versions call fields that checks beyond their codecs name.
var fieldNames = map[a2a.Generation]map[string]string{
	a2a.Generation01: withPush("pushNotification", map[string]string{
		"message.taskId": "id", "message.contextId": "sessionId", "taskId": "id",
		"configuration.historyLength": "historyLength",
	}),
	a2a.Generation02: fieldNames03,
	a2a.Generation03: fieldNames03,
}

var fieldNames03 = withPush("configuration.pushNotificationConfig", map[string]string{})

// withPush adds the names of a push config's fields: alone, and within a send.
func withPush(inSend string, names map[string]string) map[string]string {
	names[withinSend] = inSend
	for name, older := range map[string]string{"url": "url", "token": "token", "id": "id",
		"authentication.scheme": "authentication.schemes", "authentication.credentials": "authentication.credentials"} {
		names[withinSend+"."+name] = inSend + "." + older
		if name != "id" {
			names[name] = "pushNotificationConfig." + older
		}
	}
	return names
}

// FieldIn returns what a version calls a field of the model.
func FieldIn(gen a2a.Generation, name string) string { return cmp.Or(fieldNames[gen][name], name) }

// Named returns an error that calls fields what a version does.
func Named(gen a2a.Generation, e *a2a.Error) *a2a.Error {
	if len(e.Violations) == 0 || fieldNames[gen] == nil {
		return e
	}
	renamed := *e
	renamed.Violations = slices.Clone(e.Violations)
	for i, v := range renamed.Violations {
		renamed.Violations[i].Field = FieldIn(gen, v.Field)
	}
	return &renamed
}

// Validate checks a request, whose fields it names as the model does. Before 1.0 a request for a push config need not
// say which one of the task.
func Validate(gen a2a.Generation, request any) error {
	if get, ok := request.(*a2a.GetPushConfigRequest); ok && get.ID == "" && gen != a2a.Generation10 {
		named := *get
		named.ID = "any"
		request = &named
	}
	if push, ok := request.(*a2a.PushConfig); ok && push.TaskID == "" { // only within a send may it be missing
		return a2a.InvalidParams("taskId", "is required")
	}
	if v, ok := request.(interface{ Validate() error }); ok {
		return v.Validate()
	}
	return nil
}
