// SPDX-License-Identifier: Apache-2.0

package v01

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/jsonio"
	"github.com/dragoman-a2a/dragoman/internal/wire"
)

// These types hold the parameters of the methods. The comment of each type names its methods.
type (
	sendParams struct { // tasks/send, tasks/sendSubscribe
		request a2a.SendMessageRequest
		config  a2a.SendConfiguration
		session a2a.ContextID
	}
	queryParams struct { // tasks/get, tasks/resubscribe
		id            a2a.TaskID
		historyLength *int
	}
	idParams struct { // tasks/cancel, tasks/pushNotification/get
		id       a2a.TaskID
		metadata a2a.Metadata
	}
	pushParams struct { // tasks/pushNotification/set, and the result of both methods
		id     a2a.TaskID
		config *a2a.PushConfig
	}
)

var sendObject = jsonio.Object[sendParams]{Members: []jsonio.Member[sendParams]{
	jsonio.Str("id", func(v *sendParams) *a2a.TaskID { return &v.request.NewTaskID }),
	jsonio.OptStr("sessionId", func(v *sendParams) *a2a.ContextID { return &v.session }),
	jsonio.Required("message", sentMessage, func(v *sendParams) **a2a.Message { return &v.request.Message }),
	jsonio.Ptr("pushNotification", &pushConfigObject,
		func(v *sendParams) **a2a.PushConfig { return &v.config.PushConfig }),
	jsonio.PtrNum("historyLength", func(v *sendParams) **int { return &v.config.HistoryLength }),
	// The Python sample of April 2025 has it.
	jsonio.Value("acceptedOutputModes", readOutputModes, jsonio.WriteOptStrs[string],
		func(v *sendParams) *[]string { return &v.config.AcceptedOutputModes }),
	jsonio.OptMetadata("metadata", func(v *sendParams) *a2a.Metadata { return &v.request.Metadata }),
}}

// readOutputModes reads what a client accepts. The command line of April 2025 sends ["text"] to every agent, one that
// makes pictures too, so that list says nothing.
func readOutputModes(d *jsonio.Reader, modes *[]string) error {
	if err := jsonio.List(d, modes, a2a.MaxNames, jsonio.String); err != nil {
		return err
	}
	if len(*modes) == 1 && (*modes)[0] == "text" {
		*modes = nil
	}
	return nil
}

// sentMessage reads the message of a request. The role is required, because the server cannot guess it.
var sentMessage = messageOf(a2a.MaxParts, func(d *jsonio.Reader, _ *a2a.Message) error {
	return jsonio.InvalidMember(d, "role", "is required: user or agent")
})

var queryObject = jsonio.Object[queryParams]{Members: []jsonio.Member[queryParams]{
	jsonio.Str("id", func(v *queryParams) *a2a.TaskID { return &v.id }),
	jsonio.PtrNum("historyLength", func(v *queryParams) **int { return &v.historyLength }),
}}

var idObject = jsonio.Object[idParams]{Members: []jsonio.Member[idParams]{
	jsonio.Str("id", func(v *idParams) *a2a.TaskID { return &v.id }),
	jsonio.OptMetadata("metadata", func(v *idParams) *a2a.Metadata { return &v.metadata }),
}}

var pushObject = jsonio.Object[pushParams]{Members: []jsonio.Member[pushParams]{
	jsonio.Str("id", func(v *pushParams) *a2a.TaskID { return &v.id }),
	jsonio.Required("pushNotificationConfig", &pushConfigObject,
		func(v *pushParams) **a2a.PushConfig { return &v.config }),
}}

// pushResultObject is pushObject as a peer answers it.
var pushResultObject = jsonio.Object[pushParams]{Members: []jsonio.Member[pushParams]{
	{Name: "id", Read: func(d *jsonio.Reader, v *pushParams) error { return readID(d, &v.id) }},
	pushObject.Members[1],
}}

// DecodeRequest reads the parameters of a method.
func (dialect) DecodeRequest(op wire.Operation, params []byte) (any, error) {
	if len(params) == 0 {
		params = []byte("{}") // what is required is found missing
	}
	switch op {
	case wire.OpSendMessage, wire.OpStreamMessage:
		return decode(params, sendObject.Read, (*sendParams).send)
	case wire.OpGetTask:
		return decode(params, queryObject.Read, (*queryParams).getTask)
	case wire.OpCancelTask:
		return decode(params, idObject.Read, (*idParams).cancelTask)
	case wire.OpSubscribe:
		return decode(params, queryObject.Read, (*queryParams).subscribe)
	case wire.OpCreatePushConfig:
		return decode(params, pushObject.Read, (*pushParams).createPushConfig)
	case wire.OpGetPushConfig:
		return decode(params, idObject.Read, (*idParams).getPushConfig)
	}
	return nil, unknownOperation(op)
}

// decode reads parameters and makes a request of them.
func decode[P, R any](params []byte, read func(*jsonio.Reader, *P) error, request func(*P) (R, error)) (any, error) {
	var p P
	if err := wire.DecodeJSON(params, &p, read); err != nil {
		return nil, err
	}
	r, err := request(&p)
	if err != nil {
		return nil, err
	}
	return r, nil
}

// send makes the request of a send. The form has no way to ask for more than waiting, and a length of the history that
// is not given is one of none.
func (p *sendParams) send() (*a2a.SendMessageRequest, error) {
	req := &p.request
	p.config.HistoryLength = orNone(p.config.HistoryLength)
	req.Configuration = &p.config
	if req.Message != nil {
		req.Message.ContextID = p.session
	}
	return req, nil
}

