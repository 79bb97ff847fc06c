// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/auth"
	"github.com/dragoman-a2a/dragoman/card"
	"github.com/dragoman-a2a/dragoman/client"
	"github.com/dragoman-a2a/dragoman/internal/cmdline"
	"github.com/dragoman-a2a/dragoman/internal/wire"
	"github.com/dragoman-a2a/dragoman/server"
)

func TestFailures(t *testing.T) {
	t.Parallel()
	remote := func(kind a2a.Kind) error { return &a2a.Error{Kind: kind, Remote: true} }
	ofCard := func(kind error) error { return &card.Error{Ref: "ref", Kind: kind, Err: errors.New("why")} }
	for _, test := range []struct {
		err     error
		bearer  bool
		exit    int
		code    string
		a2aCode int
	}{
		{remote(a2a.ErrTaskNotFound), false, 1, "TaskNotFoundError", -32001},
		{remote(a2a.ErrTaskNotCancelable), false, 1, "TaskNotCancelableError", -32002},
		{remote(a2a.ErrPushNotSupported), false, 1, "PushNotificationNotSupportedError", -32003},
		{remote(a2a.ErrUnsupportedOperation), false, 1, "UnsupportedOperationError", -32004},
		{remote(a2a.ErrContentTypeNotSupported), false, 1, "ContentTypeNotSupportedError", -32005},
		{remote(a2a.ErrInvalidAgentResponse), false, 1, "InvalidAgentResponseError", -32006},
		{remote(a2a.ErrExtendedCardNotConfigured), false, 1, "ExtendedAgentCardNotConfiguredError", -32007},
		{remote(a2a.ErrExtensionSupportRequired), false, 1, "ExtensionSupportRequiredError", -32008},
		{remote(a2a.ErrVersionNotSupported), false, 1, "VersionNotSupportedError", -32009},
		{remote(a2a.ErrParse), false, 1, "JSONParseError", -32700},
		{remote(a2a.ErrInvalidRequest), false, 1, "InvalidRequestError", -32600},
		{remote(a2a.ErrMethodNotFound), false, 1, "MethodNotFoundError", -32601},
		{remote(a2a.ErrInvalidParams), false, 1, "InvalidParamsError", -32602},
		{remote(a2a.ErrInternal), false, 1, "InternalError", -32603},
		{&a2a.Error{Kind: a2a.ErrInternal}, false, 1, cmdline.CodeInternal, 0},
		{remote(a2a.ErrTooLarge), false, 1, "DRAGOMAN_ERR_REQUEST_TOO_LARGE", -31413},
		{remote(a2a.ErrRateLimited), false, 1, "DRAGOMAN_ERR_RATE_LIMITED", -31429},
		{remote(a2a.ErrUnsupportedMediaType), false, 1, "DRAGOMAN_ERR_UNSUPPORTED_MEDIA_TYPE", -32005},
		{remote(a2a.ErrUnavailable), false, 3, cmdline.CodeUnreachable, -31503},
		{remote(a2a.ErrTimeout), false, 5, cmdline.CodeTimeout, -31504},
		{remote(a2a.ErrUnauthenticated), false, 4, cmdline.CodeCredentialsMissing, -31401},
		{remote(a2a.ErrUnauthenticated), true, 4, cmdline.CodeAuthFailed, -31401},
		{remote(a2a.ErrPermissionDenied), true, 4, cmdline.CodeAuthFailed, -31403},
		{&client.UnreachableError{Agent: "a", Err: errors.New("refused")}, false, 3, cmdline.CodeUnreachable, 0},
		{&client.CutError{TaskID: "t", Err: errors.New("reset")}, false, 3, cmdline.CodeUnreachable, 0},
		{ofCard(card.ErrReference), false, 2, cmdline.CodeUsage, 0},
		{ofCard(card.ErrUnreachable), false, 3, cmdline.CodeUnreachable, 0},
		{ofCard(card.ErrNotFound), false, 3, cmdline.CodeCardNotFound, 0},
		{ofCard(card.ErrInvalid), false, 1, cmdline.CodeCardInvalid, 0},
		{ofCard(card.ErrUnauthorized), true, 4, cmdline.CodeCredentialsMissing, 0},
		{context.DeadlineExceeded, false, 5, cmdline.CodeTimeout, 0},
		{errors.New("anything"), false, 1, cmdline.CodeInternal, 0},
		{cmdline.Usagef("wrong"), false, 2, cmdline.CodeUsage, 0},
	} {
		c := newCommand(nil)
		c.Agent = "http://127.0.0.1:1"
		if test.bearer {
			c.Bearer = "hunter2"
		}
		got := c.Failure(fmt.Errorf("while trying: %w", test.err))
		if got.Exit != test.exit || got.Code != test.code || got.A2ACode != test.a2aCode {
			t.Errorf("%v (bearer %t): %d %s %d, want %d %s %d", test.err, test.bearer, got.Exit, got.Code, got.A2ACode,
				test.exit, test.code, test.a2aCode)
		}
		if strings.Contains(got.Hint, "%") || strings.Contains(got.Hint, "hunter") ||
			strings.Contains(got.Hint, "dragoman ") && !strings.Contains(got.Hint, " -a http://127.0.0.1:1") {
			t.Errorf("%v: hint %q", test.err, got.Hint)
		}
	}
}

