// SPDX-License-Identifier: Apache-2.0

package host_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/agent/agenttest"
	"github.com/dragoman-a2a/dragoman/apps/host"
	"github.com/dragoman-a2a/dragoman/apps/samples/currency"
	"github.com/dragoman-a2a/dragoman/apps/samples/hello"
	"github.com/dragoman-a2a/dragoman/client"
	"github.com/dragoman-a2a/dragoman/engine"
	"github.com/dragoman-a2a/dragoman/server"
)

func currencyURL(t *testing.T) string {
	return serve(t, currency.New(currency.Options{}), currency.Card())
}

// child is what the metadata of a host's task says of an agent's task.
type child struct {
	Step, Agent, TaskID, State, Error string
}

func children(t *testing.T, task *a2a.Task) []child {
	t.Helper()
	var found []child
	if err := json.Unmarshal(task.Metadata["children"], &found); err != nil {
		t.Fatalf("children %s: %v", task.Metadata["children"], err)
	}
	return found
}

func TestOneAgentAnswers(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil, currencyURL(t), serve(t, hello.New(hello.Options{}), hello.Card()))
	r := w.Send("100 USD in GBP")
	if r.State() != a2a.TaskStateCompleted || !strings.HasPrefix(r.Text(), "100 USD = 77.252 GBP") {
		t.Fatalf("%v: %s", r.State(), r.Text())
	}
	if got := strings.Join(statuses(r), "|"); got != "→ Currency Agent|→ Currency Agent: Looking up the exchange "+
		"rates...|→ Currency Agent: Processing the exchange rates..." {
		t.Errorf("statuses %s", got)
	}
	a := r.Task.Artifacts[0]
	var from struct {
		Agent      string `json:"agent"`
		TaskID     string `json:"taskId"`
		ArtifactID string `json:"artifactId"`
	}
	if _, err := a.Metadata.Get("provenance", &from); err != nil || from.Agent != "Currency Agent" ||
		from.TaskID == "" || from.ArtifactID == "" {
		t.Errorf("provenance %+v, %v", from, err)
	}
	if a.Name != "Currency Agent/conversion_result" || len(a.Parts) != 2 {
		t.Errorf("artifact %+v", a)
	}
	if c := children(t, r.Task); len(c) != 1 || c[0].State != "completed" || c[0].TaskID != from.TaskID ||
		c[0].Agent != "Currency Agent" {
		t.Errorf("children %+v", c)
	}
	if plan := string(r.Task.Metadata["plan"]); !strings.Contains(plan, `"agent":"Currency Agent"`) {
		t.Errorf("plan %s", plan)
	}
}

func TestAnAnswerGoesBackToTheAgentThatAsked(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil, currencyURL(t), serve(t, hello.New(hello.Options{}), hello.Card()))
	first := w.Send("How much is 1 USD?")
	if first.State() != a2a.TaskStateInputRequired || !strings.Contains(first.StatusText(), "Into which currency") {
		t.Fatalf("%v: %s", first.State(), first.StatusText())
	}
	second := w.Reply(first, "CAD")
	if second.State() != a2a.TaskStateCompleted || !strings.HasPrefix(second.Text(), "1 USD = 1.4328 CAD") {
		t.Errorf("%v: %s", second.State(), second.Text())
	}
	if a, b := children(t, first.Task), children(t, second.Task); len(b) != 1 || a[0].TaskID != b[0].TaskID {
		t.Errorf("children %+v, then %+v", a, b)
	}
}

// Clients that keep only the context send the answer without the task.
func TestAnAnswerWithoutATaskIsUnderstood(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil, currencyURL(t), serve(t, hello.New(hello.Options{}), hello.Card()))
	first := w.Send("How much is 1 USD?")
	say := func(text string) string {
		m := a2a.NewMessage(a2a.RoleUser, a2a.TextPart(text))
		m.ContextID = first.Task.ContextID
		return w.SendMessage(m).Text()
	}
	if got := say("say hello to Ada"); !strings.Contains(got, "Hello,") {
		t.Errorf("a new request: %s", got)
	}
	if got := say("into CAD please"); !strings.HasPrefix(got, "1 USD = 1.4328 CAD") {
		t.Errorf("the answer: %s", got)
	}
}

