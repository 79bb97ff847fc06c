// SPDX-License-Identifier: Apache-2.0

package host

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"testing"

	"github.com/dragoman-a2a/dragoman/card"
)

func TestOutwardNamesNoPlaces(t *testing.T) {
	t.Parallel()
	at := &net.TCPAddr{IP: net.IPv4(10, 1, 2, 3), Port: 80}
	refused := &url.Error{Op: "Post", URL: "http://me:s3cret@10.1.2.3/",
		Err: &net.OpError{Op: "dial", Net: "tcp", Addr: at, Err: errors.New("connection refused")}}
	unknown := &url.Error{Op: "Get", URL: "http://inside.example/?key=s3cret",
		Err: &net.DNSError{Err: "no such host", Name: "inside.example", Server: "10.1.2.3"}}
	for want, err := range map[string]error{
		"it broke":                      errors.New("it broke"),
		"try: dial: connection refused": fmt.Errorf("try: %w", refused),
		"dial: connection refused\nits name cannot be resolved": errors.Join(refused, unknown),
		"agent card cannot be reached: its name cannot be resolved": &card.Error{Ref: "s3cret", URL: "http://s3cret",
			Kind: card.ErrUnreachable, Err: unknown},
	} {
		if got := outward(err); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
