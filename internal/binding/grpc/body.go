// SPDX-License-Identifier: Apache-2.0

package grpc

import (
	"io"
	"sync"

	"github.com/dragoman-a2a/dragoman/internal/binding"
)

// A body is that of a call over net/http. gRPC reads it as fast as it comes, whether or not anybody wants it, and holds
// it as long as the call lasts. So no more of it than a small message gets through before there is room.
type body struct {
	io.ReadCloser
	rest   int64         // bytes that may get through
	more   chan int64    // how many may after them
	closed chan struct{} // closed by Close
	once   sync.Once
}

// smallest is what always gets through: a small message and one byte, which shows whether that is all.
const smallest = prefixSize + binding.SmallBody + 1

func newBody(r io.ReadCloser) *body {
	return &body{ReadCloser: r, rest: smallest, more: make(chan int64, 1), closed: make(chan struct{})}
}

// Read reads what may get through, and then waits for allow or Close.
func (b *body) Read(p []byte) (int, error) {
	if b.rest == 0 {
		select {
		case b.rest = <-b.more:
		case <-b.closed:
			return 0, io.EOF
		}
	}
	n, err := b.ReadCloser.Read(p[:min(int64(len(p)), b.rest)])
	b.rest -= int64(n)
	return n, err
}

// allow lets a message of so many bytes through. It is called once at most. A nil body has nothing to let through.
func (b *body) allow(length int64) {
	if b != nil {
		b.more <- max(prefixSize+length+1-smallest, 0)
	}
}

// Close ends a Read that waits, too.
func (b *body) Close() error {
	b.once.Do(func() { close(b.closed) })
	return b.ReadCloser.Close()
}