// The agent of a task that was answered from another task is looked at when the first one is spoken to again.
func TestATaskWhoseQuestionWasAnsweredElsewhere(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil, currencyURL(t))
	first := w.Send("How much is 1 USD?")
	m := a2a.NewMessage(a2a.RoleUser, a2a.TextPart("CAD"))
	m.ContextID = first.Task.ContextID
	if r := w.SendMessage(m); !strings.HasPrefix(r.Text(), "1 USD = 1.4328 CAD") {
		t.Fatalf("%v: %s", r.State(), r.Text())
	}
	if r := w.Reply(first, "CAD"); r.State() != a2a.TaskStateCompleted ||
		!strings.HasPrefix(r.Text(), "1 USD = 1.4328 CAD") {
		t.Errorf("%v: %s", r.State(), r.Text())
	}
}

// diary tells what was said to it before in the conversation.
var diary = agent.Func(func(ctx context.Context, t *agent.Turn) error {
	var said []string
	if _, err := t.LoadContext(ctx, &said); err != nil {
		return err
	}
	if err := t.SaveContext(ctx, append(said, t.Text())); err != nil {
		return err
	}
	return t.Artifact("before", a2a.TextPart(fmt.Sprintf("before: %q", said)))
})

// Two users may give their conversations one id, and none reads what the other one said to an agent: to the agent both
// are the host.
func TestConversationsOfOneIDAreApart(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil, serve(t, diary, cardOf("Diary", "Keeps a diary", "diary")))
	say := func(user, tenant, words string) string {
		m := a2a.NewMessage(a2a.RoleUser, a2a.TextPart(words))
		m.ContextID = "1"
		ctx := a2a.WithCall(w.Context(), &a2a.Call{Identity: a2a.Identity{Subject: user}, Tenant: tenant})
		res, err := w.Service.SendMessage(ctx, &a2a.SendMessageRequest{Message: m})
		if err != nil {
			t.Fatal(err)
		}
		task := res.(*a2a.Task)
		if len(task.Artifacts) == 0 {
			t.Fatalf("%+v", task.Status)
		}
		return string(task.Artifacts[0].Parts[0].Content.(a2a.Text))
	}
	for _, user := range []struct{ name, tenant string }{{"alice", ""}, {"bob", ""}, {"alice", "acme"}, {"", ""}} {
		if got := say(user.name, user.tenant, "diary: first"); got != "before: []" {
			t.Errorf("%+v reads %s", user, got)
		}
		if got := say(user.name, user.tenant, "diary: second"); got != `before: ["first"]` {
			t.Errorf("%+v: the conversation does not go on: %s", user, got)
		}
	}
}

func TestSeveralOpenQuestions(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil, currencyURL(t), serve(t, expenses, expensesCard()))
	first := w.Send("How much is 1 USD?")
	second := w.Reply(first, "new: reimburse my lunch of 30 USD")
	if second.State() != a2a.TaskStateInputRequired || second.Task.ID != first.Task.ID {
		t.Fatalf("%v: %s", second.State(), second.StatusText())
	}
	c := children(t, second.Task)
	if len(c) != 2 || c[0].TaskID == c[1].TaskID || c[0].State != "input-required" || c[1].State != "input-required" {
		t.Fatalf("children %+v", c)
	}
	for _, want := range []string{"Currency Agent asks", "Into which currency", "Reimbursement Agent asks"} {
		if !strings.Contains(second.StatusText(), want) {
			t.Errorf("no %q in %s", want, second.StatusText())
		}
	}
	which := w.Reply(second, "yes")
	if which.State() != a2a.TaskStateInputRequired ||
		!strings.Contains(which.StatusText(),
			`Which one is "yes" for? Say 1 or 2, or write @Currency Agent and your message.`) {
		t.Fatalf("%v: %s", which.State(), which.StatusText())
	}
	third := w.Reply(which, "@currency CAD")
	if !strings.Contains(third.Text(), "1 USD = 1.4328 CAD") || third.State() != a2a.TaskStateInputRequired {
		t.Fatalf("%v: %s", third.State(), third.Text())
	}
	m := a2a.NewMessage(a2a.RoleUser, form(t, third.Task.Status.Message))
	m.TaskID = third.Task.ID
	if last := w.SendMessage(m); last.State() != a2a.TaskStateCompleted ||
		!strings.Contains(last.Text(), "30 USD approved") {
		t.Errorf("%v: %s", last.State(), last.Text())
	}
}

