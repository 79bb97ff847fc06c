// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/go-json-experiment/json"
	"github.com/spf13/cobra"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/card"
	"github.com/dragoman-a2a/dragoman/client"
	"github.com/dragoman-a2a/dragoman/internal/cmdline"
	"github.com/dragoman-a2a/dragoman/internal/connect"
	"github.com/dragoman-a2a/dragoman/internal/terminal"
)

var errTimeUp = errors.New("--timeout is over")

// within runs f under --timeout. A run that is interrupted, or whose time is up, says what it knows of the task and
// how to go on with it.
func (c *command) within(cmd *cobra.Command, seen *seen, f func(context.Context) error) error {
	ctx, done := c.limit(cmd.Context())
	defer done()
	c.waits = c.StartProgress(c.calledFor())
	err := f(ctx)
	c.waits.End()
	if err == nil || ctx.Err() == nil {
		return err
	}
	if f, own := errors.AsType[*cmdline.Failure](err); own && f.Exit == cmdline.ExitUsage {
		return err
	}
	c.sayWhere(seen)
	if cmd.Context().Err() != nil {
		return context.Cause(ctx)
	}
	failed := &cmdline.Failure{Exit: cmdline.ExitTimeout, Code: cmdline.CodeTimeout,
		Message: fmt.Sprintf("no result within %v", c.options.timeout)}
	switch {
	case seen.task == "":
		return failed.WithHint("give it more time with --timeout")
	case c.ephemeral:
		failed.Message += fmt.Sprintf("; task %s ended with this host", seen.task)
	case seen.state.Interrupted():
		failed.Message += fmt.Sprintf("; task %s still waits", seen.task)
	default:
		failed.Message += fmt.Sprintf("; task %s goes on without you", seen.task)
	}
	if c.wantsJSON() { // people have just read it
		failed.Hint = c.comeBackTo(seen)
	}
	return failed
}

// calledFor names the agent that a command waits for; "" for one that is there for this run only, whose address means
// nothing to anybody.
func (c *command) calledFor() string {
	if c.ownAgent() {
		return ""
	}
	return connect.WithoutUser(c.options.agentCard)
}

// limit puts --timeout on a context.
func (c *command) limit(ctx context.Context) (context.Context, context.CancelFunc) {
	if c.options.timeout == 0 {
		return ctx, func() {}
	}
	return context.WithTimeoutCause(ctx, c.options.timeout, errTimeUp)
}

// takeInterrupts lets Ctrl-C call f, which must return soon; nil gives it back.
func (c *command) takeInterrupts(f func()) {
	if c.process.onInterrupt != nil {
		c.process.onInterrupt(f)
	}
}

// resolve finds the agent's card.
func (c *command) resolve(ctx context.Context) (*a2a.AgentCard, error) {
	if c.options.agentCard == "" {
		return nil, connect.NoAgent()
	}
	found, err := c.cardOf(ctx, c.options.agentCard)
	return found, c.orAgents(ctx, err)
}

// orAgents returns the error of a look for a card or, if the address has no card but lists agents, which ones those
// are.
func (c *command) orAgents(ctx context.Context, err error) error {
	if e, ok := errors.AsType[*card.Error](err); ok && e.Kind == card.ErrNotFound {
		if f := c.severalAgents(ctx, e); f != nil {
			return f
		}
	}
	return err
}

// maxListed is how many bytes of a list of agents are read.
const maxListed = 1 << 20

// severalAgents says which agents an address without a card has, if it lists them as samples up does; nil if not.
func (c *command) severalAgents(ctx context.Context, e *card.Error) *cmdline.Failure {
	base, isCard := strings.CutSuffix(e.URL, card.WellKnownPath)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, base+"/", nil)
	if !isCard || err != nil {
		return nil
	}
	req.Header.Set("Accept", "application/json")
	resp, err := c.httpClient().Do(req)
	if err != nil {
		return nil
	}
	defer resp.Body.Close()
	var list struct {
		Agents []struct {
			Name string `json:"name"`
			URL  string `json:"url"`
		} `json:"agents"`
	}
	if resp.StatusCode != http.StatusOK || json.UnmarshalRead(io.LimitReader(resp.Body, maxListed), &list) != nil ||
		len(list.Agents) == 0 {
		return nil
	}
	var names []string
	for _, agent := range list.Agents[:min(len(list.Agents), 20)] {
		names = append(names, short(terminal.Inline(agent.Name), 40))
	}
	f := cardFailure(e)
	f.Message = fmt.Sprintf("%s is no agent; it has %d of them: %s", connect.WithoutUser(base), len(list.Agents),
		strings.Join(names, ", "))
	f.Hint = "name one of them, such as " + terminal.CommandLine([]string{connect.WithoutUser(list.Agents[0].URL)})
	return f
}

// httpClient returns what cards are fetched and agents called with, over the same connections.
func (c *command) httpClient() *http.Client {
	if c.web != nil {
		return c.web
	}
	c.web = c.options.NewClient(c.Terminal)
	return c.web
}

