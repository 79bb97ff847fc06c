// SPDX-License-Identifier: Apache-2.0

package cmdline

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"math"
	"net"
	"net/http"
	"strings"

	"github.com/spf13/pflag"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/auth"
	"github.com/dragoman-a2a/dragoman/auth/access"
	_ "github.com/dragoman-a2a/dragoman/auth/access/cel" // conditions of rules
	"github.com/dragoman-a2a/dragoman/auth/ratelimit"
	"github.com/dragoman-a2a/dragoman/internal/terminal"
	"github.com/dragoman-a2a/dragoman/server/audit"
)

// FlagToken names the flag with the token of the callers of a server.
const FlagToken = "token"

// CallerOptions are the flags that say who may call a server. They are the same for all commands that serve.
type CallerOptions struct {
	Token string
	File  string // of package auth/access
	Open  bool
	// AnyHost answers requests whose Host is not this machine. A server that does so counts as reached from elsewhere.
	AnyHost bool

	// MayDo says what every caller of an open server may do. Empty means "call the agent".
	MayDo string
	// Instead is another way to say who may call, for the hint; "" for none.
	Instead string
	// NoRules refuses files with rules, for servers that ask no policy.
	NoRules bool

	audit    string // file; "" for none
	oldToken string // by another flag
	oldFlag  string
}

// Add adds the flags.
func (o *CallerOptions) Add(flags *pflag.FlagSet) {
	flags.StringVar(&o.Token, FlagToken, "", "token that callers must send, as Authorization: Bearer; prefer "+
		"DRAGOMAN_TOKEN")
	flags.StringVar(&o.File, "access", "", "YAML file that says who may call and what they may do; see docs/access.md")
	flags.BoolVar(&o.Open, "open", false, "when listening beyond this machine, let everyone call")
}

// AuditFlag adds --audit.
func (o *CallerOptions) AuditFlag(flags *pflag.FlagSet) {
	flags.StringVar(&o.audit, "audit", "", "file that gets a record of each use of an operation; check it with "+
		"dragoman audit verify")
}

// OpenAudit opens the log that --audit names; nil for none. Close it after the server has ended.
func (o *CallerOptions) OpenAudit() (*audit.Log, error) {
	if o.audit == "" {
		return nil, nil
	}
	log, err := audit.Open(o.audit)
	if err != nil {
		return nil, Usagef("--audit: %v", err)
	}
	return log, nil
}

// CloseAudit closes the log of OpenAudit and adds what goes wrong to err.
func CloseAudit(log *audit.Log, err *error) {
	if log != nil {
		*err = errors.Join(*err, log.Close())
	}
}

// AddOld adds the flag that a command had before it had --token.
func (o *CallerOptions) AddOld(flags *pflag.FlagSet, name string) {
	o.oldFlag = name
	flags.StringVar(&o.oldToken, name, "", "the same as --token")
	flags.Lookup(name).Hidden = true
}

// AnyHostFlag adds --any-host.
func (o *CallerOptions) AnyHostFlag(flags *pflag.FlagSet) {
	flags.BoolVar(&o.AnyHost, "any-host", false,
		"on a loopback address, accept any Host header, for use behind a proxy; counts as listening beyond this "+
			"machine")
}

// Local reports whether only this machine reaches an address.
func (o *CallerOptions) Local(addr net.Addr) bool { return IsLoopback(addr) && !o.AnyHost }

// Callers are those that a server lets in.
type Callers struct {
	Authenticator auth.Authenticator // nil for everyone
	Policy        auth.Policy
}

// Read returns the callers of a server that listens at addresses. Beyond this machine it wants credentials, or the word
// that there shall be none. Client certificates need the TLS of listen, which it extends.
func (o *CallerOptions) Read(t *terminal.Terminal, listen *ListenOptions, addrs ...net.Addr) (Callers, error) {
	var c Callers
	if o.oldToken != "" && o.Token != "" && o.Token != o.oldToken {
		return c, Usagef("--token and --%s are one option, but have different values", o.oldFlag).WithHint(
			"leave out --" + o.oldFlag)
	}
	token := cmp.Or(o.Token, o.oldToken)
	switch {
	case token != "" && o.File != "":
		return c, Usagef("--token and --access are two ways to say who may call").WithHint(
			"put the token into the file, as an entry of callers")
	case token != "" && strings.TrimSpace(token) == "":
		return c, Usagef("--token is empty, so no client could send it")
	case token != "":
		c.Authenticator = auth.Token(token, a2a.Identity{Subject: "token"})
	case o.File != "":
		var err error
		if c, err = o.readFile(listen); err != nil {
			return c, err
		}
	}
	for _, addr := range addrs {
		if o.Local(addr) || c.Authenticator != nil {
			continue
		}
		mayDo := cmp.Or(o.MayDo, "call the agent")
		if !o.Open {
			return c, Usagef("address %s is beyond this machine: everyone who reaches it could %s", addr,
				mayDo).WithHint("set a token with --token, name the callers with --access, " + o.Instead +
				"or let everyone in with --open")
		}
		t.Warn("everyone who reaches %s can %s", addr, mayDo)
	}
	c.Authenticator = ratelimit.Logins(c.Authenticator)
	return c, nil
}

