// SPDX-License-Identifier: Apache-2.0

package binding

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/wire"
	"github.com/dragoman-a2a/dragoman/internal/wire/v01"
	"github.com/dragoman-a2a/dragoman/internal/wire/v03"
	"github.com/dragoman-a2a/dragoman/internal/wire/v03pb"
	v1 "github.com/dragoman-a2a/dragoman/internal/wire/v1"
)

// This file is the one place that decides which generation of the protocol a request speaks: by the version it names,
// else by the method, path or package that only one generation has, else by where its task comes from. A body is never
// looked at for it.

// A Route is what a request was found to ask for.
type Route struct {
	Operation  wire.Operation
	Generation a2a.Generation
	Dialect    wire.Dialect
}

// Serves reports whether a generation is served.
func (c *Core) Serves(gen a2a.Generation) bool { return slices.Contains(c.Generations, gen) }

// RouteMethod finds out what a JSON-RPC request asks for. An error is in the form of the Route's generation.
func (c *Core) RouteMethod(r *http.Request, method string) (Route, *a2a.Error) {
	gen, e := c.Version(r)
	if e != nil {
		return Route{Generation: a2a.Generation10}, e
	}
	if gen == "" {
		return c.routeByMethod(method)
	}
	op := wire.OperationIn(gen, method)
	if op == wire.OpNone {
		return Route{Generation: gen}, noMethod(gen, method)
	}
	return Route{Operation: op, Generation: gen, Dialect: dialects[gen]}, nil
}

// routeByMethod decides for a request that names no version, which by A2A 1.0 §3.6.2 is not one of 1.0.
func (c *Core) routeByMethod(method string) (Route, *a2a.Error) {
	if op := wire.OperationOf(method); op != wire.OpNone {
		if !c.AcceptUnversioned || !c.Serves(a2a.Generation10) {
			return Route{Generation: a2a.Generation10}, c.unversioned()
		}
		return Route{Operation: op, Generation: a2a.Generation10, Dialect: dialects[a2a.Generation10]}, nil
	}
	op03, op01 := wire.OpNone, wire.OpNone
	if c.Serves(a2a.Generation03) {
		op03 = wire.OperationIn(a2a.Generation03, method)
	}
	if c.Serves(a2a.Generation01) {
		op01 = wire.OperationIn(a2a.Generation01, method)
	}
	switch {
	case op03 != wire.OpNone && op01 != wire.OpNone:
		return Route{Operation: op03, Generation: a2a.Generation03, Dialect: byOrigin{dialects[a2a.Generation03]}}, nil
	case op03 != wire.OpNone:
		return Route{Operation: op03, Generation: a2a.Generation03, Dialect: dialects[a2a.Generation03]}, nil
	case op01 != wire.OpNone:
		return Route{Operation: op01, Generation: a2a.Generation01, Dialect: dialects[a2a.Generation01]}, nil
	}
	for _, gen := range []a2a.Generation{a2a.Generation03, a2a.Generation01} {
		if !c.Serves(gen) && wire.OperationIn(gen, method) != wire.OpNone {
			return Route{Generation: gen}, c.versionError(string(gen), fmt.Sprintf("method %q is one of version %s "+
				"of the protocol, which is not served", method, gen))
		}
	}
	if !c.Serves(a2a.Generation03) {
		return Route{Generation: a2a.Generation10}, c.unversioned()
	}
	return Route{Generation: a2a.Generation03}, noMethod(a2a.Generation03, method)
}

func noMethod(gen a2a.Generation, method string) *a2a.Error {
	return a2a.NewError(a2a.ErrMethodNotFound, fmt.Sprintf("version %s has no method %.100q", gen, method))
}

// RoutePath finds out which operation a request of the HTTP+JSON binding asks for. The path of the request is one of
// 1.0, or an old one of 0.2 and 0.3. A request at an old path with any version before 1.0 is read as 0.3, because only
// 0.3 has this binding.
func (c *Core) RoutePath(r *http.Request, op wire.Operation, old bool) (Route, *a2a.Error) {
	gen, e := c.Version(r)
	switch {
	case e != nil:
		return Route{}, e
	case old && c.Serves(a2a.Generation03) && gen != a2a.Generation10:
		dialect := v03pb.Proto
		if c.RawFiles {
			dialect = v03pb.ProtoRaw
		}
		return Route{Operation: op, Generation: a2a.Generation03, Dialect: dialect}, nil
	case old:
		return Route{}, a2a.NewError(a2a.ErrMethodNotFound,
			"this path is one of versions 0.2 and 0.3, which the request does not speak or the agent does not serve; "+
				"the agent card, at /.well-known/agent-card.json, names the agent's endpoints")
	case gen == "" && !(c.AcceptUnversioned && c.Serves(a2a.Generation10)):
		return Route{}, c.unversioned()
	case gen != "" && gen != a2a.Generation10:
		return Route{}, c.versionError(string(gen),
			fmt.Sprintf("version %s of the protocol does not have the path that this request asks for", gen))
	}
	return Route{Operation: op, Generation: a2a.Generation10, Dialect: dialects[a2a.Generation10]}, nil
}

