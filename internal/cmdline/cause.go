// SPDX-License-Identifier: Apache-2.0

package cmdline

import (
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"runtime"
	"strings"
	"syscall"

	"github.com/dragoman-a2a/dragoman/card"
)

const HintAddress = "check the address, and that the agent runs"

// CauseOf says in one phrase why there is no connection to an address, and what to do.
func CauseOf(err error, address string) (why, hint string) {
	if why, hint := CertificateCause(err); why != "" {
		return why, hint
	}
	if errors.Is(err, http.ErrSchemeMismatch) {
		return "the server speaks plain HTTP there", "use " + swapScheme(address)
	}
	op, isOp := errors.AsType[*net.OpError](err)
	if isOp && errors.Is(err, syscall.ECONNREFUSED) && op.Addr != nil {
		return "nothing listens at " + op.Addr.String(), HintAddress
	}
	if dns, ok := errors.AsType[*net.DNSError](err); ok && dns.IsNotFound {
		return fmt.Sprintf("no host is called %q", dns.Name), HintAddress
	}
	if request, ok := errors.AsType[*url.Error](err); ok {
		err = request.Err
	}
	why, hint = err.Error(), HintAddress
	// The answer of a TLS server to a plain request, in TLS or, as servers in Go do, in HTTP.
	plain := strings.HasPrefix(address, "http:")
	if plain && (strings.Contains(why, "malformed HTTP response") || strings.HasSuffix(why, "HTTP 400 Bad Request")) {
		hint = "if the server speaks HTTPS, use " + swapScheme(address)
	}
	return why, hint
}

// CertificateCause says what is wrong with a server's certificate; "" when it is not that.
func CertificateCause(err error) (why, hint string) {
	if _, ok := errors.AsType[x509.UnknownAuthorityError](err); ok {
		hint = "if you trust it, add its authority to those that this system trusts"
		if runtime.GOOS != "windows" && runtime.GOOS != "darwin" {
			hint = "if you trust it, name the file of its authority's certificate: SSL_CERT_FILE=ca.pem"
		}
		hint += ", or --ca ca.pem to call agents"
		return "its certificate is signed by an authority that this machine does not trust", hint
	}
	if e, ok := errors.AsType[x509.HostnameError](err); ok {
		return strings.TrimPrefix(e.Error(), "x509: "), "use one of the names that the certificate is for"
	}
	if e, ok := errors.AsType[x509.CertificateInvalidError](err); ok {
		return strings.TrimPrefix(e.Error(), "x509: "),
			"the server needs another certificate; check the clock of this machine, too"
	}
	// An alert of TLS has no type of its own; behind gRPC it is only a text.
	switch text := err.Error(); {
	case strings.Contains(text, "remote error: tls: certificate required"):
		return "it wants to see a certificate", hintClientCert
	case strings.Contains(text, "remote error: tls: bad certificate"),
		strings.Contains(text, "remote error: tls: unknown certificate"):
		return "it wants to see a certificate that it trusts", hintOtherCert
	}
	return "", ""
}

// The hints for servers that want a certificate, or another one.
const (
	hintClientCert = "give one with --client-cert and --client-key"
	hintOtherCert  = "give one of an authority that the agent trusts with --client-cert and --client-key"
)

// AboutCredentials makes a failure one of credentials if its hint says so.
func (f *Failure) AboutCredentials() *Failure {
	switch f.Hint {
	case hintClientCert:
		f.Exit, f.Code = ExitAuth, CodeCredentialsMissing
	case hintOtherCert:
		f.Exit, f.Code = ExitAuth, CodeAuthFailed
	}
	return f
}

// swapScheme returns the agent's base URL with https for http, and the other way round.
func swapScheme(address string) string {
	address = strings.TrimSuffix(address, card.WellKnownPath)
	if rest, ok := strings.CutPrefix(address, "https:"); ok {
		return "http:" + rest
	}
	return "https:" + strings.TrimPrefix(address, "http:")
}
