// SPDX-License-Identifier: Apache-2.0

// Package llm lets an agent use a large language model: messages, tools, structured output, streaming, images.
//
// A [Model] answers one request. [Run] is what agents mostly need: it gives a [Task] to a model, calls the tools that
// the model asks for, tells the model what they returned, and ends with an [Answer], all within a [Budget].
//
//	model, err := llm.Open(llm.Options{Provider: llm.Gemini, Key: key})
//	answer, err := llm.Run(ctx, model, llm.Task{
//		System:   "You convert currencies. Use the tool for every rate.",
//		Messages: []llm.Message{llm.User("10 EUR in USD?")},
//		Tools:    []llm.Tool{rates},
//	})
//
// [Open] gives a Model that speaks the chat completions of OpenAI, which Gemini, Anthropic, Ollama, vLLM
// and llama.cpp offer as well. Package llm/llmtest has a scripted server for tests, llm/mcptools tools from MCP
// servers.
//
// Texts from models and tools are data from outside. Do not trust them.
package llm

import (
	"context"

	"github.com/go-json-experiment/json/jsontext"
)

// A Model answers requests. It is safe for concurrent use.
type Model interface {
	// Name says which model answers, such as "gemini/gemini-2.5-flash". It holds no secret.
	Name() string

	// Ask sends one request and reads the answer. It makes no tool calls itself. listen gets the text as it comes; nil:
	// nobody listens. A refusal, and an answer that the provider withheld, is an error of the kind [ErrRefused]. The
	// error is an [*Error], or the cause of ctx. The Response is never nil: with an error it holds what came before.
	Ask(ctx context.Context, r *Request, listen func(text string)) (*Response, error)
}

// A Painter makes images. A Model from [Open] is also a Painter, but only a call shows whether its provider can make
// images.
type Painter interface {
	Paint(ctx context.Context, r *PaintRequest) (*Image, error)
}

// PaintRequest asks a [Painter] for one image.
type PaintRequest struct {
	Prompt string
	From   *Image // the image to edit; nil: a new image
}

// Request is one question to a model: the whole conversation, since models remember nothing.
type Request struct {
	System   string         // instructions that come first; "" for none
	Messages []Message      // oldest first
	Tools    []Tool         // what the model may call; their Call members are not used
	Schema   jsontext.Value // JSON Schema of the answer; empty: free text
}

// Role says who speaks in a [Message].
type Role string

// The roles of a conversation. Instructions are not among them: see Request.System.
const (
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant" // the model
	RoleTool      Role = "tool"      // what a tool returned
)

// Message is one turn of a conversation. It encodes to JSON and back, so that agents can save conversations.
type Message struct {
	Role      Role       `json:"role"`
	Text      string     `json:"text,omitzero"`
	Images    []Image    `json:"images,omitempty"`    // after the text
	ToolCalls []ToolCall `json:"toolCalls,omitempty"` // RoleAssistant: what the model wants called
	CallID    string     `json:"callId,omitzero"`     // RoleTool: the ToolCall.ID that this is the result of
}

// User is a message of the user.
func User(text string, images ...Image) Message {
	return Message{Role: RoleUser, Text: text, Images: images}
}

// Assistant is a message of the model.
func Assistant(text string) Message { return Message{Role: RoleAssistant, Text: text} }

// Image is a picture: its bytes, or the URL where the provider finds it.
type Image struct {
	MediaType string `json:"mediaType,omitzero"` // such as "image/png"; needed with Data
	Data      []byte `json:"data,omitempty"`
	URL       string `json:"url,omitzero"` // used when Data is empty
}

// ToolCall is a call that the model asks for.
type ToolCall struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"` // meant to be a JSON object; models do send broken JSON
	// the provider's own, such as a thought signature; sent back as it came
	Extra jsontext.Value `json:"extra,omitempty"`
}

// Finish says why an answer ended.
type Finish string

// The ends of an answer.
const (
	FinishStop      Finish = "stop"           // the model has said it all
	FinishToolCalls Finish = "tool_calls"     // it waits for tools
	FinishLength    Finish = "length"         // it was cut at the model's limit
	FinishFilter    Finish = "content_filter" // the provider withheld it
)

// Usage counts tokens.
type Usage struct {
	Input  int `json:"input"`
	Output int `json:"output"` // reasoning included
}

// Total is the sum of both.
func (u Usage) Total() int { return u.Input + u.Output }

// Response is a whole answer of a model.
type Response struct {
	Message Message
	Finish  Finish
	Usage   Usage // zero when the provider does not tell
}

// A Tool is something the model may have done.
type Tool struct {
	Name        string         // letters, digits, "_" and "-", 64 at most
	Description string         // tells the model what it does and when to call it
	Schema      jsontext.Value // JSON Schema of the arguments, of type object; empty: no arguments

	// Call does it. The arguments are a JSON object that satisfies Schema. A string is told to the model as it is, a
	// [Result] with its images, any other value as JSON. An error is told to the model as well, which may then try
	// something else: its text must be fit for that. Only the end of ctx and an error that wraps [ErrStop] end the run.
	// Calls that the model asks for together run at the same time. Call must return when ctx ends: [Run] waits for it.
	Call func(ctx context.Context, args jsontext.Value) (any, error)
}

// Result is what a [Tool] may return when text alone does not say it.
type Result struct {
	Text   string
	Images []Image
}
