// SPDX-License-Identifier: Apache-2.0

package llm_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/dragoman-a2a/dragoman/internal/llm"
	"github.com/dragoman-a2a/dragoman/internal/llm/llmtest"
)

func TestFromEnv(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		env  string // NAME=value, separated by spaces
		want string // the model's name, or a part of the error
	}{
		"nothing":        {"", "set GEMINI_API_KEY"},
		"gemini":         {"GEMINI_API_KEY=a", "gemini/gemini-flash-latest"},
		"google":         {"GOOGLE_API_KEY=a OPENAI_API_KEY=b", "gemini/gemini-flash-latest"},
		"openai":         {"OPENAI_API_KEY=a ANTHROPIC_API_KEY=b", "openai/gpt-6-luna"},
		"anthropic":      {"ANTHROPIC_API_KEY=a LLM_MODEL=m", "anthropic/m"},
		"own server":     {"OPENAI_BASE_URL=http://localhost:11434/v1 LLM_MODEL=qwen GEMINI_API_KEY=a", "openai/qwen"},
		"which model":    {"OPENAI_BASE_URL=http://localhost:11434/v1", "LLM_MODEL"},
		"no URL":         {"OPENAI_BASE_URL=localhost LLM_MODEL=m", "base URL"},
		"secret in URL":  {"OPENAI_BASE_URL=http://user:secret@h/v1 LLM_MODEL=m", "no user"},
		"broken URL":     {"OPENAI_BASE_URL=http://user:secret@%zz/ LLM_MODEL=m", "cannot be read"},
		"secret, no URL": {"OPENAI_BASE_URL=http://h/v1?key=secret LLM_MODEL=m", "query"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, err := fromEnv(func(name string) string {
				for pair := range strings.FieldsSeq(test.env) {
					if n, v, _ := strings.Cut(pair, "="); n == name {
						return v
					}
				}
				return ""
			})
			var got string
			if err != nil {
				got = err.Error()
			} else {
				got = m.Name()
			}
			if !strings.Contains(got, test.want) || strings.Contains(got, "secret") {
				t.Errorf("got %q, want %q", got, test.want)
			}
			if none := test.env == ""; errors.Is(err, llm.ErrNoModel) != none {
				t.Errorf("ErrNoModel is wrong: %v", err)
			}
		})
	}
}

func TestFromEnvTalksToTheServer(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t, llmtest.Text("hi"))
	m, err := fromEnv(s.Env)
	if err != nil {
		t.Fatal(err)
	}
	if r, err := m.Ask(t.Context(), hello, nil); err != nil || r.Message.Text != "hi" {
		t.Errorf("Ask = %+v, %v", r, err)
	}
}

func TestOpenSaysWhatIsMissing(t *testing.T) {
	t.Parallel()
	for want, o := range map[string]llm.Options{
		"unknown provider": {Provider: "acme", Key: "k"},
		"GEMINI_API_KEY":   {Provider: llm.Gemini},
		"OPENAI_API_KEY":   {},
	} {
		if _, err := llm.Open(o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Open(%v) = %v, want %q", o, err, want)
		}
	}
}

// Each provider has its ways; the server plays them by their names.
func TestProvidersDiffer(t *testing.T) {
	t.Parallel()
	schema := []byte(`{"type":"object"}`)
	for provider, test := range map[string]struct{ inWords bool }{
		llm.OpenAI: {}, llm.Gemini: {}, llm.Anthropic: {inWords: true},
	} {
		t.Run(provider, func(t *testing.T) {
			t.Parallel()
			s := llmtest.New(t, llmtest.JSON("{}"))
			o := s.Options()
			o.Provider, o.Effort = provider, "low"
			m, err := llm.Open(o)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := m.Ask(t.Context(), &llm.Request{Messages: hello.Messages, Schema: schema}, nil); err != nil {
				t.Fatal(err)
			}
			r := s.Last()
			if inWords := len(r.Schema) == 0 && strings.Contains(r.System, string(schema)); inWords != test.inWords {
				t.Errorf("schema in words: %v", inWords)
			}
			if r.Effort != "low" {
				t.Errorf("effort %q", r.Effort)
			}
		})
	}
}

// fromEnv opens the model that an environment names.
func fromEnv(getenv func(string) string) (llm.Model, error) {
	o, err := llm.OptionsFromEnv("", getenv)
	if err != nil {
		return nil, err
	}
	return llm.Open(o)
}
