// SPDX-License-Identifier: Apache-2.0

package a2a

import "fmt"

// Validate reports everything that is wrong with the request as one ErrInvalidParams: required members (A2A 1.0 proto,
// REQUIRED), ids over [MaxIDLength] or with control characters, more than [MaxParts] parts or [MaxNames] names in a
// list, more than [MaxRequestMetadata] bytes of metadata, a negative history length, a push URL that is none. A message
// of either role is valid here, as the standard forbids none; an engine refuses the agent's unless an option allows it.
// Whether ids exist and belong together is not checked here.
func (r *SendMessageRequest) Validate() error { return validate(r, checkSendMessageRequest) }

// Validate reports everything that is wrong with the request as one ErrInvalidParams.
func (r *GetTaskRequest) Validate() error { return validate(r, checkGetTaskRequest) }

// Validate reports everything that is wrong with the request as one ErrInvalidParams: a page has 1 to [MaxPageSize]
// tasks.
func (r *ListTasksRequest) Validate() error { return validate(r, checkListTasksRequest) }

// Validate reports everything that is wrong with the request as one ErrInvalidParams.
func (r *CancelTaskRequest) Validate() error { return validate(r, checkCancelTaskRequest) }

// Validate reports everything that is wrong with the request as one ErrInvalidParams.
func (r *SubscribeRequest) Validate() error { return validate(r, checkSubscribeRequest) }

// Validate reports everything that is wrong with the config as one ErrInvalidParams: its URL must be absolute, http or
// https, and what goes into HTTP headers must not hold control characters. The task id may be missing, as it does
// within a send; whether the URL may be called is the sender's to decide.
func (p *PushConfig) Validate() error { return validate(p, checkPushConfig) }

// Validate reports everything that is wrong with the request as one ErrInvalidParams.
func (r *GetPushConfigRequest) Validate() error { return validate(r, checkGetPushConfigRequest) }

// Validate reports everything that is wrong with the request as one ErrInvalidParams.
func (r *ListPushConfigsRequest) Validate() error {
	return validate(r, checkListPushConfigsRequest)
}

// Validate reports everything that is wrong with the request as one ErrInvalidParams.
func (r *DeletePushConfigRequest) Validate() error {
	return validate(r, checkDeletePushConfigRequest)
}

// Validate reports everything that is wrong with the request as one ErrInvalidParams.
func (r *ExtendedCardRequest) Validate() error { return validate(r, checkExtendedCardRequest) }

func checkSendMessageRequest(c *checker, at *path, r *SendMessageRequest) {
	c.id(at, "tenant", r.Tenant)
	switch message := at.member("message"); {
	case r.Message == nil:
		c.fail(message, "", "is required")
	case len(r.Message.Parts) > MaxParts:
		c.fail(message, "parts", tooMany(MaxParts))
	case len(r.Message.ReferenceTaskIDs) > MaxNames:
		c.fail(message, "referenceTaskIds", tooMany(MaxNames))
	case len(r.Message.Extensions) > MaxNames:
		c.fail(message, "extensions", tooMany(MaxNames))
	default:
		checkMessage(c, message, r.Message)
	}
	var modes []string
	if r.Configuration != nil {
		modes = r.Configuration.AcceptedOutputModes
		checkSendConfiguration(c, at.member("configuration"), r.Configuration)
	}
	checkRequestMetadata(c, at, r.Metadata, modes)
}

// checkRequestMetadata checks the metadata of a request, and its size together with that of the media types that the
// caller accepts.
func checkRequestMetadata(c *checker, at *path, m Metadata, modes []string) {
	size := 0
	for name, value := range m {
		size += len(name) + len(value)
	}
	with := ""
	for _, mode := range modes {
		size += len(mode)
		with = " together with configuration.acceptedOutputModes"
	}
	if size > MaxRequestMetadata {
		c.fail(at, "metadata", fmt.Sprintf("must have at most %d bytes%s, not %d; send what is large as a part of "+
			"the message",
			MaxRequestMetadata, with, size))
		return
	}
	c.metadata(at, "metadata", m)
}

func checkSendConfiguration(c *checker, at *path, s *SendConfiguration) {
	if len(s.AcceptedOutputModes) > MaxNames {
		c.fail(at, "acceptedOutputModes", tooMany(MaxNames))
	}
	c.historyLength(at, "historyLength", s.HistoryLength)
	if s.PushConfig != nil {
		checkPushConfig(c, at.member("taskPushNotificationConfig"), s.PushConfig)
	}
}

func checkGetTaskRequest(c *checker, at *path, r *GetTaskRequest) {
	c.id(at, "tenant", r.Tenant)
	c.requiredID(at, "id", string(r.ID))
	c.historyLength(at, "historyLength", r.HistoryLength)
}

func checkListTasksRequest(c *checker, at *path, r *ListTasksRequest) {
	c.id(at, "tenant", r.Tenant)
	c.id(at, "contextId", string(r.ContextID))
	if r.Status != TaskStateUnspecified {
		c.known(at, "status", taskStateNames, int32(r.Status))
	}
	if r.PageSize != nil && (*r.PageSize < 1 || *r.PageSize > MaxPageSize) {
		c.fail(at, "pageSize", fmt.Sprintf("must be 1 to %d", MaxPageSize))
	}
	c.historyLength(at, "historyLength", r.HistoryLength)
}

func checkCancelTaskRequest(c *checker, at *path, r *CancelTaskRequest) {
	c.id(at, "tenant", r.Tenant)
	c.requiredID(at, "id", string(r.ID))
	checkRequestMetadata(c, at, r.Metadata, nil)
}

func checkSubscribeRequest(c *checker, at *path, r *SubscribeRequest) {
	c.id(at, "tenant", r.Tenant)
	c.requiredID(at, "id", string(r.ID))
}

func checkPushConfig(c *checker, at *path, p *PushConfig) {
	c.id(at, "tenant", p.Tenant)
	c.id(at, "id", p.ID)
	c.id(at, "taskId", string(p.TaskID))
	c.webhook(at, "url", p.URL)
	c.headerValue(at, "token", p.Token)
	if p.Authentication == nil {
		return
	}
	at = at.member("authentication")
	c.required(at, "scheme", p.Authentication.Scheme)
	c.headerValue(at, "scheme", p.Authentication.Scheme)
	c.headerValue(at, "credentials", p.Authentication.Credentials)
}

func checkGetPushConfigRequest(c *checker, at *path, r *GetPushConfigRequest) {
	c.id(at, "tenant", r.Tenant)
	c.requiredID(at, "taskId", string(r.TaskID))
	c.requiredID(at, "id", r.ID)
}

func checkListPushConfigsRequest(c *checker, at *path, r *ListPushConfigsRequest) {
	c.id(at, "tenant", r.Tenant)
	c.requiredID(at, "taskId", string(r.TaskID))
	if r.PageSize < 0 {
		c.fail(at, "pageSize", "must not be negative")
	}
}

func checkDeletePushConfigRequest(c *checker, at *path, r *DeletePushConfigRequest) {
	c.id(at, "tenant", r.Tenant)
	c.requiredID(at, "taskId", string(r.TaskID))
	c.requiredID(at, "id", r.ID)
}

func checkExtendedCardRequest(c *checker, at *path, r *ExtendedCardRequest) {
	c.id(at, "tenant", r.Tenant)
}
