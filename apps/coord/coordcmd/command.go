// SPDX-License-Identifier: Apache-2.0

// Package coordcmd holds the commands of the coordinator: daemon, proxy and hooks for harnesses, git guard, and more.
package coordcmd

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/dragoman-a2a/dragoman/apps/coord"
	"github.com/dragoman-a2a/dragoman/client"
	"github.com/dragoman-a2a/dragoman/internal/cmdline"
)

const defaultCoord = "127.0.0.1:8096"

// FlagToken names the flag with the token of a coordinator.
const FlagToken = "coord-token"

type coordOptions struct {
	url     string
	token   string
	project string
	session string
	data    string
}

// commands are the commands of a coordinator, and what they share.
type commands struct {
	*cmdline.Run
	web *http.Client
	// for connections: the SDK opens the stream of a session without a limit of time until the answer begins
	patient *http.Client
}

// Command returns the command coord with its subcommands, for a run of the program.
func Command(run *cmdline.Run) *cobra.Command {
	slow := client.NewHTTPTransport()
	slow.ResponseHeaderTimeout = coordPatience
	c := &commands{run, &http.Client{Transport: client.NewHTTPTransport()}, &http.Client{Transport: slow}}
	run.OnEnd(c.web.CloseIdleConnections)
	run.OnEnd(c.patient.CloseIdleConnections)
	o := &coordOptions{}
	uses := []*cobra.Command{
		c.stdioCommand(o), c.hookCommand(o), (&guardCommands{c}).command(o), (&tokenCommands{c}).command(o),
		c.settingsCommand(o),
		c.deleteCommand(o), c.watchCommand(o), (&doctor{c}).command(o),
	}
	for _, cmd := range uses {
		// so that config show, which has them itself, does not repeat them
		flagsOf(c.Run, o).VisitAll(func(f *pflag.Flag) {
			if !slices.Contains(useless[cmd.Name()], f.Name) {
				cmd.PersistentFlags().AddFlag(f)
			}
		})
	}
	return cmdline.Group(&cobra.Command{
		Use:     "coord",
		Short:   "Let coding agents work on one code base together",
		Example: "  dragoman coord serve\n  dragoman coord stdio --project shop\n  dragoman coord doctor",
	}, append([]*cobra.Command{c.serveCommand()}, uses...)...)
}

// useless are the flags that commands have no use for.
var useless = map[string][]string{
	"guard": {cmdline.FlagDataDir}, "token": {"session"}, "settings": {"session", cmdline.FlagDataDir},
	"watch": {"session", cmdline.FlagDataDir}, "doctor": {"session"},
	"delete": {"project", "session", cmdline.FlagDataDir},
}

// Flags returns the flags of the commands that use a coordinator, for the command that shows which options count.
func Flags(run *cmdline.Run) *pflag.FlagSet { return flagsOf(run, &coordOptions{}) }

func flagsOf(run *cmdline.Run, o *coordOptions) *pflag.FlagSet {
	flags := pflag.NewFlagSet("coord", pflag.ContinueOnError)
	flags.StringVar(&o.url, "coord", "http://"+defaultCoord, "URL of the coordinator")
	flags.StringVar(&o.token, FlagToken, "", "token to send to the coordinator; prefer DRAGOMAN_COORD_TOKEN")
	flags.StringVar(&o.project, "project", "",
		"the project (default: the folder of the git repository, or this folder)")
	flags.StringVar(&o.session, "session", "",
		"name of the agent's session (default: for hooks, one made of the harness's session id)")
	run.DataDirFlag(flags, &o.data)
	return flags
}

func (o *coordOptions) check() error {
	u, err := url.Parse(o.url)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.RawQuery != "" || u.Fragment != "" {
		return cmdline.Usagef("--coord is %q; it must be an http or https URL without a query",
			o.url).WithHint("for example --coord http://" + defaultCoord)
	}
	o.url = strings.TrimSuffix(o.url, "/")
	return nil
}

func (o *coordOptions) checkProject() error {
	if err := coord.CheckProject(o.project); err != nil {
		return cmdline.Usagef("no project may be called %q: %v", o.project,
			err).WithHint("pass --project or set DRAGOMAN_PROJECT, for example to shop")
	}
	return nil
}

type bearer struct {
	token string
	next  http.RoundTripper
}

func (b *bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+b.token)
	return b.next.RoundTrip(r)
}

