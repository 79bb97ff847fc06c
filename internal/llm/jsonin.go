// SPDX-License-Identifier: Apache-2.0

package llm

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// jsonIn finds the JSON text in a model's answer: the whole, or what a fence of Markdown encloses, which models write
// when nothing but instructions holds them to JSON.
func jsonIn(text string) jsontext.Value {
	text = strings.TrimSpace(text)
	if value := jsontext.Value(text); value.IsValid() {
		return value
	}
	_, inside, found := strings.Cut(text, "```")
	if !found {
		return jsontext.Value(text)
	}
	if _, rest, ok := strings.Cut(inside, "\n"); ok {
		inside, _, _ = strings.Cut(rest, "```")
	}
	return jsontext.Value(strings.TrimSpace(inside))
}
