// SPDX-License-Identifier: Apache-2.0

package connect

import (
	"crypto/tls"
	"crypto/x509"
	"os"

	"github.com/spf13/pflag"

	"github.com/dragoman-a2a/dragoman/internal/cmdline"
)

// TLSOptions are the flags that say whom to trust and who one is, over TLS.
type TLSOptions struct {
	ca, cert, key string // files, in PEM
	insecure      bool

	config *tls.Config // of the files, see check; nil for the usual one
}

// The names of these flags.
var TLSFlags = []string{"ca", "client-cert", "client-key"}

func (o *TLSOptions) Add(flags *pflag.FlagSet) {
	flags.BoolVar(&o.insecure, "insecure", false, "do not verify server certificates; for development only")
	flags.StringVar(&o.ca, "ca", "", "PEM file with certificate authorities to trust besides the system's")
	flags.StringVar(&o.cert, "client-cert", "", "PEM file with the client certificate")
	flags.StringVar(&o.key, "client-key", "", "PEM file with the key of the client certificate")
}

// Check reads the files.
func (o *TLSOptions) Check() error {
	if o.ca == "" && o.cert == "" && o.key == "" && !o.insecure {
		return nil
	}
	config := &tls.Config{MinVersion: tls.VersionTLS12, InsecureSkipVerify: o.insecure}
	if o.ca != "" {
		if o.insecure {
			return cmdline.Usagef(
				"--ca names whom to trust, but --insecure trusts every server: use one of them").WithHint(
				"leave one of them out")
		}
		pool, err := x509.SystemCertPool()
		if err != nil {
			pool = x509.NewCertPool()
		}
		text, err := os.ReadFile(o.ca)
		if err != nil {
			return cmdline.Usagef("--ca: %v", err)
		}
		if !pool.AppendCertsFromPEM(text) {
			return cmdline.Usagef("--ca: %s has no certificate in PEM", o.ca)
		}
		config.RootCAs = pool
	}
	if (o.cert == "") != (o.key == "") {
		return cmdline.Usagef("--client-cert and --client-key go together")
	}
	if o.cert != "" {
		pair, err := tls.LoadX509KeyPair(o.cert, o.key)
		if err != nil {
			return cmdline.Usagef("--client-cert and --client-key: %v",
				err).WithHint("pass both PEM files: the certificate and its key")
		}
		config.Certificates = []tls.Certificate{pair}
	}
	o.config = config
	return nil
}

// ResumeArgs returns the flags that name the same files in another command.
func (o *TLSOptions) ResumeArgs(given func(flag string) bool) []string {
	var words []string
	for i, file := range []string{o.ca, o.cert, o.key} {
		if name := TLSFlags[i]; file != "" && given(name) {
			words = append(words, "--"+name, file)
		}
	}
	return words
}
