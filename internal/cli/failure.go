// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/apps/coord/a2abridge"
	"github.com/dragoman-a2a/dragoman/apps/registry"
	"github.com/dragoman-a2a/dragoman/card"
	"github.com/dragoman-a2a/dragoman/client"
	"github.com/dragoman-a2a/dragoman/internal/terminal"
	"github.com/dragoman-a2a/dragoman/internal/wire"
)

// The exit codes.
const (
	exitOK          = 0
	exitFailure     = 1
	exitUsage       = 2
	exitUnreachable = 3
	exitAuth        = 4
	exitTimeout     = 5
	exitState       = 10 // of --fail-on
	exitInterrupted = 130
)

// The codes of this program's own errors. Those of the protocol keep their names.
const (
	codeUsage              = "A2ACLI_ERR_USAGE"
	codeCardNotFound       = "A2ACLI_ERR_CARD_NOT_FOUND"
	codeCardInvalid        = "A2ACLI_ERR_CARD_INVALID"
	codeUnreachable        = "A2ACLI_ERR_UNREACHABLE"
	codeCredentialsMissing = "A2ACLI_ERR_CREDENTIALS_MISSING"
	codeAuthFailed         = "A2ACLI_ERR_AUTH_FAILED"
	codeTimeout            = "A2ACLI_ERR_TIMEOUT"
	codeInternal           = "A2ACLI_ERR_INTERNAL"

	// codeOther begins the codes of what neither the protocol nor the list above has a name for.
	codeOther = "DRAGOMAN_ERR_"
)

// A failure is an error as the user sees it.
type failure struct {
	exit    int
	code    string
	message string
	hint    string // what to do next; "" when there is nothing to say
	a2aCode int    // the JSON-RPC code of an error of the protocol, whatever binding it came by; 0 for none
}

func (f *failure) Error() string { return f.message }

func usagef(format string, args ...any) *failure {
	return &failure{exit: exitUsage, code: codeUsage, message: fmt.Sprintf(format, args...)}
}

func (f *failure) withHint(hint string) *failure {
	f.hint = hint
	return f
}

// protocolNames are the names of errors in A2A 1.0 §3.3.2 and of JSON-RPC.
var protocolNames = map[a2a.Kind]string{
	a2a.ErrTaskNotFound:              "TaskNotFoundError",
	a2a.ErrTaskNotCancelable:         "TaskNotCancelableError",
	a2a.ErrPushNotSupported:          "PushNotificationNotSupportedError",
	a2a.ErrUnsupportedOperation:      "UnsupportedOperationError",
	a2a.ErrContentTypeNotSupported:   "ContentTypeNotSupportedError",
	a2a.ErrInvalidAgentResponse:      "InvalidAgentResponseError",
	a2a.ErrExtendedCardNotConfigured: "ExtendedAgentCardNotConfiguredError",
	a2a.ErrExtensionSupportRequired:  "ExtensionSupportRequiredError",
	a2a.ErrVersionNotSupported:       "VersionNotSupportedError",
	a2a.ErrParse:                     "JSONParseError",
	a2a.ErrInvalidRequest:            "InvalidRequestError",
	a2a.ErrMethodNotFound:            "MethodNotFoundError",
	a2a.ErrInvalidParams:             "InvalidParamsError",
	a2a.ErrInternal:                  "InternalError",
}

// protocolHints say what to do about errors of the protocol: a text, and the command that comes after it, if any.
var protocolHints = map[a2a.Kind]struct{ text, command string }{
	a2a.ErrTaskNotFound:              {"tasks of other callers are never shown; see yours with", "task list"},
	a2a.ErrTaskNotCancelable:         {"see how it ended with", "task get"},
	a2a.ErrUnsupportedOperation:      {"the agent does not offer this, or the state of the task does not allow it; see what it offers with", "card get"},
	a2a.ErrContentTypeNotSupported:   {"name the media type of a part with --media-type; see which ones the agent takes with", "card get"},
	a2a.ErrExtendedCardNotConfigured: {"the agent has no further card; see the one it has with", "card get"},
	a2a.ErrExtensionSupportRequired:  {"activate the extensions that the agent wants with --extension; see them with", "card get"},
	a2a.ErrInvalidAgentResponse:      {"tell whoever runs the agent; --debug shows what it answered", ""},
	a2a.ErrRateLimited:               {"wait a moment and try again", ""},
	a2a.ErrTooLarge:                  {"send less, or put files behind a URL and give that to --file", ""},
}

