// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/auth/access"
	"github.com/dragoman-a2a/dragoman/client"
	"github.com/dragoman-a2a/dragoman/engine"
	"github.com/dragoman-a2a/dragoman/server"
)

// startCerbos starts Cerbos, a policy decision point, and returns its URL and how to end it.
func startCerbos(t *testing.T) (url string, end func()) {
	t.Helper()
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("the package has Cerbos for linux/amd64 only")
	}
	if _, err := exec.LookPath("npm"); err != nil {
		t.Skip("there is no npm to install Cerbos with")
	}
	cache, err := cacheFolder("")
	if err != nil {
		t.Fatal(err)
	}
	source, err := filepath.Abs(filepath.Join("peers", "cerbos"))
	if err != nil {
		t.Fatal(err)
	}
	cerbos, err := installJavaScript(t.Context(), cache, source)
	if _, unreachable := errors.AsType[*unreachableError](err); unreachable {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	addr := make([]string, 2)
	for i := range addr {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		addr[i] = ln.Addr().String()
		ln.Close()
	}
	ctx, stop := context.WithCancel(context.Background())
	binary := filepath.Join(cerbos.folder, "node_modules", "@cerbos", "cerbos-linux-x64", "cerbos-linux-x64")
	if err := os.Chmod(binary, 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(ctx, binary, "server", "--set=server.httpListenAddr="+addr[0],
		"--set=server.grpcListenAddr="+addr[1], "--set=storage.driver=disk",
		"--set=storage.disk.directory="+filepath.Join(source, "policies"))
	cmd.Env = append(os.Environ(), "CERBOS_NO_TELEMETRY=1")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	end = func() { stop(); cmd.Wait() }
	t.Cleanup(end)
	for until := time.Now().Add(30 * time.Second); ; {
		response, err := http.Get("http://" + addr[0] + "/_cerbos/health")
		if err == nil {
			response.Body.Close()
			if response.StatusCode == http.StatusOK {
				return "http://" + addr[0], end
			}
		}
		if time.Now().After(until) {
			t.Fatalf("Cerbos does not start: %v", err)
		}
	}
}

// A real decision point decides what the rules leave to it, and nothing is allowed while it is away.
func TestPolicyDecisionPoint(t *testing.T) {
	t.Setenv("ANN", "token-of-ann")
	t.Setenv("BOB", "token-of-bob")
	url, end := startCerbos(t)
	file, err := access.Parse([]byte("callers:\n"+
		"  - token: {secret: env:ANN, subject: ann, scopes: [pay]}\n"+
		"  - token: {secret: env:BOB, subject: bob}\n"+
		"policy: "+url+"\n"), t.TempDir(), os.LookupEnv)
	if err != nil {
		t.Fatal(err)
	}
	eng, err := engine.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer eng.Shutdown(context.Background())
	cashier := agent.Func(func(_ context.Context, t *agent.Turn) error { return t.Complete(a2a.TextPart("paid")) })
	card := &a2a.AgentCard{Name: "Cashier", Description: "Pays", Version: "1", Skills: []a2a.AgentSkill{
		{ID: "refund", Name: "Refund", Description: "Pays back", Tags: []string{"pay"}}}}
	srv, err := server.New(eng.Agent("cashier", cashier, &engine.AgentOptions{Card: card}), &server.Options{
		Authenticator: file.Authenticator, Policy: file.Policy})
	if err != nil {
		t.Fatal(err)
	}
	ts := httptest.NewServer(srv)
	defer ts.Close()
	as := func(token string) *client.Client {
		c, err := client.Dial(t.Context(), ts.URL, &client.Options{
			Interceptors: []client.Interceptor{client.Bearer(token)}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		return c
	}
	send := func(c *client.Client, skill string) error {
		req := &a2a.SendMessageRequest{Message: a2a.NewMessage(a2a.RoleUser, a2a.TextPart("pay"))}
		if skill != "" {
			if err := req.Message.Metadata.Set("skillId", skill); err != nil {
				t.Fatal(err)
			}
		}
		_, err := c.SendMessage(t.Context(), req)
		return err
	}
	ann, bob := as("token-of-ann"), as("token-of-bob")
	if err := send(ann, "refund"); err != nil {
		t.Errorf("ann has the scope: %v", err)
	}
	for name, err := range map[string]error{
		"bob lacks the scope": send(bob, "refund"), "ann names no skill": send(ann, ""),
	} {
		if !errors.Is(err, a2a.ErrPermissionDenied) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := bob.ListTasks(t.Context(), &a2a.ListTasksRequest{}); err != nil {
		t.Errorf("bob may look: %v", err)
	}
	end()
	if err := send(ann, "refund"); !errors.Is(err, a2a.ErrUnavailable) {
		t.Errorf("the decision point is away: %v", err)
	}
}