// Each kind of error has a name, that of the protocol or one of ours.
func TestEveryKindHasACode(t *testing.T) {
	t.Parallel()
	for _, row := range wire.Table {
		if f := newCommand(nil).Failure(&a2a.Error{Kind: row.Kind, Remote: true}); f.Code == "" ||
			f.Exit == cmdline.ExitOK {
			t.Errorf("%v: %+v", row.Kind, f)
		}
	}
}

func TestFailureAsTextAndJSON(t *testing.T) {
	t.Parallel()
	f := &cmdline.Failure{Exit: 1, Code: "TaskNotFoundError", Message: "no\nsuch \xff task", Hint: "look",
		A2ACode: -32001}
	var text, asJSON bytes.Buffer
	f.Write(&text, false, 0)
	if want := "Error: no such \xff task\nHint: look\n"; text.String() != want {
		t.Errorf("text: %q, want %q", text.String(), want)
	}
	f.Write(&asJSON, true, 0)
	want := `{"error":{"code":"TaskNotFoundError","message":"no\nsuch ` + "\ufffd" +
		` task","hint":"look","a2aCode":-32001}}` + "\n"
	if asJSON.String() != want {
		t.Errorf("JSON: %s, want %s", asJSON.String(), want)
	}
}

// guarded lets one token in.
func guarded() *server.Options {
	return &server.Options{Authenticator: auth.AuthenticatorFunc(func(r *http.Request) (a2a.Identity, error) {
		switch r.Header.Get("Authorization") {
		case "Bearer good":
			return a2a.Identity{Subject: "ann"}, nil
		case "Bearer weak":
			return a2a.Identity{}, a2a.NewError(a2a.ErrPermissionDenied, "not you")
		}
		return a2a.Identity{}, a2a.NewError(a2a.ErrUnauthenticated, "who are you?")
	})}
}

func echo() agent.Agent {
	return agent.Func(func(_ context.Context, t *agent.Turn) error { return t.Reply(a2a.TextPart(t.Text())) })
}

func TestCredentials(t *testing.T) {
	t.Parallel()
	url := serveAgent(t, echo(), guarded())
	for _, test := range []struct {
		name string
		env  map[string]string
		args []string
		exit int
		code string
	}{
		{"none", nil, nil, cmdline.ExitAuth, cmdline.CodeCredentialsMissing},
		{"bad", nil, []string{"--bearer", "wrong"}, cmdline.ExitAuth, cmdline.CodeAuthFailed},
		{"weak", nil, []string{"--bearer", "weak"}, cmdline.ExitAuth, cmdline.CodeAuthFailed},
		{"good", nil, []string{"--bearer", "good"}, cmdline.ExitOK, ""},
		{"from the environment", map[string]string{"A2ACLI_BEARER": "good"}, nil, cmdline.ExitOK, ""},
		{"as a service parameter", nil, []string{"--svc-param", "Authorization: Bearer good"}, cmdline.ExitOK, ""},
		{"with a line break", nil, []string{"--bearer", "good\r\nX: y"}, cmdline.ExitUsage, cmdline.CodeUsage},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := runWith(t.Context(), test.env, "",
				append([]string{"send", "-a", url, "-o", "json", "Hello"}, test.args...)...)
			if got.code != test.exit || test.code != "" && codeIn(t, got.stderr) != test.code {
				t.Errorf("exit code %d, want %d %s: %s", got.code, test.exit, test.code, got.stderr)
			}
			for _, secret := range []string{"good", "wrong", "weak"} {
				if strings.Contains(got.stdout+got.stderr, secret) {
					t.Errorf("the token is shown:\n%s%s", got.stdout, got.stderr)
				}
			}
		})
	}
}

