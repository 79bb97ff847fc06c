// SPDX-License-Identifier: Apache-2.0

// Package auth says who calls and what that caller may reach: an [Authenticator] makes an identity of a request's
// credentials, an [Authorizer] makes of an identity the owner under whose name tasks are kept.
package auth

import (
	"context"
	"net/http"
	"strings"

	"github.com/dragoman-a2a/dragoman/a2a"
)

// An Authenticator finds out who makes a request. It must be safe for concurrent use.
type Authenticator interface {
	// Authenticate returns the caller. Missing or bad credentials are an a2a.ErrUnauthenticated, credentials that do
	// not suffice an a2a.ErrPermissionDenied (A2A 1.0 §7.4).
	Authenticate(r *http.Request) (a2a.Identity, error)
}

// AuthenticatorFunc is a function that is an Authenticator.
type AuthenticatorFunc func(r *http.Request) (a2a.Identity, error)

// Authenticate calls f.
func (f AuthenticatorFunc) Authenticate(r *http.Request) (a2a.Identity, error) { return f(r) }

// Schemed is what an Authenticator implements to say which credentials it takes. If an agent's card names no security
// scheme, the server adds these, any one of which suffices. Without it, callers and gateways read in the card what its
// author wrote.
type Schemed interface {
	// SecuritySchemes returns the schemes by their names. The map is not changed.
	SecuritySchemes() map[string]a2a.SecurityScheme
}

// Access is one use of one operation of one agent.
type Access struct {
	Agent     string // the name under which the engine runs it
	Operation string // "SendMessage", "GetTask", ... as A2A 1.0 §5.3 names them; see [Operations]
	Skill     string // that a message names in its metadata as "skillId"; "" when it names none
	Call      *a2a.Call
}

// Operations returns the names that [Access].Operation can have: the operations of agents, then those of a registry, of
// a console, and of a coordinator, for which the agent is the project.
func Operations() []string {
	return []string{"SendMessage", "SendStreamingMessage", "GetTask", "ListTasks", "CancelTask", "SubscribeToTask",
		"CreateTaskPushNotificationConfig", "GetTaskPushNotificationConfig", "ListTaskPushNotificationConfigs",
		"DeleteTaskPushNotificationConfig", "GetExtendedAgentCard",
		"ReadCatalogue", "ChangeCatalogue", "ReadConsole", "UseConsole",
		"ObserveProject", "JoinProject", "ManageProject"}
}

// A Policy allows or refuses an access. It is asked before anything is looked up, so that a refusal tells nothing of
// what exists (A2A 1.0 §13.1). It must be safe for concurrent use. An [Authorizer] says whose tasks an access reaches;
// a Policy says whether there is one.
type Policy interface {
	// Decide returns nil to allow the access. A refusal is an a2a.ErrPermissionDenied or a2a.ErrUnauthenticated.
	Decide(ctx context.Context, access Access) error
}

// Policies is a Policy that allows what each of them allows. They are asked in order until one refuses.
type Policies []Policy

// Decide implements Policy.
func (all Policies) Decide(ctx context.Context, access Access) error {
	for _, one := range all {
		if err := one.Decide(ctx, access); err != nil {
			return err
		}
	}
	return nil
}

// Grant says whose tasks an access reaches. The pair is part of every key in the journal, so one owner never sees
// what another has, nor one tenant.
type Grant struct {
	Owner  string
	Tenant string
}

// An Authorizer allows or refuses an access. It runs before any look-up, so that a refusal tells nothing of what
// exists (A2A 1.0 §13.1). It must be safe for concurrent use.
type Authorizer interface {
	// Authorize returns what the access reaches. A refusal is an a2a.ErrPermissionDenied or a2a.ErrUnauthenticated.
	Authorize(ctx context.Context, access Access) (Grant, error)
}

// AuthorizerFunc is a function that is an Authorizer.
type AuthorizerFunc func(ctx context.Context, access Access) (Grant, error)

// Authorize calls f.
func (f AuthorizerFunc) Authorize(ctx context.Context, access Access) (Grant, error) {
	return f(ctx, access)
}

// Owner returns the name under which an identity's tasks are kept and its streams are counted: its subject, or
// "client:" and its client when it has no subject, or "" when it has neither and is anonymous. A subject that begins
// with "client:" or "subject:" gets "subject:" in front, so that no two identities have one name by accident.
func Owner(id a2a.Identity) string {
	switch {
	case id.Subject == "" && id.Client == "":
		return ""
	case id.Subject == "":
		return clientPrefix + id.Client
	case strings.HasPrefix(id.Subject, clientPrefix), strings.HasPrefix(id.Subject, subjectPrefix):
		return subjectPrefix + id.Subject
	}
	return id.Subject
}

const (
	clientPrefix  = "client:"
	subjectPrefix = "subject:"
)

// BySubject is the default Authorizer: the owner is what [Owner] says, so that all anonymous callers are one owner, and
// every tenant is allowed.
var BySubject Authorizer = AuthorizerFunc(func(_ context.Context, access Access) (Grant, error) {
	return Grant{Owner: Owner(access.Call.Identity), Tenant: access.Call.Tenant}, nil
})
