// SPDX-License-Identifier: Apache-2.0

package v03

import (
	"bytes"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/jsonio"
	"github.com/dragoman-a2a/dragoman/internal/wire"
)

// DecodeRequest reads a request and checks it, as far as that can be done without knowing more, so that its errors have
// the names of this form.
func (dialect) DecodeRequest(op wire.Operation, params []byte) (any, error) {
	if params = bytes.TrimSpace(params); len(params) == 0 || string(params) == "null" {
		params = []byte("{}") // what is required is found missing
	}
	switch op {
	case wire.OpSendMessage, wire.OpStreamMessage:
		return decodeRequest(params, sendObject, (*send).model)
	case wire.OpGetTask:
		return decodeRequest(params, idObject, (*idParams).getTask)
	case wire.OpListTasks:
		return decodeRequest(params, listObject, (*listParams).model)
	case wire.OpCancelTask:
		return decodeRequest(params, idObject, (*idParams).cancelTask)
	case wire.OpSubscribe:
		return decodeRequest(params, idObject, (*idParams).subscribe)
	case wire.OpCreatePushConfig:
		return decodeRequest(params, taskPushObject, (*taskPush).model)
	case wire.OpGetPushConfig:
		return decodeRequest(params, idObject, (*idParams).getPush)
	case wire.OpListPushConfigs:
		return decodeRequest(params, idObject, (*idParams).listPush)
	case wire.OpDeletePushConfig:
		return decodeRequest(params, idObject, (*idParams).deletePush)
	case wire.OpExtendedCard:
		return decodeRequest(params, idObject, (*idParams).extendedCard)
	}
	return nil, mismatch(op, nil)
}

// decodeRequest reads params into an F and makes a request of it.
func decodeRequest[F, R any](params []byte, o jsonio.Object[F], model func(*F) R) (any, error) {
	var form F
	if err := wire.DecodeJSON(params, &form, o.Read); err != nil {
		return nil, err
	}
	return model(&form), nil
}

// A send is what the parameters of message/send and message/stream say. An id beside the message, which drafts of 0.2.0
// had, says nothing.
type send struct {
	message       *message
	messageID     a2a.MessageID // beside the message, as in an example of 0.2
	configuration configuration
	metadata      a2a.Metadata
}

type configuration struct {
	modes           []string
	push, draftPush *a2a.PushConfig
	historyLength   *int
	blocking        *bool
}

// sentMessage reads the message of a request.
var sentMessage = jsonio.Object[message]{
	Members: messageMembers(a2a.MaxParts, a2a.MaxNames),
	Finish: func(d *jsonio.Reader, v *message) error {
		if v.Role == a2a.RoleUnspecified {
			return jsonio.InvalidMember(d, "role", "is required: user or agent")
		}
		return v.checkKind(d)
	},
}

var sendObject = jsonio.Object[send]{Members: []jsonio.Member[send]{
	{Name: "message", Read: func(d *jsonio.Reader, v *send) error { return sentMessage.ReadNew(d, &v.message) }},
	{Name: "messageId", Read: func(d *jsonio.Reader, v *send) error { return jsonio.String(d, &v.messageID) }},
	{Name: "configuration", Read: func(d *jsonio.Reader,
		v *send) error {
		return configurationObject.Read(d, &v.configuration)
	}},
	{Name: "metadata", Read: func(d *jsonio.Reader, v *send) error { return jsonio.Metadata(d, &v.metadata) }},
}}

var configurationObject = jsonio.Object[configuration]{
	Members: []jsonio.Member[configuration]{
		{Name: "acceptedOutputModes", Read: func(d *jsonio.Reader, v *configuration) error {
			return jsonio.List(d, &v.modes, a2a.MaxNames, jsonio.String)
		}},
		{Name: "pushNotificationConfig",
			Read: func(d *jsonio.Reader, v *configuration) error { return pushObject.ReadNew(d, &v.push) }},
		{Name: "pushNotification", Read: func(d *jsonio.Reader,
			v *configuration) error {
			return pushObject.ReadNew(d, &v.draftPush)
		}},
		{Name: "historyLength", Read: func(d *jsonio.Reader,
			v *configuration) error {
			return readInt(d, &v.historyLength)
		}},
		{Name: "blocking", Read: func(d *jsonio.Reader, v *configuration) error {
			v.blocking = new(bool)
			return jsonio.Bool(d, v.blocking)
		}},
	},
	Finish: func(d *jsonio.Reader, v *configuration) error {
		return either(d, &v.push, v.draftPush, "pushNotificationConfig", "pushNotification")
	},
}

