// SPDX-License-Identifier: Apache-2.0

package e2e_test

import (
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/dragoman-a2a/dragoman/server"
)

// With a certificate all of it is HTTPS, the card says so, and the versions of TLS that are broken are refused.
func TestTLS(t *testing.T) {
	t.Parallel()
	borrowed := httptest.NewTLSServer(nil) // for its certificate
	certificate, roots := borrowed.TLS.Certificates[0], x509.NewCertPool()
	roots.AddCert(borrowed.Certificate())
	borrowed.Close()

	s := start(t, inMemory(t),
		func(o *server.Options) { o.TLS = &tls.Config{Certificates: []tls.Certificate{certificate}} })
	if !strings.HasPrefix(s.url, "https://") {
		t.Fatalf("URL %s", s.url)
	}
	for version, ok := range map[uint16]bool{tls.VersionTLS10: false, tls.VersionTLS11: false, tls.VersionTLS12: true,
		tls.VersionTLS13: true} {
		transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: version,
			MaxVersion: version}}
		client := &http.Client{Transport: transport}
		req, err := http.NewRequestWithContext(t.Context(), "GET", s.url+cardPath, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := client.Do(req)
		if (err == nil) != ok {
			t.Errorf("%s: %v", tls.VersionName(version), err)
		}
		if err == nil {
			if resp.Header.Get("Strict-Transport-Security") == "" {
				t.Error("no Strict-Transport-Security")
			}
			resp.Body.Close()
		}
		transport.CloseIdleConnections()
	}
	s.client.Transport.(*http.Transport).TLSClientConfig = &tls.Config{RootCAs: roots}
	for _, b := range bindings {
		c := s.caller(t, b)
		c.send(t, "echo")
		card := object(t, c.raw(t, "GET", cardPath, "").body)
		if at[string](t, card, "supportedInterfaces", 0, "url") != s.url {
			t.Errorf("interfaces %v", card["supportedInterfaces"])
		}
	}
}
