// SPDX-License-Identifier: Apache-2.0

package llm

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"io"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"net/url"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

var _ Painter = (*client)(nil)

// Paint makes one image. Gemini is asked in its own API, as its compatible one cannot edit.
func (c *client) Paint(ctx context.Context, r *PaintRequest) (*Image, error) {
	if c.imageModel == "" {
		return nil, &Error{Kind: ErrBadRequest, Message: "no model that paints is known at " + c.provider +
			"; set LLM_IMAGE_MODEL"}
	}
	if r.From != nil && len(r.From.Data) == 0 {
		return nil, &Error{Kind: ErrBadRequest, Message: "the image to edit has no bytes; fetch it first"}
	}
	native, isNative := strings.CutSuffix(c.base, "/openai")
	switch {
	case c.provider == Gemini && isNative:
		return c.paintGemini(ctx, native, r)
	case r.From != nil:
		return c.edit(ctx, r)
	}
	body := map[string]any{"model": c.imageModel, "prompt": r.Prompt, "n": 1}
	if c.base != providers[OpenAI].baseURL {
		body["response_format"] = "b64_json" // OpenAI's newer models give nothing else and refuse to be asked
	}
	raw, err := json.Marshal(body, json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return nil, &Error{Kind: ErrBadRequest, Err: err}
	}
	return c.paint(ctx, c.base+"/images/generations", "application/json", raw)
}

// edit asks for an image that is made of others.
func (c *client) edit(ctx context.Context, r *PaintRequest) (*Image, error) {
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	form.WriteField("model", c.imageModel) // into memory: it does not fail
	form.WriteField("prompt", r.Prompt)
	part, err := form.CreatePart(textproto.MIMEHeader{
		"Content-Type":        {r.From.mediaType()},
		"Content-Disposition": {`form-data; name="image"; filename="0"`},
	})
	if err != nil {
		return nil, &Error{Kind: ErrBadRequest, Err: err}
	}
	part.Write(r.From.Data)
	form.Close()
	return c.paint(ctx, c.base+"/images/edits", form.FormDataContentType(), body.Bytes())
}

// paint sends a request of OpenAI's images API.
func (c *client) paint(ctx context.Context, url, contentType string, body []byte) (*Image, error) {
	var answer struct {
		Data []struct {
			Base64 []byte `json:"b64_json"`
			URL    string `json:"url"`
		} `json:"data"`
	}
	if err := c.exchange(ctx, url, contentType, body, &answer); err != nil {
		return nil, err
	}
	for _, d := range answer.Data {
		if len(d.Base64) > 0 {
			return &Image{MediaType: http.DetectContentType(d.Base64), Data: d.Base64}, nil
		}
		if d.URL != "" {
			return imageAt(d.URL)
		}
	}
	return nil, noImage("")
}

func (i *Image) mediaType() string { return cmp.Or(i.MediaType, http.DetectContentType(i.Data)) }

// imageAt is the image of a link: its bytes, if it is a data URL.
func imageAt(link string) (*Image, error) {
	data, ok := strings.CutPrefix(link, "data:")
	if !ok {
		return &Image{URL: link}, nil
	}
	head, body, _ := strings.Cut(data, ",")
	mediaType, ok := strings.CutSuffix(head, ";base64")
	raw, err := base64.StdEncoding.DecodeString(body)
	if !ok || err != nil {
		return nil, &Error{Kind: ErrBadOutput, Message: "the image is not in base64"}
	}
	return &Image{MediaType: mediaType, Data: raw}, nil
}

// noImage is the error of an answer that has none, but maybe words.
func noImage(said string) error {
	return &Error{Kind: ErrRefused, Message: strings.TrimSuffix("there is no image in the answer: "+said, ": ")}
}

type geminiPart struct {
	Text   string      `json:"text,omitzero"`
	Inline *geminiBlob `json:"inlineData,omitzero"`
}

type geminiBlob struct {
	MimeType string `json:"mimeType"`
	Data     []byte `json:"data"`
}

type geminiContent struct {
	Role  string       `json:"role,omitzero"`
	Parts []geminiPart `json:"parts"`
}

// paintGemini asks in Gemini's own API, whose models paint while they talk.
func (c *client) paintGemini(ctx context.Context, base string, r *PaintRequest) (*Image, error) {
	content := geminiContent{Role: "user", Parts: []geminiPart{{Text: r.Prompt}}}
	if r.From != nil {
		content.Parts = append(content.Parts, geminiPart{Inline: &geminiBlob{r.From.mediaType(), r.From.Data}})
	}
	raw, err := json.Marshal(map[string]any{
		"contents":         []geminiContent{content},
		"generationConfig": map[string]any{"responseModalities": []string{"TEXT", "IMAGE"}},
	}, json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return nil, &Error{Kind: ErrBadRequest, Err: err}
	}
	var answer struct {
		Candidates []struct {
			Content geminiContent `json:"content"`
		} `json:"candidates"`
	}
	if err := c.exchange(ctx, base+"/models/"+url.PathEscape(c.imageModel)+":generateContent", "application/json", raw,
		&answer); err != nil {
		return nil, err
	}
	var said string
	for _, candidate := range answer.Candidates {
		for _, p := range candidate.Content.Parts {
			if p.Inline != nil && len(p.Inline.Data) > 0 {
				return &Image{MediaType: p.Inline.MimeType, Data: p.Inline.Data}, nil
			}
			said += p.Text
		}
	}
	return nil, noImage(c.clean(said))
}

// exchange sends a request and reads the one document that answers it.
func (c *client) exchange(ctx context.Context, url, contentType string, body []byte, answer any) error {
	r, err := c.post(ctx, url, contentType, body)
	if err != nil {
		return err
	}
	defer r.close()
	raw, err := io.ReadAll(r.body)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(raw, answer, lenient); err != nil {
		return &Error{Kind: ErrBadOutput, Message: "the provider does not speak the protocol", Err: err}
	}
	return nil
}
