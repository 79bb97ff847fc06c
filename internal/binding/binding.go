// SPDX-License-Identifier: Apache-2.0

// Package binding is what the HTTP bindings of the server share: who may call, which version and extensions a request
// speaks, reading its body within limits, calling the service, and writing streams. The bindings themselves, in the
// folders below, only turn their own forms into that and back.
package binding

import (
	"context"
	"fmt"
	"net/http"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/auth"
	"github.com/dragoman-a2a/dragoman/internal/wire"
)

// Core is what all bindings of one server share. Its fields do not change once it serves.
type Core struct {
	Service a2a.Service
	// Profile returns what the agent's card promises to the maker of a request.
	Profile     func(*http.Request) (*Profile, error)
	Auth        auth.Authenticator // nil: every caller is anonymous
	LeaveScopes bool               // to the Service: see server.Options
	Policy      auth.Policy        // nil: every caller who is known may do everything
	// BaseURL returns the BaseURL of a request's a2a.Call. Nil: none is known.
	BaseURL func(*Exchange) string

	MaxBody           int64            // bytes
	MaxParts          int              // parts of one message
	MaxDepth          int              // levels of nested JSON
	Generations       []a2a.Generation // that are served
	RawFiles          bool             // bytes of files are written as such in 0.3, see wire.FilesAsText
	Codes100          bool             // statuses and gRPC codes of 1.0 are those of 1.0.0, not of 1.0.1
	AcceptUnversioned bool             // serve a request of 1.0 without A2A-Version, instead of refusing it
	Streams           *StreamLimits    // how many streams may be open
	Requests          *Budget          // bytes of large requests that are worked on
	Answers           *Budget          // bytes of large answers that are written
	KeepAlive         time.Duration    // between comments on a silent stream
	WriteTimeout      time.Duration    // for each write
	BodyTimeout       time.Duration    // for reading a whole body
}

// Profile is what an agent's card promises, as far as requests are judged by it.
type Profile struct {
	Agent        string // its name
	Streaming    bool
	Push         bool
	ExtendedCard bool
	Extensions   []a2a.AgentExtension
	Challenges   []string // values of WWW-Authenticate for a caller without good credentials
	// Metadata returns the URL at which clients of OAuth find out how to get a token (RFC 9728). Nil means none.
	Metadata func(*Exchange) string

	// Needs are the security requirements of the agent, and SkillNeeds those of skills, by id, for the scopes in them.
	Needs      []a2a.SecurityRequirement
	SkillNeeds map[string][]a2a.SecurityRequirement
}

// Exchange is one request on its way through a binding. The binding fills in its fields for the log.
type Exchange struct {
	W         http.ResponseWriter
	R         *http.Request
	RequestID string
	OwnPort   bool // it came to a port of the binding's own, where nothing but the binding is

	Route
	Tenant  string
	Task    a2a.TaskID
	Context a2a.ContextID
	Status  int        // HTTP status; 0 until the answer begins
	Err     *a2a.Error // what was answered; nil when all went well
	Cut     error      // why the answer did not reach the caller as a whole

	observation
	profile  *Profile
	identity a2a.Identity
	ctx      context.Context // the request's, with its span; Prepare adds the call
	call     *a2a.Call       // that of ctx; nobody else sees it before the service is called
	control  *http.ResponseController
	room     *claim // of a large request, and then of a large answer; nil when there is none

	// These three are nil where the end of the caller's sending side ends the request's context, see [Core.outlast].
	closed context.Context // ends with the sending side
	opened func()          // says that the stream is open
	over   func()          // ends the request's context
}

// Done gives back what the exchange holds. It is called when the exchange is over, however that came.
func (x *Exchange) Done() {
	x.room.release()
	x.told()
	if x.over != nil {
		x.over()
	}
}

// Admit finds out what the card promises and who calls. It comes first: nothing of a request is read for a stranger.
func (c *Core) Admit(x *Exchange) *a2a.Error {
	x.control = http.NewResponseController(x.W)
	c.outlast(x)
	x.observe()
	profile, err := c.Profile(x.R)
	if err != nil {
		return a2a.AsError(err)
	}
	x.profile = profile
	if c.Auth == nil {
		return nil
	}
	x.identity, err = c.Auth.Authenticate(x.R)
	if err == nil {
		return nil
	}
	return x.challenge(a2a.AsError(err))
}

// challenge adds to the answer how a caller without good credentials gets in (A2A 1.0 §7.4).
func (x *Exchange) challenge(e *a2a.Error) *a2a.Error {
	if e.Kind == a2a.ErrUnauthenticated {
		x.W.Header()["Www-Authenticate"] = x.challenges()
	}
	return e
}

// challenges returns those of the profile, of which the one for tokens names the metadata.
func (x *Exchange) challenges() []string {
	all := x.profile.Challenges
	if x.profile.Metadata == nil {
		return all
	}
	at := x.profile.Metadata(x)
	if at == "" {
		return all
	}
	all = slices.Clone(all)
	for i, challenge := range all {
		if strings.HasPrefix(challenge, "Bearer ") {
			all[i] = challenge + `, resource_metadata="` + at + `"`
		}
	}
	return all
}

// Caller returns who calls, and the name of the agent that is called; empty until Admit has found them out.
func (x *Exchange) Caller() (id a2a.Identity, agent string) {
	if x.profile != nil {
		agent = x.profile.Agent
	}
	return x.identity, agent
}

func anonymous(id a2a.Identity) bool { return id.Subject == "" && id.Client == "" }

