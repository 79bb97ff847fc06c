// SPDX-License-Identifier: Apache-2.0

package auth_test

import (
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"net/url"
	"testing"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/auth"
)

func TestCertificates(t *testing.T) {
	t.Parallel()
	spiffe, _ := url.Parse("spiffe://example.org/billing")
	for want, cert := range map[string]*x509.Certificate{
		"billing":                      {Subject: pkix.Name{CommonName: "billing"}},
		"spiffe://example.org/billing": {Subject: pkix.Name{CommonName: "x"}, URIs: []*url.URL{spiffe}},
		"":                             {},
	} {
		r := request(t, "", "", "")
		r.TLS = &tls.ConnectionState{VerifiedChains: [][]*x509.Certificate{{cert}}}
		id, err := auth.Certificates(nil).Authenticate(r)
		if id.Subject != want || errors.Is(err, a2a.ErrUnauthenticated) != (want == "") {
			t.Errorf("%q: %q, %v", want, id.Subject, err)
		}
	}
	// A certificate that was shown, but not verified, says nothing.
	r := request(t, "", "", "")
	r.TLS = &tls.ConnectionState{PeerCertificates: []*x509.Certificate{{Subject: pkix.Name{CommonName: "mallory"}}}}
	if id, err := auth.Certificates(nil).Authenticate(r); !errors.Is(err, auth.ErrMissing) {
		t.Errorf("unverified: %v, %v", id, err)
	}
}
