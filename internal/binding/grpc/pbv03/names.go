// SPDX-License-Identifier: Apache-2.0

package pbv03

import (
	"fmt"
	"strings"

	"github.com/dragoman-a2a/dragoman/a2a"
)

// a2a.v1 names tasks/{id} and tasks/{id}/pushNotificationConfigs/{id}, as Google's APIs do. Ids hold no slash there.

func taskName(id a2a.TaskID) string { return "tasks/" + string(id) }

func configName(task a2a.TaskID, id string) string {
	return taskName(task) + "/pushNotificationConfigs/" + id
}

// parseTask returns the task that a field names.
func parseTask(field, name string) (a2a.TaskID, error) {
	if name == "" {
		return "", a2a.InvalidParams(field, "is required: tasks/{id}")
	}
	parts := strings.Split(name, "/")
	if len(parts) != 2 || parts[0] != "tasks" || parts[1] == "" {
		return "", a2a.InvalidParams(field, fmt.Sprintf("must be the name of a task, tasks/{id}, not %.100q", name))
	}
	return a2a.TaskID(parts[1]), nil
}

// parseConfig returns the push notification config that a field names. Its id may be empty, and is for clients of
// 0.2.2, which had but one for each task.
func parseConfig(field, name string) (a2a.TaskID, string, error) {
	if name == "" {
		return "", "", a2a.InvalidParams(field, "is required: tasks/{id}/pushNotificationConfigs/{id}")
	}
	parts := strings.Split(name, "/")
	if len(parts) != 4 || parts[0] != "tasks" || parts[1] == "" || parts[2] != "pushNotificationConfigs" {
		return "", "", a2a.InvalidParams(field,
			fmt.Sprintf("must be the name of a push notification config, tasks/{id}/pushNotificationConfigs/{id}, "+
				"not %.100q", name))
	}
	return a2a.TaskID(parts[1]), parts[3], nil
}
