// SPDX-License-Identifier: Apache-2.0

// Package modelflag opens the language model that the flag --llm names.
package modelflag

import (
	"cmp"
	"errors"

	"github.com/dragoman-a2a/dragoman/internal/cmdline"
	"github.com/dragoman-a2a/dragoman/internal/llm"
)

// The values of --llm that name no provider.
const (
	Off  = "off"  // rules
	auto = "auto" // the model that the environment names, or rules
)

// Values are all values of --llm.
var Values = []string{Off, auto, llm.Gemini, llm.OpenAI, llm.Anthropic}

// Open opens the language model that --llm names, with the settings of the environment unless name or baseURL replace
// them. It returns nil for rules.
func Open(run *cmdline.Run, provider, name, baseURL string) (llm.Model, error) {
	if provider == Off {
		return nil, nil
	}
	known := provider
	if known == auto {
		known = ""
	}
	options, err := llm.OptionsFromEnv(known, run.Env)
	if errors.Is(err, llm.ErrNoModel) && provider == auto {
		run.Warn("--llm auto found no language model and uses rules; " +
			"set GEMINI_API_KEY, OPENAI_API_KEY, ANTHROPIC_API_KEY or OPENAI_BASE_URL")
		return nil, nil
	}
	var model llm.Model
	if err == nil {
		options.Model, options.BaseURL = cmp.Or(name, options.Model), cmp.Or(baseURL, options.BaseURL)
		model, err = llm.Open(options)
	}
	if err != nil {
		return nil, cmdline.Usagef("--llm is %q: %v", provider, err).
			WithHint("use off, auto, gemini, openai or anthropic, with the key in the environment")
	}
	return model, nil
}