// Version returns the generation that a request names and that is served, or "" when it names none (A2A 1.0 §3.6.2).
func (c *Core) Version(r *http.Request) (a2a.Generation, *a2a.Error) {
	requested, e := c.requestedVersion(r)
	if e != nil || requested == "" {
		return "", e
	}
	if gen := a2a.Generation(requested); c.Serves(gen) {
		return gen, nil
	}
	return "", c.versionError(requested, fmt.Sprintf("version %q of the protocol is not served", clip(requested)))
}

// Presumed returns the generation in which a request is refused of which nothing but the header has been read.
func (c *Core) Presumed(r *http.Request) a2a.Generation {
	gen, _ := c.Version(r)
	if gen == "" && len(c.Generations) == 1 {
		return c.Generations[0]
	}
	return gen
}

// unversioned is the error for a request that needs a version and names none.
func (c *Core) unversioned() *a2a.Error {
	why := "a request without the header A2A-Version counts as version 0.3, "
	if c.Serves(a2a.Generation03) {
		why += "which does not have what this one asks for"
	} else {
		why += "which this agent does not serve"
	}
	return c.versionError(string(a2a.Generation03), why)
}

func (c *Core) versionError(requested, why string) *a2a.Error {
	served := make([]string, len(c.Generations))
	for i, gen := range c.Generations {
		served[i] = string(gen)
	}
	list := strings.Join(served, ", ")
	advice := "the agent serves " + list
	if c.Serves(a2a.Generation10) {
		advice = "send the header A2A-Version: 1.0"
	}
	return &a2a.Error{
		Kind:     a2a.ErrVersionNotSupported,
		Message:  why + "; " + advice,
		Metadata: map[string]string{"requestedVersion": clip(requested), "supportedVersions": list},
	}
}

// dialects are those of the JSON-RPC binding, one for each generation.
var dialects = map[a2a.Generation]wire.Dialect{
	a2a.Generation01: v01.Dialect,
	a2a.Generation02: v03.Dialect,
	a2a.Generation03: v03.Dialect,
	a2a.Generation10: v1.Dialect,
}

// DialectOf returns the dialect of the JSON-RPC binding in a generation, nil if there is none.
func DialectOf(gen a2a.Generation) wire.Dialect { return dialects[gen] }

// byOrigin is the dialect of methods that 0.1 and 0.3 both have, and read the same: each task is answered in the
// dialect it was born in. That is sound, because clients of 0.1 make the ids of their tasks themselves and so know no
// others. A task of 1.0 is answered in 0.3, the version that a request without one has.
type byOrigin struct{ wire.Dialect }

func dialectOf(t *a2a.Task) wire.Dialect {
	if t.Origin == a2a.Generation01 {
		return dialects[a2a.Generation01]
	}
	return dialects[a2a.Generation03]
}

func (d byOrigin) AppendResult(dst []byte, op wire.Operation, request, result any) ([]byte, error) {
	if t, ok := result.(*a2a.Task); ok {
		return dialectOf(t).AppendResult(dst, op, request, result)
	}
	return d.Dialect.AppendResult(dst, op, request, result)
}

func (d byOrigin) NewStreamEncoder(op wire.Operation, request any) wire.StreamEncoder {
	return &encoderByOrigin{op: op, request: request, def: d.Dialect}
}

// An encoderByOrigin waits for the first event of its stream, which is the task.
type encoderByOrigin struct {
	wire.StreamEncoder
	op      wire.Operation
	request any
	def     wire.Dialect
}

func (e *encoderByOrigin) Encode(ev a2a.StreamEvent, emit func(id string, payload []byte)) (bool, error) {
	if e.StreamEncoder == nil {
		d := e.def
		if t, ok := ev.Event.(*a2a.Task); ok {
			d = dialectOf(t)
		}
		e.StreamEncoder = d.NewStreamEncoder(e.op, e.request)
	}
	return e.StreamEncoder.Encode(ev, emit)
}

func (e *encoderByOrigin) End(emit func(id string, payload []byte)) error {
	if ender, ok := e.StreamEncoder.(wire.StreamEnder); ok {
		return ender.End(emit)
	}
	return nil
}
