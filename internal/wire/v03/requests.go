// SPDX-License-Identifier: Apache-2.0

package v03

import (
	"bytes"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/jsonio"
	"github.com/dragoman-a2a/dragoman/internal/wire"
)

// DecodeRequest reads a request.
func (dialect) DecodeRequest(op wire.Operation, params []byte) (any, error) {
	if params = bytes.TrimSpace(params); len(params) == 0 || string(params) == "null" {
		params = []byte("{}") // what is required is found missing
	}
	switch op {
	case wire.OpSendMessage, wire.OpStreamMessage:
		return decodeRequest(params, &sendObject, sentBy)
	case wire.OpListTasks:
		return decodeRequest(params, &listObject, listedBy)
	case wire.OpCreatePushConfig:
		return decodeRequest(params, &taskPushObject, (*taskPush).model)
	}
	var ids idParams
	if err := wire.DecodeJSON(params, &ids, idObject.Read); err != nil {
		return nil, err
	}
	if req := ids.model(op); req != nil {
		return req, nil
	}
	return nil, mismatch(op, nil)
}

// decodeRequest reads params into an F and makes a request of it.
func decodeRequest[F, R any](params []byte, o *jsonio.Object[F], model func(*F) R) (any, error) {
	var form F
	if err := wire.DecodeJSON(params, &form, o.Read); err != nil {
		return nil, err
	}
	return model(&form), nil
}

// A send is what the parameters of message/send and message/stream say. An id beside the message, which drafts of 0.2.0
// had, says nothing.
type send struct {
	message       *a2a.Message
	messageID     a2a.MessageID // beside the message, as in an example of 0.2
	configuration *configuration
	metadata      a2a.Metadata
}

type configuration struct {
	a2a.SendConfiguration
	draftPush *a2a.PushConfig
	waits     *bool
}

// sentMessage is the message of a request.
var sentMessage = messageOf(a2a.MaxParts, a2a.MaxNames, func(d *jsonio.Reader, v *a2a.Message) error {
	if v.Role == a2a.RoleUnspecified {
		return jsonio.InvalidMember(d, "role", "is required: user or agent")
	}
	return nil
})

var sendObject = jsonio.Object[send]{Members: []jsonio.Member[send]{
	jsonio.Required("message", &sentMessage, func(v *send) **a2a.Message { return &v.message }),
	jsonio.OptStr("messageId", func(v *send) *a2a.MessageID { return &v.messageID }),
	jsonio.Ptr("configuration", &configurationObject, func(v *send) **configuration { return &v.configuration }),
	jsonio.OptMetadata("metadata", func(v *send) *a2a.Metadata { return &v.metadata }),
}}

