// SPDX-License-Identifier: Apache-2.0

package images

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/apps/samples/images/paint"
	"github.com/dragoman-a2a/dragoman/apps/samples/internal/reply"
	"github.com/dragoman-a2a/dragoman/internal/llm"
)

//go:embed data/instructions.md
var instructionsText string

//go:embed data/request.schema.json
var requestSchema jsontext.Value

// instructions tell a model what the painter can do; they are made of the painter's own lists.
func instructions() string {
	list := func(names []string) string { return strings.Join(names, ", ") }
	return strings.NewReplacer("{subjects}", list(paint.Subjects()), "{places}", list(paint.Places), "{backgrounds}",
		list(paint.Backgrounds),
		"{edits}", list(paint.Edits), "{filters}", list(paint.Filters), "{sides}",
		fmt.Sprintf("%d to %d", paint.MinSide, paint.MaxSide),
	).Replace(instructionsText)
}

func byModel(ctx context.Context, model llm.Model, text string, from *paint.Picture) (paint.Request, error) {
	var r paint.Request
	answer, err := llm.Run(ctx, model, llm.Task{
		System:   instructions(),
		Messages: []llm.Message{llm.User(situation(from) + "\n\nThe user's message:\n" + text)},
		Schema:   requestSchema,
		Budget:   llm.Budget{Calls: 3},
	})
	if err != nil {
		return r, reply.ModelError(ctx, err)
	}
	if err := json.Unmarshal(answer.JSON, &r); err != nil {
		return r, agent.Public("The language model answered in a form that cannot be used. Please try again.", err)
	}
	return r.Completed(text, from != nil), nil
}

// situation tells a model which picture there is.
func situation(from *paint.Picture) string {
	switch {
	case from == nil:
		return "There is no picture yet."
	case from.Scene == nil:
		return fmt.Sprintf("There is a picture of %d × %d pixels; what it shows is not known, so only filters and "+
			"recolour work.",
			from.Pixels.Rect.Dx(), from.Pixels.Rect.Dy())
	}
	scene, err := json.Marshal(from.Scene, json.Deterministic(true))
	if err != nil {
		return "There is a picture."
	}
	return "There is a picture of this scene: " + string(scene)
}

// paintedBy has a model paint. It returns nil when the model, or its provider, cannot: then the offline renderer does.
func paintedBy(ctx context.Context, painter llm.Painter, prompt string, from *paint.Picture) (*paint.Picture, error) {
	request := &llm.PaintRequest{Prompt: prompt}
	if from != nil {
		pixels, err := from.Render(ctx)
		if err != nil {
			return nil, err
		}
		content, err := paint.Encode(pixels, paint.PNG)
		if err != nil {
			return nil, err
		}
		request.From = &llm.Image{MediaType: paint.PNG, Data: content}
	}
	img, err := painter.Paint(ctx, request)
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case errors.Is(err, llm.ErrRefused):
		return nil, reply.ModelError(ctx, err)
	case err != nil:
		return nil, nil
	}
	pixels, err := paint.Decode(img.Data)
	if err != nil {
		return nil, nil // an address, or a form that this program cannot read
	}
	return &paint.Picture{Pixels: pixels}, nil
}
