// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"bytes"
	"context"
	"io"
	"iter"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/engine"
	"github.com/dragoman-a2a/dragoman/internal/cmdline"
	"github.com/dragoman-a2a/dragoman/internal/talk"
	"github.com/dragoman-a2a/dragoman/internal/terminal"
)

// person is somebody at a terminal who answers each prompt with the next line.
type person struct {
	lines      []string // "^C" is Ctrl-C
	prompts    []string
	remembered []string
}

// expenseForm is the form of the protocol's first samples, to the letter.
const expenseForm = `{"type":"form","form":{"type":"object","properties":{
 "date":{"type":"string","format":"date","title":"Date","description":"Date of expense"},
 "amount":{"type":"string","format":"number","title":"Amount","description":"Amount of expense"},
 "purpose":{"type":"string","title":"Purpose","description":"Purpose of expense"},
 "request_id":{"type":"string","title":"Request ID","description":"Request id"}},
 "required":["request_id","date","amount","purpose"]},
 "form_data":{"request_id":"request_id_1234567","date":"<transaction date>","amount":"20","purpose":""},
 "instructions":null}`

func (p *person) Person() bool         { return true }
func (p *person) Close()               {}
func (p *person) Remember(line string) { p.remembered = append(p.remembered, line) }

func (p *person) Ask(ctx context.Context, prompt string) (string, error) {
	p.prompts = append(p.prompts, prompt)
	if len(p.lines) == 0 {
		return "", io.EOF
	}
	line := p.lines[0]
	p.lines = p.lines[1:]
	if line == "^C" {
		return "", terminal.ErrInterrupted
	}
	return line, nil
}

// converse runs a chat with somebody at a terminal.
func converse(t *testing.T, lines []string, args ...string) (result, *person) {
	t.Helper()
	somebody := &person{lines: lines}
	return talkTo(t, somebody, nil, args...), somebody
}

func talkTo(t *testing.T, somebody terminal.Prompter, onInterrupt func(func()), args ...string) result {
	t.Helper()
	return runAt(t, somebody, onInterrupt, append([]string{"chat"}, args...)...)
}

// runAt runs a command with somebody at a terminal.
func runAt(t *testing.T, somebody terminal.Prompter, onInterrupt func(func()), args ...string) result {
	t.Helper()
	var out, err bytes.Buffer
	r := Run{
		Program: "dragoman", Args: args, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &err,
		LookupEnv: func(string) (string, bool) { return "", false }, person: somebody, onInterrupt: onInterrupt,
	}
	code := r.Do(t.Context())
	return result{code, out.String(), err.String()}
}

// formAgent asks for a form, once more if the purpose is missing, and says what it got.
var formAgent = agent.Func(func(_ context.Context, t *agent.Turn) error {
	for _, part := range t.Message().Parts {
		data, ok := part.Content.(a2a.Data)
		switch {
		case ok && strings.Contains(string(data), `"purpose":"lunch"`):
			return t.Artifact("receipt", talk.JSONPart(jsontext.Value(data)))
		case ok:
			again := strings.Replace(expenseForm, `"instructions":null`,
				`"instructions":"Say more","errors":{"purpose":"too short"}`, 1)
			return t.Ask(a2a.TextPart("Something is wrong"), talk.JSONPart(jsontext.Value(again)))
		}
	}
	return t.Ask(a2a.TextPart("Please fill this"), talk.JSONPart(jsontext.Value(expenseForm)))
})

func has(t *testing.T, what, text string, wants ...string) {
	t.Helper()
	for _, want := range wants {
		if !strings.Contains(text, want) {
			t.Errorf("%s has no %q:\n%s", what, want, text)
		}
	}
}

