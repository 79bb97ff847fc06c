// SPDX-License-Identifier: Apache-2.0

package mcptools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/dragoman-a2a/dragoman/internal/llm"
)

// ToolError is what a tool says went wrong. Other errors of a call are those of the connection.
type ToolError string

func (e ToolError) Error() string { return string(e) }

// caller calls one tool of the server. Its errors are told to the model.
func (s *Server) caller(name string) func(context.Context, jsontext.Value) (any, error) {
	return func(ctx context.Context, args jsontext.Value) (any, error) {
		ctx, cancel := context.WithTimeoutCause(ctx, s.time, fmt.Errorf("the tool took longer than %s", s.time))
		defer cancel()
		result, err := s.session.CallTool(ctx, &mcp.CallToolParams{Name: name, Arguments: json.RawMessage(args)})
		if err != nil {
			return nil, because(ctx, err)
		}
		if result.NeedsInput() {
			return nil, errors.New("the tool asks questions back, which cannot be answered here")
		}
		told := tell(result)
		if result.IsError {
			return nil, ToolError(told.Text)
		}
		return told, nil
	}
}

// tell converts the result of a tool to text and images. It names content that models do not accept.
func tell(result *mcp.CallToolResult) llm.Result {
	var told llm.Result
	var lines []string
	for _, content := range result.Content {
		switch c := content.(type) {
		case *mcp.TextContent:
			lines = append(lines, c.Text)
		case *mcp.ImageContent:
			told.Images = append(told.Images, llm.Image{MediaType: c.MIMEType, Data: c.Data})
		case *mcp.AudioContent:
			lines = append(lines, fmt.Sprintf("[audio, %s, %d bytes]", c.MIMEType, len(c.Data)))
		case *mcp.ResourceLink:
			lines = append(lines, fmt.Sprintf("[resource %s %s]", c.Name, c.URI))
		case *mcp.EmbeddedResource:
			lines = append(lines, resource(c.Resource))
		}
	}
	if len(lines) == 0 && result.StructuredContent != nil {
		if raw, err := json.Marshal(result.StructuredContent); err == nil {
			lines = append(lines, string(raw))
		}
	}
	if len(lines) == 0 {
		lines = append(lines, "done")
	}
	told.Text = strings.Join(lines, "\n")
	return told
}

// resource is the text of a resource, or what it is.
func resource(r *mcp.ResourceContents) string {
	switch {
	case r == nil:
		return "[resource]"
	case r.Blob != nil:
		return fmt.Sprintf("[resource %s, %s, %d bytes]", r.URI, r.MIMEType, len(r.Blob))
	}
	return r.Text
}

// maxAnswer bounds what a server may answer to one request, in bytes.
const maxAnswer = 32 << 20

// httpClient bounds answers, and follows no redirects.
var httpClient = &http.Client{
	Transport:     boundedTransport{},
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

type boundedTransport struct{}

func (boundedTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	resp.Body = &bounded{ReadCloser: resp.Body, left: maxAnswer}
	return resp, nil
}

type bounded struct {
	io.ReadCloser
	left int64
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, fmt.Errorf("the answer of the MCP server is over the limit of %d MiB", maxAnswer>>20)
	}
	n, err := b.ReadCloser.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}
