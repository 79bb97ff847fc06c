// SPDX-License-Identifier: Apache-2.0

package grpc

import (
	"io"
	"strings"
	"testing"
)

// However much a caller sends after its message, no more is read than one message may have.
func TestOneMessage(t *testing.T) {
	t.Parallel()
	endless := strings.NewReader(strings.Repeat("x", 10_000))
	body := oneMessage(io.NopCloser(endless), 100)
	if b, err := io.ReadAll(body); len(b) != 105 || err != nil || endless.Len() != 10_000-105 {
		t.Errorf("%d bytes are read, %d are left: %v", len(b), endless.Len(), err)
	}
	if err := body.Close(); err != nil {
		t.Error(err)
	}
}