// send and chat show what a person has to open, and say how to see that the task goes on.
func TestAuthorizationIsShown(t *testing.T) {
	t.Parallel()
	url := serveAgent(t, agent.Func(func(_ context.Context, t *agent.Turn) error {
		return t.Authorize(agent.Authorization{Schemes: []string{"oauth2"}, Scopes: []string{"pay"},
			URL: "https://bank.example/", Instructions: "Allow it:"})
	}), nil)
	sent := run(t.Context(), "send", "-a", url, "pay")
	has(t, "send", sent.stdout, "https://bank.example/", "Authorization: oauth2", "Scopes: pay")
	has(t, "send", sent.stderr, "Follow: ", " --wait")
	chat := runAt(t, &person{lines: []string{"pay", "/quit"}}, nil, "chat", "-a", url)
	has(t, "chat", chat.stdout+chat.stderr, "https://bank.example/", "Authorization: oauth2", "/resume")
}

// Text that is typed while a task waits for authorization may be a password: chat does not remember it.
func TestChatForgetsAnswersToAuthRequired(t *testing.T) {
	t.Parallel()
	locked := agent.Func(func(_ context.Context, t *agent.Turn) error {
		if t.Text() != "s3cret" {
			return t.NeedAuth(a2a.TextPart("Which key?"))
		}
		return t.Reply(a2a.TextPart("thank you"))
	})
	url, other := serveAgent(t, locked, nil), serveAgent(t, formAgent, nil)
	for name, test := range map[string]struct{ args, lines []string }{
		"one agent": {[]string{"chat", "-a", url}, []string{"open", "wrong", "s3cret", "/quit"}},
		"another agent": {[]string{"chat", "-a", "other=" + other, "-a", "vault=" + url},
			[]string{"@vault open", "@other", "@vault wrong", "@vault s3cret", "/quit"}},
		"host": {[]string{"host", "-a", "vault=" + url, "--data-dir", ":memory:"},
			[]string{"@vault open", "wrong", "s3cret", "/quit"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			somebody := &person{lines: test.lines}
			got := runAt(t, somebody, nil, test.args...)
			has(t, "the output", got.stdout+got.stderr, "Which key?", "thank you")
			if want := []string{test.lines[0], "/quit"}; !slices.Equal(somebody.remembered, want) {
				t.Errorf("remembered %q, want %q", somebody.remembered, want)
			}
		})
	}
}

func TestChatFillsFormsFieldByField(t *testing.T) {
	t.Parallel()
	url := serveAgent(t, formAgent, nil)
	got, somebody := converse(t, []string{
		"20 dollars for lunch",
		"yesterday", "2026-11-20", "", "x", "", "perhaps", "", // the form, and that it shall be sent
		"", "21", "lunch", "", "n", "", "no number", "22", "", "", "yes", // the form again, filled again, too
	}, "-a", url)
	if got.code != cmdline.ExitOK {
		t.Fatalf("%+v", got)
	}
	has(t, "the output", got.stdout, `"amount":"22","purpose":"lunch","request_id":"request_id_1234567"`,
		"Status: completed")
	has(t, "the error stream", got.stderr, "  Date: it must be a date such as", "  Amount: it has no number in it",
		"Enter sends the form", "  Date: Date of expense (date, such as 2026-11-21)\n", "Instructions: Say more",
		"Purpose: too short", "Resume: dragoman chat -a "+url+" --context-id ")
	has(t, "what was asked", strings.Join(somebody.prompts, "\n"), "  Date: \n  Date: \n  Amount [20]: \n",
		"  Amount [21]: \n  Amount [21]: \n  Purpose [lunch]: \n", "Send it? [Y/n]", "Test> ")
	if strings.Contains(got.stdout, "Task: ") {
		t.Errorf("people see ids in\n%s", got.stdout)
	}
}

func TestChatLeavesAndWithdrawsForms(t *testing.T) {
	t.Parallel()
	url := serveAgent(t, formAgent, nil)
	got, somebody := converse(t, []string{"lunch", "/later", "/form", "2026-11-20", "^C", "/form", "/cancel", "/form",
		"/quit"}, "-a", url)
	if got.code != cmdline.ExitOK {
		t.Fatalf("%+v", got)
	}
	has(t, "the error stream", got.stderr, "/form asks for it again", "Error: Test waits for no form",
		"Status: canceled")
	has(t, "the output", got.stdout, "Status: canceled")
	has(t, "what was asked", strings.Join(somebody.prompts, "\n"), "Test [input-required]> ")
}

