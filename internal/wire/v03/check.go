// SPDX-License-Identifier: Apache-2.0

package v03

import (
	"regexp"
	"strings"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/wire"
)

// Validate checks a request, with the names that its fields have in this form.
func (dialect) Validate(req any) error {
	err := wire.Validate(a2a.Generation03, req)
	if err == nil {
		return nil
	}
	e := a2a.AsError(err)
	for i := range e.Violations {
		field := &e.Violations[i].Field
		*field = rename(req, *field)
	}
	return e
}

// rename returns the name in this form of a field of a request.
func rename(req any, field string) string {
	switch req.(type) {
	case *a2a.SendMessageRequest:
		if config, ok := strings.CutPrefix(field, "configuration.taskPushNotificationConfig"); ok {
			return "configuration.pushNotificationConfig" + renameScheme(config)
		}
		return urlOfPart.ReplaceAllString(field, "$1.file.uri")
	case *a2a.PushConfig:
		if field != "taskId" {
			return "pushNotificationConfig." + renameScheme(field)
		}
	case *a2a.GetPushConfigRequest, *a2a.ListPushConfigsRequest, *a2a.DeletePushConfigRequest:
		switch field {
		case "taskId":
			return "id"
		case "id":
			return "pushNotificationConfigId"
		}
	}
	return field
}

var urlOfPart = regexp.MustCompile(`^(message\.parts\[\d+\])\.url$`)

func renameScheme(field string) string {
	if strings.HasSuffix(field, "authentication.scheme") {
		return field + "s[0]"
	}
	return field
}
