// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/dragoman-a2a/dragoman/internal/clitest"
)

// servers are the commands that serve, with the option that names their address, and a request of theirs.
var servers = []struct {
	args               []string // AGENT is the URL of an agent, FILE a file that does not exist, TAPE a cassette
	addr               string
	method, path, body string
}{
	{[]string{"serve", "--echo"}, "--addr", "POST", "/", rpcGet},
	{[]string{"samples", "up", "--data-dir", ":memory:"}, "--addr", "POST", "/agents/hello", rpcGet},
	{[]string{"host", "-a", "AGENT", "--data-dir", ":memory:"}, "--serve", "POST", "/", rpcGet},
	{[]string{"gateway", "-a", "AGENT"}, "--addr", "POST", "/", rpcGet},
	{[]string{"registry", "serve", "--data-dir", ":memory:"}, "--addr", "POST", "/v1/agents", `{}`},
	{[]string{"mcp", "bridge", "-a", "AGENT"}, "--http", "POST", "", rpcGet},
	{[]string{"coord", "serve", "--data-dir", ":memory:"}, "--addr", "GET", "/api/projects/shop", ""},
	{[]string{"console", "--data-dir", ":memory:"}, "--addr", "GET", "/api/state", ""},
	{[]string{"record", "-a", "AGENT", "--cassette", "FILE"}, "--addr", "POST", "/", rpcGet},
	{[]string{"replay", "TAPE"}, "--addr", "POST", "/", rpcGet},
}

const rpcGet = `{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"t"}}`

// All commands that serve follow one rule: beyond this machine they need credentials or --open. A missing token and a
// wrong one get different answers, and neither gets in.
func TestOneRuleForCallers(t *testing.T) {
	t.Parallel()
	_, agent := clitest.Serve(t, "serve", "--echo", "--addr", "127.0.0.1:0", "--data-dir", ":memory:")
	for _, s := range servers {
		t.Run(strings.Join(s.args[:min(2, len(s.args))], " "), func(t *testing.T) {
			t.Parallel()
			with := func(addr string, more ...string) []string {
				dir := t.TempDir()
				tape := dir + "/tape.jsonl"
				if err := os.WriteFile(tape, []byte(`{"dragoman":"cassette","version":1}`+"\n"), 0o600); err != nil {
					t.Fatal(err)
				}
				fill := strings.NewReplacer("AGENT", agent, "FILE", dir+"/new.jsonl", "TAPE", tape)
				var args []string
				for _, arg := range s.args {
					args = append(args, fill.Replace(arg))
				}
				return slices.Concat(args, []string{s.addr, addr}, more)
			}
			p, err := clitest.StartProgram(with("0.0.0.0:0"), t.TempDir(), os.Getenv)
			if err != nil {
				t.Fatal(err)
			}
			<-p.Done
			p.Cmd.Wait()
			if code := p.Cmd.ProcessState.ExitCode(); code != 2 {
				t.Errorf("beyond this machine it ends with %d: %s", code, p.Output())
			}

			_, url := clitest.Serve(t, with("127.0.0.1:0", "--token", "open-sesame")...)
			ask := func(url, token string) (int, string) {
				t.Helper()
				r, err := http.NewRequestWithContext(t.Context(), s.method, url+s.path, strings.NewReader(s.body))
				if err != nil {
					t.Fatal(err)
				}
				r.Header.Set("Content-Type", "application/json")
				r.Header.Set("Accept", "application/json, text/event-stream")
				r.Header.Set("A2A-Version", "1.0")
				if token != "" {
					r.Header.Set("Authorization", "Bearer "+token)
				}
				resp, err := http.DefaultClient.Do(r)
				if err != nil {
					t.Fatal(err)
				}
				defer resp.Body.Close()
				body, err := io.ReadAll(resp.Body)
				if err != nil {
					t.Fatal(err)
				}
				if resp.StatusCode == http.StatusUnauthorized && resp.Header.Get("WWW-Authenticate") == "" {
					t.Error("a 401 without WWW-Authenticate")
				}
				return resp.StatusCode, string(body)
			}
			status, missing := ask(url, "")
			status2, wrong := ask(url, "wrong")
			if status != http.StatusUnauthorized || status2 != http.StatusUnauthorized || missing == wrong {
				t.Errorf("without a token: %d %s, with a wrong one: %d %s", status, missing, status2, wrong)
			}
			if status, body := ask(url, "open-sesame"); status == http.StatusUnauthorized {
				t.Errorf("with the token: %d %s", status, body)
			}

			_, url = clitest.Serve(t, with("0.0.0.0:0", "--open")...)
			_, port, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(url, "http://"), "[::]"), ":")
			if status, body := ask("http://127.0.0.1:"+port, ""); status == http.StatusUnauthorized {
				t.Errorf("with --open: %d %s", status, body)
			}
		})
	}
}