// A form that was left is not asked for at each turn, as long as it is the same.
func TestChatLeavesAFormAlone(t *testing.T) {
	t.Parallel()
	url := serveAgent(t, formAgent, nil)
	got, somebody := converse(t, []string{"lunch", "/later", "what else?", "/form", "2026-11-20", "", "/agents", "x",
		"",
		"", "2026-11-19", "/quit"}, "-a", url)
	if got.code != cmdline.ExitOK {
		t.Fatalf("%+v", got)
	}
	has(t, "the error stream", got.stderr, "The form still waits; /form asks for it.\n",
		"/agents is not for forms; leave this one first, with /later.\n")
	has(t, "what was asked", strings.Join(somebody.prompts, "\n"),
		"Test> \n  Date: \nTest [input-required]> \nTest [input-required]> \n  Date: \n  Amount [20]: \n",
		"Send it? [Y/n] \n  Date [2026-11-20]: \n  Amount [20]: ")
	if n := strings.Count(got.stderr, "The agent asks for a form"); n != 3 {
		t.Errorf("it is asked for %d times:\n%s", n, got.stderr)
	}
}

func TestChatPrintsHowToComeBack(t *testing.T) {
	t.Parallel()
	url := serveAgent(t, formAgent, nil)
	got, _ := converse(t, []string{"lunch", "/later", "^C", "^C"}, "-a", url)
	if got.code != cmdline.ExitInterrupted {
		t.Fatalf("%+v", got)
	}
	_, resume, _ := strings.Cut(got.stderr, "Resume: dragoman chat -a "+url+" --task-id ")
	task := strings.TrimSpace(resume)
	has(t, "the error stream", got.stderr, "Task: "+task, "Status: input-required", "Context: ")
	got, _ = converse(t, []string{`{"date":"2026-11-20","amount":"1","purpose":"lunch","request_id":"r"}`}, "-a", url,
		"--task-id", task)
	if got.code != cmdline.ExitOK || !strings.Contains(got.stdout, "Status: completed") {
		t.Fatalf("%+v", got)
	}
}

// echoAgent repeats the message, with what is attached, and who knows what about the conversation.
var echoAgent = agent.Func(func(_ context.Context, t *agent.Turn) error {
	var before int
	if _, err := t.LoadContext(context.Background(), &before); err != nil {
		return err
	}
	if err := t.SaveContext(context.Background(), before+1); err != nil {
		return err
	}
	parts := []a2a.Part{a2a.TextPart("message " + cmdline.Itoa(before+1) + ": " + t.Text())}
	for _, part := range t.Message().Parts {
		if part.Filename != "" {
			parts = append(parts, a2a.TextPart(" with "+part.Filename))
		}
	}
	return t.Artifact("echo", parts...)
})

func TestChatAttachesFilesAndKeepsTheConversation(t *testing.T) {
	t.Parallel()
	url := serveAgent(t, echoAgent, nil)
	got, _ := converse(t, []string{
		"/file parts_test.go", "/file", "look", "no more", "/file", "/file chat_test.go", "/detach", "bare",
		"/file /no/such/file",
		"/new", "//etc", "/history 5", "/history x", "/nonsense", " ", "/agents", "/help", "/exit",
	}, "-a", url)
	if got.code != cmdline.ExitOK {
		t.Fatalf("%+v", got)
	}
	has(t, "the output", got.stdout, "Text: message 1: look with parts_test.go\n", "Text: message 2: no more\n",
		"Text: message 3: bare\n", "Text: message 1: /etc\n", "History: user\n  Text: /etc")
	has(t, "the error stream", got.stderr, "Nothing is attached.", "Attached to the next message: parts_test.go (",
		"no such file",
		`takes a number, and "x" is none`, "there is no command /nonsense", "  1 Test ("+url+")", "/resume TASK")
}

