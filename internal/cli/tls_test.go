// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/engine"
	"github.com/dragoman-a2a/dragoman/internal/cmdline"
	"github.com/dragoman-a2a/dragoman/server"
	"github.com/dragoman-a2a/dragoman/server/grpc"
)

// An authority signs certificates for the loopback address.
type authority struct {
	t    *testing.T
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	file string
}

func newAuthority(t *testing.T, dir, name string) *authority {
	t.Helper()
	a := &authority{t: t, file: filepath.Join(dir, name+".pem")}
	a.cert = &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IsCA: true,
		BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}
	cert, _ := a.sign(a.file, a.cert)
	a.cert = cert
	return a
}

// sign writes a certificate and its key; that of an authority that has none is signed by itself.
func (a *authority) sign(file string, template *x509.Certificate) (*x509.Certificate, string) {
	a.t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		a.t.Fatal(err)
	}
	if a.key == nil {
		a.key = key
	}
	raw, err := x509.CreateCertificate(rand.Reader, template, a.cert, &key.PublicKey, a.key)
	if err != nil {
		a.t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		a.t.Fatal(err)
	}
	for name, block := range map[string]*pem.Block{file: {Type: "CERTIFICATE", Bytes: raw},
		file + ".key": {Type: "PRIVATE KEY", Bytes: secret}} {
		if err := os.WriteFile(name, pem.EncodeToMemory(block), 0o600); err != nil {
			a.t.Fatal(err)
		}
	}
	cert, err := x509.ParseCertificate(raw)
	if err != nil {
		a.t.Fatal(err)
	}
	return cert, file
}

func (a *authority) issue(file string, usage x509.ExtKeyUsage) string {
	a.t.Helper()
	_, file = a.sign(file, &x509.Certificate{SerialNumber: big.NewInt(2), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, ExtKeyUsage: []x509.ExtKeyUsage{usage}})
	return file
}