func (p *queryParams) getTask() (*a2a.GetTaskRequest, error) {
	return &a2a.GetTaskRequest{ID: p.id, HistoryLength: orNone(p.historyLength)}, nil
}

// subscribe makes the request of a resubscription. Its history length says nothing: streams have no history.
func (p *queryParams) subscribe() (*a2a.SubscribeRequest, error) {
	return &a2a.SubscribeRequest{ID: p.id}, nil
}

func (p *idParams) cancelTask() (*a2a.CancelTaskRequest, error) {
	return &a2a.CancelTaskRequest{ID: p.id, Metadata: p.metadata}, nil
}

// getPushConfig makes a request that does not say which config: a task has one.
func (p *idParams) getPushConfig() (*a2a.GetPushConfigRequest, error) {
	return &a2a.GetPushConfigRequest{TaskID: p.id}, nil
}

// createPushConfig makes the request to set a config. 0.1.0 leaves it to servers whether null clears one: here it does
// not.
func (p *pushParams) createPushConfig() (*a2a.PushConfig, error) {
	if p.config == nil {
		err := a2a.InvalidParams("pushNotificationConfig",
			"is required: a config is replaced by another, not cleared by null")
		return nil, cmp.Or((&a2a.GetTaskRequest{ID: p.id}).Validate(), error(err))
	}
	p.config.TaskID = p.id
	return p.config, nil
}

// orNone returns a length of the history, which is 0 when it is not given.
func orNone(n *int) *int {
	if n == nil {
		return new(int)
	}
	return n
}

// Where the fields of requests stand in the form, by where they stand in the model.
var (
	noFields   = strings.NewReplacer()
	sendFields = strings.NewReplacer(
		"message.contextId", "sessionId",
		"configuration.historyLength", "historyLength",
		"configuration.acceptedOutputModes", "acceptedOutputModes",
		"configuration.taskPushNotificationConfig.authentication.scheme", "pushNotification.authentication.schemes",
		"configuration.taskPushNotificationConfig", "pushNotification",
	)
	pushFields = strings.NewReplacer(
		"authentication.scheme", "pushNotificationConfig.authentication.schemes",
		"authentication.credentials", "pushNotificationConfig.authentication.credentials",
		"url", "pushNotificationConfig.url",
		"token", "pushNotificationConfig.token",
	)
)

// Validate checks a request. The form has one config a task, and requires the id of the task everywhere.
func (dialect) Validate(request any) error {
	switch req := request.(type) {
	case *a2a.SendMessageRequest:
		return valid(sendFields, &a2a.GetTaskRequest{ID: req.NewTaskID}, req)
	case *a2a.PushConfig:
		config := *req
		config.TaskID = ""
		return valid(pushFields, &a2a.GetTaskRequest{ID: req.TaskID}, &config)
	case *a2a.GetPushConfigRequest:
		return valid(noFields, &a2a.GetTaskRequest{ID: req.TaskID})
	}
	return wire.Validate(a2a.Generation01, request)
}

// valid returns what is wrong with any of the values as one error in the words of the form.
func valid(fields *strings.Replacer, values ...interface{ Validate() error }) error {
	var all []a2a.Violation
	for _, v := range values {
		err := v.Validate()
		if err == nil {
			continue
		}
		for _, violation := range a2a.AsError(err).Violations {
			violation.Field = fields.Replace(violation.Field)
			all = append(all, violation)
		}
	}
	if len(all) == 0 {
		return nil
	}
	return &a2a.Error{Kind: a2a.ErrInvalidParams, Violations: all}
}

// AppendRequest appends the parameters of a method.
func (dialect) AppendRequest(dst []byte, op wire.Operation, request any) ([]byte, error) {
	switch r := request.(type) {
	case *a2a.SendMessageRequest:
		return appendSend(dst, r)
	case *a2a.GetTaskRequest:
		return wire.AppendJSON(dst, &queryParams{r.ID, r.HistoryLength}, queryObject.Write)
	case *a2a.CancelTaskRequest:
		return wire.AppendJSON(dst, &idParams{r.ID, r.Metadata}, idObject.Write)
	case *a2a.SubscribeRequest:
		return wire.AppendJSON(dst, &idParams{id: r.ID}, idObject.Write)
	case *a2a.PushConfig:
		return wire.AppendJSON(dst, r, writeTaskPushConfig)
	case *a2a.GetPushConfigRequest:
		return wire.AppendJSON(dst, &idParams{id: r.TaskID}, idObject.Write)
	}
	return dst, unknownOperation(op)
}

func appendSend(dst []byte, r *a2a.SendMessageRequest) ([]byte, error) {
	if r.Message == nil {
		return dst, a2a.InvalidParams("message", "is required")
	}
	if sentTo(r) == "" {
		return dst, a2a.NewError(a2a.ErrInvalidParams,
			fmt.Sprintf("%v: version 0.1 wants the id of the task from its client; set NewTaskID",
				a2a.ErrInvalidParams))
	}
	v := &sendParams{request: *r, session: r.Message.ContextID}
	v.request.NewTaskID = sentTo(r)
	if r.Configuration != nil {
		v.config = *r.Configuration
	}
	return wire.AppendJSON(dst, v, sendObject.Write)
}

// sentTo returns the id of the task that a message is for.
func sentTo(r *a2a.SendMessageRequest) a2a.TaskID {
	if r.Message != nil && r.Message.TaskID != "" {
		return r.Message.TaskID
	}
	return r.NewTaskID
}
