// SPDX-License-Identifier: Apache-2.0

//go:build unix

package coordcmd_test

import (
	"bufio"
	"io"
	"strings"
	"syscall"
	"testing"

	"github.com/dragoman-a2a/dragoman/internal/clitest"
)

// A client never sees errors about the headers between proxy and coordinator, nor the answers of the SDK that have no
// code or are for calls that were cancelled.
func TestStdioAnswersAsMCPHasIt(t *testing.T) {
	t.Parallel()
	data, url := t.TempDir(), "http://"+clitest.FreeAddress(t)
	t.Cleanup(func() { stopDaemon(t, data, syscall.SIGTERM) })
	cmd := clitest.Command(t, []string{"DRAGOMAN_COORD=" + url, "DRAGOMAN_DATA_DIR=" + data, "DRAGOMAN_PROJECT=p"},
		"coord", "stdio")
	in, out := startRaw(t, cmd)
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	lines := bufio.NewReader(out)
	say := func(message string) {
		t.Helper()
		if _, err := io.WriteString(in, message+"\n"); err != nil {
			t.Fatal(err)
		}
	}
	ask := func(id, method, params, want string) {
		t.Helper()
		say(`{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `","params":` + params + `}`)
		line, err := lines.ReadString('\n')
		if err != nil || !strings.HasPrefix(line, `{"jsonrpc":"2.0","id":`+id+`,`) || !strings.Contains(line, want) ||
			strings.Contains(line, "eader") {
			t.Errorf("%s %s\nis answered with\n%s(%v), without %s", method, params, line, err, want)
		}
	}
	ask("1", "tools/list", `{}`, `"error":{"code":-32600`)
	ask("2", "ping", `{}`, `"result"`)
	ask("3", "tools/list", `{}`, `"error":{"code":-32600`)
	ask("4", "initialize", `{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}`,
		`"result"`)
	say(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	for _, name := range []string{``, ` add_todo`, `größe`, `a\nb`} {
		ask("5", "tools/call", `{"name":"`+name+`"}`, `"error":{"code":-32602,"message":"unknown tool`)
		ask("6", "prompts/get", `{"name":"`+name+`"}`, `"error":{"code":-32602,"message":"unknown prompt`)
		ask("7", "resources/read", `{"uri":"`+name+`"}`, `"error":{"code":-32602,"message":"Resource not found"`)
	}
	ask("8", "prompts/list", `{}`, `{"name":"project_id","description":"Project identifier"}`)
	ask("9", "resources/read", `{"uri":"dragoman://p/inbox/a"}`, `"cacheScope":"private"`)
	for _, name := range []string{"a", "b"} {
		ask("10", "tools/call", `{"name":"register_agent","arguments":{"session_name":"`+name+
			`","task_id":"1","branch":"","description":""}}`, "registered")
	}
	say(
		`{"jsonrpc":"2.0","id":11,"method":"tools/call","params":{"name":"query_agent",` +
			`"arguments":{"from_session":"a","to_session":"b","query_type":"q","query":"Who?","timeout":300}}}`)
	look := `{"name":"check_messages","arguments":{"session_name":"b","peek":true}}`
	inbox := func(want string) bool {
		say(`{"jsonrpc":"2.0","id":"look","method":"tools/call","params":` + look + `}`)
		line, err := lines.ReadString('\n')
		if err != nil || !strings.HasPrefix(line, `{"jsonrpc":"2.0","id":"look",`) {
			t.Fatalf("%s(%v)", line, err)
		}
		return strings.Contains(line, want)
	}
	clitest.Await(t, func() bool { return inbox("Who?") })
	say(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":11}}`)
	clitest.Await(t, func() bool { return inbox(`"text":"[]"`) }) // it has ended, and nothing was said of it
	ask("12", "ping", `{}`, `"result"`)
}
