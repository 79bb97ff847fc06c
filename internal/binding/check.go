// SPDX-License-Identifier: Apache-2.0

package binding

import (
	"fmt"
	"slices"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/wire"
)

// reservedTenants are names that mean something else as the first segment of a path.
var reservedTenants = []string{
	"tasks", "v1", "message:send", "message:stream", "extendedAgentCard",
	".well-known", "healthz", "readyz", "metrics", "agents", "files",
}

// ReservedTenant reports whether no tenant may have this name.
func ReservedTenant(name string) bool { return slices.Contains(reservedTenants, name) }

// check validates a request, which no Service does again, and notes what the log and the call should know of it. A2A
// 1.0 §3.3.2 wants all of it before anything is done.
func (c *Core) check(x *Exchange, request any) *a2a.Error {
	subject := x.Operation.Subject(request)
	x.Tenant, x.Task, x.Context = *subject.Tenant, subject.Task, subject.Context
	if ReservedTenant(x.Tenant) {
		return a2a.InvalidParams("tenant", fmt.Sprintf("must not be %q: that name is reserved", x.Tenant))
	}
	x.call.Tenant = x.Tenant
	if e := c.authorize(x, request); e != nil {
		return x.challenge(e)
	}
	if send, ok := request.(*a2a.SendMessageRequest); ok {
		if e := c.checkSend(x, send); e != nil {
			return e
		}
	}
	if x.Dialect == nil { // gRPC
		return a2a.AsError(wire.Validate(x.Generation, request))
	}
	return a2a.AsError(x.Dialect.Validate(request))
}

func (c *Core) checkSend(x *Exchange, send *a2a.SendMessageRequest) *a2a.Error {
	if send.Message != nil && len(send.Message.Parts) > c.MaxParts {
		return a2a.InvalidParams("message.parts",
			fmt.Sprintf("must not have more than %d elements, but has %d", c.MaxParts, len(send.Message.Parts)))
	}
	if send.Configuration != nil && send.Configuration.PushConfig != nil && !x.profile.Push {
		return a2a.NewError(a2a.ErrPushNotSupported,
			"this agent sends no push notifications; leave out "+
				wire.FieldIn(x.Generation, "configuration.taskPushNotificationConfig"))
	}
	return nil
}

// noteResult lets the log name a task that the request has just made.
func noteResult(x *Exchange, event any) {
	switch v := event.(type) {
	case *a2a.Task:
		x.Task, x.Context = v.ID, v.ContextID
	case *a2a.Message:
		x.Context = v.ContextID
	}
}
