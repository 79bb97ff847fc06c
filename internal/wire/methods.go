// SPDX-License-Identifier: Apache-2.0

package wire

import "github.com/dragoman-a2a/dragoman/a2a"

// The names of the JSON-RPC methods. 1.0 names them after its operations; 0.1 and 0.2 to 0.3 share three names.
var (
	methods01 = map[string]Operation{
		"tasks/send":                 OpSendMessage,
		"tasks/sendSubscribe":        OpStreamMessage,
		"tasks/get":                  OpGetTask,
		"tasks/cancel":               OpCancelTask,
		"tasks/resubscribe":          OpSubscribe,
		"tasks/pushNotification/set": OpCreatePushConfig,
		"tasks/pushNotification/get": OpGetPushConfig,
	}
	methods03 = map[string]Operation{
		"message/send":                        OpSendMessage,
		"message/stream":                      OpStreamMessage,
		"tasks/get":                           OpGetTask,
		"tasks/list":                          OpListTasks, // late 0.3
		"tasks/cancel":                        OpCancelTask,
		"tasks/resubscribe":                   OpSubscribe,
		"tasks/pushNotificationConfig/set":    OpCreatePushConfig,
		"tasks/pushNotificationConfig/get":    OpGetPushConfig,
		"tasks/pushNotificationConfig/list":   OpListPushConfigs,
		"tasks/pushNotificationConfig/delete": OpDeletePushConfig,
		"agent/getAuthenticatedExtendedCard":  OpExtendedCard,
	}
)

// methods03Aliases are names that only some texts of 0.2 and 0.3 have.
var methods03Aliases = map[string]Operation{"agent/authenticatedExtendedCard": OpExtendedCard}

// OperationIn returns the operation behind a JSON-RPC method of a generation, or OpNone.
func OperationIn(gen a2a.Generation, method string) Operation {
	switch gen {
	case a2a.Generation01:
		return methods01[method]
	case a2a.Generation02, a2a.Generation03:
		if op, ok := methods03[method]; ok {
			return op
		}
		return methods03Aliases[method]
	}
	return OperationOf(method)
}

// MethodIn returns the JSON-RPC method that stands for an operation in a generation, or "" when it has none.
func MethodIn(gen a2a.Generation, op Operation) string { return methodNames[era(gen)][op] }

// era returns the generation under which the names of a generation's methods are kept.
func era(gen a2a.Generation) a2a.Generation {
	if gen == a2a.Generation02 {
		return a2a.Generation03
	}
	return gen
}

var methodNames = map[a2a.Generation]map[Operation]string{
	a2a.Generation01: inverse(methods01), a2a.Generation03: inverse(methods03), a2a.Generation10: inverse(operationsByName),
}

func inverse(names map[string]Operation) map[Operation]string {
	m := make(map[Operation]string, len(names))
	for name, op := range names {
		m[op] = name
	}
	return m
}
