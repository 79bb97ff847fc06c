// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/dragoman-a2a/dragoman/internal/cmdline"
	"github.com/dragoman-a2a/dragoman/internal/llm/mcptools"
)

// flagMCP names the flag with MCP servers.
const flagMCP = "mcp"

// openTools connects the MCP servers that the flags name. Of several, the tools get the number of theirs in their
// names.
func (w *sampleHost) openTools(ctx context.Context) error {
	named := w.options.samples.mcp
	for i, ref := range named {
		var options mcptools.Options
		shown := ref
		if strings.HasPrefix(ref, "http://") || strings.HasPrefix(ref, "https://") {
			options.URL = ref
			if u, err := url.Parse(ref); err == nil {
				shown = u.Redacted()
			}
		} else {
			options.Command = append(slices.Clone(shell), ref)
		}
		if len(named) > 1 {
			options.Prefix = fmt.Sprintf("server%d_", i+1)
		}
		server, err := mcptools.Open(ctx, options)
		if err != nil {
			return &cmdline.Failure{Exit: cmdline.ExitUnreachable, Code: cmdline.CodeUnreachable,
				Message: fmt.Sprintf("--mcp is %q: %v", shown, err),
				Hint: "give the URL of an MCP server, or a command that speaks MCP over its standard input and " +
					"output"}
		}
		w.servers = append(w.servers, server)
		w.tools = append(w.tools, server.Tools()...)
	}
	return nil
}

// closeTools takes leave of the servers. One that has ended before, as Ctrl-C ends commands too, is no failure.
func (w *sampleHost) closeTools() {
	for _, server := range w.servers {
		if err := server.Close(); err != nil {
			w.logger.Debug("an MCP server did not end well", "error", err)
		}
	}
}
