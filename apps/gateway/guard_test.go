// SPDX-License-Identifier: Apache-2.0

package gateway

import (
	"errors"
	"testing"

	"github.com/dragoman-a2a/dragoman/internal/guard"
)

// No client makes the gateway call an address at which a cloud tells a machine its credentials.
func TestWebhooksAtMetadataAddresses(t *testing.T) {
	t.Parallel()
	for _, private := range []bool{false, true} {
		w := newWebhooks(&Options{AllowPrivateWebhooks: private})
		defer w.http.CloseIdleConnections()
		for _, host := range []string{"168.63.129.16", "[fd20:ce::254]", "169.254.169.254", "100.100.100.200",
			"[fd00:ec2::254]"} {
			resp, err := w.http.Get("http://" + host + "/latest")
			if err == nil {
				resp.Body.Close()
			}
			if !errors.Is(err, guard.ErrRefused) {
				t.Errorf("%s, private webhooks allowed %v: %v, want that the address is refused", host, private, err)
			}
		}
	}
}