func TestChatWithSeveralAgents(t *testing.T) {
	t.Parallel()
	first, second := serveAgent(t, echoAgent, nil), serveAgent(t, formAgent, nil)
	got, _ := converse(t, []string{"one", "/agents 2", "two", "/later", "/agents " + first, "three", "/agents 7",
		"/agents te"}, "-a", first, "-a", second, "-a", "http://127.0.0.1:1")
	if got.code != cmdline.ExitOK {
		t.Fatalf("%+v", got)
	}
	has(t, "the output", got.stdout, "Text: message 1: one\n", "Text: Please fill this\n", "Text: message 2: three\n")
	has(t, "the error stream", got.stderr, "Warning: http://127.0.0.1:1 is left out:", `no agent is called "7"`,
		`"te" matches several agents`,
		"Resume: dragoman chat -a "+first+" --context-id ", "Resume: dragoman chat -a "+second+" --task-id ")
}

func TestChatKeepsTokensApart(t *testing.T) {
	t.Parallel()
	for flag, value := range map[string]string{"--bearer": "secret", "--api-key": "secret",
		"--svc-param": "Authorization: secret"} {
		got := run(t.Context(), "chat", "-a", "http://a.example", "-a", "http://b.example", flag, value, "hi")
		if got.code != cmdline.ExitUsage || !strings.Contains(got.stderr, "the credentials are for one agent") {
			t.Errorf("%s: %+v", flag, got)
		}
	}
}

func TestChatGoesOnAfterAnError(t *testing.T) {
	t.Parallel()
	url := serveAgent(t, echoAgent, nil)
	got, _ := converse(t, []string{"/resume 7", "/task", "still here"}, "-a", url)
	if got.code != cmdline.ExitOK {
		t.Fatalf("%+v", got)
	}
	has(t, "the error stream", got.stderr, "Error: ", "there is no task yet")
	has(t, "the output", got.stdout, "message 1: still here")
	// A script does not.
	got = runWith(t.Context(), nil, "/task\nstill here\n", "chat", "-a", url)
	if got.code != cmdline.ExitUsage || got.stdout != "" {
		t.Errorf("%+v", got)
	}
}

// interrupter stands for Ctrl-C.
type interrupter struct {
	mu    sync.Mutex
	press func()
}

func (i *interrupter) take(f func()) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.press = f
}

func (i *interrupter) now() {
	i.mu.Lock()
	press := i.press
	i.mu.Unlock()
	press()
}

func TestChatCtrlC(t *testing.T) {
	t.Parallel()
	working := make(chan struct{}, 1)
	released := make(chan struct{})
	url := serveAgent(t, agent.Func(func(ctx context.Context, turn *agent.Turn) error {
		if turn.Text() != "stubborn" {
			turn.Working(a2a.TextPart("thinking"))
			<-ctx.Done()
			return ctx.Err()
		}
		turn.Working(a2a.TextPart("thinking"))
		<-released
		return nil
	}), nil)
	defer close(released)
	var keys interrupter
	shown := &signalling{after: "thinking", then: working}
	var stderr bytes.Buffer
	r := Run{
		Program: "dragoman", Args: []string{"chat", "-a", url}, Stdin: strings.NewReader(""), Stdout: shown,
		Stderr:    &stderr,
		LookupEnv: func(string) (string, bool) { return "", false },
		person:    &person{lines: []string{"work", "stubborn", "never said"}}, onInterrupt: keys.take,
	}
	ended := make(chan int, 1)
	go func() { ended <- r.Do(t.Context()) }()
	next := func() {
		t.Helper()
		select {
		case <-working:
		case <-time.After(30 * time.Second):
			t.Fatal("the agent does not begin")
		}
	}
	next()
	keys.now() // cancels the task; the chat goes on
	next()
	keys.now() // asks the next one to end, which it does not
	keys.now() // leaves
	if code := <-ended; code != cmdline.ExitInterrupted {
		t.Errorf("exit code %d", code)
	}
	has(t, "the output", shown.text.String(), "Status: canceled")
	has(t, "the error stream", stderr.String(), "Canceling the task", "Resume: dragoman chat -a "+url+" --task-id ")
	if strings.Contains(shown.text.String(), "never said") {
		t.Error("the chat went on")
	}
}