// closeConnections closes the connections of httpClient.
func (c *command) closeConnections() {
	if c.web != nil {
		c.web.CloseIdleConnections()
	}
}

// dial returns a client for the agent. Close it.
func (c *command) dial(ctx context.Context) (*client.Client, error) {
	params, err := c.options.Params()
	if err != nil {
		return nil, err
	}
	found, err := c.resolve(ctx)
	if err != nil {
		return nil, err
	}
	c.waits.Calls(found.Name)
	options := &client.Options{
		HTTPClient:   c.httpClient(),
		Extensions:   c.options.extensions,
		PollInterval: c.options.pollInterval,
		Interceptors: []client.Interceptor{c.send(params), (&reconnect{c: c}).see},
	}
	if err := c.options.ChooseInterface(options); err != nil {
		return nil, err
	}
	if err := c.addKey(found, options, params); err != nil {
		return nil, err
	}
	if tap, ok := c.httpClient().Transport.(*connect.Tap); ok {
		options.Interceptors = append(options.Interceptors, tap.ShowGRPC) // the last one, which sees what is sent
	}
	agent, err := client.New(found, options)
	if err != nil {
		return nil, c.noInterface(found, err)
	}
	for _, uri := range c.options.extensions {
		if !slices.ContainsFunc(found.Capabilities.Extensions,
			func(e a2a.AgentExtension) bool { return e.URI == uri }) {
			c.Warn("the agent's card does not offer the extension %s", uri)
		}
	}
	return agent, nil
}

// send returns the interceptor that adds service parameters to each call.
func (c *command) send(params http.Header) client.Interceptor {
	var warned atomic.Bool
	return func(ctx context.Context, call *client.Call, next client.Handler) (any, error) {
		for name, values := range params {
			call.Params[name] = values
		}
		if c.options.HasCredentials() && !connect.IsPrivate(call.Interface.URL) && warned.CompareAndSwap(false, true) {
			c.Warn("credentials are sent over plain http: anyone on the network path can read them")
		}
		return next(ctx, call)
	}
}

// seen is what a command has learnt of the task it deals with.
type seen struct {
	task    a2a.TaskID
	context a2a.ContextID
	state   a2a.TaskState
	form    *form            // what the agent last asked to be filled
	stated  bool             // with a status, which the next one replaces
	filled  *form            // the one before, as it was answered
	left    string           // the document of the form that a person left for later
	took    bool             // the agent has answered the last message somehow
	files   bool             // among what the task has brought forth
	cutOff  bool             // a host says that it reached no agent
	told    func(a2a.TaskID) // if not nil: called when the task is known
}

// note learns from an event.
func (s *seen) note(event a2a.Event) {
	s.took = true
	switch e := event.(type) {
	case *a2a.Task:
		s.task, s.context, s.state, s.cutOff = e.ID, e.ContextID, e.Status.State, reachedNobody(e)
		s.form = nil
		s.files = slices.ContainsFunc(e.Artifacts, hasFiles)
		for _, artifact := range e.Artifacts { // where agents put it that wrote no message with the status
			s.noteForm(artifact.Parts, false)
		}
		s.noteForm(words(&e.Status), true)
	case *a2a.StatusUpdate:
		s.task, s.context, s.state, s.cutOff = e.TaskID, e.ContextID, e.Status.State, false
		if s.stated {
			s.form = nil
		}
		s.noteForm(words(&e.Status), true)
	case *a2a.ArtifactUpdate:
		s.task, s.context = e.TaskID, e.ContextID
		if e.Artifact != nil {
			s.files = s.files || hasFiles(e.Artifact)
			s.noteForm(e.Artifact.Parts, false)
		}
	case *a2a.Message:
		if e.ContextID != "" {
			s.context = e.ContextID
		}
	}
	if s.told != nil && s.task != "" {
		s.told(s.task)
	}
}

// hasFiles reports whether a part of an artifact is a file.
func hasFiles(artifact *a2a.Artifact) bool {
	return slices.ContainsFunc(artifact.Parts, func(part a2a.Part) bool {
		switch part.Content.(type) {
		case a2a.Raw, a2a.URL:
			return true
		}
		return false
	})
}

func (s *seen) noteForm(parts []a2a.Part, stated bool) {
	if f := findForm(parts); f != nil {
		s.form, s.stated = f, stated
	}
}

// asksForm reports whether the task waits for a form.
func (s *seen) asksForm() bool { return s.state == a2a.TaskStateInputRequired && s.form != nil }

// goOn returns the command that goes on with a task: that answers it when it waits, that looks at it when it has
// ended, and that follows it otherwise. Credentials are left out of it.
func (c *command) goOn(s *seen) []string {
	switch {
	case s.state.Interrupted():
		return append(c.commandFor("send", "", "--task-id", string(s.task)), "--text", terminal.Placeholder)
	case c.ownAgent() || s.state.Terminal():
		return c.lookAt(s.task)
	}
	return c.commandFor("task", "subscribe", string(s.task))
}

// hintKeep says to people how to keep tasks, when the host of this run does not.
const hintKeep = "keep tasks with --" + cmdline.FlagDataDir + " FOLDER"

