// SPDX-License-Identifier: Apache-2.0

package auth

import (
	"crypto/x509"
	"net/http"

	"github.com/dragoman-a2a/dragoman/a2a"
)

// Certificates returns an Authenticator for callers that show a client certificate (mutual TLS), which the server has
// verified: its tls.Config has ClientCAs, and ClientAuth is tls.VerifyClientCertIfGiven or stricter. identify makes the
// identity of the certificate and may refuse it; nil means [CertificateIdentity]. If a proxy ends TLS in front of the
// server, there is no certificate to see here.
func Certificates(identify func(*x509.Certificate) (a2a.Identity, error)) Authenticator {
	if identify == nil {
		identify = CertificateIdentity
	}
	return certificates(identify)
}

type certificates func(*x509.Certificate) (a2a.Identity, error)

func (identify certificates) Authenticate(r *http.Request) (a2a.Identity, error) {
	if r.TLS == nil || len(r.TLS.VerifiedChains) == 0 {
		return a2a.Identity{}, missing("the client certificate is missing; present one when you connect")
	}
	return identify(r.TLS.VerifiedChains[0][0])
}

// CertificateIdentity takes the subject from a certificate: its first URI, such as a SPIFFE ID, or else its common
// name.
func CertificateIdentity(cert *x509.Certificate) (a2a.Identity, error) {
	switch {
	case len(cert.URIs) > 0:
		return a2a.Identity{Subject: cert.URIs[0].String()}, nil
	case cert.Subject.CommonName != "":
		return a2a.Identity{Subject: cert.Subject.CommonName}, nil
	}
	return a2a.Identity{}, wrong("the client certificate has neither a URI nor a common name")
}

// SecuritySchemes says that callers present a certificate.
func (certificates) SecuritySchemes() map[string]a2a.SecurityScheme {
	return map[string]a2a.SecurityScheme{"mutualTLS": &a2a.MutualTLSScheme{}}
}