// configurationObject writes acceptedOutputModes even when there are none, which the schemas before 0.2.6 want. It says
// whether to wait, as no text says what happens when it is left out.
var configurationObject = jsonio.Object[configuration]{
	Members: []jsonio.Member[configuration]{
		jsonio.Strs("acceptedOutputModes", a2a.MaxNames,
			func(v *configuration) *[]string { return &v.AcceptedOutputModes }),
		jsonio.PtrNum("historyLength", func(v *configuration) **int { return &v.HistoryLength }),
		jsonio.Ptr("pushNotificationConfig", &pushObject,
			func(v *configuration) **a2a.PushConfig { return &v.PushConfig }),
		jsonio.Ptr("pushNotification", &pushObject, func(v *configuration) **a2a.PushConfig { return &v.draftPush }),
		jsonio.PtrBool("blocking", func(v *configuration) **bool { return &v.waits }),
	},
	Finish: func(d *jsonio.Reader, v *configuration) error {
		return either(d, &v.PushConfig, v.draftPush, "pushNotificationConfig", "pushNotification")
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

func sentBy(v *send) *a2a.SendMessageRequest {
	config := new(a2a.SendConfiguration)
	if c := v.configuration; c != nil {
		config = &c.SendConfiguration
		config.ReturnImmediately = c.waits != nil && !*c.waits
	}
	config.HistoryLength = orNone(config.HistoryLength)
	if v.message != nil && v.message.ID == "" {
		v.message.ID = v.messageID
	}
	return &a2a.SendMessageRequest{Message: v.message, Configuration: config, Metadata: v.metadata}
}

func sendOf(r *a2a.SendMessageRequest) *send {
	v := &send{message: r.Message, metadata: r.Metadata}
	if c := r.Configuration; c != nil {
		v.configuration = &configuration{SendConfiguration: *c, waits: new(!c.ReturnImmediately)}
	}
	return v
}

// orNone returns a history length; without one no history is asked for.
func orNone(n *int) *int {
	if n == nil {
		return new(int)
	}
	return n
}

// idParams are the parameters of all methods that name a task. They share a table: each takes what it knows.
type idParams struct {
	id            a2a.TaskID
	pushID        string
	historyLength *int
	metadata      a2a.Metadata
}

var idObject = jsonio.Object[idParams]{Members: []jsonio.Member[idParams]{
	jsonio.Str("id", func(v *idParams) *a2a.TaskID { return &v.id }),
	jsonio.OptStr("pushNotificationConfigId", func(v *idParams) *string { return &v.pushID }),
	jsonio.PtrNum("historyLength", func(v *idParams) **int { return &v.historyLength }),
	jsonio.OptMetadata("metadata", func(v *idParams) *a2a.Metadata { return &v.metadata }),
}}

// model returns the request of an operation, nil for one that takes other parameters.
func (v *idParams) model(op wire.Operation) any {
	switch op {
	case wire.OpGetTask:
		return &a2a.GetTaskRequest{ID: v.id, HistoryLength: orNone(v.historyLength)}
	case wire.OpCancelTask:
		return &a2a.CancelTaskRequest{ID: v.id, Metadata: v.metadata}
	case wire.OpSubscribe:
		return &a2a.SubscribeRequest{ID: v.id}
	case wire.OpGetPushConfig:
		return &a2a.GetPushConfigRequest{TaskID: v.id, ID: v.pushID}
	case wire.OpListPushConfigs:
		return &a2a.ListPushConfigsRequest{TaskID: v.id}
	case wire.OpDeletePushConfig:
		return &a2a.DeletePushConfigRequest{TaskID: v.id, ID: v.pushID}
	case wire.OpExtendedCard:
		return new(a2a.ExtendedCardRequest)
	}
	return nil
}

var listObject = jsonio.Object[a2a.ListTasksRequest]{Members: []jsonio.Member[a2a.ListTasksRequest]{
	jsonio.OptStr("contextId", func(v *a2a.ListTasksRequest) *a2a.ContextID { return &v.ContextID }),
	jsonio.Value("status", readKnownState, writeOptState,
		func(v *a2a.ListTasksRequest) *a2a.TaskState { return &v.Status }),
	jsonio.PtrNum("pageSize", func(v *a2a.ListTasksRequest) **int { return &v.PageSize }),
	jsonio.OptStr("pageToken", func(v *a2a.ListTasksRequest) *string { return &v.PageToken }),
	jsonio.PtrNum("historyLength", func(v *a2a.ListTasksRequest) **int { return &v.HistoryLength }),
	jsonio.Value("lastUpdatedAfter", readMillis, writeMillis,
		func(v *a2a.ListTasksRequest) *time.Time { return &v.StatusTimestampAfter }),
	jsonio.OptBool("includeArtifacts", func(v *a2a.ListTasksRequest) *bool { return &v.IncludeArtifacts }),
}}

func readKnownState(d *jsonio.Reader, s *a2a.TaskState) error {
	err := readState(d, s)
	if err == nil && *s == a2a.TaskStateUnspecified { // which would mean any
		return jsonio.Invalid(d, "must not be unknown: no task stays so")
	}
	return err
}

func writeOptState(w *jsonio.Writer, name string, s a2a.TaskState) {
	if s != a2a.TaskStateUnspecified {
		writeState(w, name, s)
	}
}

func listedBy(v *a2a.ListTasksRequest) *a2a.ListTasksRequest {
	v.HistoryLength = orNone(v.HistoryLength)
	return v
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

func writeMillis(w *jsonio.Writer, name string, t time.Time) {
	if !t.IsZero() {
		w.Int(name, t.UnixMilli())
	}
}

// A taskPush is what a TaskPushNotificationConfig says.
type taskPush struct {
	task                a2a.TaskID
	config, otherConfig *a2a.PushConfig
}

var taskPushObject = jsonio.Object[taskPush]{
	Members: []jsonio.Member[taskPush]{
		jsonio.Str("taskId", func(v *taskPush) *a2a.TaskID { return &v.task }),
		jsonio.Required("pushNotificationConfig", &pushObject, func(v *taskPush) **a2a.PushConfig { return &v.config }),
		jsonio.Ptr("config", &pushObject, func(v *taskPush) **a2a.PushConfig { return &v.otherConfig }),
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

func writeTaskPush(w *jsonio.Writer, c *a2a.PushConfig) {
	if c == nil {
		w.Fail("is missing")
		return
	}
	taskPushObject.Write(w, &taskPush{task: c.TaskID, config: c})
}

var pushObject = jsonio.Object[a2a.PushConfig]{Members: append(
	[]jsonio.Member[a2a.PushConfig]{jsonio.OptStr("id", func(v *a2a.PushConfig) *string { return &v.ID })},
	wire.PushMembers(false)...,
)}

func (dialect) AppendRequest(dst []byte, op wire.Operation, request any) ([]byte, error) {
	var ids idParams
	switch req := request.(type) {
	case *a2a.SendMessageRequest:
		return wire.AppendJSON(dst, sendOf(req), sendObject.Write)
	case *a2a.ListTasksRequest:
		return wire.AppendJSON(dst, req, listObject.Write)
	case *a2a.PushConfig:
		return wire.AppendJSON(dst, req, writeTaskPush)
	case *a2a.ExtendedCardRequest:
		return append(dst, '{', '}'), nil // the method takes nothing
	case *a2a.GetTaskRequest:
		ids = idParams{id: req.ID, historyLength: req.HistoryLength}
	case *a2a.CancelTaskRequest:
		ids = idParams{id: req.ID, metadata: req.Metadata}
	case *a2a.SubscribeRequest:
		ids = idParams{id: req.ID}
	case *a2a.GetPushConfigRequest:
		ids = idParams{id: req.TaskID, pushID: req.ID}
	case *a2a.ListPushConfigsRequest:
		ids = idParams{id: req.TaskID}
	case *a2a.DeletePushConfigRequest:
		ids = idParams{id: req.TaskID, pushID: req.ID}
	default:
		return dst, mismatch(op, request)
	}
	return wire.AppendJSON(dst, &ids, idObject.Write)
}
