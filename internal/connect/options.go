// SPDX-License-Identifier: Apache-2.0

// Package connect reaches agents: addresses and versions, TLS, credentials, and what --debug shows of the wire.
package connect

import (
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/dragoman-a2a/dragoman/client"
	"github.com/dragoman-a2a/dragoman/internal/cmdline"
	"github.com/dragoman-a2a/dragoman/internal/redact"
	"github.com/dragoman-a2a/dragoman/internal/terminal"
)

// Options are the flags that say how to reach an agent, and with which credentials.
type Options struct {
	Registry     string // that entries are looked up in
	Timeout      time.Duration
	PollInterval time.Duration
	Extensions   []string

	Bearer        string
	APIKey        string
	SvcParams     []string
	CredentialsTo []string // origins beside that of the card
	Version       string
	Transports    []string
	Tenant        string
	TLS           TLSOptions
	Trust         TrustOptions
	Debug         bool
}

// defaultPoll is the first pause between two polls of a task, by the A2A command-line specification: a person waits,
// not a program.
const defaultPoll = 2 * time.Second

// HasCredentials reports whether the user gave something that only the agent should see.
func (o *Options) HasCredentials() bool {
	return o.Bearer != "" || o.APIKey != "" || slices.ContainsFunc(o.SvcParams, func(param string) bool {
		name, _, _ := strings.Cut(param, ":")
		return redact.Name(name)
	})
}

// ownHeaders are those that a call sets by itself, and what to use instead.
var ownHeaders = map[string]string{
	"Host": "", "Content-Type": "", "Content-Length": "", "Accept": "", "Connection": "", "Transfer-Encoding": "",
	"A2a-Version": "use --a2a-version", "A2a-Extensions": "use --extension", "Last-Event-Id": "",
}

// Params returns what --svc-param and --bearer add to each call. Cards are fetched without it.
func (o *Options) Params() (http.Header, error) {
	params := http.Header{}
	for _, param := range o.SvcParams {
		name, value, found := strings.Cut(param, ":")
		value = strings.TrimSpace(value)
		if !found || !IsToken(name) || !IsHeaderValue(value) {
			return nil, cmdline.Usagef("--svc-param is not name:value").WithHint("for example --svc-param X-Team:blue")
		}
		if flag, own := ownHeaders[http.CanonicalHeaderKey(name)]; own {
			return nil, cmdline.Usagef("--svc-param cannot set %s, which dragoman sets itself", name).WithHint(flag)
		}
		params.Add(name, value)
	}
	if token := o.Bearer; token != "" {
		if !IsHeaderValue(token) {
			return nil, cmdline.Usagef("--bearer has characters that no header may have")
		}
		params.Set("Authorization", "Bearer "+token)
	}
	return params, nil
}

// IsToken reports whether s can be a header's name (RFC 9110 §5.6.2).
func IsToken(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
		return !letter && !strings.ContainsRune("!#$%&'*+-.^_`|~", r)
	})
}

// IsHeaderValue reports whether s can be a header's value: a line break would begin the next header.
func IsHeaderValue(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f })
}

// IsPrivate reports whether nobody on the way can read what is sent to a URL: it is encrypted, or stays on this
// machine.
func IsPrivate(address string) bool {
	if host, _, err := net.SplitHostPort(address); err == nil && host != "" && !strings.Contains(address, "/") {
		return true // of gRPC, see client/grpc
	}
	u, err := url.Parse(address)
	if err != nil || u.Scheme == "https" || u.Scheme == "grpcs" {
		return err == nil
	}
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}

// newClient returns the client of HTTP for these options. Warnings and what --debug shows go to the terminal.
func (o *Options) newClient(t *terminal.Terminal) *http.Client {
	transport := client.NewHTTPTransport()
	if o.TLS.config != nil {
		transport.TLSClientConfig = o.TLS.config
	}
	if o.TLS.insecure {
		if o.HasCredentials() {
			t.Warn("--insecure: certificates are not verified, so anyone on the network path can steal the credentials")
		} else {
			t.Warn("--insecure: certificates are not verified, so anyone on the network path can read and change the " +
				"traffic")
		}
	}
	web := &http.Client{Transport: transport}
	if o.Debug {
		params, _ := o.Params() // those that are wrong are refused where they would be sent
		if o.APIKey != "" {
			params = params.Clone()
			params.Add("X-Api-Key", o.APIKey) // to be hidden wherever it goes
		}
		web.Transport = NewTap(web.Transport, t.Err, params)
	}
	return web
}
