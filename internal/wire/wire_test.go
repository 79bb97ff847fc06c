// SPDX-License-Identifier: Apache-2.0

package wire_test

import (
	"net/http"
	"testing"

	"github.com/dragoman-a2a/dragoman/internal/wire"
)

func TestAccepts(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		accept []string
		want   bool
	}{
		{nil, false},
		{[]string{"*/*"}, false},
		{[]string{"application/*"}, false},
		{[]string{"application/grpc"}, true},
		{[]string{"Application/GRPC; Q=0.5"}, true},
		{[]string{"application/json, application/grpc"}, true},
		{[]string{"application/json", "application/grpc;q=0.001"}, true},
		{[]string{"application/grpc;q=0"}, false},
		{[]string{"application/grpc; q=0.000, application/json"}, false},
		{[]string{"application/grpc;q=x"}, false},
		{[]string{"application/grpc-web"}, false},
		{[]string{"application/grpc+proto"}, false},
		{[]string{"text/plain;a=application/grpc"}, false},
		{[]string{",;,"}, false},
	} {
		if got := wire.Accepts(http.Header{"Accept": test.accept}, wire.MediaTypeGRPC); got != test.want {
			t.Errorf("%q: %v, want %v", test.accept, got, test.want)
		}
	}
}
