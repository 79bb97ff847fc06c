// SPDX-License-Identifier: Apache-2.0

package client

import (
	"net"
	"net/http"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/card"
	"github.com/dragoman-a2a/dragoman/internal/wire"
)

// Options tunes a [Client]. The zero value of each field means its default.
type Options struct {
	// HTTPClient makes the requests of the JSON-RPC and HTTP+JSON bindings and fetches the card. Its Timeout and its
	// CheckRedirect do not apply. Nil means one of the client's own, which respects the environment's proxies.
	HTTPClient *http.Client

	Resolver *card.Resolver // finds the card; nil means one of the client's own
	// CardURL is where the card given to [New] came from; [Dial] knows it. Calls with credentials go to interfaces of
	// its origin only. Empty, as for a card in a file, means that the program answers for the card's interfaces. A text
	// that is no URL has no origin.
	CardURL string
	// CredentialsTo are further origins that may get credentials, such as "https://agent.example.com".
	CredentialsTo []string

	// the only bindings to use, the preferred one first; empty means all that are known, in the card's order
	Bindings []string
	// that may be spoken; empty means all, so that the order of the card decides: the agent's preference
	Generations  []a2a.Generation
	Tenant       string        // sent with every call; empty means what the card gives the interface that is called
	Extensions   []string      // URIs of the extensions to activate with every call
	Interceptors []Interceptor // see every call, the first one outermost
	// Credentials returns what sends the credentials for an agent, by its card and where that came from; nil for none.
	// It is the innermost interceptor, under the rules of CardURL.
	Credentials func(card *a2a.AgentCard, cardURL string) Interceptor

	// RawFiles reads and writes the bytes of files to agents of 0.2 and 0.3, over HTTP+JSON and gRPC, as bytes, as
	// agents of the SDK for JavaScript do. False means that both bytes and base64 text in their place are read, and the
	// text is written, as those for Python and Go do.
	RawFiles bool

	Timeout       time.Duration // of a call that is neither a stream nor SendMessage; 0 means 30 s
	SendTimeout   time.Duration // of SendMessage, which may wait for the agent's work; 0 means 10 min
	HeaderTimeout time.Duration // until a stream opens; 0 means 30 s
	IdleTimeout   time.Duration // of a stream on which nothing comes, not even a comment to keep it alive; 0 means 60 s
	ResumeTimeout time.Duration // how long a broken stream is tried to be continued without any success; 0 means 1 min

	PollInterval    time.Duration // first pause between two looks at a task that cannot be streamed; 0 means 500 ms
	MaxPollInterval time.Duration // longest such pause; 0 means 10 s
	Retries         int           // how often a call that only reads is repeated; 0 means 2, less than 0 never

	MaxAnswer int64 // bytes of an answer that is not a stream; 0 means 32 MiB
	MaxEvent  int   // bytes of one event of a stream; 0 means 16 MiB

	ownHTTP bool
}

// Defaults returns the options with every limit that is zero replaced by what that means.
func (o Options) Defaults() Options {
	set(&o.Timeout, 30*time.Second)
	set(&o.SendTimeout, 10*time.Minute)
	set(&o.HeaderTimeout, 30*time.Second)
	set(&o.IdleTimeout, time.Minute)
	set(&o.ResumeTimeout, time.Minute)
	set(&o.PollInterval, 500*time.Millisecond)
	set(&o.MaxPollInterval, 10*time.Second)
	set(&o.Retries, 2)
	set(&o.MaxAnswer, 32<<20)
	set(&o.MaxEvent, 16<<20)
	o.MaxPollInterval = max(o.MaxPollInterval, o.PollInterval)
	if len(o.Generations) == 0 {
		o.Generations = wire.Generations
	}
	return o
}

func (o *Options) withDefaults() {
	*o = o.Defaults()
	if o.HTTPClient == nil {
		o.HTTPClient, o.ownHTTP = &http.Client{Transport: NewHTTPTransport()}, true
	}
}

func set[T comparable](field *T, standard T) {
	var zero T
	if *field == zero {
		*field = standard
	}
}

// release gives up what withDefaults made.
func (o *Options) release() error {
	if o.ownHTTP {
		o.HTTPClient.CloseIdleConnections()
	}
	return nil
}

// NewHTTPTransport returns a transport for many calls to one agent. A [Client] makes one for itself; call
// NewHTTPTransport to wrap or change it before you set Options.HTTPClient. It bounds each step up to the request, but
// not the answer: a stream may take days, and Options bounds the rest. The caller of NewHTTPTransport closes its idle
// connections.
func NewHTTPTransport() *http.Transport {
	return &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		DialContext:            (&net.Dialer{Timeout: 10 * time.Second, KeepAlive: 15 * time.Second}).DialContext,
		TLSHandshakeTimeout:    10 * time.Second,
		ForceAttemptHTTP2:      true,
		MaxIdleConns:           256,
		MaxIdleConnsPerHost:    64, // the default of 2 makes most of many concurrent calls dial anew
		IdleConnTimeout:        90 * time.Second,
		MaxResponseHeaderBytes: 256 << 10,
		// a dead connection is noticed
		HTTP2: &http.HTTP2Config{SendPingTimeout: 15 * time.Second, PingTimeout: 15 * time.Second},
	}
}
