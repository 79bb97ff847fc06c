// SPDX-License-Identifier: Apache-2.0

package client

import (
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/binding"
	"github.com/dragoman-a2a/dragoman/internal/binding/httpcall"
	"github.com/dragoman-a2a/dragoman/internal/binding/jsonrpc"
	"github.com/dragoman-a2a/dragoman/internal/binding/rest"
	"github.com/dragoman-a2a/dragoman/internal/wire"
	"github.com/dragoman-a2a/dragoman/internal/wire/v03pb"
)

// A Transport speaks one binding to one interface of an agent. Of each call it sends what it is given, tenant included.
// A stream that the peer ends ends without an error, whatever its last event was: the Client judges that.
type Transport interface {
	a2a.Service
	io.Closer
}

// NewTransport makes the Transport for an interface. The options have their defaults set and are read-only.
type NewTransport func(iface a2a.AgentInterface, opts *Options) (Transport, error)

var transports = struct {
	sync.RWMutex
	byBinding map[string]NewTransport
}{byBinding: map[string]NewTransport{
	a2a.BindingJSONRPC:  newJSONRPC,
	a2a.BindingHTTPJSON: newREST,
}}

// RegisterTransport makes all Clients opened from now on speak one more binding. It is for the init function of a
// package that brings one; a later registration for the same binding replaces an earlier one.
func RegisterTransport(binding string, f NewTransport) {
	transports.Lock()
	defer transports.Unlock()
	transports.byBinding[binding] = f
}

// newTransport returns the Transport for an interface, or says why there is none.
func newTransport(iface a2a.AgentInterface, opts *Options) (Transport, error) {
	gen, err := generationOf(iface)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(opts.Generations, gen) {
		return nil, fmt.Errorf("version %s of the protocol is not one of those to speak, %s", gen,
			listed(opts.Generations))
	}
	transports.RLock()
	f, ok := transports.byBinding[iface.Binding]
	transports.RUnlock()
	switch {
	case ok:
		return f(iface, opts)
	case iface.Binding == a2a.BindingGRPC:
		return nil,
			errors.New(`the program does not link gRPC; add import _ "github.com/dragoman-a2a/dragoman/client/grpc"`)
	}
	return nil, errors.New("no transport is registered for this binding")
}

func listed(generations []a2a.Generation) string {
	list := make([]string, len(generations))
	for i, gen := range generations {
		list[i] = string(gen)
	}
	return strings.Join(list, ", ")
}

// generationOf returns the generation of the protocol that an interface speaks.
func generationOf(iface a2a.AgentInterface) (a2a.Generation, error) {
	major, rest, _ := strings.Cut(iface.ProtocolVersion, ".")
	minor, _, _ := strings.Cut(rest, ".")
	if major == "1" { // a minor version adds what older peers may ignore
		return a2a.Generation10, nil
	}
	gen := a2a.Generation(major + "." + minor)
	if !slices.Contains(wire.Generations, gen) {
		return "", fmt.Errorf("version %q of the protocol is not known", iface.ProtocolVersion)
	}
	return gen, nil
}

// overHTTP is a Transport that has nothing of its own to close.
type overHTTP struct{ a2a.Service }

func (overHTTP) Close() error { return nil }

func newJSONRPC(iface a2a.AgentInterface, opts *Options) (Transport, error) {
	caller, err := newCaller(iface, opts)
	if err != nil {
		return nil, err
	}
	gen, err := generationOf(iface)
	if err != nil {
		return nil, err
	}
	return overHTTP{jsonrpc.NewClient(iface.URL, gen, binding.DialectOf(gen), caller, opts.SendTimeout)}, nil
}

func newREST(iface a2a.AgentInterface, opts *Options) (Transport, error) {
	caller, err := newCaller(iface, opts)
	if err != nil {
		return nil, err
	}
	gen, err := generationOf(iface)
	switch {
	case err != nil:
		return nil, err
	case gen == a2a.Generation10:
		return overHTTP{rest.NewClient(iface.URL, caller, opts.SendTimeout)}, nil
	case gen == a2a.Generation01:
		return nil, errors.New("version 0.1 has no such binding")
	}
	dialect := v03pb.Proto
	if opts.RawFiles {
		dialect = v03pb.ProtoRaw
	}
	return overHTTP{rest.NewOldClient(iface.URL, dialect, caller, opts.SendTimeout)}, nil
}

func newCaller(iface a2a.AgentInterface, opts *Options) (*httpcall.Caller, error) {
	u, err := url.Parse(iface.URL)
	if err != nil {
		return nil, err
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, fmt.Errorf("its address is not an http or https URL")
	}
	c := httpcall.New(opts.HTTPClient)
	c.Timeout, c.HeaderTimeout, c.IdleTimeout = opts.Timeout, opts.HeaderTimeout, opts.IdleTimeout
	c.MaxAnswer, c.MaxEvent = opts.MaxAnswer, opts.MaxEvent
	return c, nil
}
