// SPDX-License-Identifier: Apache-2.0

package llm

import "errors"

// Options say which model [Open] opens.
type Options struct {
	Provider string // "gemini", "openai" or "anthropic"; "": openai, also for other servers of its API
	Model    string // "": the provider's usual one; required with a BaseURL of your own
	BaseURL  string // up to and including the version, such as "http://localhost:11434/v1"; "": the provider's
	Key      string // "": none, which local servers accept
}

// Open returns the model of a provider. It connects when the first request is made.
func Open(o Options) (Model, error) { return nil, errors.New("no provider is known yet") }

// FromEnv opens the model that the environment names: OPENAI_BASE_URL with OPENAI_API_KEY, else GEMINI_API_KEY or
// GOOGLE_API_KEY, else OPENAI_API_KEY, else ANTHROPIC_API_KEY; LLM_MODEL names the model. getenv is os.Getenv but in
// tests. [ErrNoModel] means that the environment names none.
func FromEnv(getenv func(string) string) (Model, error) { return nil, ErrNoModel }
