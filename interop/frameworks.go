// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"slices"
	"strings"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/client"
)

// These names say which server lies between a framework and Dragoman. The rows of a framework have them in place of a
// transport, because a framework chooses its transport by itself.
const (
	directly  = "directly"
	belowPath = "below a path" // of a server that has several agents
	gateway   = "gateway"
	host      = "host"
)

// flagships are the sample agents that the clients of frameworks call.
var flagships = []string{"currency", "expenses", "images", "coder"}

// An address book has the URLs of agents by their names.
type addressBook map[string]string

// startFlagships starts the flagships, a gateway before each, a server that has them below paths, and a host before
// all.
func (l *lab) startFlagships(ctx context.Context) error {
	direct, gateways, below, hosts := addressBook{}, addressBook{}, addressBook{}, addressBook{}
	all, err := l.startServer(ctx, exec.CommandContext(ctx, l.dragoman, "samples", "up", "--addr", "127.0.0.1:0",
		"--data-dir", ":memory:"))
	if err != nil {
		return err
	}
	base, _, _ := strings.Cut(all, "/agents/")
	var urls []string
	for _, name := range flagships {
		below[name] = base + "/agents/" + name
		serve := exec.CommandContext(ctx, l.dragoman, "serve", "--agent", name, "--addr", "127.0.0.1:0", "--data-dir",
			":memory:")
		if direct[name], err = l.startServer(ctx, serve); err != nil {
			return err
		}
		urls = append(urls, direct[name])
		if gateways[name], err = l.startServer(ctx, l.before(ctx, gateway, direct[name])); err != nil {
			return err
		}
	}
	one, err := l.startServer(ctx, l.before(ctx, host, urls...))
	if err != nil {
		return err
	}
	for _, name := range flagships {
		hosts[name] = one
	}
	l.flagships = map[string]addressBook{directly: direct, belowPath: below, gateway: gateways, host: hosts}
	return nil
}

// before returns the command of a gateway or a host before agents.
func (l *lab) before(ctx context.Context, what string, urls ...string) *exec.Cmd {
	args := []string{"gateway", "--addr", "127.0.0.1:0"}
	if what == host {
		args = []string{"host", "--serve", "127.0.0.1:0", "--data-dir", ":memory:"}
	}
	for _, url := range urls {
		args = append(args, "-a", url)
	}
	return exec.CommandContext(ctx, l.dragoman, args...)
}

// picture is a PNG of one dot.
var picture = []byte(
	"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x00\x00\x00\x00\x3a\x7e\x9b\x55" +
		"\x00\x00\x00\nIDATx\x9cc`\x00\x00\x00\x02\x00\x01H\xaf\xa4q\x00\x00\x00\x00IEND\xaeB`\x82")

// playFrameworkClient lets a framework's client talk to the flagships.
func (l *lab) playFrameworkClient(ctx context.Context, r *row) map[string]result {
	urls, err := json.Marshal(l.flagships[r.transport])
	if err != nil {
		return failed(r, err)
	}
	return l.playProgram(r, r.program.command(ctx, r.program.client, string(urls)))
}

// playFrameworkAgent lets our client, or our host, talk to an agent of a framework.
func (l *lab) playFrameworkAgent(ctx context.Context, r *row) map[string]result {
	url, stop, err := l.startAgent(ctx, r.program)
	if err != nil {
		return failed(r, err)
	}
	defer stop()
	url += r.peer.agentPath
	if r.transport != directly {
		before, end, err := l.launch(ctx, l.before(ctx, r.transport, url))
		if err != nil {
			return failed(r, err)
		}
		defer end()
		url = before
	}
	v := &visit{url: url, dragoman: l.dragoman}
	if r.transport == host {
		v.call = "@Currency " // rules plan by words, and a picture has none
	}
	defer v.close()
	results := map[string]result{}
	for _, s := range []struct {
		name string
		play func(context.Context) error
	}{
		{"card", v.card}, {"currency", v.currency}, {"stream", v.stream}, {"question", v.question},
		{"images", v.images}, {"cli", v.cli},
	} {
		if !expected(r, s.name) {
			continue
		}
		results[s.name] = inTime(ctx, s.name, s.play)
	}
	return results
}

// failed is the result of a row that could not begin.
func failed(r *row, err error) map[string]result {
	i := slices.IndexFunc(ofOthers[r.direction], func(s string) bool { return expected(r, s) })
	first := ofOthers[r.direction][i]
	return map[string]result{first: {Scenario: first, Detail: err.Error()}}
}

// inTime plays one scenario with a deadline.
func inTime(ctx context.Context, name string, play func(context.Context) error) result {
	ctx, cancel := context.WithTimeout(ctx, scenarioLimit)
	defer cancel()
	if err := play(ctx); err != nil {
		return result{Scenario: name, Detail: err.Error()}
	}
	return result{Scenario: name, OK: true}
}