// A form goes to the agent whose form it is, without a question, and the message that waits for "which one" is not
// lost.
func TestFormsAndChoices(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil, currencyURL(t), serve(t, expenses, expensesCard()))
	first := w.Send("How much is 1 USD?")
	second := w.Reply(first, "new: reimburse my lunch of 30 USD")
	which := w.Reply(second, "CAD")
	if got := w.Reply(which, "1"); !strings.Contains(got.Text(), "1 USD = 1.4328 CAD") {
		t.Fatalf("%v: %s", got.State(), got.Text())
	}
	again := w.Reply(first, "new: How much is 2 USD?")
	question := &a2a.Message{Parts: again.Task.Status.Message.Parts}
	m := a2a.NewMessage(a2a.RoleUser, form(t, question))
	m.TaskID = again.Task.ID
	if got := w.SendMessage(m); !strings.Contains(got.Text(), "30 USD approved") ||
		got.State() != a2a.TaskStateInputRequired {
		t.Errorf("%v: %s", got.State(), got.Text())
	}
}

func TestAsksWhomItIsFor(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil, currencyURL(t), currencyURL(t), serve(t, hello.New(hello.Options{}), hello.Card()))
	r := w.Send("100 USD in GBP")
	if r.State() != a2a.TaskStateInputRequired || !strings.Contains(r.StatusText(), "1. Currency Agent:") ||
		!strings.Contains(r.StatusText(), "2. Currency Agent#2:") {
		t.Fatalf("%v: %s", r.State(), r.StatusText())
	}
	for _, answer := range []string{"2", "Currency Agent#2", "the second one", "currency agent#2 please"} {
		r := w.Send("100 USD in GBP")
		done := w.Reply(r, answer)
		if done.State() != a2a.TaskStateCompleted || !strings.HasPrefix(done.Text(), "100 USD = 77.252 GBP") {
			t.Errorf("%s: %v: %s", answer, done.State(), done.Text())
			continue
		}
		if c := children(t, done.Task); c[0].Agent != "Currency Agent#2" {
			t.Errorf("%s: %+v", answer, c)
		}
	}
	if r := w.Reply(r, "never mind"); r.State() != a2a.TaskStateCompleted {
		t.Errorf("%v: %s", r.State(), r.StatusText())
	}
	if r := w.Send("@\"Currency Agent#2\" 100 USD in GBP"); r.State() != a2a.TaskStateCompleted ||
		children(t, r.Task)[0].Agent != "Currency Agent#2" {
		t.Errorf("by name: %v: %s", r.State(), r.Text())
	}
	unsure := w.Send("Tralala")
	if unsure.State() != a2a.TaskStateInputRequired ||
		!strings.Contains(unsure.StatusText(), "Greets whoever writes to it") {
		t.Fatalf("%v: %s", unsure.State(), unsure.StatusText())
	}
	if r := w.Reply(unsure, "5 USD in JPY, @nobody"); r.State() != a2a.TaskStateInputRequired {
		t.Errorf("a tie stays a tie: %v: %s", r.State(), r.StatusText())
	}
}

func TestAnswersAboutItself(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil, currencyURL(t), serve(t, hello.New(hello.Options{}), hello.Card()))
	r := w.Send("What remote agents do you have access to?")
	if r.State() != a2a.TaskStateCompleted ||
		!strings.Contains(r.StatusText(), "Currency Agent: Helps with exchange rates") {
		t.Errorf("%v: %s", r.State(), r.StatusText())
	}
}

