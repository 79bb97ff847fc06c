// SPDX-License-Identifier: Apache-2.0

package v01

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/wire"
)

// The parameters of the methods.
type (
	sendParams struct {
		ID                  string          `json:"id"`
		SessionID           string          `json:"sessionId"`
		Message             *requestMessage `json:"message"`
		PushNotification    *pushConfig     `json:"pushNotification"`
		HistoryLength       *int            `json:"historyLength"`
		AcceptedOutputModes names           `json:"acceptedOutputModes"` // the Python sample of April 2025 has it
		Metadata            a2a.Metadata    `json:"metadata"`
	}
	requestMessage struct {
		Role     string       `json:"role"`
		Parts    requestParts `json:"parts"`
		Metadata a2a.Metadata `json:"metadata"`
	}
	queryParams struct {
		ID            string `json:"id"`
		HistoryLength *int   `json:"historyLength"`
	}
	idParams struct {
		ID       string       `json:"id"`
		Metadata a2a.Metadata `json:"metadata"`
	}
	pushParams struct {
		ID     string      `json:"id"`
		Config *pushConfig `json:"pushNotificationConfig"`
	}
	pushConfig struct {
		URL            string `json:"url"`
		Token          string `json:"token"`
		Authentication *struct {
			Schemes     names  `json:"schemes"`
			Credentials string `json:"credentials"`
		} `json:"authentication"`
	}
)

// DecodeRequest reads the parameters of a method. They are valid as far as they can be checked without a service, so that
// errors name the fields that the form has.
func (dialect) DecodeRequest(op wire.Operation, params []byte) (any, error) {
	if len(params) == 0 {
		params = []byte("{}") // what is required is found missing
	}
	switch op {
	case wire.OpSendMessage, wire.OpStreamMessage:
		return decode(params, (*sendParams).request)
	case wire.OpGetTask:
		return decode(params, (*queryParams).getTask)
	case wire.OpCancelTask:
		return decode(params, (*idParams).cancelTask)
	case wire.OpSubscribe:
		return decode(params, (*queryParams).subscribe)
	case wire.OpCreatePushConfig:
		return decode(params, (*pushParams).createPushConfig)
	case wire.OpGetPushConfig:
		return decode(params, (*idParams).getPushConfig)
	}
	return nil, unknownOperation(op)
}

// decode reads the form F of parameters and makes a request of it.
func decode[F, R any](params []byte, request func(*F) (R, error)) (any, error) {
	form, err := unmarshal[F](params)
	if err != nil {
		return nil, err
	}
	r, err := request(form)
	if err != nil {
		return nil, err
	}
	return r, nil
}

// request makes the request of a send. The form has no way to ask for more than waiting, and a length of the history
// that is not given is one of none.
func (p *sendParams) request() (*a2a.SendMessageRequest, error) {
	req := &a2a.SendMessageRequest{NewTaskID: a2a.TaskID(p.ID), Metadata: p.Metadata}
	req.Configuration = &a2a.SendConfiguration{AcceptedOutputModes: p.AcceptedOutputModes, HistoryLength: orNone(p.HistoryLength)}
	if p.Message != nil {
		m := message{Role: p.Message.Role, Parts: p.Message.Parts, Metadata: p.Message.Metadata}
		var err error
		if req.Message, err = m.request(); err != nil {
			return nil, within("message", err)
		}
		req.Message.ContextID = a2a.ContextID(p.SessionID)
	}
	if p.PushNotification != nil {
		req.Configuration.PushConfig = p.PushNotification.model("")
	}
	id := a2a.GetTaskRequest{ID: req.NewTaskID}
	return req, valid(sendFields, &id, req)
}

func (p *queryParams) getTask() (*a2a.GetTaskRequest, error) {
	req := &a2a.GetTaskRequest{ID: a2a.TaskID(p.ID), HistoryLength: orNone(p.HistoryLength)}
	return req, valid(noFields, req)
}

// subscribe makes the request of a resubscription. Its history length says nothing: streams have no history.
func (p *queryParams) subscribe() (*a2a.SubscribeRequest, error) {
	req := &a2a.SubscribeRequest{ID: a2a.TaskID(p.ID)}
	return req, valid(noFields, req)
}

