// SPDX-License-Identifier: Apache-2.0

package llmtest

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/dragoman-a2a/dragoman/internal/llm"
)

// A Provider is one whose ways a server plays: [llm.OpenAI], [llm.Gemini] or [llm.Anthropic]. All speak the chat
// completions of OpenAI, and each differs in its own way:
//
//   - OpenAI sends the calls of tools in pieces that may be mixed, says that it refuses, and answers by a schema.
//   - Gemini sends calls whole and all with index 0, signs the first of an answer and wants the signature back, counts
//     tokens in each event, takes no schema together with tools, describes errors in a list, and says there how long to
//     wait. A wrong key is a bad request. It paints in an API of its own.
//   - Anthropic ignores a schema, so that its JSON stands in a fence below a sentence, takes no empty messages, sends
//     calls one after the other, and does not paint.
//
// The latter two withhold an answer where OpenAI has words for a refusal.
type Provider string

// Providers are those whose ways are known.
var Providers = []Provider{llm.OpenAI, llm.Gemini, llm.Anthropic}

// Each runs a test for each provider, all at the same time.
func Each(t *testing.T, test func(t *testing.T, p Provider)) {
	t.Helper()
	for _, p := range Providers {
		t.Run(string(p), func(t *testing.T) {
			t.Parallel()
			test(t, p)
		})
	}
}

// New is the function [New] with a server that has the ways of the provider.
func (p Provider) New(t testing.TB, script ...Step) *Server {
	t.Helper()
	var mu sync.Mutex
	next := 0
	s := p.Func(t, func(*Request) Step {
		mu.Lock()
		defer mu.Unlock()
		if next == len(script) {
			t.Errorf("llmtest: a request after the end of the script, which has %d steps", len(script))
			return Fail(http.StatusBadRequest, "the script has ended")
		}
		next++
		return script[next-1]
	})
	t.Cleanup(func() {
		mu.Lock()
		defer mu.Unlock()
		if next < len(script) && !t.Failed() {
			t.Errorf("llmtest: %d of %d steps were played", next, len(script))
		}
	})
	return s
}

// path is where the provider's API begins.
func (p Provider) path() string {
	if p == llm.Gemini {
		return "/v1beta/openai"
	}
	return "/v1"
}

// unwelcome is the answer to a request that the provider does not take; nil for all others. The error says that no
// client should have sent it.
func (s *Server) unwelcome(r *Request) (*Step, error) {
	switch p := s.provider; {
	case p == llm.Gemini && len(r.Schema) > 0 && len(r.Tools) > 0:
		step := Fail(http.StatusBadRequest, "Function calling with a response mime type: 'application/json' is "+
			"unsupported")
		return &step, nil
	case p == llm.Gemini:
		return s.unsigned(r)
	case p == llm.Anthropic && r.Prompt != "":
		step := Fail(http.StatusNotFound, "Not Found")
		return &step, nil
	case p == llm.Anthropic:
		return empty(r)
	}
	return nil, nil
}

// signature is what Gemini signs a call with.
func signature(id string) string { return "signature of " + id }

// skipSignature is what Gemini takes for the signature of a call that no model of it has made.
const skipSignature = "skip_thought_signature_validator"

// unsigned looks for calls that come back without the signature that they were sent with, and for those of others
// without any.
func (s *Server) unsigned(r *Request) (*Step, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, m := range r.Messages {
		if len(m.ToolCalls) == 0 {
			continue
		}
		first := m.ToolCalls[0]
		want := skipSignature
		if s.signed[first.ID] {
			want = signature(first.ID)
		}
		if strings.Contains(string(first.Extra), `"`+want+`"`) {
			continue
		}
		step := Fail(http.StatusBadRequest, "Function call is missing a thought_signature in functionCall parts.")
		return &step, fmt.Errorf("call %s of message %d is not signed with %q, but with %q", first.Name, i, want,
			first.Extra)
	}
	return nil, nil
}

// empty looks for messages that say nothing.
func empty(r *Request) (*Step, error) {
	for i, m := range r.Messages {
		if m.Role != llm.RoleTool && strings.TrimSpace(m.Text) == "" && len(m.ToolCalls)+len(m.Images) == 0 {
			step := Fail(http.StatusBadRequest, "messages: text content blocks must be non-empty")
			return &step, fmt.Errorf("message %d, of the %s, says nothing", i, m.Role)
		}
	}
	return nil, nil
}

// withhold makes of a refusal what the provider makes of it.
func (p Provider) withhold(step Step) Step {
	if p != llm.OpenAI && step.Refusal != "" {
		step.Text, step.Refusal, step.Finish = "", "", llm.FinishFilter
	}
	return step
}

// inWords is JSON as the provider's models write it.
func (p Provider) inWords(raw string) string {
	if p == llm.Anthropic { // nothing holds it to JSON but words
		return "Here is the answer:\n```json\n" + raw + "\n```"
	}
	return raw
}

// wrongKey is the answer to a request with another key.
func (p Provider) wrongKey(key string) Step {
	switch p {
	case llm.Gemini:
		return Fail(http.StatusBadRequest, "API key not valid. Please pass a valid API key.")
	case llm.Anthropic:
		return Fail(http.StatusUnauthorized, "invalid x-api-key")
	}
	return Step{Status: http.StatusUnauthorized, Code: "invalid_api_key", Message: "Incorrect API key provided: " + key}
}

// words of statuses, as Gemini and Anthropic have them.
var (
	geminiStatus = map[int]string{400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED",
		404: "NOT_FOUND",
		429: "RESOURCE_EXHAUSTED", 503: "UNAVAILABLE"}
	anthropicType = map[int]string{400: "invalid_request_error", 401: "authentication_error", 403: "permission_error",
		404: "not_found_error", 429: "rate_limit_error", 529: "overloaded_error"}
)

// complaint is the body of an error.
func (p Provider) complaint(step Step) any {
	switch p {
	case llm.Gemini:
		e := object{"code": step.Status, "message": step.Message, "status": geminiStatus[step.Status]}
		if step.RetryAfter > 0 {
			e["details"] = []object{
				{"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": []object{{"quotaValue": "10"}}},
				{"@type": "type.googleapis.com/google.rpc.RetryInfo",
					"retryDelay": fmt.Sprintf("%gs", step.RetryAfter.Seconds())},
			}
		}
		return []object{{"error": e}}
	case llm.Anthropic:
		return object{"error": object{"message": step.Message, "type": anthropicType[step.Status], "param": nil,
			"code": nil}}
	}
	return object{"error": object{"message": step.Message, "type": "error", "param": nil, "code": step.Code}}
}
