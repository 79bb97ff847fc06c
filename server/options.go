// SPDX-License-Identifier: Apache-2.0

package server

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/auth"
	"github.com/dragoman-a2a/dragoman/internal/wire"
	"github.com/dragoman-a2a/dragoman/server/audit"
)

// Options tune a server. Unless the Service has a card, Card or CardFunc is required; every other zero value is a safe
// default.
type Options struct {
	// Card is what the agent says of itself, for a Service that has no card: one of an engine has that of
	// engine.AgentOptions, see [Carded]. Name, Description and Version are required. The server fills in what it
	// knows better: supported interfaces and capabilities, of which the card may only switch off what the service has.
	// Default modes that are left open are text/plain. Signatures are replaced by those of CardSigner.
	Card *a2a.AgentCard
	// CardFunc makes a card for each request, instead of Card. It runs for requests of the card and for each
	// operation, whose extensions and capabilities are judged by it, so it should be quick.
	CardFunc func(ctx context.Context, r *http.Request) (*a2a.AgentCard, error)

	// CardSigner signs the cards of 0.3 and 1.0, public and extended, once for each change of one. Signer of package
	// card/signature is one. Nil means that cards have no signatures. Over gRPC of 0.3 they never have any.
	CardSigner CardSigner
	// PublicKeys is a JWK set, in JSON, with the public keys that others need to verify what the agent signs. The
	// server serves it at KeysPath. Nil serves none.
	PublicKeys []byte

	// URL is the base URL under which clients reach the server, for the card. Empty means the address that
	// ListenAndServe bound or, where that is every address of the machine, the host that each request names. Set it
	// behind a proxy that terminates TLS. A path in it is for clients only: the server answers at the root. If you
	// mount it below a path, strip that path with http.StripPrefix.
	URL string
	// Path is where the server is mounted below its host, such as "/agents/clock". The server uses it in the URLs
	// that it takes from its address. Empty means the root. The server answers at the root: strip the path where you
	// mount it. Mount it on an http.ServeMux without a slash at the end, where JSON-RPC is, and with one.
	Path string
	// Handler is what ListenAndServe serves: a handler that contains the Server, and more. Nil means the Server
	// alone.
	Handler http.Handler
	// Bindings are those served, the preferred one first. Nil means a2a.BindingJSONRPC and a2a.BindingHTTPJSON.
	Bindings []string
	// JSONRPCPaths are paths that take JSON-RPC besides the root, such as "/jsonrpc", for clients with a fixed path.
	// Nil means only the root. The card names the root. They are below Path.
	JSONRPCPaths []string
	// GRPC serves gRPC on the same port and, if configured, on a port of its own: see package server/grpc. Nil means
	// that gRPC is not served.
	GRPC GRPC
	// Generations of the protocol that are served. Nil means all there are. a2a.Generation02 and a2a.Generation03 are
	// one to the server: each brings the other.
	Generations []a2a.Generation
	// CardGeneration is the form of the card for requests without A2A-Version. Empty means the union of all forms,
	// which clients of every generation can read.
	CardGeneration a2a.Generation
	// CardGRPC lists gRPC in the card for every client. By default only a request whose Accept names application/grpc
	// sees it there, as those of Dragoman's client do. The reason is that Google ADK refuses a card with an address
	// that has no https scheme. Clients of other makers need CardGRPC to find gRPC by the card.
	CardGRPC bool
	// Codes100 gives errors of 1.0 the HTTP statuses and gRPC codes of edition 1.0.0 instead of those of 1.0.1.
	Codes100 bool
	// RawFiles reads and writes the bytes of files in 0.2 and 0.3, over HTTP+JSON and gRPC, as bytes, like the SDK
	// for JavaScript. By default the server reads both bytes and base64 text in their place, and writes the text,
	// like the SDKs for Python and Go.
	RawFiles bool
	// Interfaces are further ways to reach the agent that this server does not serve itself; the card lists them last.
	// One without a URL is at the address of this server: at its base URL or, for gRPC, at the host and port of that.
	Interfaces []a2a.AgentInterface

	// Authenticator identifies the caller. Nil means that every caller is anonymous. If it is auth.Schemed, like that
	// of auth.Token, a card that names no security scheme gets its schemes.
	Authenticator auth.Authenticator
	// Policy decides whether a caller may do what it asks for, before anything is looked up. Nil allows everything that
	// the scopes in the card's security requirements allow; these count in any case where there is an Authenticator.
	// Policies of package auth/access come from a file; auth.Policies asks several. A message that names no skill needs
	// the scopes of all skills. An agent that does more for a message than the skill it names has to check Turn.Caller,
	// too.
	Policy auth.Policy
	// LeaveScopes leaves the scopes in the card's security requirements to the Service. A gateway does so, because the
	// agent behind it knows what the scopes of a caller are.
	LeaveScopes bool
	// Audit gets a record of each use of an operation, and of each caller who was refused, when it is over. While the
	// log cannot be written, operations are refused as unavailable. Nil means none. The server does not close it.
	Audit *audit.Log
	// AcceptUnversioned serves requests of 1.0 without A2A-Version. The standard wants such requests read as 0.3, which
	// does not have them, so by default they are refused with a hint.
	AcceptUnversioned bool
	// RefuseReopening refuses messages that clients of 0.1 send to tasks that have ended. By default the server takes
	// them, as the documents of April 2025 require: a new task takes over the id, in the same context, and refers to
	// the one before.
	RefuseReopening bool
	// AllowedOrigins are the web origins whose pages may call the server (CORS), "*" for all. Nil means none.
	// Requests that change something are refused when a browser makes them for any other page.
	AllowedOrigins []string
	// CardMaxAge is how long clients may keep the card. 0 means 5 minutes.
	CardMaxAge time.Duration

	Limits Limits

	// Logger gets a line for each request of an operation: at level Debug when it went well, because a written line
	// costs a tenth of a quick request; at Info when the caller was at fault or left early; at Warn when the server
	// could not serve now; at Error when it failed. Nil means slog.Default().
	Logger *slog.Logger

	// TLS makes ListenAndServe serve HTTPS. CertFile and KeyFile, in PEM, do the same without a tls.Config.
	TLS               *tls.Config
	CertFile, KeyFile string

	// OnReady runs once ListenAndServe has bound its address: url is how to reach it from this machine.
	OnReady func(addr net.Addr, url string)
	// Ready says whether the service can serve now, for /readyz, which answers 503 with the text of its error: that of
	// an a2a.Error is for everybody to read, any other one's is not shown. Nil means that it always can. The Ready of
	// an engine.Engine is one.
	Ready func(ctx context.Context) error
	// OnDrain runs when ListenAndServe stops accepting, to bring what is behind the service to its end. The context
	// ends with DrainTimeout. When it returns, requests that are still open are told that the server shuts down.
	OnDrain func(ctx context.Context) error
	// DrainDelay is how long the server goes on taking requests once it is to end, while /readyz answers 503, so that a
	// load balancer stops sending to it before it closes. 0 means 5 seconds if /readyz was asked for in the last
	// minute, and else no delay; below 0 means none.
	DrainDelay time.Duration
	// DrainTimeout is how long open requests may take to end. 0 means 30 seconds.
	DrainTimeout time.Duration
}