func (p *idParams) cancelTask() (*a2a.CancelTaskRequest, error) {
	req := &a2a.CancelTaskRequest{ID: a2a.TaskID(p.ID), Metadata: p.Metadata}
	return req, valid(noFields, req)
}

// getPushConfig makes a request that does not say which config: a task has one.
func (p *idParams) getPushConfig() (*a2a.GetPushConfigRequest, error) {
	req := &a2a.GetPushConfigRequest{TaskID: a2a.TaskID(p.ID)}
	return req, valid(noFields, &a2a.GetTaskRequest{ID: req.TaskID})
}

// createPushConfig makes the request to set a config. 0.1.0 leaves it to servers whether null clears one: here it does not.
func (p *pushParams) createPushConfig() (*a2a.PushConfig, error) {
	id := a2a.GetTaskRequest{ID: a2a.TaskID(p.ID)}
	if p.Config == nil {
		err := a2a.InvalidParams("pushNotificationConfig", "is required: a config is replaced by another, not cleared by null")
		return nil, cmp.Or(valid(noFields, &id), error(err))
	}
	req := p.Config.model("")
	err := valid(pushFields, &id, req)
	req.TaskID = id.ID
	return req, err
}

// model returns the config of a task, with the first of its schemes.
func (p *pushConfig) model(task a2a.TaskID) *a2a.PushConfig {
	config := &a2a.PushConfig{TaskID: task, URL: p.URL, Token: p.Token}
	if a := p.Authentication; a != nil && (len(a.Schemes) > 0 || a.Credentials != "") {
		config.Authentication = &a2a.PushAuthentication{Credentials: a.Credentials}
		if len(a.Schemes) > 0 {
			config.Authentication.Scheme = a.Schemes[0]
		}
	}
	return config
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
		return appendValue(dst, r, (*writer).getTask)
	case *a2a.CancelTaskRequest:
		return appendValue(dst, r, (*writer).cancelTask)
	case *a2a.SubscribeRequest:
		return appendValue(dst, r.ID, (*writer).taskID)
	case *a2a.PushConfig:
		return appendValue(dst, r, (*writer).taskPushConfig)
	case *a2a.GetPushConfigRequest:
		return appendValue(dst, r.TaskID, (*writer).taskID)
	}
	return dst, unknownOperation(op)
}

func appendSend(dst []byte, r *a2a.SendMessageRequest) ([]byte, error) {
	if r.Message == nil {
		return dst, a2a.InvalidParams("message", "is required")
	}
	if sentTo(r) == "" {
		return dst, a2a.NewError(a2a.ErrInvalidParams, fmt.Sprintf("%v: version 0.1 wants the id of the task from its client; set NewTaskID", a2a.ErrInvalidParams))
	}
	return appendValue(dst, r, (*writer).send)
}

// sentTo returns the id of the task that a message is for.
func sentTo(r *a2a.SendMessageRequest) a2a.TaskID {
	if r.Message != nil && r.Message.TaskID != "" {
		return r.Message.TaskID
	}
	return r.NewTaskID
}

func (w *writer) send(r *a2a.SendMessageRequest) {
	w.begin()
	w.str("id", string(sentTo(r)))
	w.optStr("sessionId", string(r.Message.ContextID))
	w.key("message")
	w.message(r.Message)
	if c := r.Configuration; c != nil {
		if c.PushConfig != nil {
			w.pushConfig("pushNotification", c.PushConfig)
		}
		w.optInt("historyLength", c.HistoryLength)
		if len(c.AcceptedOutputModes) > 0 {
			list(w, "acceptedOutputModes", c.AcceptedOutputModes, (*writer).text)
		}
	}
	w.metadata(r.Metadata)
	w.end()
}

func (w *writer) getTask(r *a2a.GetTaskRequest) {
	w.begin()
	w.str("id", string(r.ID))
	w.optInt("historyLength", r.HistoryLength)
	w.end()
}

func (w *writer) cancelTask(r *a2a.CancelTaskRequest) {
	w.begin()
	w.str("id", string(r.ID))
	w.metadata(r.Metadata)
	w.end()
}

func (w *writer) taskID(id a2a.TaskID) {
	w.begin()
	w.str("id", string(id))
	w.end()
}
