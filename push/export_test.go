// SPDX-License-Identifier: Apache-2.0

package push

import (
	"net"
	"net/http"
)

// DialBy has the sender make its connections with a dialer. Call it before there is anything to deliver.
func (s *Sender) DialBy(d *net.Dialer) {
	s.http.Transport.(*http.Transport).DialContext = d.DialContext
}