// Limits bound what callers can make the server do. A request over a limit gets an error that names it.
type Limits struct {
	Body            int64         // bytes of a request's body; 0 means 8 MiB
	RequestBytes    int64         // of requests above 63.5 KiB that are worked on at once; 0 means 64 MiB
	AnswerBytes     int64         // of answers above 63.5 KiB that are written at once; 0 means 128 MiB
	Wait            time.Duration // for room among those; a request that gets none is refused; 0 means 15 seconds
	Parts           int           // parts of a message; 0 means a2a.MaxParts, 1,000, and at most that
	Depth           int           // levels of nested JSON; 0 means a2a.MaxDepth, 100, and at most that
	StreamsPerOwner int           // open streams of one authenticated caller; 0 means 256
	Streams         int           // open streams of the process; 0 means 10,000
	HeaderTimeout   time.Duration // for reading a request's header; 0 means 10 seconds
	BodyTimeout     time.Duration // for reading a request's body; 0 means 2 minutes
	IdleTimeout     time.Duration // for a connection without a request; 0 means 2 minutes
	// WriteTimeout is for each write; a reader that misses it is cut; 0 means 10 seconds. While other requests wait for
	// room among RequestBytes or AnswerBytes, a large request or answer over HTTP has as long for each MiB, or the
	// rest: a caller that sends or reads slower is cut. So is a large request over gRPC.
	WriteTimeout time.Duration
	// KeepAlive is the time between signs of life on a silent stream; 0 means 15 seconds. A caller of HTTP/1 that
	// closes its sending side, which one that has gone does too, is waited for as long for an answer that is no stream.
	KeepAlive time.Duration
}