func (o *CallerOptions) readFile(listen *ListenOptions) (Callers, error) {
	file, err := access.Open(o.File)
	switch {
	case err != nil:
		return Callers{}, Usagef("--access: %v", err)
	case file.Authenticator == nil:
		return Callers{}, Usagef("--access %s names no callers, so its rules would fit no caller", o.File).WithHint(
			"add callers to the file; see docs/access.md")
	case file.Policy != nil && o.NoRules:
		return Callers{}, Usagef("--access %s has rules, which this command does not know", o.File).WithHint(
			"use a file with callers only; each of them may do everything")
	case file.ClientCAs != nil && listen.TLS == nil:
		return Callers{}, Usagef("--access %s names client certificates, which only HTTPS has", o.File).WithHint(
			"set --tls-cert and --tls-key")
	case file.ClientCAs != nil:
		listen.TLS.ClientCAs, listen.TLS.ClientAuth = file.ClientCAs, tls.VerifyClientCertIfGiven
	}
	return Callers{file.Authenticator, file.Policy}, nil
}

type callerKey struct{}

// CallerOf returns the caller of a request that Guard let through.
func CallerOf(r *http.Request) a2a.Identity {
	id, _ := r.Context().Value(callerKey{}).(a2a.Identity)
	return id
}

// Guard lets only callers through to h, which learns them by [CallerOf] and never sees their credentials. The answers
// to others are plain text.
func (c Callers) Guard(what string, h http.Handler) http.Handler {
	if c.Authenticator == nil {
		return h
	}
	var schemes map[string]a2a.SecurityScheme
	if asks, ok := c.Authenticator.(auth.Schemed); ok {
		schemes = asks.SecuritySchemes()
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		caller, err := c.Authenticator.Authenticate(r)
		if err != nil {
			status := http.StatusServiceUnavailable // the provider cannot be asked
			switch {
			case errors.Is(err, a2a.ErrUnauthenticated):
				status = http.StatusUnauthorized
				w.Header()["Www-Authenticate"] = auth.Challenges(what, schemes)
			case errors.Is(err, a2a.ErrPermissionDenied):
				status = http.StatusForbidden
			case errors.Is(err, a2a.ErrRateLimited):
				status = http.StatusTooManyRequests
			}
			if wait := a2a.AsError(err).RetryAfter; wait > 0 {
				w.Header().Set("Retry-After", Itoa(int(math.Ceil(wait.Seconds()))))
			}
			http.Error(w, a2a.AsError(err).PublicMessage(), status)
			return
		}
		r = r.Clone(context.WithValue(r.Context(), callerKey{}, caller))
		r.Header.Del("Authorization")
		r.Header.Del("Cookie")
		for _, scheme := range schemes {
			if key, ok := scheme.(*a2a.APIKeyScheme); ok && key.Location == "header" {
				r.Header.Del(key.Name)
			}
			if key, ok := scheme.(*a2a.APIKeyScheme); ok && key.Location == "query" {
				query := r.URL.Query()
				query.Del(key.Name)
				r.URL.RawQuery = query.Encode()
			}
		}
		h.ServeHTTP(w, r)
	})
}

// WarnPlain warns of a server that others reach without TLS. Package server warns by itself.
func (o *CallerOptions) WarnPlain(t *terminal.Terminal, listen *ListenOptions, addr net.Addr) {
	if !o.Local(addr) && listen.TLS == nil {
		t.Warn("serving plain http beyond this machine: anyone on the network path can read and change the traffic; " +
			"use TLS, here or in a proxy in front")
	}
}
