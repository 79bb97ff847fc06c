// SPDX-License-Identifier: Apache-2.0

// Package clitest holds helpers for the tests of commands.
package clitest

import (
	"context"
	"fmt"
	"net"
	"os/exec"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// NeedsGit skips a test where git is not there.
func NeedsGit(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not there; install it to run this test, for example: apt-get install git")
	}
}

// Await polls until something is so.
func Await(t *testing.T, so func() bool) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !so(); {
		if time.Now().After(deadline) {
			t.Fatal("it does not come about")
		}
		<-time.After(10 * time.Millisecond)
	}
}

// FreeAddress returns an address of this machine on which nothing listens for now.
func FreeAddress(t testing.TB) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	return ln.Addr().String()
}

// CallTool calls a tool over MCP and returns its answer, which is one text.
func CallTool(ctx context.Context, session *sdk.ClientSession, name string, args map[string]any) ([]byte, error) {
	result, err := session.CallTool(ctx, &sdk.CallToolParams{Name: name, Arguments: args})
	if err != nil {
		return nil, err
	}
	if len(result.Content) == 1 {
		if text, ok := result.Content[0].(*sdk.TextContent); ok {
			return []byte(text.Text), nil
		}
	}
	return nil, fmt.Errorf("%s answers with %v, which is not one text", name, result.Content)
}
