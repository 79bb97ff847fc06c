// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/clitest"
	"github.com/dragoman-a2a/dragoman/internal/cmdline"
)

// A gateway and a host send each agent the login for its origin, also one that is made while they run, and no other
// agent gets it.
func TestServersUseLogins(t *testing.T) {
	t.Parallel()
	bearer := func(r *http.Request) string { return strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ") }
	known := serveKeyed(t, &a2a.APIKeyScheme{Location: "header", Name: "X-Team"},
		func(r *http.Request) string { return r.Header.Get("X-Team") })
	unknown := serveKeyed(t, nil, bearer)
	env := map[string]string{"XDG_CONFIG_HOME": t.TempDir(), "XDG_DATA_HOME": t.TempDir()}
	do := func(want int, args ...string) (output string) {
		t.Helper()
		got := runWith(t.Context(), env, testKey+"\n", args...)
		if got.code != want || strings.Contains(got.stdout+got.stderr, testKey) {
			t.Errorf("%q: %+v", args, got)
		}
		return got.stdout
	}
	addr := clitest.FreeAddress(t)
	ctx, stop := context.WithCancel(context.Background())
	var gateway sync.WaitGroup
	gateway.Go(func() {
		runWith(ctx, env, "", "gateway", "-a", "known="+known, "-a", "unknown="+unknown, "--agent-sees", "gateway",
			"--addr", addr)
	})
	t.Cleanup(func() {
		stop()
		gateway.Wait()
	})
	at := "http://" + addr
	clitest.Await(t, func() bool { return run(t.Context(), "card", "get", "-a", at+"/known").code == cmdline.ExitOK })

	do(cmdline.ExitFailure, "send", "-a", at+"/known", "--text", "hi")
	do(cmdline.ExitOK, "auth", "login", known, "--scheme", "k")
	do(cmdline.ExitOK, "send", "-a", at+"/known", "--text", "hi")
	do(cmdline.ExitFailure, "send", "-a", at+"/unknown", "--text", "hi")
	if said := do(cmdline.ExitOK, "host", "ask", known, "@test echo hi"); !strings.Contains(said, "echo hi") {
		t.Errorf("through the host: %s", said)
	}
	do(cmdline.ExitOK, "auth", "logout", known)
	do(cmdline.ExitFailure, "send", "-a", at+"/known", "--text", "hi")
}