// withToken returns a client that sends the token, if there is one.
func (o *coordOptions) withToken(web *http.Client) *http.Client {
	if o.token == "" {
		return web
	}
	return &http.Client{Transport: &bearer{o.token, web.Transport}}
}

// dial opens a session of MCP with a coordinator that survives its restart: it keeps no stream open.
func (c *commands) dial(ctx context.Context, o *coordOptions, options *sdk.ClientOptions) (*sdk.ClientSession, error) {
	client := sdk.NewClient(&sdk.Implementation{Name: "dragoman", Version: cmdline.Version()}, options)
	session, err := client.Connect(ctx, &sdk.StreamableClientTransport{
		Endpoint: o.url + "/mcp", HTTPClient: o.withToken(c.web), MaxRetries: -1, DisableStandaloneSSE: true,
	}, nil)
	if err != nil && strings.Contains(err.Error(), http.StatusText(http.StatusNotFound)) { // the SDK has no type for it
		return nil, notCoordinator(o, "there is nothing at /mcp")
	}
	if err != nil {
		return nil, coordUnreachable(o, cmp.Or(ctx.Err(), err))
	}
	return session, nil
}

// coordHangs says that something accepts connections where the coordinator is, or should, and answers nothing.
func coordHangs(o *coordOptions) error {
	f := &cmdline.Failure{Exit: cmdline.ExitUnreachable, Code: cmdline.CodeOther + "NO_ANSWER",
		Message: fmt.Sprintf("the coordinator at %s does not respond: it hangs or is overloaded", o.url)}
	if _, here := o.startable(); here {
		return f.WithHint("run kill -9 with the process id from dragoman.owner in its data folder, then start it again")
	}
	return f.WithHint("check the machine where it runs, and the network between")
}

// coordUnreachable says why there is no coordinator.
func coordUnreachable(o *coordOptions, err error) error {
	if timeout, ok := errors.AsType[net.Error](err); errors.Is(err, context.DeadlineExceeded) ||
		ok && timeout.Timeout() {
		return coordHangs(o)
	}
	why, hint := cmdline.CauseOf(err, o.url)
	if hint == "" || hint == cmdline.HintAddress {
		hint = "start it with dragoman coord serve, and see what is wrong with dragoman coord doctor"
	}
	return &cmdline.Failure{Exit: cmdline.ExitUnreachable, Code: cmdline.CodeUnreachable,
		Message: fmt.Sprintf("the coordinator at %s cannot be reached: %s", o.url, why), Hint: hint}
}

type toolAnswer struct {
	Status  string         `json:"status"`
	Error   string         `json:"error"`
	Code    string         `json:"code"`
	Lock    coord.LockInfo `json:"lock_info"`
	Warning string         `json:"warning"`
	Unread  int            `json:"unread"`
	Others  []string       `json:"other_active_agents"`
}

// callTool calls a tool and returns its answer, which is JSON.
func callTool(ctx context.Context, session *sdk.ClientSession, name string, args map[string]any) ([]byte, error) {
	result, err := session.CallTool(ctx, &sdk.CallToolParams{Name: name, Arguments: args})
	if err != nil {
		return nil, fmt.Errorf("call %s: %w", name, err)
	}
	if len(result.Content) != 1 {
		return nil, fmt.Errorf("call %s: the answer has %d parts, and not one", name, len(result.Content))
	}
	if text, ok := result.Content[0].(*sdk.TextContent); ok {
		return []byte(text.Text), nil
	}
	return nil, fmt.Errorf("call %s: the answer is no text", name)
}

// callAnswer calls a tool whose answer has a status. A refusal of the coordinator is an error.
func (o *coordOptions) callAnswer(ctx context.Context, session *sdk.ClientSession, name string,
	args map[string]any) (*toolAnswer, error) {
	text, err := callTool(ctx, session, name, args)
	if err != nil {
		return nil, err
	}
	var a toolAnswer
	if err := json.Unmarshal(text, &a); err != nil {
		return nil, fmt.Errorf("read the answer of %s: %w", name, err)
	}
	if a.Status == "error" {
		return nil, o.refusal(a.Code, a.Error)
	}
	return &a, nil
}

// A refusedError is what a coordinator refuses, as the failure that it is for the user.
type refusedError struct {
	code    string // of the coordinator
	failure *cmdline.Failure
}

func (e *refusedError) Error() string { return e.failure.Message }
func (e *refusedError) Unwrap() error { return e.failure }