// serveMutual serves an agent over TLS, in all bindings, to those who have a certificate of the authority.
func serveMutual(t *testing.T, a *authority, cert string) string {
	t.Helper()
	pair, err := tls.LoadX509KeyPair(cert, cert+".key")
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(a.cert)
	eng, err := engine.New(&engine.Options{Logger: silent})
	if err != nil {
		t.Fatal(err)
	}
	ready, ended := make(chan string, 1), make(chan error, 1)
	srv, err := server.New(eng.Agent("agent", echoAgent, nil), &server.Options{
		Card: &a2a.AgentCard{Name: "Test", Description: "For tests", Version: "1",
			DefaultInputModes: []string{"text/plain"}, DefaultOutputModes: []string{"text/plain"},
			SecuritySchemes:      map[string]a2a.SecurityScheme{"m": &a2a.MutualTLSScheme{}},
			SecurityRequirements: []a2a.SecurityRequirement{{"m": nil}}},
		Logger: silent, GRPC: grpc.New(nil), OnDrain: eng.Shutdown,
		TLS: &tls.Config{Certificates: []tls.Certificate{pair}, ClientAuth: tls.RequireAndVerifyClientCert,
			ClientCAs: pool,
			// later versions refuse a client only when it has begun to send, so that what it hears of that is a matter
			// of luck
			MaxVersion: tls.VersionTLS12},
		OnReady: func(_ net.Addr, url string) { ready <- url },
	})
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	go func() { ended <- srv.Serve(ctx, ln) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return <-ready
}

// writeCard writes the card of such an agent, in which its gRPC is behind TLS on this machine, too.
func writeCard(t *testing.T, url string, shown ...string) string {
	t.Helper()
	got := run(t.Context(), append([]string{"card", "get", "-o", "json", "-a", url}, shown...)...)
	if got.code != cmdline.ExitOK {
		t.Fatal(got.stderr)
	}
	file := filepath.Join(t.TempDir(), "card.json")
	bare := strings.TrimPrefix(url, "https://")
	if err := os.WriteFile(file, []byte(strings.ReplaceAll(got.stdout, `"`+bare+`"`, `"`+url+`"`)), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// An agent that wants to see a certificate is shown one, over each binding and with --debug; nobody else gets in.
func TestMutualTLS(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ours, others := newAuthority(t, dir, "ours"), newAuthority(t, dir, "others")
	url := serveMutual(t, ours, ours.issue(filepath.Join(dir, "server.pem"), x509.ExtKeyUsageServerAuth))
	cert, stranger := ours.issue(filepath.Join(dir, "ann.pem"), x509.ExtKeyUsageClientAuth),
		others.issue(filepath.Join(dir, "eve.pem"), x509.ExtKeyUsageClientAuth)
	shown := []string{"--ca", ours.file, "--client-cert", cert, "--client-key", cert + ".key"}
	card := writeCard(t, url, shown...)
	for _, binding := range []string{"JSONRPC", "HTTP+JSON", "GRPC"} {
		for _, extra := range [][]string{nil, {"--debug", "--stream"}} {
			args := append(append([]string{"send", "-a", card, "hi", "--transport", binding}, shown...), extra...)
			if got := run(t.Context(), args...); got.code != cmdline.ExitOK ||
				!strings.Contains(got.stdout, "message 1: hi") {
				t.Errorf("%v: %+v", args, got)
			}
		}
	}
	got := run(t.Context(), append([]string{"task", "list", "-a", url, "--page-size", "1"}, shown...)...)
	if want := "--ca " + ours.file + " --client-cert " + cert + " --client-key " + cert +
		".key"; !strings.Contains(got.stderr, want) {
		t.Errorf("the next page is not asked for with %s: %+v", want, got)
	}
	for name, test := range map[string]struct {
		args []string
		exit int
		says string
	}{
		"no certificate": {[]string{"--ca", ours.file}, cmdline.ExitUnreachable, "remote error: tls: "},
		"that of a stranger": {[]string{"--ca", ours.file, "--client-cert", stranger, "--client-key",
			stranger + ".key"}, cmdline.ExitAuth, "it wants to see a certificate that it trusts"},
		"a server nobody trusts": {[]string{"--client-cert", cert, "--client-key", cert + ".key"},
			cmdline.ExitUnreachable, "--ca ca.pem"},
		"no key":               {[]string{"--client-cert", cert}, cmdline.ExitUsage, "go together"},
		"no certificate in it": {[]string{"--ca", cert + ".key"}, cmdline.ExitUsage, "has no certificate"},
		"whom to trust, twice": {[]string{"--ca", ours.file, "--insecure"}, cmdline.ExitUsage,
			"leave one of them out"},
	} {
		got := run(t.Context(), append([]string{"send", "-a", url, "hi"}, test.args...)...)
		if got.code != test.exit || !strings.Contains(got.stderr, test.says) {
			t.Errorf("%s: %+v", name, got)
		}
	}
	got = run(t.Context(), append([]string{"host", "ask", "-a", url, "--data-dir", ":memory:", "@Test hi"},
		shown...)...)
	if got.code != cmdline.ExitOK || !strings.Contains(got.stdout, "message 1: hi") {
		t.Errorf("through a host: %+v", got)
	}
}

// Messages over gRPC are shown as JSON, without credentials.
func TestDebugShowsCallsOverGRPC(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ours := newAuthority(t, dir, "ours")
	url := serveMutual(t, ours, ours.issue(filepath.Join(dir, "server.pem"), x509.ExtKeyUsageServerAuth))
	cert := ours.issue(filepath.Join(dir, "ann.pem"), x509.ExtKeyUsageClientAuth)
	card := writeCard(t, url, "--ca", ours.file, "--client-cert", cert, "--client-key", cert+".key")
	got := runWith(t.Context(), map[string]string{"DRAGOMAN_BEARER": testKey}, "", "send", "-a", card, "--transport",
		"GRPC", "--debug", "--svc-param", "X-Team: hunter3",
		"--ca", ours.file, "--client-cert", cert, "--client-key", cert+".key", "my token is "+testKey)
	has(t, "the error stream", got.stderr, "> gRPC SendStreamingMessage "+url+"\n", "> A2a-Version: 1.0\n",
		"> Authorization: [redacted]\n",
		`> {"message":{`, "my token is [redacted]", "< gRPC OK after ", `< {"task":{`, `< {"artifactUpdate":{`,
		"TASK_STATE_COMPLETED")
	if strings.Contains(got.stderr, testKey) || strings.Contains(got.stderr, "hunter3") {
		t.Errorf("a credential is shown:\n%s", got.stderr)
	}
	got = run(t.Context(), "task", "get", "-a", card, "nothing", "--transport", "GRPC", "--debug", "--ca", ours.file,
		"--client-cert", cert, "--client-key", cert+".key")
	has(t, "the error stream", got.stderr, "> gRPC GetTask ", `> {"id":"nothing"`, "< no result after ")
}
