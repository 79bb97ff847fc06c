// SPDX-License-Identifier: Apache-2.0

package mcp_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	coordmcp "github.com/dragoman-a2a/dragoman/apps/coord/mcp"
)

// The prompt says that something failed inside, without the error.
func TestPromptKeepsErrorsInside(t *testing.T) {
	t.Parallel()
	c := dial(t, &coordmcp.Options{Authorize: func(context.Context, http.Header, string, bool) (string, error) {
		return "", errors.New("open /var/secret/coord.db: disk I/O error")
	}})
	_, err := c.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "join_project",
		Arguments: map[string]string{"project_id": "p"}})
	if err == nil || strings.Contains(err.Error(), "secret") ||
		!strings.Contains(err.Error(), "the log of the coordinator has more") {
		t.Error(err)
	}
}