func (o *coordOptions) refusal(code, message string) error {
	f := &cmdline.Failure{Exit: cmdline.ExitFailure, Code: cmdline.CodeOther + "COORDINATOR", Message: message}
	if code == coord.CodeForbidden {
		f.Exit, f.Code, f.Hint = cmdline.ExitAuth, cmdline.CodeAuthFailed,
			"give a token in DRAGOMAN_COORD_TOKEN; make one with dragoman coord token create"
		if o.token != "" {
			f.Hint = "dragoman coord token list says who has a token, for which project and in which role; dragoman " +
				"coord token create makes one"
		}
	}
	return &refusedError{code, f}
}

// nobodyThere reports whether a call failed because there is no coordinator, or as good as none.
func nobodyThere(err error) bool {
	if refused, ok := errors.AsType[*refusedError](err); ok {
		return refused.code == coord.CodeShutdown
	}
	f, ok := errors.AsType[*cmdline.Failure](err)
	return ok && f.Exit == cmdline.ExitUnreachable
}

// notCoordinator says that something else answers where a coordinator should.
func notCoordinator(o *coordOptions, what string) error {
	return (&cmdline.Failure{Exit: cmdline.ExitUnreachable, Code: cmdline.CodeOther + "NO_COORDINATOR",
		Message: fmt.Sprintf("%s is no coordinator: %s", o.url, what)}).
		WithHint("stop what listens there, or name another URL with --coord or DRAGOMAN_COORD")
}

// coordPatience is how long a coordinator may take to answer what does not wait.
const coordPatience = 10 * time.Second

// commandPatience is that for commands here, before which people and harnesses sit.
const commandPatience = 5 * time.Second

func (c *commands) callAPI(ctx context.Context, o *coordOptions, method, path string, body, into any) error {
	ctx, cancel := context.WithTimeout(ctx, commandPatience)
	defer cancel()
	var content io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return fmt.Errorf("encode the request: %w", err)
		}
		content = bytes.NewReader(text)
	}
	req, err := http.NewRequestWithContext(ctx, method, o.url+path, content)
	if err != nil {
		return err
	}
	resp, err := o.withToken(c.web).Do(req)
	if err != nil {
		return coordUnreachable(o, err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return coordStatus(o, resp)
	}
	err = json.UnmarshalRead(resp.Body, into)
	if err != nil && ctx.Err() != nil {
		return coordUnreachable(o, ctx.Err())
	}
	if err != nil {
		return notCoordinator(o, "what it answers to "+path+" cannot be read")
	}
	return nil
}

const maxRefusal = 4 << 10

func coordStatus(o *coordOptions, resp *http.Response) error {
	var body struct {
		Error string `json:"error"`
	}
	err := json.UnmarshalRead(io.LimitReader(resp.Body, maxRefusal), &body)
	if err != nil || body.Error == "" {
		return notCoordinator(o, "it answers with "+resp.Status)
	}
	return o.refusal(codes[resp.StatusCode], body.Error)
}

// codes are the codes of refusals by HTTP status.
var codes = map[int]string{
	http.StatusUnauthorized: coord.CodeForbidden, http.StatusForbidden: coord.CodeForbidden,
	http.StatusBadRequest: coord.CodeInvalid, http.StatusConflict: coord.CodeInUse,
	http.StatusServiceUnavailable: coord.CodeShutdown,
}

func projectPath(project string) string { return "/api/projects/" + url.PathEscape(project) }

// healthOf asks a coordinator whether it runs, and returns its version and the time it has.
func (c *commands) healthOf(ctx context.Context, o *coordOptions) (version string, clock time.Time, err error) {
	ctx, cancel := context.WithTimeout(ctx, commandPatience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, o.url+"/healthz", nil)
	if err != nil {
		return "", time.Time{}, err
	}
	resp, err := c.web.Do(req)
	if err != nil {
		return "", time.Time{}, coordUnreachable(o, err)
	}
	defer resp.Body.Close()
	var health struct {
		Status  string `json:"status"`
		Version string `json:"version"`
	}
	err = json.UnmarshalRead(io.LimitReader(resp.Body, maxRefusal), &health)
	if err != nil && ctx.Err() != nil {
		return "", time.Time{}, coordUnreachable(o, ctx.Err())
	}
	if err != nil || health.Status != "ok" {
		return "", time.Time{}, notCoordinator(o, "something else answers there")
	}
	clock, _ = http.ParseTime(resp.Header.Get("Date")) // without one it is the zero time
	return health.Version, clock, nil
}
