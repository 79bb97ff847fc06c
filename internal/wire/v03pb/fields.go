// SPDX-License-Identifier: Apache-2.0

package v03pb

import (
	"regexp"
	"slices"
	"strings"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/wire"
)

// Named returns an error about a request that calls fields as Proto does.
func Named(op wire.Operation, e *a2a.Error) *a2a.Error {
	if len(e.Violations) == 0 {
		return e
	}
	renamed := *e
	renamed.Violations = slices.Clone(e.Violations)
	for i := range renamed.Violations {
		field := &renamed.Violations[i].Field
		*field = fieldName(op, *field)
	}
	return &renamed
}

var partOfMessage = regexp.MustCompile(`^message\.parts\b(\[\d+\])?`)

// fieldName returns what Proto calls a field of the model. Names that are not of the model stay.
func fieldName(op wire.Operation, field string) string {
	switch op {
	case wire.OpSendMessage, wire.OpStreamMessage:
		if push, ok := strings.CutPrefix(field, "configuration.taskPushNotificationConfig"); ok {
			return "configuration.pushNotification" + schemes(push)
		}
		renamed := partOfMessage.ReplaceAllString(field, "message.content$1")
		if of, ok := strings.CutSuffix(renamed, "].url"); ok && renamed != field {
			return of + "].file.fileWithUri"
		}
		return renamed
	case wire.OpCancelTask, wire.OpSubscribe:
		if field == "id" {
			return "name"
		}
	case wire.OpCreatePushConfig:
		if field == "taskId" {
			return "parent"
		}
		if field == "url" || field == "token" || strings.HasPrefix(field, "authentication") {
			return "pushNotificationConfig." + schemes(field)
		}
	}
	return field
}

func schemes(field string) string {
	if strings.HasSuffix(field, "authentication.scheme") {
		return field + "s[0]"
	}
	return field
}
