// SPDX-License-Identifier: Apache-2.0

package cmdline

import (
	"crypto/tls"
	"net"
	"strings"

	"github.com/spf13/pflag"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/auth"
	"github.com/dragoman-a2a/dragoman/auth/access"
	_ "github.com/dragoman-a2a/dragoman/auth/access/cel" // conditions of rules
	"github.com/dragoman-a2a/dragoman/internal/terminal"
)

// FlagToken names the flag with the token of the callers of a server.
const FlagToken = "token"

// CallerOptions are the flags that say who may call the agents of a server.
type CallerOptions struct {
	Token string
	File  string // of package auth/access
	Open  bool
}

// Add adds the flags.
func (o *CallerOptions) Add(flags *pflag.FlagSet) {
	flags.StringVar(&o.Token, FlagToken, "", "token that callers must send, as Authorization: Bearer; prefer "+
		"DRAGOMAN_TOKEN")
	flags.StringVar(&o.File, "access", "", "YAML file that says who may call and what they may do; see docs/access.md")
	flags.BoolVar(&o.Open, "open", false, "when listening beyond this machine, let everyone call")
}

// Callers are those that a server lets in.
type Callers struct {
	Authenticator auth.Authenticator // nil for everyone
	Policy        auth.Policy
}

// Read returns the callers of a server that listens at addresses. Beyond this machine it wants credentials, or the word
// that there shall be none. Client certificates need the TLS of listen, which it extends.
func (o *CallerOptions) Read(t *terminal.Terminal, listen *ListenOptions, addrs ...net.Addr) (Callers, error) {
	var c Callers
	switch {
	case o.Token != "" && o.File != "":
		return c, Usagef("--token and --access are two ways to say who may call").WithHint(
			"put the token into the file, as an entry of callers")
	case o.Token != "" && strings.TrimSpace(o.Token) == "":
		return c, Usagef("--token is empty, so no client could send it")
	case o.Token != "":
		c.Authenticator = auth.Token(o.Token, a2a.Identity{Subject: "token"})
	case o.File != "":
		file, err := access.Open(o.File)
		if err != nil {
			return c, Usagef("--access: %v", err)
		}
		if file.Authenticator == nil {
			return c, Usagef("--access %s names no callers, so its rules would fit no caller", o.File).WithHint(
				"add callers to the file; see docs/access.md")
		}
		if file.ClientCAs != nil && listen.TLS == nil {
			return c, Usagef("--access %s names client certificates, which only HTTPS has", o.File).WithHint(
				"set --tls-cert and --tls-key")
		}
		if file.ClientCAs != nil {
			listen.TLS.ClientCAs, listen.TLS.ClientAuth = file.ClientCAs, tls.VerifyClientCertIfGiven
		}
		c = Callers{file.Authenticator, file.Policy}
	}
	for _, addr := range addrs {
		if IsLoopback(addr) || c.Authenticator != nil {
			continue
		}
		if !o.Open {
			return c, Usagef("address %s is beyond this machine: everyone who reaches it could call the agent",
				addr).WithHint(
				"set a token with --token, name the callers with --access, or let everyone in with --open")
		}
		t.Warn("everyone who reaches %s can call the agent", addr)
	}
	return c, nil
}
