// SPDX-License-Identifier: Apache-2.0

// Package llmtest is a server that plays a large language model in tests. It speaks the wire format of OpenAI's chat
// completions, streaming included and in the ways of several providers, so that what is tested is what happens with a
// real one.
//
// A script says what it answers, one [Step] a request:
//
//	model := llmtest.New(t,
//		llmtest.Calls(llmtest.Call{Name: "rate", Args: `{"from":"EUR","to":"USD"}`}),
//		llmtest.Text("10 EUR are 11 USD."),
//	)
//	agent := currency.New(currency.Options{Model: model.Model()})
//
// Or a function decides, which can play a sensible model over a table of tests:
//
//	model := llmtest.Func(t, func(r *llmtest.Request) llmtest.Step {
//		if len(r.Results()) == 0 {
//			return llmtest.Calls(llmtest.Call{Name: "rate", Args: ...})
//		}
//		return llmtest.Text("It is " + r.Results()[0].Text)
//	})
//
// The server knows nothing of package llm's client: it encodes and decodes by itself.
package llmtest

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dragoman-a2a/dragoman/internal/llm"
)

// Key is the key that the server wants.
const Key = "test-key-4711"

// ModelName is the name of the model.
const ModelName = "scripted"

// A Step is the answer to one request. Members may be combined: a text and calls, a text that is cut.
type Step struct {
	Text    string
	JSON    any        // encoded, as the text; a string is taken as it is, broken JSON too
	Calls   []Call     // tools to call, together
	Image   *llm.Image // of a request to paint
	Refusal string
	Finish  llm.Finish // ""; what fits the rest
	Usage   llm.Usage  // zero: an estimate
	NoUsage bool       // the server does not count, as some do not

	Status     int           // an error instead of an answer, with this HTTP status
	Code       string        // of the error, such as "context_length_exceeded"
	Message    string        // of the error
	RetryAfter time.Duration // in whole seconds; a header of the error

	Late  string          // an error within the stream, after the text
	Cut   bool            // the connection ends after the text and the first half of the calls
	Stall bool            // after the text the server says nothing until the client leaves
	Left  chan<- struct{} // closed when the client has left a server that stalls; nil: nobody wants to know
	Wait  <-chan struct{} // the answer begins when this is closed; nil: at once
	Whole bool            // calls come whole and all with index 0, as from Gemini; else in the way of the provider
	Plain bool            // one JSON document, although a stream was asked for
	Noise bool            // after the text comes an event that is no JSON
}

// Call is a call of a tool.
type Call struct {
	Name string
	Args string // JSON, or not
	ID   string // "": made up
}

// Text answers with a text.
func Text(text string) Step { return Step{Text: text} }

// JSON answers with a value, such as a schema asks for.
func JSON(value any) Step { return Step{JSON: value} }

// Calls asks for tools to be called.
func Calls(calls ...Call) Step { return Step{Calls: calls} }

// Refuse refuses, as models do.
func Refuse(why string) Step { return Step{Refusal: why} }

// RateLimit answers 429. after is told in whole seconds; 0: not at all.
func RateLimit(after time.Duration) Step {
	return Step{Status: http.StatusTooManyRequests, Code: "rate_limit_exceeded", Message: "Rate limit reached.",
		RetryAfter: after}
}

// Fail answers with an HTTP status.
func Fail(status int, message string) Step { return Step{Status: status, Message: message} }

// CutAfter begins with a text, and then the connection ends.
func CutAfter(text string) Step { return Step{Text: text, Cut: true} }

// Server plays a model. It ends with the test.
type Server struct {
	t        testing.TB
	provider Provider
	http     *httptest.Server
	decide   func(r *Request) Step

	mu       sync.Mutex
	requests []*Request
	signed   map[string]bool // calls, by their ids
}

// New returns a server that plays a script in the manner of OpenAI. A request beyond its end fails the test, and so do
// steps that nobody asked for. [Provider.New] does so in the manner of another provider.
func New(t testing.TB, script ...Step) *Server {
	t.Helper()
	return Provider(llm.OpenAI).New(t, script...)
}

// Func returns a server that asks a function for each answer, in the manner of OpenAI. The function may be called by
// several goroutines. [Provider.Func] does so in the manner of another provider.
func Func(t testing.TB, decide func(r *Request) Step) *Server {
	t.Helper()
	return Provider(llm.OpenAI).Func(t, decide)
}

// Func is the function [Func] with a server that has the ways of the provider.
func (p Provider) Func(t testing.TB, decide func(r *Request) Step) *Server {
	t.Helper()
	s := &Server{t: t, provider: p, decide: decide, signed: map[string]bool{}}
	s.http = httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(func() {
		s.http.CloseClientConnections() // of clients that stalls hold
		s.http.Close()
	})
	return s
}

// URL is the base URL, as OPENAI_BASE_URL wants it.
func (s *Server) URL() string { return s.http.URL + s.provider.path() }

// Options open the server's model.
func (s *Server) Options() llm.Options {
	o := llm.Options{Provider: string(s.provider), BaseURL: s.URL(), Model: ModelName, ImageModel: ModelName, Key: Key}
	if s.provider == llm.Anthropic {
		o.ImageModel = ""
	}
	return o
}

// Model is a model that the server plays, through the client that real ones have.
func (s *Server) Model() llm.Model {
	s.t.Helper()
	m, err := llm.Open(s.Options())
	if err != nil {
		s.t.Fatal(err)
	}
	return m
}

// Env is an environment that names the server, for llm.OptionsFromEnv.
func (s *Server) Env(name string) string {
	return map[string]string{"OPENAI_BASE_URL": s.URL(), "OPENAI_API_KEY": Key, "LLM_MODEL": ModelName}[name]
}

// Requests are those that came, in their order.
func (s *Server) Requests() []*Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]*Request(nil), s.requests...)
}

// Last is the last request; the test fails if there is none.
func (s *Server) Last() *Request {
	s.t.Helper()
	all := s.Requests()
	if len(all) == 0 {
		s.t.Fatal("llmtest: nobody asked the model")
	}
	return all[len(all)-1]
}

// maxBody bounds what a request may send.
const maxBody = 64 << 20

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		return // the client has left
	}
	req, err := parse(r, body)
	if err != nil {
		s.t.Errorf("llmtest: the request is not of the protocol: %v", err)
		s.writeError(w, Fail(http.StatusBadRequest, err.Error()))
		return
	}
	s.mu.Lock()
	s.requests = append(s.requests, req)
	s.mu.Unlock()
	if r.Header.Get("Authorization") != "Bearer "+Key && r.Header.Get("X-Goog-Api-Key") != Key {
		s.writeError(w, s.provider.wrongKey(strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")))
		return
	}
	if step, err := s.unwelcome(req); step != nil {
		if err != nil {
			s.t.Errorf("llmtest: a request that %s refuses: %v", s.provider, err)
		}
		s.writeError(w, *step)
		return
	}
	step := s.decide(req)
	if step.Wait != nil {
		select {
		case <-step.Wait:
		case <-r.Context().Done():
			return
		}
	}
	s.play(w, r, req, step)
}