// Where a card is need not be where the agent is, so credentials do not go there.
func TestCardsAreFetchedWithoutCredentials(t *testing.T) {
	t.Parallel()
	headers := make(chan http.Header, 10) // it is asked for at the addresses of older generations, too
	url := serveHandler(t, func(w http.ResponseWriter, r *http.Request) {
		headers <- r.Header
		http.NotFound(w, r)
	})
	got := run(t.Context(), "send", "-a", url, "--bearer", "hunter2", "--svc-param", "X-Key: hunter3", "Hello")
	if len(headers) == 0 {
		t.Error("the card was not asked for")
	}
	for range len(headers) {
		if h := <-headers; h.Get("Authorization") != "" || h.Get("X-Key") != "" {
			t.Errorf("the card was asked for with %v", h)
		}
	}
	if got.code != cmdline.ExitUnreachable {
		t.Errorf("exit code %d: %s", got.code, got.stderr)
	}
}

// codeIn returns the code of the one error object on a standard error.
func codeIn(t *testing.T, stderr string) string {
	t.Helper()
	var body struct {
		Error struct{ Code, Message string }
	}
	if err := json.Unmarshal([]byte(stderr), &body, json.MatchCaseInsensitiveNames(true)); err != nil ||
		body.Error.Message == "" {
		t.Fatalf("not an error object: %v\n%s", err, stderr)
	}
	return body.Error.Code
}

// stuck works until it is cancelled.
func stuck() agent.Agent {
	return agent.Func(func(ctx context.Context, t *agent.Turn) error {
		if err := t.Working(a2a.TextPart("thinking")); err != nil {
			return err
		}
		<-ctx.Done()
		return context.Cause(ctx)
	})
}

// patience returns how long a user waits, longer each time: on a busy machine a task may take a while to get a name.
func patience(yield func(time.Duration) bool) {
	for d := 200 * time.Millisecond; d < 30*time.Second && yield(d); d *= 3 {
	}
}

func TestTimeoutNamesTheTask(t *testing.T) {
	t.Parallel()
	url := serveAgent(t, stuck(), nil)
	var got result
	for wait := range patience {
		got = run(t.Context(), "send", "-a", url, "--timeout", wait.String(), "-o", "json", "Hello")
		if got.code != cmdline.ExitTimeout || got.stdout != "" {
			t.Fatalf("exit code %d, %s%s", got.code, got.stdout, got.stderr)
		}
		lines := strings.Split(strings.TrimSpace(got.stderr), "\n")
		if code := codeIn(t, lines[len(lines)-1]); code != cmdline.CodeTimeout {
			t.Errorf("code %s", code)
		}
		if strings.Contains(got.stderr, "Resume: dragoman task subscribe -a "+url+" ") &&
			strings.Contains(got.stderr, "Context: ") {
			return
		}
	}
	t.Errorf("it does not say how to go on:\n%s", got.stderr)
}

func TestTimeoutOfTheCard(t *testing.T) {
	t.Parallel()
	never := make(chan struct{})
	url := serveHandler(t, func(http.ResponseWriter, *http.Request) { <-never })
	t.Cleanup(func() { close(never) })
	got := run(t.Context(), "card", "get", "-a", url, "--timeout", "100ms", "-o", "json")
	if got.code != cmdline.ExitTimeout || codeIn(t, got.stderr) != cmdline.CodeTimeout {
		t.Errorf("exit code %d: %s", got.code, got.stderr)
	}
}

