// SPDX-License-Identifier: Apache-2.0

// Package grpc is the gRPC binding of the protocol (A2A 1.0 §10), in package lf.a2a.v1 of version 1.0 and in package
// a2a.v1 of 0.2.2 to 0.3. The conversions of messages are in the folders below.
package grpc

import (
	"maps"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/binding/grpc/pbv03"
	"github.com/dragoman-a2a/dragoman/internal/binding/grpc/pbv1"
	"github.com/dragoman-a2a/dragoman/internal/wire"
)

// A Form is one written form of the protocol in protobuf, as the packages below have it. Requests and results are those
// of [a2a.Service], and the result of DeletePushConfig is nil.
type Form interface {
	Generation() a2a.Generation
	Service() string                 // full name of the gRPC service
	File() any                       // its proto file, for reflection
	Method(op wire.Operation) string // "" when there is none
	Final(ev a2a.Event) bool         // whether a stream is over with an event
	EncodeEvent(ev a2a.Event) ([]byte, error)
	DecodeEvent(b []byte) (a2a.Event, error)
	DecodeRequest(op wire.Operation, b []byte) (any, error)
	EncodeResult(op wire.Operation, result any) ([]byte, error)
	EncodeRequest(op wire.Operation, request any) ([]byte, error)
	DecodeResult(op wire.Operation, b []byte) (any, error)
}

// FormOf returns the form of a generation, nil if gRPC has none. rawFiles is pbv03.Form.RawFiles.
func FormOf(gen a2a.Generation, maxDepth int, rawFiles bool) Form {
	switch gen {
	case a2a.Generation10:
		return pbv1.Form{MaxDepth: maxDepth}
	case a2a.Generation02, a2a.Generation03:
		return pbv03.Form{MaxDepth: maxDepth, RawFiles: rawFiles}
	}
	return nil
}

// gRPC has no place for the id of an event. A caller that activates the replay extension gets it in the event's
// metadata, under the extension's URI, as data of extensions goes (A2A 1.0 §4.6.1).

// withID returns an event that names its id.
func withID(ev a2a.Event, id string) a2a.Event {
	value, err := jsontext.AppendQuote(nil, id)
	if err != nil {
		return ev // an id that is no text cannot come back either
	}
	switch e := ev.(type) {
	case *a2a.Task:
		c := *e
		c.Metadata = with(c.Metadata, value)
		return &c
	case *a2a.Message:
		c := *e
		c.Metadata = with(c.Metadata, value)
		return &c
	case *a2a.StatusUpdate:
		c := *e
		c.Metadata = with(c.Metadata, value)
		return &c
	case *a2a.ArtifactUpdate:
		c := *e
		c.Metadata = with(c.Metadata, value)
		return &c
	}
	return ev
}

func with(m a2a.Metadata, id jsontext.Value) a2a.Metadata {
	c := make(a2a.Metadata, len(m)+1)
	maps.Copy(c, m)
	c[a2a.ReplayExtension] = id
	return c
}

// takeID takes the id out of an event that was just read.
func takeID(ev a2a.Event) string {
	switch e := ev.(type) {
	case *a2a.Task:
		return take(&e.Metadata)
	case *a2a.Message:
		return take(&e.Metadata)
	case *a2a.StatusUpdate:
		return take(&e.Metadata)
	case *a2a.ArtifactUpdate:
		return take(&e.Metadata)
	}
	return ""
}

func take(m *a2a.Metadata) string {
	value, ok := (*m)[a2a.ReplayExtension]
	if !ok {
		return ""
	}
	delete(*m, a2a.ReplayExtension)
	if len(*m) == 0 {
		*m = nil
	}
	id, err := jsontext.AppendUnquote(nil, value)
	if err != nil {
		return ""
	}
	return string(id)
}
