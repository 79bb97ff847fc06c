// SPDX-License-Identifier: Apache-2.0

package mcpstdio

import (
	"bufio"
	"bytes"
	"io"
	"strings"
	"testing"
)

// The server answers a line that is not a valid message with an error, and reads the lines after it.
func TestMessagesThatCannotBeRead(t *testing.T) {
	t.Parallel()
	const good = `{"jsonrpc":"2.0","id":9,"method":"ping"}`
	long := strings.Repeat("x", 10000)
	for _, test := range []struct{ version, line, want string }{
		{"", "garbage", `"id":null,"error":{"code":-32700`},
		{"", `{"jsonrpc":"2.0","id":1,"method":"ping"} more`, `"error":{"code":-32700`},
		{"", `{"jsonrpc":"2.0","id":1,`, `"id":1,"error":{"code":-32700`},
		{"", `{"jsonrpc":"1.0","id":1,"method":"ping"}`, `"id":1,"error":{"code":-32600`},
		{"", `{"jsonrpc":"2.0","id":"a","method":7}`, `"id":"a","error":{"code":-32600`},
		{"", `{}`, `"id":null,"error":{"code":-32600`},
		{"", `5`, `"id":null,"error":{"code":-32600`},
		{"", `[]`, "the batch is empty"},
		{"", `[` + good + `,7]`, "no message of JSON-RPC"},
		{"", `[` + good + `,` + good + `]`, "an id twice"},
		{"2025-06-18", `[` + good + `]`, "one message a line"},
		{"", `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"x":"` + long + `"}}`,
			`"id":3,"error":{"code":-32600,"message":"the message is longer`},
		{"", `{"method":"tools/call","params":{"x":"` + long + `","id":5},"jsonrpc":"2.0","id":"end"}`,
			`"id":"end","error":{"code":-32600`},
		{"", `{"method":"tools/call","params":{"id":7,"x":"` + long + `"}}`, `"id":null,"error":{"code":-32600`},
		{"", "", ""},
		{"2025-03-26", `[` + good + `]`, ""},
	} {
		var said bytes.Buffer
		out := &messageWriter{to: &said, version: test.version}
		input := test.line + "\r\n" + good
		passed, err := io.ReadAll(&messageReader{from: bufio.NewReader(strings.NewReader(input)), errors: out,
			limit: 9000})
		if err != nil {
			t.Fatal(err)
		}
		want := good + "\n"
		if test.want == "" && test.line != "" {
			want = test.line + "\n" + want
		}
		if string(passed) != want || !strings.Contains(said.String(), test.want) ||
			(test.want == "") != (said.Len() == 0) {
			t.Errorf("%.100s: passed %q, said %s", test.line, passed, &said)
		}
	}
}