// sayResume says how to go on with a task, or that nobody can.
func (c *command) sayResume(words ...string) {
	if !c.ephemeral {
		c.Say("Resume", words...)
		return
	}
	const gone = "This host keeps nothing, and what it worked on ended with it; " + hintKeep + "."
	if c.Said != gone {
		c.Tell(gone)
	}
	c.Said = gone
}

// comeBackTo returns the hint for who stops waiting for a task.
func (c *command) comeBackTo(s *seen) string {
	if c.ephemeral {
		return hintKeep
	}
	return terminal.CommandLine(c.goOn(s))
}

// commandFor returns a command of this program that calls the same agent in the same way. Credentials are left out.
func (c *command) commandFor(noun, verb string, args ...string) []string {
	words := []string{c.Program, noun}
	if verb != "" {
		words = append(words, verb)
	}
	if c.options.agentCard != "" {
		words = append(words, "-a", connect.WithoutUser(c.options.agentCard))
	}
	if _, isEntry := entryName(c.options.agentCard); isEntry && c.origin[flagRegistry] == sourceFlag {
		words = append(words, "--registry", connect.WithoutUser(c.options.registry))
	}
	if instead, ok := c.resumeCommand[noun]; ok {
		words = slices.Clone(instead)
	}
	words = append(words, args...)
	if c.origin[flagConfig] == sourceFlag {
		words = append(words, "--config", c.options.config)
	}
	words = append(words, c.options.InterfaceFlags()...)
	words = append(words, c.options.TLS.ResumeArgs(func(name string) bool { return c.origin[name] == sourceFlag })...)
	for _, uri := range c.options.extensions {
		words = append(words, "--extension", uri)
	}
	return words
}

// ownAgent reports whether the agent that is called is there for this run only.
func (c *command) ownAgent() bool { return c.resumeCommand != nil }

// lookAt returns the command that shows a task.
func (c *command) lookAt(task a2a.TaskID) []string {
	if c.ownAgent() {
		return c.commandFor("chat", "", "--task-id", string(task))
	}
	return c.commandFor("task", "get", string(task))
}

// sayWhere tells a user who stops waiting what there is and how to come back.
func (c *command) sayWhere(s *seen) {
	if s.task == "" {
		return
	}
	fmt.Fprintf(c.Err, "Task: %s\n", terminal.Inline(string(s.task)))
	if s.context != "" {
		fmt.Fprintf(c.Err, "Context: %s\n", terminal.Inline(string(s.context)))
	}
	c.sayResume(c.goOn(s)...)
}

// judge warns of a task that did not end well or waits, and says how to answer.
func (c *command) judge(s *seen) {
	c.ending, c.cutOff = s.state, s.cutOff
	switch s.state {
	case a2a.TaskStateInputRequired:
		c.Warn("the task waits for input")
		c.sayResume(c.goOn(s)...)
		switch {
		case c.ephemeral:
		case s.asksForm() && c.ownAgent(): // its options are many
			c.Tell("Form: in that command, --skeleton instead of --text prints the form, and --answer form.json " +
				"sends it filled")
		case s.asksForm():
			c.Say("Form", append(c.commandFor("send", "", "--task-id", string(s.task)), "--skeleton")...)
			c.Say("Answer", append(c.commandFor("send", "", "--task-id", string(s.task)), "--answer", "form.json")...)
		}
	case a2a.TaskStateAuthRequired:
		c.Warn("the task waits for authorization")
		c.sayResume(c.goOn(s)...)
	case a2a.TaskStateFailed, a2a.TaskStateRejected, a2a.TaskStateCanceled:
		c.Warn("the task ended as %s", stateName(s.state))
	}
}

// noInterface explains that none of the card's interfaces may be used.
func (c *command) noInterface(card *a2a.AgentCard, err error) error {
	f := &cmdline.Failure{Exit: cmdline.ExitUnreachable, Code: cmdline.CodeUnreachable, Message: err.Error(),
		Hint: "see the card's interfaces with " + terminal.CommandLine(c.commandFor("card", "get"))}
	if others := c.options.OtherTransports(card); others != nil {
		f.Message = fmt.Sprintf("the agent's card names no interface of %s", strings.Join(c.options.Transports, " or "))
		if c.options.Version != connect.AnyVersion {
			f.Message += " in version " + c.options.Version
		}
		f.Hint = "it has " + strings.Join(others, ", ") + "; choose one of these with --transport, or leave it out"
		return f
	}
	for _, iface := range card.SupportedInterfaces {
		if strings.HasPrefix(iface.ProtocolVersion, string(a2a.Generation10)) {
			return f // the version is not what is in the way
		}
	}
	for _, version := range []string{"0.1", "0.2", "0.3"} {
		if slices.ContainsFunc(card.SupportedInterfaces,
			func(i a2a.AgentInterface) bool { return strings.HasPrefix(i.ProtocolVersion, version) }) {
			f.Hint = "the agent speaks version " + version + "; allow it with --a2a-version " + version
		}
	}
	return f
}
