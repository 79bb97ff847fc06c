// SPDX-License-Identifier: Apache-2.0

package grpc

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/status"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/binding"
)

// prefixSize is the size of what gRPC puts before a message: whether it is compressed, and its length.
const prefixSize = 5

// chunk is how much of a large message is taken out of gRPC's buffers at once.
const chunk = 1 << 20

// A transport is what gRPC itself reads the messages of a call from. ServerStream.RecvMsg allocates a message as soon
// as it knows the length, and copies it. Reading from the transport lets a large message wait for room instead, while
// flow control holds it back. gRPC does not promise that its streams have these methods.
type transport interface {
	ReadMessageHeader(header []byte) error
	Read(n int) (mem.BufferSlice, error)
	RecvCompress() string
}

// receive reads the one message of a request.
func (c *call) receive(x *binding.Exchange) ([]byte, *a2a.Error) {
	core := c.server.Host.Core
	begun := time.Now()
	message, e, err := c.read(x)
	if err == nil || e != nil {
		return message, e
	}
	switch s, _ := status.FromError(err); {
	case s.Code() == codes.ResourceExhausted:
		c.refused = err
		return nil, a2a.NewError(a2a.ErrTooLarge,
			fmt.Sprintf("the request's message is over the limit of %d bytes", core.MaxBody))
	case s.Code() == codes.Unimplemented: // a compression that is not there
		c.refused = err
		return nil, &a2a.Error{Kind: a2a.ErrUnsupportedMediaType, Cause: err}
	case time.Since(begun) >= core.BodyTimeout, strings.Contains(s.Message(), os.ErrDeadlineExceeded.Error()):
		// net/http began to count earlier
		return nil, &a2a.Error{Kind: a2a.ErrTimeout,
			Message: fmt.Sprintf("the message did not arrive within %v", core.BodyTimeout), Cause: err}
	case x.Left():
		return nil, &a2a.Error{Kind: a2a.ErrInvalidRequest, Message: "the call ended before its message", Cause: err}
	}
	return nil, &a2a.Error{Kind: a2a.ErrInvalidRequest, Message: "the call needs one message", Cause: err}
}

// read reads the message, a large one once there is room for it. Its second error is gRPC's; the first one, if there is
// one, tells more.
func (c *call) read(x *binding.Exchange) ([]byte, *a2a.Error, error) {
	core := c.server.Host.Core
	from, ok := grpc.ServerTransportStreamFromContext(c.stream.Context()).(transport)
	if !ok { // another version of gRPC
		c.body.allow(core.MaxBody)
		var in frame
		err := c.guard.do(core.BodyTimeout, func() error { return c.stream.RecvMsg(&in) })
		return in.bytes, nil, err
	}
	var prefix [prefixSize]byte
	if err := c.guard.do(core.BodyTimeout, func() error { return from.ReadMessageHeader(prefix[:]) }); err != nil {
		return nil, nil, err
	}
	compressed, length := prefix[0] != 0, int64(binary.BigEndian.Uint32(prefix[1:]))
	if length > core.MaxBody {
		return nil, nil, tooLarge(core.MaxBody)
	}
	moved, still := func(int) {}, func() *a2a.Error { return nil }
	if length > binding.SmallBody {
		size := length
		if compressed {
			size = core.MaxBody
		}
		if e := core.Expect(x, size); e != nil {
			return nil, e, e
		}
		moved, still = core.Moving(x, c.cut)
		c.body.allow(length)
	}
	message := make([]byte, 0, length)
	err := c.guard.do(core.BodyTimeout, func() error {
		for len(message) < cap(message) {
			part, err := from.Read(min(chunk, cap(message)-len(message)))
			if err != nil {
				return err
			}
			for _, b := range part {
				message = append(message, b.ReadOnlyData()...)
			}
			moved(part.Len())
			part.Free()
		}
		switch err := from.ReadMessageHeader(prefix[:]); err {
		case io.EOF:
			return nil
		case nil:
			return status.Error(codes.Internal, "there is a second message")
		default:
			return err
		}
	})
	if e := still(); err != nil && e != nil {
		return nil, e, err
	}
	if err == nil && compressed {
		message, err = decompress(from.RecvCompress(), message, core.MaxBody)
	}
	return message, nil, err
}

// cut ends a call whose message comes too slowly while others wait for its room.
func (c *call) cut() {
	if c.guard != nil {
		c.guard.cut()
	} else {
		c.body.Close()
	}
}

func tooLarge(most int64) error {
	return status.Errorf(codes.ResourceExhausted, "received message larger than max (%d bytes)", most)
}

// decompress returns a message of at most so many bytes.
func decompress(name string, message []byte, most int64) ([]byte, error) {
	compressor := encoding.GetCompressor(name)
	if compressor == nil {
		return nil, status.Errorf(codes.Unimplemented, "there is no decompressor for grpc-encoding %q", name)
	}
	r, err := compressor.Decompress(bytes.NewReader(message))
	if err != nil {
		return nil, err
	}
	message, err = io.ReadAll(io.LimitReader(r, most+1))
	if int64(len(message)) > most {
		err = tooLarge(most)
	}
	return message, err
}
