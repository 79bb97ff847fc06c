// SPDX-License-Identifier: Apache-2.0

//go:build unix

package cli

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/dragoman-a2a/dragoman/internal/clitest"
)

// mark is in every secret of TestMarkedSecrets.
const mark = "M4rk3dS3cr3t"

func secret(of string) string { return mark + "-" + of + "-0123456789" }

// leaks collects all that a run puts out: streams of programs, answers over HTTP, spans and metrics.
type leaks struct {
	t     *testing.T
	mu    sync.Mutex
	found map[string][]byte // by where it came from
	codes map[string]int    // how often each status was answered
}

func (l *leaks) add(where string, text []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.found[where] = append(l.found[where], text...)
}

// run runs a command to its end.
func (l *leaks) run(env []string, args ...string) {
	l.t.Helper()
	out, _ := clitest.Command(l.t, env, args...).CombinedOutput()
	l.add(fmt.Sprintf("output of %s %s", args[0], args[1]), out)
}

// serve runs a command that serves, until the returned function ends it.
func (l *leaks) serve(env []string, args ...string) (url string, stop func()) {
	l.t.Helper()
	p, err := clitest.Start(clitest.Command(l.t, env, args...))
	if err != nil {
		l.t.Fatal(err)
	}
	l.t.Cleanup(p.Kill)
	if url, err = p.Ready(); err != nil {
		l.t.Fatal(err)
	}
	return url, func() {
		p.Cmd.Process.Signal(syscall.SIGTERM)
		<-p.Done
		l.add("log of "+args[0], []byte(p.Output()))
	}
}

// post sends a request and keeps the answer.
func (l *leaks) post(url, body string, headers ...string) string {
	l.t.Helper()
	req, err := http.NewRequestWithContext(l.t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		l.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		l.t.Fatal(err)
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	if err != nil {
		l.t.Fatal(err)
	}
	l.add("answer of "+url, append(fmt.Appendf(nil, "%d %v\n", res.StatusCode, res.Header), answer...))
	l.mu.Lock()
	l.codes[fmt.Sprint(res.StatusCode)]++
	l.mu.Unlock()
	return string(answer)
}

// files adds all files below a folder.
func (l *leaks) files(folder string) {
	l.t.Helper()
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		l.add("file "+strings.TrimPrefix(path, folder), text)
		return err
	})
	if err != nil {
		l.t.Fatal(err)
	}
}

// check searches everything for the secrets as they are and as they are written elsewhere.
func (l *leaks) check(more ...string) {
	l.t.Helper()
	wanted := append([]string{mark, hex.EncodeToString([]byte(mark))}, more...)
	for i := range 3 { // base64 at each of its offsets, without the characters that depend on the neighbours
		text := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("\x00", i) + mark))
		wanted = append(wanted, text[4:len(text)-4])
	}
	for where, text := range l.found {
		for _, w := range wanted {
			if at := bytes.Index(text, []byte(w)); at >= 0 {
				l.t.Errorf("%s has a secret: ...%q", where, text[max(0, at-200):min(len(text), at+60)])
			}
		}
	}
}

