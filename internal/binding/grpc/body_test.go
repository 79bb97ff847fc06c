// SPDX-License-Identifier: Apache-2.0

package grpc

import (
	"encoding/binary"
	"io"
	"strings"
	"testing"

	"github.com/dragoman-a2a/dragoman/internal/binding"
)

// sent returns the body of a caller that announces a message of one length and sends so many bytes after that.
func sent(compressed byte, length, bytes int) io.ReadCloser {
	prefix := binary.BigEndian.AppendUint32([]byte{compressed}, uint32(length))
	return io.NopCloser(strings.NewReader(string(prefix) + strings.Repeat("x", bytes)))
}

// However much a caller sends, no more gets through than a small message, unless it announced more and there is room.
func TestBody(t *testing.T) {
	t.Parallel()
	const most, small, large = 1 << 20, binding.SmallBody, 100 << 10
	for name, test := range map[string]struct {
		body    io.ReadCloser
		large   bool
		size    int64
		through int
	}{
		"a small message":             {sent(0, 10, 10), false, 10, 10},
		"as large as a small one":     {sent(0, small, small), false, small, small},
		"more than it announced":      {sent(0, 10, 2*most), false, 10, small},
		"a large message":             {sent(0, large, large), true, large, large},
		"a large message, and more":   {sent(0, large, 2*most), true, large, large},
		"a large one that ends early": {sent(0, large, small+1), true, large, small + 1},
		"one that is too large":       {sent(0, most+1, most+1), false, most + 1, small},
		"a large one, compressed":     {sent(1, large, large), true, most, large},
		"nothing":                     {io.NopCloser(strings.NewReader("")), false, 0, -prefixSize},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBody(test.body, most)
			through := make(chan int)
			go func() {
				all, err := io.ReadAll(b)
				if err != nil {
					t.Error(err)
				}
				through <- len(all) - prefixSize
			}()
			<-b.known
			if b.large != test.large || b.size() != test.size {
				t.Errorf("large is %v and the size %d, want %v and %d", b.large, b.size(), test.large, test.size)
			}
			if b.large {
				select {
				case n := <-through:
					t.Fatalf("%d bytes got through before there was room", n)
				default:
				}
				b.allow(func(int) {})
			}
			if n := <-through; n != test.through {
				t.Errorf("%d bytes got through, want %d", n, test.through)
			}
		})
	}
}

// A call that is over ends the wait for room.
func TestBodyIsClosed(t *testing.T) {
	t.Parallel()
	b := newBody(sent(0, 100<<10, 100<<10), 1<<20)
	through := make(chan int)
	go func() {
		all, _ := io.ReadAll(b)
		through <- len(all) - prefixSize
	}()
	<-b.known
	for range 2 {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	}
	if n := <-through; n != binding.SmallBody {
		t.Errorf("%d bytes got through, want %d", n, binding.SmallBody)
	}
}