// Parts other than text pass through unchanged, both ways.
func TestPartsPassThrough(t *testing.T) {
	t.Parallel()
	sent := make(chan *a2a.Message, 1)
	echo := agent.Func(func(_ context.Context, t *agent.Turn) error {
		sent <- t.Message()
		return t.Artifact("echo", t.Message().Parts...)
	})
	w := newWorld(t, nil, serve(t, echo, cardOf("Echo", "Repeats pictures and data", "repeat")))
	parts := []a2a.Part{
		a2a.TextPart("repeat this"),
		a2a.RawPart([]byte{0x89, 'P', 'N', 'G', 0, 1}, "image/png", "a.png"),
		{Content: a2a.Data(`{"n": 1.50, "keep":  "text"}`), MediaType: "application/json",
			Metadata: a2a.Metadata{"k": []byte(`"v"`)}},
		a2a.URLPart("https://example.com/x.pdf", "application/pdf", "x.pdf"),
	}
	m := a2a.NewMessage(a2a.RoleUser, parts...)
	m.Metadata = a2a.Metadata{"mine": []byte("1"), "skillId": []byte(`"delegate"`)}
	r := w.SendMessage(m)
	got := <-sent
	if string(got.Metadata["mine"]) != "1" || string(got.Metadata["dragoman.hosts"]) != `["the-host"]` ||
		got.Metadata["skillId"] != nil {
		t.Errorf("metadata %v", got.Metadata)
	}
	for name, list := range map[string][]a2a.Part{"sent": got.Parts, "came back": r.Task.Artifacts[0].Parts} {
		if len(list) != len(parts) {
			t.Fatalf("%s: %d parts", name, len(list))
		}
		for i := range parts {
			want, _ := parts[i].AppendJSON(nil)
			if have, _ := list[i].AppendJSON(nil); string(have) != string(want) {
				t.Errorf("%s: part %d is %s, want %s", name, i, have, want)
			}
		}
	}
}

func TestStreamsPassThrough(t *testing.T) {
	t.Parallel()
	writer := agent.Func(func(_ context.Context, t *agent.Turn) error {
		w := t.NewArtifact("poem")
		for _, s := range []string{"a ", "b ", "c"} {
			if _, err := w.WriteString(s); err != nil {
				return err
			}
		}
		if err := t.Artifact("other", a2a.TextPart("x")); err != nil {
			return err
		}
		return w.Close()
	})
	w := newWorld(t, nil, serve(t, writer, cardOf("Poet", "Writes poems", "poems")))
	r := w.Send("write poems")
	if len(r.Task.Artifacts) != 2 || r.Task.Artifacts[0].Text() != "a b c" || r.Task.Artifacts[0].Name != "Poet/poem" ||
		r.Task.Artifacts[1].Text() != "x" {
		t.Fatalf("%+v", r.Task.Artifacts)
	}
	appended := 0
	for _, e := range r.Events {
		if u, ok := e.(*a2a.ArtifactUpdate); ok && u.Append {
			appended++
		}
	}
	if appended < 2 {
		t.Errorf("%d chunks were appended", appended)
	}
}

func TestAuthorizationIsThatOfTheAgent(t *testing.T) {
	t.Parallel()
	bank := agent.Func(func(_ context.Context, t *agent.Turn) error {
		if t.Text() == "granted" {
			return t.Reply(a2a.TextPart("Done."))
		}
		return t.NeedAuth(a2a.TextPart("Log in at the bank"))
	})
	w := newWorld(t, nil, serve(t, bank, cardOf("Bank", "Transfers funds", "transfer")))
	// Not as a stream, which stays open for an authorization.
	sent, err := w.Service.SendMessage(w.Context(),
		&a2a.SendMessageRequest{Message: a2a.NewMessage(a2a.RoleUser, a2a.TextPart("Transfer all funds"))})
	if err != nil {
		t.Fatal(err)
	}
	r := &agenttest.Result{Task: sent.(*a2a.Task)}
	if r.State() != a2a.TaskStateAuthRequired || r.StatusText() != "Log in at the bank" {
		t.Fatalf("%v: %s", r.State(), r.StatusText())
	}
	if r = w.Reply(r, "granted"); r.State() != a2a.TaskStateCompleted || r.StatusText() != "Done." {
		t.Errorf("%v: %s", r.State(), r.StatusText())
	}
}