// Defaults returns the limits with every zero value replaced by what it means.
func (l Limits) Defaults() Limits {
	l.Body = cmp.Or(l.Body, 8<<20)
	l.RequestBytes = cmp.Or(l.RequestBytes, 64<<20)
	l.AnswerBytes = cmp.Or(l.AnswerBytes, 128<<20)
	l.Wait = cmp.Or(l.Wait, 15*time.Second)
	l.Parts = cmp.Or(l.Parts, a2a.MaxParts)
	l.Depth = cmp.Or(l.Depth, a2a.MaxDepth)
	l.StreamsPerOwner = cmp.Or(l.StreamsPerOwner, 256)
	l.Streams = cmp.Or(l.Streams, 10_000)
	l.HeaderTimeout = cmp.Or(l.HeaderTimeout, 10*time.Second)
	l.BodyTimeout = cmp.Or(l.BodyTimeout, 2*time.Minute)
	l.IdleTimeout = cmp.Or(l.IdleTimeout, 2*time.Minute)
	l.WriteTimeout = cmp.Or(l.WriteTimeout, 10*time.Second)
	l.KeepAlive = cmp.Or(l.KeepAlive, 15*time.Second)
	return l
}

// Defaults returns the options with every zero value that stands for a default replaced by what it means.
func (o Options) Defaults() Options {
	o.Limits = o.Limits.Defaults()
	o.CardMaxAge = cmp.Or(o.CardMaxAge, 5*time.Minute)
	o.DrainTimeout = cmp.Or(o.DrainTimeout, 30*time.Second)
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	if o.Bindings == nil {
		o.Bindings = []string{a2a.BindingJSONRPC, a2a.BindingHTTPJSON}
	}
	if o.Generations == nil {
		o.Generations = wire.Generations
	}
	for gen, twin := range map[a2a.Generation]a2a.Generation{a2a.Generation02: a2a.Generation03,
		a2a.Generation03: a2a.Generation02} {
		if slices.Contains(o.Generations, gen) && !slices.Contains(o.Generations, twin) {
			o.Generations = append(slices.Clip(o.Generations), twin)
		}
	}
	return o
}

// withDefaults returns a checked copy of o, for a Service, in which every option is set.
func (o *Options) withDefaults(svc a2a.Service) (*Options, error) {
	if o == nil {
		o = &Options{}
	}
	c := o.Defaults()
	if carded, ok := svc.(Carded); ok && c.Card == nil && c.CardFunc == nil {
		c.Card = carded.AgentCard()
	}
	c.URL = strings.TrimRight(c.URL, "/")
	return &c, c.check()
}

