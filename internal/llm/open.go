// SPDX-License-Identifier: Apache-2.0

package llm

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// The providers that [Open] knows. OpenAI stands for every server that speaks its API, by base URL.
const (
	Gemini    = "gemini"
	OpenAI    = "openai"
	Anthropic = "anthropic"
)

// Options say which model [Open] opens.
type Options struct {
	Provider   string        // [Gemini], [OpenAI] or [Anthropic]; "": OpenAI
	Model      string        // "": the provider's usual one; required with a BaseURL
	ImageModel string        // the model that paints; "": the provider's usual one
	BaseURL    string        // up to and including the version, such as "http://localhost:11434/v1"; "": the provider's
	Key        string        `json:"-"` // never shown or logged; "": none, which local servers accept
	Effort     string        // how much to reason ("none", "low", ...), for models that can be told; "": not said
	Idle       time.Duration // how long the provider may be silent; 0: 2 minutes
	Client     *http.Client  // nil: one over [http.DefaultTransport]. Redirects are never followed
}

// String shows the options without the key.
func (o Options) String() string {
	key := "no key"
	if o.Key != "" {
		key = "a key"
	}
	return fmt.Sprintf("%s %s at %s with %s", cmp.Or(o.Provider, OpenAI), cmp.Or(o.Model, "(usual model)"),
		cmp.Or(o.BaseURL, "(usual URL)"), key)
}

// GoString shows the options without the key.
func (o Options) GoString() string { return "llm.Options{" + o.String() + "}" }

// provider is what is known of one.
type provider struct {
	baseURL    string
	model      string // names of models age: these are the ones of November 2026
	effort     string // for that model
	imageModel string // "": it does not paint
	ignores    bool   // it ignores response_format, so that the schema has to be said in words
	keyName    string
}

// providers are the known ones.
var providers = map[string]provider{
	Gemini: {
		baseURL: "https://generativelanguage.googleapis.com/v1beta/openai", model: "gemini-flash-latest",
		imageModel: "gemini-3.1-flash-image", keyName: "GEMINI_API_KEY",
	},
	OpenAI: { // whose newer models call tools in this API only when they do not reason
		baseURL: "https://api.openai.com/v1", model: "gpt-6-luna", effort: "none",
		imageModel: "gpt-image-2.6-flare", keyName: "OPENAI_API_KEY",
	},
	Anthropic: {
		baseURL: "https://api.anthropic.com/v1", model: "claude-haiku-5-5",
		ignores: true, keyName: "ANTHROPIC_API_KEY",
	},
}

// Open returns the model of a provider; it is a [Painter] too. It connects when the first request is made. Errors name
// the option that is wrong.
func Open(o Options) (Model, error) {
	o.Provider = cmp.Or(o.Provider, OpenAI)
	p, ok := providers[o.Provider]
	if !ok {
		return nil, fmt.Errorf("llm: unknown provider %q; choose %s, %s or %s", o.Provider, Gemini, OpenAI, Anthropic)
	}
	if o.BaseURL == "" && o.Key == "" {
		return nil, fmt.Errorf("llm: %s needs a key; set %s, or a base URL of a server that needs none", o.Provider,
			p.keyName)
	}
	base, err := baseURL(cmp.Or(o.BaseURL, p.baseURL))
	if err != nil {
		return nil, err
	}
	if o.BaseURL != "" && o.BaseURL != p.baseURL {
		if o.Model == "" {
			return nil, fmt.Errorf("llm: which model at %s? Set LLM_MODEL, or Options.Model", base)
		}
		p.imageModel = ""
	}
	if base.Scheme == "http" && o.Key != "" && !loopback(base.Hostname()) {
		slog.Warn("llm: the key and everything said to the model go over the network in clear text; use https", "host",
			base.Host)
	}
	if o.Model == "" {
		o.Model, o.Effort = p.model, cmp.Or(o.Effort, p.effort)
	}
	return &client{
		provider: o.Provider, facts: p, model: o.Model, effort: o.Effort,
		imageModel: cmp.Or(o.ImageModel, p.imageModel),
		base:       strings.TrimSuffix(base.String(), "/"), key: o.Key, idle: cmp.Or(o.Idle, 2*time.Minute),
		http: withoutRedirects(o.Client),
	}, nil
}

// baseURL reads the URL of a provider.
func baseURL(raw string) (*url.URL, error) {
	u, err := url.Parse(raw)
	if err != nil {
		// the error of the parser shows the URL, and with it secrets
		return nil, errors.New("llm: the base URL cannot be read")
	}
	switch {
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return nil, errors.New(`llm: the base URL must be like "https://host/v1"`)
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return nil, errors.New("llm: the base URL must have no user, query or fragment; give the key as Options.Key")
	}
	return u, nil
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback() || host == "localhost"
}

// withoutRedirects is a client that follows none: a redirect would carry the conversation to another host.
func withoutRedirects(c *http.Client) *http.Client {
	own := http.Client{}
	if c != nil {
		own = *c
	}
	own.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &own
}

// OptionsFromEnv reads the options of a provider from the environment.
//
// For provider "" the first that is set counts: OPENAI_BASE_URL (with OPENAI_API_KEY or without a key), GEMINI_API_KEY
// or GOOGLE_API_KEY, OPENAI_API_KEY, ANTHROPIC_API_KEY. LLM_MODEL, LLM_IMAGE_MODEL and LLM_EFFORT name the models and
// the effort of reasoning. [ErrNoModel] means that none is set.
func OptionsFromEnv(provider string, getenv func(string) string) (Options, error) {
	gemini := cmp.Or(getenv("GEMINI_API_KEY"), getenv("GOOGLE_API_KEY"))
	base, openai, anthropic := getenv("OPENAI_BASE_URL"), getenv("OPENAI_API_KEY"), getenv("ANTHROPIC_API_KEY")
	if provider == "" {
		switch {
		case base != "":
			provider = OpenAI
		case gemini != "":
			provider = Gemini
		case openai != "":
			provider = OpenAI
		case anthropic != "":
			provider = Anthropic
		default:
			return Options{}, fmt.Errorf("%w: set GEMINI_API_KEY, OPENAI_API_KEY, ANTHROPIC_API_KEY or OPENAI_BASE_URL",
				ErrNoModel)
		}
	}
	o := Options{Provider: provider, Model: getenv("LLM_MODEL"), ImageModel: getenv("LLM_IMAGE_MODEL"),
		Effort: getenv("LLM_EFFORT")}
	switch provider {
	case OpenAI:
		o.BaseURL, o.Key = base, openai
	case Gemini:
		o.Key = gemini
	case Anthropic:
		o.Key = anthropic
	}
	return o, nil
}