// either takes a push config from under its other name when it stands there, and refuses two.
func either(d *jsonio.Reader, config **a2a.PushConfig, other *a2a.PushConfig, name, otherName string) error {
	if other == nil {
		return nil
	}
	if *config != nil {
		return jsonio.InvalidMember(d, otherName, "cannot be there beside "+name+": send "+name+" alone")
	}
	*config = other
	return nil
}

func (v *send) model() *a2a.SendMessageRequest {
	req := &a2a.SendMessageRequest{Metadata: v.metadata, Configuration: &a2a.SendConfiguration{
		AcceptedOutputModes: v.configuration.modes,
		PushConfig:          v.configuration.push,
		HistoryLength:       orNone(v.configuration.historyLength),
		ReturnImmediately:   v.configuration.blocking != nil && !*v.configuration.blocking,
	}}
	if v.message == nil {
		return req
	}
	req.Message = &v.message.Message
	if req.Message.ID == "" {
		req.Message.ID = v.messageID
	}
	return req
}

// orNone returns a history length; without one no history is asked for.
func orNone(n *int) *int {
	if n == nil {
		return new(int)
	}
	return n
}

func readInt(d *jsonio.Reader, p **int) error {
	*p = new(int)
	return readSize(d, *p)
}

// idParams are the parameters of all methods that name a task. They share a table: each takes what it knows.
type idParams struct {
	id            string
	pushID        string
	historyLength *int
	metadata      a2a.Metadata
}

var idObject = jsonio.Object[idParams]{Members: []jsonio.Member[idParams]{
	{Name: "id", Read: func(d *jsonio.Reader, v *idParams) error { return jsonio.String(d, &v.id) }},
	{Name: "pushNotificationConfigId", Read: func(d *jsonio.Reader,
		v *idParams) error {
		return jsonio.String(d, &v.pushID)
	}},
	{Name: "historyLength", Read: func(d *jsonio.Reader, v *idParams) error { return readInt(d, &v.historyLength) }},
	{Name: "metadata", Read: func(d *jsonio.Reader, v *idParams) error { return jsonio.Metadata(d, &v.metadata) }},
}}

func (v *idParams) getTask() *a2a.GetTaskRequest {
	return &a2a.GetTaskRequest{ID: a2a.TaskID(v.id), HistoryLength: orNone(v.historyLength)}
}

func (v *idParams) cancelTask() *a2a.CancelTaskRequest {
	return &a2a.CancelTaskRequest{ID: a2a.TaskID(v.id), Metadata: v.metadata}
}

func (v *idParams) subscribe() *a2a.SubscribeRequest {
	return &a2a.SubscribeRequest{ID: a2a.TaskID(v.id)}
}

func (v *idParams) getPush() *a2a.GetPushConfigRequest {
	return &a2a.GetPushConfigRequest{TaskID: a2a.TaskID(v.id), ID: v.pushID}
}

func (v *idParams) listPush() *a2a.ListPushConfigsRequest {
	return &a2a.ListPushConfigsRequest{TaskID: a2a.TaskID(v.id)}
}

func (v *idParams) deletePush() *a2a.DeletePushConfigRequest {
	return &a2a.DeletePushConfigRequest{TaskID: a2a.TaskID(v.id), ID: v.pushID}
}

func (v *idParams) extendedCard() *a2a.ExtendedCardRequest { return new(a2a.ExtendedCardRequest) }

// listParams are the parameters of tasks/list, which are those of the model.
type listParams a2a.ListTasksRequest