// ownHints say it for an agent that is there for this run only.
var ownHints = map[a2a.Kind]string{
	a2a.ErrTaskNotFound: "a host knows the tasks of its data folder; name the folder with --data-dir",
}

// hintFor returns what to do about an error of the protocol.
func (c *command) hintFor(kind a2a.Kind) string {
	hint := protocolHints[kind]
	if c.ownAgent() && hint.command != "" && hint.command != "task get" { // that would be too late
		return ownHints[kind]
	}
	switch hint.command {
	case "":
		return hint.text
	case "task get":
		return hint.text + " " + terminal.CommandLine(c.lookAt(c.about))
	}
	noun, verb, _ := strings.Cut(hint.command, " ")
	return hint.text + " " + terminal.CommandLine(c.commandFor(noun, verb))
}

// failureOf sorts an error of a command.
func (c *command) failureOf(err error) *failure {
	if f, ok := errors.AsType[*failure](err); ok {
		return f
	}
	if e, ok := errors.AsType[*card.Error](err); ok {
		return c.tellSource(flagAgentCard, "the address", cardFailure(e))
	}
	if e, ok := errors.AsType[*client.CutError](err); ok {
		return c.cutFailure(e)
	}
	if e, ok := errors.AsType[*client.UnreachableError](err); ok {
		return unreachable(e)
	}
	if e, ok := errors.AsType[*a2a.Error](err); ok {
		return c.protocolFailure(e)
	}
	if e, ok := errors.AsType[*registry.Error](err); ok {
		return c.registryFailure(e)
	}
	if e, ok := errors.AsType[*registry.UnreachableError](err); ok {
		return c.tellSource(flagRegistry, "the address", c.registryUnreachable(e))
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return &failure{exit: exitTimeout, code: codeTimeout, message: err.Error()}
	}
	return &failure{exit: exitFailure, code: codeInternal, message: err.Error()}
}

// tellSource adds to a hint which variable an option comes from, if it is one, which people forget; what is what the
// option gives.
func (c *command) tellSource(flag, what string, f *failure) *failure {
	if source := c.origin[flag]; source != "" && source != sourceFlag && !c.ownAgent() {
		f.hint = strings.TrimPrefix(f.hint+"; "+what+" is from "+source, "; ")
	}
	return f
}

// stateNames puts states as people write them into what an agent says of an error.
var stateNames = func() *strings.Replacer {
	var pairs []string
	for state := a2a.TaskStateSubmitted; state <= a2a.TaskStateAuthRequired; state++ {
		pairs = append(pairs, state.String(), stateName(state))
	}
	return strings.NewReplacer(pairs...)
}()

// unreachable says why an agent cannot be reached, and each reason once when several of its interfaces were tried.
func unreachable(e *client.UnreachableError) *failure {
	f := &failure{exit: exitUnreachable, code: codeUnreachable, hint: "check that the agent runs and that its card names the right address"}
	var reasons []string
	for _, err := range attempts(e.Err) {
		why, _ := causeOf(err, "")
		if _, hint := certificateCause(err); hint != "" {
			f.hint = hint
		}
		if !slices.Contains(reasons, why) {
			reasons = append(reasons, why)
		}
	}
	f.message = fmt.Sprintf("agent %q cannot be reached: %s", e.Agent, strings.Join(reasons, "; "))
	return f.aboutCredentials()
}

// attempts returns the errors that one error joins.
func attempts(err error) []error {
	for e := err; e != nil; e = errors.Unwrap(e) {
		if joined, ok := e.(interface{ Unwrap() []error }); ok {
			var all []error
			for _, one := range joined.Unwrap() {
				all = append(all, attempts(one)...)
			}
			return all
		}
	}
	return []error{err}
}

