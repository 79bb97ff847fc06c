// SPDX-License-Identifier: Apache-2.0

package grpc

import (
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/encoding/proto"
	"google.golang.org/grpc/mem"
)

// A frame is the bytes of one message, which are encoded and decoded outside gRPC: those of an event are made once and
// go to all its readers.
type frame struct {
	bytes   []byte
	written chan struct{} // if there is one, it is closed once gRPC has written the bytes or dropped them
}

// A frame is the pool of its own bytes, which come back to it when gRPC is done with them.

// Get is not called.
func (f *frame) Get(length int) *[]byte { return new(make([]byte, length)) }

// Put is called once, when nothing refers to the bytes any longer.
func (f *frame) Put(*[]byte) { close(f.written) }

// codec passes frames on as they are. All other messages, such as those of the health service, are protobuf's.
type codec struct{ encoding.CodecV2 }

// newCodec returns the codec that servers and clients of this package have to use.
func newCodec() encoding.CodecV2 { return codec{encoding.GetCodecV2(proto.Name)} }

func (c codec) Marshal(v any) (mem.BufferSlice, error) {
	if f, ok := v.(*frame); ok {
		if f.written != nil {
			return mem.BufferSlice{mem.NewBuffer(&f.bytes, f)}, nil
		}
		return mem.BufferSlice{mem.SliceBuffer(f.bytes)}, nil
	}
	return c.CodecV2.Marshal(v)
}

func (c codec) Unmarshal(data mem.BufferSlice, v any) error {
	if f, ok := v.(*frame); ok {
		f.bytes = data.Materialize() // a copy: what comes in goes back to a pool
		return nil
	}
	return c.CodecV2.Unmarshal(data, v)
}