var listObject = jsonio.Object[listParams]{Members: []jsonio.Member[listParams]{
	{Name: "contextId", Read: func(d *jsonio.Reader, v *listParams) error { return jsonio.String(d, &v.ContextID) }},
	{Name: "status", Read: func(d *jsonio.Reader, v *listParams) error {
		if err := readState(d, &v.Status); err != nil {
			return err
		}
		if v.Status == a2a.TaskStateUnspecified { // which would mean any
			return jsonio.Invalid(d, "must not be unknown: no task stays so")
		}
		return nil
	}},
	{Name: "pageSize", Read: func(d *jsonio.Reader, v *listParams) error { return readInt(d, &v.PageSize) }},
	{Name: "pageToken", Read: func(d *jsonio.Reader, v *listParams) error { return jsonio.String(d, &v.PageToken) }},
	{Name: "historyLength", Read: func(d *jsonio.Reader, v *listParams) error { return readInt(d, &v.HistoryLength) }},
	{Name: "lastUpdatedAfter", Read: func(d *jsonio.Reader,
		v *listParams) error {
		return readMillis(d, &v.StatusTimestampAfter)
	}},
	{Name: "includeArtifacts", Read: func(d *jsonio.Reader,
		v *listParams) error {
		return jsonio.Bool(d, &v.IncludeArtifacts)
	}},
}}

func (v *listParams) model() *a2a.ListTasksRequest {
	v.HistoryLength = orNone(v.HistoryLength)
	return (*a2a.ListTasksRequest)(v)
}

// maxMillis is more or less the year 9999.
const maxMillis = 253_402_300_799_999

// readMillis reads a time in milliseconds since 1970.
func readMillis(d *jsonio.Reader, t *time.Time) error {
	var n int64
	if err := jsonio.Int(d, &n, maxMillis); err != nil {
		return err
	}
	*t = time.UnixMilli(n).UTC()
	return nil
}

// A taskPush is what a TaskPushNotificationConfig says.
type taskPush struct {
	task                a2a.TaskID
	config, otherConfig *a2a.PushConfig
}

var taskPushObject = jsonio.Object[taskPush]{
	Members: []jsonio.Member[taskPush]{
		{Name: "taskId", Read: func(d *jsonio.Reader, v *taskPush) error { return jsonio.String(d, &v.task) }},
		{Name: "pushNotificationConfig",
			Read: func(d *jsonio.Reader, v *taskPush) error { return pushObject.ReadNew(d, &v.config) }},
		{Name: "config", Read: func(d *jsonio.Reader,
			v *taskPush) error {
			return pushObject.ReadNew(d, &v.otherConfig)
		}},
	},
	Finish: func(d *jsonio.Reader, v *taskPush) error {
		if err := either(d, &v.config, v.otherConfig, "pushNotificationConfig", "config"); err != nil {
			return err
		}
		switch {
		case v.task == "":
			return jsonio.InvalidMember(d, "taskId", "is required")
		case v.config == nil:
			return jsonio.InvalidMember(d, "pushNotificationConfig", "is required")
		}
		return nil
	},
}

func (v *taskPush) model() *a2a.PushConfig {
	v.config.TaskID = v.task
	return v.config
}

var pushObject = jsonio.Object[a2a.PushConfig]{Members: []jsonio.Member[a2a.PushConfig]{
	{Name: "id", Read: func(d *jsonio.Reader, v *a2a.PushConfig) error { return jsonio.String(d, &v.ID) }},
	{Name: "url", Read: func(d *jsonio.Reader, v *a2a.PushConfig) error { return jsonio.String(d, &v.URL) }},
	{Name: "token", Read: func(d *jsonio.Reader, v *a2a.PushConfig) error { return jsonio.String(d, &v.Token) }},
	{Name: "authentication", Read: func(d *jsonio.Reader,
		v *a2a.PushConfig) error {
		return readAuthentication(d, &v.Authentication)
	}},
}}

type authentication struct {
	schemes     []string
	credentials string
}

var authenticationObject = jsonio.Object[authentication]{Members: []jsonio.Member[authentication]{
	{Name: "schemes", Read: func(d *jsonio.Reader, v *authentication) error {
		return jsonio.List(d, &v.schemes, a2a.MaxNames, jsonio.String)
	}},
	{Name: "credentials", Read: func(d *jsonio.Reader,
		v *authentication) error {
		return jsonio.String(d, &v.credentials)
	}},
}}

// readAuthentication takes the first of the schemes, which are in the order of preference. One that names none, and so
// asks for nothing, is none.
func readAuthentication(d *jsonio.Reader, p **a2a.PushAuthentication) error {
	var v authentication
	if err := authenticationObject.Read(d, &v); err != nil {
		return err
	}
	switch {
	case len(v.schemes) > 0:
		*p = &a2a.PushAuthentication{Scheme: v.schemes[0], Credentials: v.credentials}
	case v.credentials != "":
		return jsonio.InvalidMember(d, "schemes", "is required beside credentials")
	}
	return nil
}