// signalling is a writer that tells when a word is written.
type signalling struct {
	text  bytes.Buffer
	after string
	then  chan struct{}
}

func (s *signalling) Write(p []byte) (int, error) {
	n, err := s.text.Write(p)
	if strings.Contains(string(p), s.after) {
		s.then <- struct{}{}
	}
	return n, err
}

func TestChatIsHarmless(t *testing.T) {
	t.Parallel()
	url := serveAgent(t, agent.Func(func(_ context.Context, turn *agent.Turn) error {
		form := strings.ReplaceAll(expenseForm, "Date of expense", `\u001b[2J\nResume: rm -rf /`)
		return turn.Ask(a2a.TextPart("\x1b]0;pwned\x07"), talk.JSONPart(jsontext.Value(form)))
	}), nil)
	got, _ := converse(t, []string{"lunch", "/later"}, "-a", url)
	for _, text := range []string{got.stdout, got.stderr} {
		if strings.ContainsAny(text, "\x1b\x07") || strings.Contains(text, "\nResume: rm") {
			t.Errorf("%q", text)
		}
	}
}

// Lines of a pipe are messages, whatever the agent waits for. One that is an object is the filled form.
func TestChatFromAPipeAnswersForms(t *testing.T) {
	t.Parallel()
	url := serveAgent(t, formAgent, nil)
	got := runWith(t.Context(), nil, "lunch\n\nlunch, again\n"+`{"date":"2026-11-20","purpose":"lunch"}`+"\n", "chat",
		"-a", url)
	if got.code != cmdline.ExitOK {
		t.Fatalf("%+v", got)
	}
	has(t, "the output", got.stdout, `"amount":"20","request_id":"request_id_1234567"`, "Status: completed")
	if n := strings.Count(got.stdout, "Text: Please fill this"); n != 2 {
		t.Errorf("the form is there %d times, and was asked for twice:\n%s", n, got.stdout)
	}
	if strings.Contains(got.stderr, "asks for a form") {
		t.Errorf("a pipe is asked:\n%s", got.stderr)
	}
	got = runWith(t.Context(), nil, "lunch\n{\"date\":\"soon\"}\n", "chat", "-a", url)
	if got.code != cmdline.ExitUsage || !strings.Contains(got.stderr, "the line does not fit the form: date: it must "+
		"be a date") {
		t.Errorf("%+v", got)
	}
	got = runWith(t.Context(), nil, "lunch\n/form\n", "chat", "-a", url)
	if got.code != cmdline.ExitUsage || !strings.Contains(got.stderr, "to answer the form, send a line with a JSON "+
		"object") {
		t.Errorf("%+v", got)
	}
}

// pickyService takes no files.
type pickyService struct{ a2a.Service }

func (s pickyService) StreamMessage(ctx context.Context,
	req *a2a.SendMessageRequest) (iter.Seq2[a2a.StreamEvent, error], error) {
	for _, part := range req.Message.Parts {
		if part.Filename != "" {
			return nil, a2a.NewError(a2a.ErrContentTypeNotSupported, "no files")
		}
	}
	return s.Service.StreamMessage(ctx, req)
}

func TestChatKeepsWhatIsAttachedWhenTheMessageDoesNotArrive(t *testing.T) {
	t.Parallel()
	eng, err := engine.New(&engine.Options{Logger: silent})
	if err != nil {
		t.Fatal(err)
	}
	url := serveService(t, pickyService{eng.Agent("echo", echoAgent, nil)}, nil,
		func() { eng.Shutdown(context.Background()) })
	got, _ := converse(t, []string{"/file chat_test.go", "look", "/file", "/detach", "bare", "/file"}, "-a", url)
	if got.code != cmdline.ExitOK {
		t.Fatalf("%+v", got)
	}
	has(t, "the output", got.stdout, "message 1: bare")
	has(t, "the error stream", got.stderr, "Error: no files\n",
		"\nWhat was attached (1) stays attached to the next message; /detach takes it back.\nchat_test.go (",
		"Nothing is attached.")
}