// TestMarkedSecrets runs the servers and commands with every kind of secret marked, through success and failure. No
// mark may be in logs, answers, spans, metrics, audit logs and errors, nor in the files that the servers write.
func TestMarkedSecrets(t *testing.T) {
	t.Parallel()
	l := &leaks{t: t, found: make(map[string][]byte), codes: make(map[string]int)}
	collector := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		l.add("telemetry at "+r.URL.Path, text)
	}))
	t.Cleanup(collector.Close)
	// A provider that answers with the key that it was given, as some do.
	model := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusUnauthorized)
		fmt.Fprintf(w, `{"error": {"message": "Incorrect API key provided: %s", "code": "invalid_api_key"}}`,
			strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "))
	}))
	t.Cleanup(model.Close)
	webhook := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusInternalServerError)
		fmt.Fprint(w, r.Header, secret("webhook")) // which is nobody's business either
	}))
	t.Cleanup(webhook.Close)

	data := t.TempDir()
	pushKey := hex.EncodeToString([]byte("M4rk3dS3cr3tOfPushKeyThatHas32By"))
	env := []string{"XDG_DATA_HOME=" + data, "XDG_CONFIG_HOME=" + t.TempDir(), "HOME=" + t.TempDir(),
		"OTEL_EXPORTER_OTLP_ENDPOINT=" + collector.URL, "OTEL_BSP_SCHEDULE_DELAY=20",
		"OTEL_METRIC_EXPORT_INTERVAL=200",
		"OTEL_EXPORTER_OTLP_HEADERS=authorization=" + secret("otlp"),
		"ANN=" + secret("token"), "BOB=" + secret("password"), "CRON=" + secret("key"),
		"DRAGOMAN_PUSH_KEY=" + pushKey,
		"OPENAI_API_KEY=" + secret("openai"), "OPENAI_BASE_URL=" + model.URL}
	access := filepath.Join(t.TempDir(), "access.yaml")
	if err := os.WriteFile(access, []byte(`callers:
  - token: {secret: env:ANN, subject: ann}
  - basic: {user: bob, password: env:BOB}
  - apiKey: {header: X-Key, secret: env:CRON, client: cron}
`), 0o600); err != nil {
		t.Fatal(err)
	}
	logs := func(of string) []string {
		return []string{"--addr", "127.0.0.1:0", "--log-level", "debug", "--audit", filepath.Join(data, of+".audit")}
	}
	bearer := "Bearer " + secret("token")

	agent, stopAgent := l.serve(env, append([]string{"serve", "--echo", "--allow-private-push", "--access", access},
		logs("agent")...)...)
	thinker, stopThinker := l.serve(env, append([]string{"serve", "--agent", "hello", "--llm", "openai",
		"--model", "m"}, logs("thinker")...)...)
	own := append(env, "DRAGOMAN_TOKEN="+secret("gateway"), "DRAGOMAN_BEARER="+secret("token"))
	gateway, stopGateway := l.serve(own, append([]string{"gateway", "-a", agent}, logs("gateway")...)...)
	registry, stopRegistry := l.serve(append(env, "DRAGOMAN_TOKEN="+secret("registry")), "registry", "serve",
		"--addr", "127.0.0.1:0", "--log-level", "debug")

	console, stopConsole := l.serve(append(env, "DRAGOMAN_TOKEN="+secret("console")), "console", "--addr",
		"127.0.0.1:0", "--log-level", "debug")
	coord, stopCoord := l.serve(append(env, "DRAGOMAN_TOKEN="+secret("coord")), "coord", "serve", "--addr",
		"127.0.0.1:0", "--log-level", "debug")

	send := `{"jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": {"message": {"messageId": "m", "role": ` +
		`"ROLE_USER", "parts": [{"text": "hi"}]}, "configuration": {"returnImmediately": true, ` +
		`"taskPushNotificationConfig": {"url": "` + webhook.URL + `", "token": "` + secret("pushtoken") + `", ` +
		`"authentication": {"scheme": "Bearer", "credentials": "` + secret("pushcredentials") + `"}}}}}`
	for _, at := range []string{agent, gateway} {
		for _, credentials := range [][]string{
			{"Authorization", bearer}, {"Authorization", bearer + "wrong"}, {"Authorization", "Bearer"},
			{"Authorization", "Basic " + base64.StdEncoding.EncodeToString([]byte("bob:"+secret("password")))},
			{"Authorization", "Basic " + secret("garbage")}, {"X-Key", secret("key")}, {"X-Key", secret("wrongkey")},
			{"Authorization", "Bearer " + secret("gateway")}, {"Cookie", "session=" + secret("cookie")},
		} {
			headers := append([]string{"A2A-Version", "1.0"}, credentials...)
			l.post(at+"/", send, headers...)
			l.post(at+"/?token="+secret("query"), `{"jsonrpc": "2.0", "id": 1, "method": "ListTasks"}`, headers...)
			l.post(at+"/", strings.Replace(send, `"method"`, `"m`, 1), headers...)
		}
	}
	l.post(registry+"/agents", `{"url": "http://u:`+secret("userinfo")+`@127.0.0.1:1"}`, "Authorization",
		"Bearer "+secret("registry"))
	l.post(registry+"/agents", `{}`, "Authorization", "Bearer "+secret("wrong"))

	withUser := strings.Replace(agent, "http://", "http://u:"+secret("userinfo")+"@", 1)
	for _, token := range []string{"Bearer " + secret("console"), "Bearer " + secret("wrong")} {
		for _, url := range []string{withUser, "http://u:" + secret("userinfo") + "@127.0.0.1:1", thinker} {
			l.post(console+"/api/agents", `{"url": "`+url+`"}`, "Authorization", token)
		}
		l.post(console+"/api/conversations", `{}`, "Authorization", token)
	}
	for _, token := range []string{"Bearer " + secret("coord"), "Bearer " + secret("wrong"), secret("garbage")} {
		l.post(coord+"/mcp", `{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}`, "Authorization", token, "Accept",
			"application/json, text/event-stream")
		l.post(coord+"/login", "token="+secret("wrong"), "Content-Type", "application/x-www-form-urlencoded")
	}

	with := append(env, "DRAGOMAN_BEARER="+secret("token"))
	wrong := append(env, "DRAGOMAN_BEARER="+secret("wrong"))
	l.run(with, "send", "-a", agent, "--text", "hi", "--debug")
	l.run(wrong, "send", "-a", agent, "--text", "hi", "--debug")
	l.run(with, "send", "-a", withUser, "--text", "hi", "--debug")
	l.run(with, "send", "-a", "http://u:"+secret("userinfo")+"@127.0.0.1:1", "--text", "hi", "--debug")
	l.run(with, "send", "-a", agent, "--text", "hi", "--svc-param", "X-Key:"+secret("param"), "--debug")
	l.run(env, "send", "-a", agent, "--text", "hi", "--bearer", secret("token"), "--stream", "--debug")
	l.run(env, "send", "-a", thinker, "--text", "hi", "--debug")
	l.run(with, "task", "list", "-a", agent, "-o", "json", "--debug")
	l.run(append(env, "DRAGOMAN_REGISTRY_TOKEN="+secret("wrong")), "registry", "add", agent, "--registry", registry)
	l.run(append(env, "DRAGOMAN_REGISTRY_TOKEN="+secret("registry")), "registry", "add", agent, "--registry", registry,
		"--debug")
	l.run(with, "config", "show")
	l.run(with, "push", "list", "echo", "--all", "-o", "json")
	l.run(with, "host", "ask", withUser, "@echo hi", "--debug")

	for _, stop := range []func(){stopAgent, stopThinker, stopGateway, stopRegistry, stopConsole, stopCoord} {
		stop()
	}
	l.files(data)
	l.check(pushKey)
	if l.codes["200"] == 0 || l.codes["401"] == 0 || len(l.found["telemetry at /v1/traces"]) == 0 ||
		len(l.found["file /agent.audit"]) == 0 || !bytes.Contains(l.found["log of serve"], []byte("level=DEBUG")) {
		t.Errorf("the run shows nothing: %v, %d sources", l.codes, len(l.found))
	}
}
