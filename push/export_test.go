// SPDX-License-Identifier: Apache-2.0

package push

import (
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
)

// DialBy has the sender make its connections with a dialer. Call it before there is anything to deliver.
func (s *Sender) DialBy(d *net.Dialer) {
	s.http.Transport.(*http.Transport).DialContext = d.DialContext
}

// Trust has the sender take the certificate of httptest for each host. Call it before there is anything to deliver.
func (s *Sender) Trust(authority *x509.CertPool) {
	s.http.Transport.(*http.Transport).TLSClientConfig = &tls.Config{RootCAs: authority, ServerName: "example.com"}
}
