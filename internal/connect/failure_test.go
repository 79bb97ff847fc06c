// SPDX-License-Identifier: Apache-2.0

package connect

import (
	"errors"
	"testing"

	"github.com/dragoman-a2a/dragoman/client"
	"github.com/dragoman-a2a/dragoman/internal/cmdline"
)

func TestServersThatWantCertificates(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"remote error: tls: certificate required":          cmdline.CodeCredentialsMissing,
		"remote error: tls: bad certificate":               cmdline.CodeAuthFailed,
		"remote error: tls: unknown certificate authority": cmdline.CodeAuthFailed,
		"remote error: tls: internal error":                cmdline.CodeUnreachable,
	} {
		if f := unreachable(&client.UnreachableError{Agent: "Test", Err: errors.New(text)}); f.Code != want {
			t.Errorf("%s: %s, %s", text, f.Code, f.Message)
		}
	}
}
