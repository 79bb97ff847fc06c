// SPDX-License-Identifier: Apache-2.0

package pbv03

import (
	"fmt"
	"strings"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/binding/grpc/pbvalue"
)

// a2a.v1 names tasks/{id} and tasks/{id}/pushNotificationConfigs/{id}, as Google's APIs do. Ids hold no slash there.

func taskName(id a2a.TaskID) string { return "tasks/" + string(id) }

func configName(task a2a.TaskID, id string) string {
	return taskName(task) + "/pushNotificationConfigs/" + id
}

// parseTask returns the task that a field names.
func parseTask(c *pbvalue.Converter, field, name string) a2a.TaskID {
	parts := strings.Split(name, "/")
	switch {
	case name == "":
		c.Fail(a2a.InvalidParams(field, "is required: tasks/{id}"))
	case len(parts) != 2 || parts[0] != "tasks" || parts[1] == "":
		c.Fail(a2a.InvalidParams(field, fmt.Sprintf("must be the name of a task, tasks/{id}, not %.100q", name)))
	default:
		return a2a.TaskID(parts[1])
	}
	return ""
}

// parseConfig returns the push notification config that a field names. Its id may be empty, and is for clients of
// 0.2.2, which had but one for each task.
func parseConfig(c *pbvalue.Converter, field, name string) (a2a.TaskID, string) {
	parts := strings.Split(name, "/")
	switch {
	case name == "":
		c.Fail(a2a.InvalidParams(field, "is required: tasks/{id}/pushNotificationConfigs/{id}"))
	case len(parts) != 4 || parts[0] != "tasks" || parts[1] == "" || parts[2] != "pushNotificationConfigs":
		c.Fail(a2a.InvalidParams(field, fmt.Sprintf("must be the name of a push notification config, "+
			"tasks/{id}/pushNotificationConfigs/{id}, not %.100q", name)))
	default:
		return a2a.TaskID(parts[1]), parts[3]
	}
	return "", ""
}