func (o *Options) check() error {
	if o.Card == nil && o.CardFunc == nil {
		return errors.New("server: the agent has no card; set engine.AgentOptions.Card, or Options.Card or CardFunc " +
			"for a service of your own")
	}
	if o.Card != nil && o.CardFunc != nil {
		return errors.New("server: set only one of Options.Card and Options.CardFunc")
	}
	for _, b := range o.Bindings {
		if b != a2a.BindingJSONRPC && b != a2a.BindingHTTPJSON {
			return fmt.Errorf("server: Options.Bindings: %q is not served here; use %s or %s", b, a2a.BindingJSONRPC,
				a2a.BindingHTTPJSON)
		}
	}
	if err := o.checkGenerations(); err != nil {
		return err
	}
	for _, path := range o.JSONRPCPaths {
		taken := path == cardPath || path == oldCardPath || path == "/healthz" || path == "/readyz"
		if !strings.HasPrefix(path, "/") || taken {
			return fmt.Errorf("server: Options.JSONRPCPaths: %q must begin with a slash and not be a path that the "+
				"server uses", path)
		}
		if !slices.Contains(o.Bindings, a2a.BindingJSONRPC) {
			return fmt.Errorf("server: Options.JSONRPCPaths: %q is of no use without %s in Options.Bindings", path,
				a2a.BindingJSONRPC)
		}
	}
	if (o.CertFile == "") != (o.KeyFile == "") {
		return errors.New("server: Options.CertFile and Options.KeyFile go together")
	}
	if o.URL != "" {
		u, err := url.Parse(o.URL)
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.RawQuery != "" ||
			u.Fragment != "" {
			return fmt.Errorf("server: Options.URL: %q is not an http or https URL without query", o.URL)
		}
	}
	if o.Path != "" && (!strings.HasPrefix(o.Path, "/") || strings.HasSuffix(o.Path, "/")) {
		return fmt.Errorf("server: Options.Path: %q must begin with a slash and not end with one", o.Path)
	}
	return o.checkNumbers()
}

func (o *Options) checkGenerations() error {
	for _, gen := range o.Generations {
		if !slices.Contains(wire.Generations, gen) {
			return fmt.Errorf("server: Options.Generations: %q is none of %q", gen, wire.Generations)
		}
	}
	if gen := o.CardGeneration; gen != "" && !slices.Contains(o.Generations, gen) {
		return fmt.Errorf("server: Options.CardGeneration: %q is not served", gen)
	}
	return nil
}

func (o *Options) checkNumbers() error {
	l := o.Limits
	for name, value := range map[string]int64{
		"CardMaxAge": int64(o.CardMaxAge), "DrainTimeout": int64(o.DrainTimeout),
		"Limits.Body": l.Body, "Limits.RequestBytes": l.RequestBytes, "Limits.AnswerBytes": l.AnswerBytes,
		"Limits.Wait": int64(l.Wait), "Limits.Parts": int64(l.Parts), "Limits.Depth": int64(l.Depth),
		"Limits.StreamsPerOwner": int64(l.StreamsPerOwner), "Limits.Streams": int64(l.Streams),
		"Limits.HeaderTimeout": int64(l.HeaderTimeout), "Limits.BodyTimeout": int64(l.BodyTimeout),
		"Limits.IdleTimeout": int64(l.IdleTimeout), "Limits.WriteTimeout": int64(l.WriteTimeout),
		"Limits.KeepAlive": int64(l.KeepAlive),
	} {
		if value < 0 {
			return fmt.Errorf("server: Options.%s must not be negative", name)
		}
	}
	if l.Parts > a2a.MaxParts {
		return fmt.Errorf("server: Options.Limits.Parts must be at most %d", a2a.MaxParts)
	}
	if l.Depth > a2a.MaxDepth {
		return fmt.Errorf("server: Options.Limits.Depth must be at most %d", a2a.MaxDepth)
	}
	return nil
}
