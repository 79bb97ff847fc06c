// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"errors"

	"github.com/dragoman-a2a/dragoman/internal/cmdline"
	"github.com/dragoman-a2a/dragoman/internal/llm"
)

// The values of --llm that name no provider.
const (
	llmOff  = "off"  // rules
	llmAuto = "auto" // the model that the environment names, or rules
)

// openModel opens the language model that --llm names, in the environment's settings unless name or baseURL replace
// them; nil for rules.
func (c *command) openModel(provider, name, baseURL string) (llm.Model, error) {
	if provider == llmOff {
		return nil, nil
	}
	known := provider
	if known == llmAuto {
		known = ""
	}
	options, err := llm.OptionsFromEnv(known, c.Env)
	if errors.Is(err, llm.ErrNoModel) && provider == llmAuto {
		c.Warn("--llm auto found no language model and uses rules; " +
			"set GEMINI_API_KEY, OPENAI_API_KEY, ANTHROPIC_API_KEY or OPENAI_BASE_URL")
		return nil, nil
	}
	if err == nil {
		if name != "" {
			options.Model = name
		}
		if baseURL != "" {
			options.BaseURL = baseURL
		}
		var model llm.Model
		if model, err = llm.Open(options); err == nil {
			return model, nil
		}
	}
	return nil, cmdline.Usagef("--llm is %q: %v", provider, err).
		WithHint("use off, auto, gemini, openai or anthropic, with the key in the environment")
}