// The host shows its user what to open, unchanged. Once the agent's own callback has let the task of the agent go on,
// any message shows its outcome.
func TestAuthorizationByCallback(t *testing.T) {
	t.Parallel()
	grant := ""
	bank := agent.Func(func(_ context.Context, t *agent.Turn) error {
		if t.Grant() != "" {
			return t.Complete(a2a.TextPart("Paid."))
		}
		grant = t.NewGrant()
		return t.Authorize(agent.Authorization{Schemes: []string{"oauth2"}, URL: "https://bank.example/?state=x",
			Instructions: "Allow the payment.", Grant: grant})
	})
	eng, err := engine.New(&engine.Options{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { eng.Shutdown(context.Background()) })
	card := cardOf("Bank", "Transfers funds", "transfer")
	srv, err := server.New(eng.Agent("bank", bank, nil), &server.Options{Card: card,
		Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	ts := httptest.NewServer(srv)
	t.Cleanup(ts.Close)
	w := newWorld(t, nil, ts.URL)
	sent, err := w.Service.SendMessage(w.Context(),
		&a2a.SendMessageRequest{Message: a2a.NewMessage(a2a.RoleUser, a2a.TextPart("Transfer all funds"))})
	if err != nil {
		t.Fatal(err)
	}
	r := &agenttest.Result{Task: sent.(*a2a.Task)}
	need, ok := agent.FindAuthorization(r.Task.Status.Message.Parts...)
	if r.State() != a2a.TaskStateAuthRequired || !ok || need.URL != "https://bank.example/?state=x" {
		t.Fatalf("%v: %+v", r.State(), need)
	}
	if err := eng.Granted(t.Context(), grant, func(context.Context, engine.Grant) error { return nil }); err != nil {
		t.Fatal(err)
	}
	if r = w.Reply(r, "I did"); r.State() != a2a.TaskStateCompleted || r.StatusText() != "Paid." {
		t.Errorf("%v: %s", r.State(), r.StatusText())
	}
}

// An agent may answer with a message, without any task.
func TestAMessageIsAnAnswer(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil, serve(t, hello.New(hello.Options{Reply: true}), hello.Card()))
	if r := w.Send("say hello to Ada"); r.State() != a2a.TaskStateCompleted ||
		!strings.Contains(r.StatusText(), "Hello,") {
		t.Errorf("%v: %s", r.State(), r.StatusText())
	}
}

func TestPartialResult(t *testing.T) {
	t.Parallel()
	broken := agent.Func(func(context.Context, *agent.Turn) error { return agent.Public("The till is closed.", nil) })
	w := newWorld(t, nil, currencyURL(t), serve(t, broken, expensesCard()))
	r := w.Send("Convert 20 EUR to USD and then reimburse me that amount for lunch")
	if r.State() != a2a.TaskStateFailed || r.StatusText() != "Reimbursement Agent failed: The till is closed." {
		t.Fatalf("%v: %s", r.State(), r.StatusText())
	}
	last := r.Task.Artifacts[len(r.Task.Artifacts)-1]
	if last.Name != host.PartialResult || !strings.Contains(last.Text(), "1. Currency Agent: done. 20 EUR = 21.5") ||
		!strings.Contains(last.Text(), "2. Reimbursement Agent: failed. The till is closed.") {
		t.Errorf("%s: %s", last.Name, last.Text())
	}
	backwards := newWorld(t, nil, currencyURL(t),
		serve(t, broken, expensesCard())).Send("Reimburse me 20 EUR for lunch and then convert it to USD")
	if c := children(t, backwards.Task); len(c) != 2 || c[1].State != "skipped" || c[1].TaskID != "" {
		t.Errorf("children %+v", c)
	}
}

func TestCancelGoesDown(t *testing.T) {
	t.Parallel()
	entered, ended := make(chan struct{}), make(chan error, 1)
	endless := agent.Func(func(ctx context.Context, t *agent.Turn) error {
		if err := t.Working(a2a.TextPart("busy")); err != nil {
			return err
		}
		close(entered)
		<-ctx.Done()
		ended <- context.Cause(ctx)
		return ctx.Err()
	})
	w := newWorld(t, nil, serve(t, endless, cardOf("Endless", "Counts sheep", "sheep")))
	sent, err := w.Service.SendMessage(w.Context(), &a2a.SendMessageRequest{
		Message:       a2a.NewMessage(a2a.RoleUser, a2a.TextPart("Count sheep")),
		Configuration: &a2a.SendConfiguration{ReturnImmediately: true},
	})
	if err != nil {
		t.Fatal(err)
	}
	<-entered
	task, err := w.Service.CancelTask(w.Context(), &a2a.CancelTaskRequest{ID: sent.(*a2a.Task).ID})
	if err != nil || task.Status.State != a2a.TaskStateCanceled {
		t.Fatalf("%+v, %v", task, err)
	}
	if err := <-ended; !errors.Is(err, agent.ErrCanceled) {
		t.Errorf("the agent saw %v", err)
	}
}

// A task that waits is cancelled with the task of the agent that asked.
func TestCancelOfAWaitingTaskGoesDown(t *testing.T) {
	t.Parallel()
	canceled := make(chan struct{})
	w := newWorld(t, nil, serve(t, &asker{canceled}, cardOf("Asker", "Asks riddles", "riddles")))
	r := w.Send("Ask riddles")
	if r.State() != a2a.TaskStateInputRequired {
		t.Fatalf("%v: %s", r.State(), r.StatusText())
	}
	if _, err := w.Service.CancelTask(w.Context(), &a2a.CancelTaskRequest{ID: r.Task.ID}); err != nil {
		t.Fatal(err)
	}
	<-canceled
}

type asker struct{ canceled chan struct{} }

func (*asker) Run(_ context.Context, t *agent.Turn) error { return t.Ask(a2a.TextPart("What is it?")) }

func (a *asker) Cancel(context.Context, *agent.Turn) error {
	close(a.canceled)
	return nil
}

// A question to the host does not end a task in which an agent waits.
func TestTheHostsOwnAnswerLeavesNobodyBehind(t *testing.T) {
	t.Parallel()
	asks := agent.Func(func(_ context.Context, t *agent.Turn) error {
		if t.Text() == "the red one" {
			return t.Reply(a2a.TextPart("quack"))
		}
		return t.Ask(a2a.TextPart("Which duck?"))
	})
	url := serve(t, asks, cardOf("Asker", "quacks about ducks", "ducks"))
	w := newWorld(t, nil, url, currencyURL(t))
	begun := func() *agenttest.Result {
		r := w.Send("quack about ducks")
		must(t, r, a2a.TaskStateInputRequired, "Which duck?")
		r = w.Reply(r, "new: what agents do you have?")
		must(t, r, a2a.TaskStateInputRequired, "I pass requests on to 2 agents", "Asker asks:", "Which duck?")
		return r
	}
	must(t, w.Reply(begun(), "the red one"), a2a.TaskStateCompleted, "quack")
	r := begun()
	task, err := w.Service.CancelTask(t.Context(), &a2a.CancelTaskRequest{ID: r.Task.ID})
	if err != nil || task.Status.State != a2a.TaskStateCanceled {
		t.Fatalf("%+v, %v", task, err)
	}
	cl, err := client.Dial(t.Context(), url, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer cl.Close()
	below, err := cl.GetTask(t.Context(), &a2a.GetTaskRequest{ID: a2a.TaskID(children(t, task)[0].TaskID)})
	if err != nil || below.Status.State != a2a.TaskStateCanceled {
		t.Errorf("%+v, %v", below, err)
	}
}
