// SPDX-License-Identifier: Apache-2.0

package grpc

import (
	"encoding/binary"
	"io"
	"sync"

	"github.com/dragoman-a2a/dragoman/internal/binding"
)

// prefixSize is the size of what gRPC puts before a message: whether it is compressed, and its length.
const prefixSize = 5

// A body is that of a call over net/http. gRPC reads it as fast as it comes, whether or not anybody wants it, and holds
// it as long as the call lasts. So no more of it than a small message gets through before there is room.
type body struct {
	io.ReadCloser
	most int64 // bytes of a message

	read   int64 // bytes that got through
	told   bool  // known is closed
	prefix [prefixSize]byte

	known   chan struct{} // closed once it is known whether the message is large
	large   bool          // and more of it is to come; set before known is closed
	allowed chan struct{} // closed by allow
	moved   func(int)     // is told of what comes after that
	closed  chan struct{}
	once    sync.Once
}

func newBody(r io.ReadCloser, most int64) *body {
	return &body{ReadCloser: r, most: most, known: make(chan struct{}), allowed: make(chan struct{}),
		closed: make(chan struct{})}
}

// Read reads a small message or the beginning of a large one. It reads the rest of that once allowed, and nothing that
// comes after.
func (b *body) Read(p []byte) (int, error) {
	limit := int64(prefixSize + binding.SmallBody)
	if b.large {
		select {
		case <-b.allowed:
			limit = prefixSize + b.length()
		case <-b.closed:
		}
	}
	if b.read >= limit {
		return 0, io.EOF
	}
	n, err := b.ReadCloser.Read(p[:min(int64(len(p)), limit-b.read)])
	if b.read < prefixSize {
		copy(b.prefix[b.read:], p[:n])
	}
	b.read += int64(n)
	if b.large { // and allowed
		b.moved(n)
	}
	small := b.read >= prefixSize && (b.length() <= binding.SmallBody || b.length() > b.most) // gRPC refuses the latter
	if !b.told && (err != nil || small || b.read == limit) {
		b.told, b.large = true, err == nil && !small
		close(b.known)
	}
	return n, err
}

// length returns the length of the message, as it is sent.
func (b *body) length() int64 { return int64(binary.BigEndian.Uint32(b.prefix[1:])) }

// size returns how much the message may be once it is there.
func (b *body) size() int64 {
	if compressed := b.prefix[0] != 0; compressed {
		return b.most
	}
	return b.length()
}

// allow lets the rest of a large message through, and has moved told of it.
func (b *body) allow(moved func(bytes int)) {
	b.moved = moved
	close(b.allowed)
}

// Close ends a Read that waits, too.
func (b *body) Close() error {
	b.once.Do(func() { close(b.closed) })
	return b.ReadCloser.Close()
}