func TestInterruptNamesTheTask(t *testing.T) {
	t.Parallel()
	url := serveAgent(t, stuck(), nil)
	for _, args := range [][]string{{"send", "Hello"}, {"send", "--stream", "Hello"}} {
		var got result
		for wait := range patience {
			ctx, cancel := context.WithTimeout(t.Context(), wait)
			got = run(ctx, append(args, "-a", url)...)
			cancel()
			if got.code != cmdline.ExitInterrupted || strings.Contains(got.stderr, "Error") {
				t.Fatalf("%v: exit code %d:\n%s", args, got.code, got.stderr)
			}
			if strings.Contains(got.stderr, "Resume:") {
				break
			}
		}
		if !strings.Contains(got.stderr, "Task: ") ||
			!strings.Contains(got.stderr, "Resume: dragoman task subscribe -a "+url) {
			t.Errorf("%v: it does not say how to go on:\n%s", args, got.stderr)
		}
	}
}

func TestTaskThatFailsIsNoFailureOfTheCommand(t *testing.T) {
	t.Parallel()
	for name, err := range map[string]error{
		"failed": agent.Public("out of luck", nil), "rejected": agent.Reject(a2a.TextPart("not this")),
	} {
		url := serveAgent(t, agent.Func(func(context.Context, *agent.Turn) error { return err }), nil)
		got := run(t.Context(), "send", "-a", url, "Hello")
		if got.code != cmdline.ExitOK || !strings.Contains(got.stdout, "Status: "+name+"\n") ||
			got.stderr != "Warning: the task ended as "+name+"\n" {
			t.Errorf("%s: exit code %d:\n%s%s", name, got.code, got.stdout, got.stderr)
		}
	}
}

func TestAuthRequiredStopsTheWait(t *testing.T) {
	t.Parallel()
	url := serveAgent(t, agent.Func(func(_ context.Context, t *agent.Turn) error {
		if t.Text() == "done" {
			return nil
		}
		return t.NeedAuth(a2a.TextPart("log in at https://example.com"))
	}), nil)
	for _, args := range [][]string{{"send", "Hello"}, {"send", "--stream", "Hello"}} {
		got := run(t.Context(), append(args, "-a", url)...)
		if got.code != cmdline.ExitOK || !strings.Contains(got.stdout, "Status: auth-required") ||
			!strings.Contains(got.stderr, "Warning: the task waits for authorization\n") {
			t.Fatalf("exit code %d:\n%s%s", got.code, got.stdout, got.stderr)
		}
		_, rest, _ := strings.Cut(got.stderr, "--task-id ")
		id, _, _ := strings.Cut(rest, " ")
		got = run(t.Context(), append(args[:len(args)-1:len(args)-1], "-a", url, "--task-id", id, "done")...)
		if got.code != cmdline.ExitOK || !strings.Contains(got.stdout, "Status: completed\n") {
			t.Errorf("resumed: exit code %d:\n%s%s", got.code, got.stdout, got.stderr)
		}
	}
}

func TestWrongStateNamesItsOwnFlag(t *testing.T) {
	t.Parallel()
	got := run(t.Context(), "send", "-a", "http://127.0.0.1:1", "--fail-on", "failed,bogus", "hi")
	if got.code != cmdline.ExitUsage || !strings.Contains(got.stderr, `--fail-on is "failed,bogus": use submitted, `) ||
		strings.Contains(got.stderr, "--status") {
		t.Errorf("%+v", got)
	}
	got = run(t.Context(), "task", "list", "-a", "http://127.0.0.1:1", "--status", "bogus")
	if got.code != cmdline.ExitUsage || !strings.Contains(got.stderr, `--status is "bogus"; use one of submitted, `) {
		t.Errorf("%+v", got)
	}
}

func TestTransportThatAnAgentLacks(t *testing.T) {
	t.Parallel()
	url := serveAgent(t, filesAgent(), nil)
	got := run(t.Context(), "send", "-a", url, "--transport", "GRPC", "hi")
	const want = "Error: the agent's card names no interface of GRPC\nHint: it has JSONRPC, HTTP+JSON; choose one of " +
		"these with --transport, or leave it out\n"
	if got.code != cmdline.ExitUnreachable || got.stderr != want {
		t.Errorf("%+v", got)
	}
}