// Prepare decides which extensions are active, refuses what the card does not promise, and makes the context in which
// the service is called.
func (c *Core) Prepare(x *Exchange, route Route, bindingName string) *a2a.Error {
	x.Route = route
	active, e := negotiate(x.R, route.Generation, x.profile)
	if e != nil {
		return e
	}
	if len(active) > 0 {
		x.W.Header().Set(wire.ExtensionsHeader(route.Generation), strings.Join(active, ", "))
	}
	if e := x.profile.refuse(route); e != nil {
		return e
	}
	if route.Operation == wire.OpExtendedCard && anonymous(x.identity) { // A2A 1.0 §13.3
		return x.challenge(a2a.NewError(a2a.ErrUnauthenticated, "the extended card is for authenticated callers only"))
	}
	x.call = &a2a.Call{
		Identity: x.identity, Generation: route.Generation, Binding: bindingName, Extensions: active,
		RequestID: x.RequestID, TraceParent: x.traceParent, TraceState: x.traceState,
	}
	if c.BaseURL != nil {
		x.call.BaseURL = c.BaseURL(x)
	}
	x.ctx = a2a.WithCall(x.ctx, x.call)
	return nil
}

// refuse returns the error that A2A 1.0 §3.3.4 wants for an operation whose capability the card does not declare.
func (p *Profile) refuse(route Route) *a2a.Error {
	switch op := route.Operation; {
	case op.Streams() && !p.Streaming:
		return a2a.NewError(a2a.ErrUnsupportedOperation, "this agent does not stream; use SendMessage and GetTask")
	case op.UsesPush() && !p.Push:
		return a2a.NewError(a2a.ErrPushNotSupported, "this agent sends no push notifications")
	case op == wire.OpExtendedCard && !p.ExtendedCard && route.Generation != a2a.Generation10: // has one error for both
		return a2a.NewError(a2a.ErrExtendedCardNotConfigured, "this agent has no extended card")
	case op == wire.OpExtendedCard && !p.ExtendedCard:
		return a2a.NewError(a2a.ErrUnsupportedOperation, "this agent has no extended card")
	}
	return nil
}

// Code returns the JSON-RPC code that the request's generation has for an error.
func (x *Exchange) Code(e *a2a.Error) int {
	if x.Generation == a2a.Generation01 && e.Kind == a2a.ErrUnsupportedOperation {
		switch {
		case x.Operation.Streams() && !x.profile.Streaming:
			return wire.CodeNoStreaming01
		case e.Metadata[a2a.MetadataTaskState] != "":
			return wire.CodeTaskState01
		}
	}
	return wire.RowOf(e.Kind).Code(x.Generation)
}

// HTTPStatus returns the status that the HTTP+JSON binding has for an error in a generation.
func (c *Core) HTTPStatus(gen a2a.Generation, e *a2a.Error) int {
	row := wire.RowOf(e.Kind)
	if c.Codes100 && gen == a2a.Generation10 {
		return row.HTTP100
	}
	return row.Status(gen)
}

// GRPCCode returns the name of the code that the gRPC binding has for an error in a generation.
func (c *Core) GRPCCode(gen a2a.Generation, e *a2a.Error) string {
	row := wire.RowOf(e.Kind)
	if c.Codes100 && gen == a2a.Generation10 {
		return row.GRPC100
	}
	return row.GRPCCode(gen)
}

// Panic is the cause of an error that was a panic.
type Panic struct {
	Value any
	Stack []byte // for the log
}

// Error returns what the panic was about.
func (p *Panic) Error() string { return fmt.Sprintf("panic: %v", p.Value) }

// PanicError returns the error that stands for the panic that a deferred function has just recovered.
func PanicError(value any) *a2a.Error {
	return &a2a.Error{Kind: a2a.ErrInternal, Cause: &Panic{Value: value, Stack: debug.Stack()}}
}

// guard turns a panic of the service into an ErrInternal.
func guard(err *error) {
	if p := recover(); p != nil {
		if p == http.ErrAbortHandler { // asks net/http to drop the connection; not ours to answer
			panic(p)
		}
		*err = PanicError(p)
	}
}

// ShuttingDown is the cause with which the server ends the context of requests that it cannot wait for any longer.
var ShuttingDown error = &a2a.Error{Kind: a2a.ErrUnavailable, Message: "the server is shutting down; try again",
	RetryAfter: time.Second}

func shuttingDown(x *Exchange) bool { return context.Cause(x.R.Context()) == ShuttingDown }

// explain returns what a caller is told of an error: why the server ended the request, if it did.
func explain(x *Exchange, err error) *a2a.Error {
	if cause, ok := context.Cause(x.R.Context()).(*a2a.Error); ok {
		return cause
	}
	return a2a.AsError(err)
}

// Call runs an operation that answers once. The result is what the service returned, nil for DeletePushConfig.
func (c *Core) Call(x *Exchange, request any) (any, *a2a.Error) {
	if e := c.check(x, request); e != nil {
		return nil, e
	}
	if x.room != nil {
		x.call.Accepted = x.room.release
	}
	result, err := c.call(x, request)
	x.room.release()
	if err != nil {
		return nil, x.challenge(explain(x, err))
	}
	return result, c.admit(x, result)
}

// admit makes room for an answer that is large, and waits for it if need be. One that only shows what there is may be
// refused; what has been done is told at last, whether or not there is room.
func (c *Core) admit(x *Exchange, result any) (e *a2a.Error) {
	size := int64(a2a.SizeOf(result))
	if size <= SmallBody {
		return nil
	}
	owner := auth.Owner(x.identity)
	x.room, e = c.Answers.take(x.R.Context(), owner, size, true)
	if e != nil && x.Operation != wire.OpGetTask && x.Operation != wire.OpListTasks {
		x.room, e = c.Answers.charge(owner, size), nil
	}
	return e
}

func (c *Core) call(x *Exchange, request any) (result any, err error) {
	defer guard(&err)
	return x.Operation.Call(x.ctx, c.Service, request)
}
