// SPDX-License-Identifier: Apache-2.0

package pushcmd_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/dragoman-a2a/dragoman/internal/cli"
	"github.com/dragoman-a2a/dragoman/push"
)

func TestListen(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var out bytes.Buffer
	told, stderr := io.Pipe()
	r := cli.Run{Program: "dragoman", Args: []string{"push", "listen", "-o", "json", "--webhook-token", "x"},
		Stdin: strings.NewReader(""), Stdout: &out, Stderr: stderr,
		LookupEnv: func(string) (string, bool) { return "", false }}
	done := make(chan int, 1)
	go func() {
		done <- r.Do(ctx)
		stderr.Close()
	}()
	lines := bufio.NewScanner(told)
	if !lines.Scan() {
		t.Fatal("nothing is told")
	}
	address := lines.Text()[strings.Index(lines.Text(), "http://"):]
	go io.Copy(io.Discard, told)
	for token, want := range map[string]int{"x": http.StatusNoContent, "y": http.StatusForbidden} {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, address,
			strings.NewReader(`{"kind":"task","id":"t","contextId":"c","status":{"state":"working"}}`))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set(push.HeaderToken, token)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != want {
			t.Errorf("%q is answered with %d", token, resp.StatusCode)
		}
	}
	stop()
	<-done
	var shown struct{ Task struct{ ID string } }
	if err := json.Unmarshal(out.Bytes(), &shown); err != nil || shown.Task.ID != "t" {
		t.Errorf("shown %q, %v", out.String(), err)
	}
}
