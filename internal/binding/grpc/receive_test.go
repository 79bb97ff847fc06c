// SPDX-License-Identifier: Apache-2.0

package grpc_test

import (
	"context"
	"strings"
	"testing"

	pb10 "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	google "google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// hidden is a stream of a version of gRPC that does not let messages be read from its transport.
type hidden struct {
	google.ServerStream
	ctx context.Context
}

func (h hidden) Context() context.Context { return h.ctx }

// TestWithoutTransport checks that large messages get through if the transport cannot be read from.
func TestWithoutTransport(t *testing.T) {
	t.Parallel()
	hide := google.StreamInterceptor(func(srv any, s google.ServerStream, _ *google.StreamServerInfo,
		handle google.StreamHandler) error {
		from := google.ServerTransportStreamFromContext(s.Context())
		only := struct{ google.ServerTransportStream }{from}
		return handle(srv, hidden{s, google.NewContextWithServerTransportStream(s.Context(), only)})
	})
	for _, way := range ways {
		t.Run(way.name, func(t *testing.T) {
			t.Parallel()
			l := open(t, aFake(), way.overHTTP, nil, hide)
			m := message10()
			m.Parts[0].Content = &pb10.Part_Text{Text: strings.Repeat("x", 500<<10)}
			if _, err := l.v10.SendMessage(versioned(t), &pb10.SendMessageRequest{Message: m}); err != nil {
				t.Error(err)
			}
			m.Parts[0].Content = &pb10.Part_Text{Text: strings.Repeat("x", 2<<20)}
			_, err := l.v10.SendMessage(versioned(t), &pb10.SendMessageRequest{Message: m})
			if status.Code(err) != codes.ResourceExhausted {
				t.Errorf("a message over the limit: %v", err)
			}
		})
	}
}