func cardFailure(e *card.Error) *failure {
	shown := *e
	shown.Ref, shown.URL = withoutUser(e.Ref), withoutUser(e.URL)
	e = &shown
	f := &failure{exit: exitUnreachable, message: e.Error()}
	switch {
	case errors.Is(e, card.ErrReference):
		f.exit, f.code = exitUsage, codeUsage
		f.hint = "give -a a URL such as http://127.0.0.1:8080, a host, or the file of a card"
	case errors.Is(e, card.ErrNotFound):
		f.code = codeCardNotFound
		f.hint = "give -a the agent's base URL, or the URL or file of the card itself"
		if u, err := url.Parse(cmp.Or(e.URL, e.Ref)); err == nil && strings.HasPrefix(u.Path, a2abridge.Prefix) {
			f.hint += "; a session of a coordinator is an agent only while it is registered: this one may have left or died, and the coordinator's page shows who is there"
		}
	case errors.Is(e, card.ErrUnauthorized):
		f.exit, f.code = exitAuth, codeCredentialsMissing
		f.hint = "credentials are not sent to where cards are; get the card by other means and give -a the file"
	case errors.Is(e, card.ErrInvalid):
		f.exit, f.code = exitFailure, codeCardInvalid
		f.hint = "check that the address is that of an A2A agent"
	default:
		f.code = codeUnreachable
		var why string
		why, f.hint = causeOf(e.Err, e.URL)
		f.message = fmt.Sprintf("%v: %s: %s", e.Kind, cmp.Or(e.URL, e.Ref), why)
	}
	return f.aboutCredentials()
}

func (c *command) protocolFailure(e *a2a.Error) *failure {
	row := wire.RowOf(e.Kind)
	f := &failure{exit: exitFailure, message: stateNames.Replace(e.Error()), a2aCode: row.Code(a2a.Generation10), hint: c.hintFor(e.Kind)}
	switch e.Kind {
	case a2a.ErrUnauthenticated, a2a.ErrPermissionDenied:
		f.exit, f.code = exitAuth, codeAuthFailed
		f.hint = "the agent refused the credentials; check them, and what they allow"
		if c.options.bearer != "" {
			f = c.tellSource("bearer", "the token", f)
		}
		if !c.hasCredentials() {
			f.code = codeCredentialsMissing
			f.hint = "give a token in DRAGOMAN_BEARER, or a key in DRAGOMAN_API_KEY; see what the agent takes with " + terminal.CommandLine(c.commandFor("card", "get"))
		}
	case a2a.ErrTimeout:
		f.exit, f.code = exitTimeout, codeTimeout
	case a2a.ErrUnavailable:
		f.exit, f.code = exitUnreachable, codeUnreachable
		f.hint = "try again in a moment"
	case a2a.ErrInternal:
		f.code = protocolNames[e.Kind]
		if !e.Remote {
			f.code, f.a2aCode = codeInternal, 0
		}
	default:
		name, ok := protocolNames[e.Kind]
		if !ok {
			name = codeOther + row.Reason
		}
		f.code = name
	}
	return f
}

// write shows the failure: as text, in lines of so many columns (0 for any), or as one line of JSON.
func (f *failure) write(w io.Writer, asJSON bool, columns int) {
	if !asJSON {
		fmt.Fprintln(w, terminal.WrapLine("Error: "+terminal.Inline(f.message), columns, len(terminal.Indent)))
		if f.hint != "" {
			fmt.Fprintln(w, terminal.WrapLine("Hint: "+terminal.Inline(f.hint), columns, len(terminal.Indent)))
		}
		return
	}
	type body struct {
		Code    string  `json:"code"`
		Message string  `json:"message"`
		Hint    *string `json:"hint"`
		A2ACode *int    `json:"a2aCode"`
	}
	b := body{Code: f.code, Message: strings.ToValidUTF8(f.message, "\uFFFD")}
	if f.hint != "" {
		hint := strings.ToValidUTF8(f.hint, "\uFFFD")
		b.Hint = &hint
	}
	if f.a2aCode != 0 {
		b.A2ACode = &f.a2aCode
	}
	text, err := json.Marshal(map[string]body{"error": b})
	if err != nil { // cannot happen: strings and a number
		text = []byte(`{"error":{"code":"` + codeInternal + `","message":"the error cannot be shown","hint":null,"a2aCode":null}}`)
	}
	fmt.Fprintf(w, "%s\n", text)
}