// A visit is our client at an agent of a framework, which speaks what its card names.
type visit struct {
	url, dragoman string
	call          string // names the agent to a host, where words alone would not lead to it
	client        *client.Client
}

func (v *visit) dial(ctx context.Context) (err error) {
	if v.client == nil {
		v.client, err = client.Dial(ctx, v.url, nil)
	}
	return err
}

func (v *visit) close() {
	if v.client != nil {
		_ = v.client.Close() // nothing is open any more
	}
}

func (v *visit) card(ctx context.Context) error {
	if err := v.dial(ctx); err != nil {
		return err
	}
	c := v.client.Card()
	return check(strings.EqualFold(c.Name, "Currency") && len(c.Skills) > 0, c)
}

// An answer is what a user sees of what an agent says, in a message or in a task.
type answer struct {
	task    a2a.TaskID
	context a2a.ContextID
	waits   bool // the task waits for input
	text    string
}

// say sends a message, after an answer if there is one before it.
func (v *visit) say(ctx context.Context, before *answer, parts ...a2a.Part) (*answer, error) {
	if err := v.dial(ctx); err != nil {
		return nil, err
	}
	m := a2a.NewMessage(a2a.RoleUser, parts...)
	if before != nil {
		if m.ContextID = before.context; before.waits {
			m.TaskID = before.task
		}
	}
	got, err := v.client.SendMessage(ctx, &a2a.SendMessageRequest{Message: m})
	if err != nil {
		return nil, err
	}
	switch got := got.(type) {
	case *a2a.Message:
		return &answer{context: got.ContextID, text: got.Text()}, nil
	case *a2a.Task:
		if !got.Status.State.Terminal() && !got.Status.State.Interrupted() { // some answer before they are done
			if got, err = v.client.Wait(ctx, got.ID); err != nil {
				return nil, err
			}
		}
		return answerOf(got)
	}
	return nil, check(false, "neither a message nor a task:", got)
}

func answerOf(t *a2a.Task) (*answer, error) {
	a := &answer{task: t.ID, context: t.ContextID, text: textOf(t.Artifacts...),
		waits: t.Status.State == a2a.TaskStateInputRequired}
	if m := t.LastMessage(); m != nil {
		a.text += m.Text()
	}
	if a.waits { // LangGraph asks with data
		for _, artifact := range t.Artifacts {
			for _, p := range artifact.Parts {
				a.text += string(p.Data())
			}
		}
	}
	return a, check(a.waits || t.Status.State == a2a.TaskStateCompleted, t)
}

func (v *visit) currency(ctx context.Context) error {
	got, err := v.say(ctx, nil, a2a.TextPart("100 USD in GBP"))
	if err != nil {
		return err
	}
	return check(strings.Contains(got.text, "77.252 GBP"), got.text)
}

func (v *visit) stream(ctx context.Context) error {
	if err := v.dial(ctx); err != nil {
		return err
	}
	var text strings.Builder
	var last a2a.Event
	for u, err := range v.client.Stream(ctx, ask(nil, a2a.TextPart("100 USD in GBP"))) {
		if err != nil {
			return err
		}
		switch last = u.Event; e := last.(type) {
		case *a2a.Message:
			text.WriteString(e.Text())
		case *a2a.Task:
			text.WriteString(textOf(e.Artifacts...))
		case *a2a.ArtifactUpdate:
			text.WriteString(textOf(e.Artifact))
		case *a2a.StatusUpdate:
			if e.Status.Message != nil {
				text.WriteString(e.Status.Message.Text())
			}
		}
	}
	_, message := last.(*a2a.Message)
	ended := message || stateOf(last) == a2a.TaskStateCompleted
	return check(ended && strings.Contains(text.String(), "77.252 GBP"), text.String(), last)
}

func (v *visit) question(ctx context.Context) error {
	asked, err := v.say(ctx, nil, a2a.TextPart("How much is 1 USD?"))
	if err != nil {
		return err
	}
	if err := check(strings.Contains(asked.text, "which currency"), "the question is", asked.text); err != nil {
		return err
	}
	got, err := v.say(ctx, asked, a2a.TextPart("GBP"))
	if err != nil {
		return err
	}
	return check(strings.Contains(got.text, "0.77252 GBP"), "the answer is", got.text)
}

func (v *visit) images(ctx context.Context) error {
	got, err := v.say(ctx, nil, a2a.TextPart(v.call+"what is in this picture?"),
		a2a.RawPart(picture, "image/png", "dot.png"))
	if err != nil {
		return err
	}
	return check(strings.Contains(got.text, fmt.Sprintf("a picture of %d bytes", len(picture))), got.text)
}

// cli sends a message with our command.
func (v *visit) cli(ctx context.Context) error {
	cmd := exec.CommandContext(ctx, v.dragoman, "send", "-a", v.url, "--text", "100 USD in GBP")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%w: %.500s", err, stderr.String())
	}
	return check(strings.Contains(stdout.String(), "77.252 GBP"), stdout.String())
}
