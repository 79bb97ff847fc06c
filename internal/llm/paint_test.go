// SPDX-License-Identifier: Apache-2.0

package llm_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dragoman-a2a/dragoman/internal/llm"
	"github.com/dragoman-a2a/dragoman/internal/llm/llmtest"
)

// png begins as PNG files do, so that its type is recognised.
var png = llm.Image{MediaType: "image/png", Data: []byte("\x89PNG\r\n\x1a\nand so on")}

func painter(t *testing.T, o llm.Options) llm.Painter {
	t.Helper()
	m, err := llm.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	p, ok := m.(llm.Painter)
	if !ok {
		t.Fatalf("%T is no Painter", m)
	}
	return p
}

func TestPaint(t *testing.T) {
	t.Parallel()
	from := &llm.Image{MediaType: "image/jpeg", Data: []byte("jpeg")}
	for name, test := range map[string]struct {
		gemini bool
		from   *llm.Image
		path   string
	}{
		"new":         {false, nil, "/v1/images/generations"},
		"edit":        {false, from, "/v1/images/edits"},
		"Gemini":      {true, nil, "/v1/models/scripted:generateContent"},
		"Gemini edit": {true, from, "/v1/models/scripted:generateContent"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := llmtest.New(t, llmtest.Step{Image: &png})
			o := s.Options()
			if test.gemini {
				o.Provider, o.BaseURL = llm.Gemini, o.BaseURL+"/openai"
			}
			got, err := painter(t, o).Paint(t.Context(),
				&llm.PaintRequest{Prompt: "a cat", From: test.from})
			if err != nil || !cmp.Equal(*got, png) {
				t.Fatalf("Paint = %+v, %v", got, err)
			}
			r := s.Last()
			if r.Path != test.path || r.Prompt != "a cat" || r.ModelName != llmtest.ModelName {
				t.Errorf("asked %s, prompt %q, model %q", r.Path, r.Prompt, r.ModelName)
			}
			if diff := cmp.Diff(test.from, r.From); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestPaintErrors(t *testing.T) {
	t.Parallel()
	s := llmtest.Func(t, func(*llmtest.Request) llmtest.Step {
		return llmtest.Step{Status: 400, Code: "content_policy_violation", Message: "no"}
	})
	o := s.Options()
	if _, err := painter(t, o).Paint(t.Context(), &llm.PaintRequest{Prompt: "x"}); !errors.Is(err, llm.ErrRefused) {
		t.Errorf("refused: %v", err)
	}
	if _, err := painter(t, o).Paint(t.Context(),
		&llm.PaintRequest{From: &llm.Image{URL: "https://example.com/a.png"}}); !errors.Is(err, llm.ErrBadRequest) {
		t.Errorf("an image without bytes: %v", err)
	}
	o.ImageModel = ""
	if _, err := painter(t, o).Paint(t.Context(), &llm.PaintRequest{Prompt: "x"}); err == nil ||
		!strings.Contains(err.Error(), "LLM_IMAGE_MODEL") {
		t.Errorf("no model that paints: %v", err)
	}
}
