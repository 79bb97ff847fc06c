// SPDX-License-Identifier: Apache-2.0

// Package reply has what several samples answer with: a text beside data, text from outside on one line, and the errors
// of language models in words for callers.
package reply

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/internal/llm"
)

// Artifact gives a text and the same as data, each as far as the client accepts it. A nil value is no data.
func Artifact(t *agent.Turn, name, text string, value any) error {
	if value == nil || !t.Accepts("application/json") {
		return t.Artifact(name, a2a.TextPart(text))
	}
	data, err := a2a.DataPart(value)
	if err != nil {
		return fmt.Errorf("encode the result: %w", err)
	}
	data.MediaType = "application/json"
	if !t.Accepts("text/plain") {
		return t.Artifact(name, data)
	}
	return t.Artifact(name, a2a.TextPart(text), data)
}

// Line makes one line of a text from outside, of at most limit characters. It leaves out the characters that do
// something instead of showing something.
func Line(s string, limit int) string {
	s = strings.Join(strings.FieldsFunc(strings.ToValidUTF8(s, "\uFFFD"), func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r) || unicode.Is(unicode.Cf, r)
	}), " ")
	if letters := []rune(s); len(letters) > limit {
		return string(letters[:limit]) + "…"
	}
	return s
}

// And lists words: "a, b and c".
func And(words []string) string {
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + " and " + words[last]
}

// ModelError ends the task of a language model that gave no answer. Its text is for the caller, its cause for the log.
func ModelError(ctx context.Context, err error) error {
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, llm.ErrRefused):
		return agent.Reject(a2a.TextPart("The language model refuses this request."))
	case errors.Is(err, llm.ErrRateLimit):
		return agent.Public("The language model is busy. Please try again later.", err)
	}
	return agent.Public("The language model could not be asked. Please try again later.", err)
}
