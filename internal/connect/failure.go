// SPDX-License-Identifier: Apache-2.0

package connect

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/apps/registry"
	"github.com/dragoman-a2a/dragoman/card"
	"github.com/dragoman-a2a/dragoman/card/signature"
	"github.com/dragoman-a2a/dragoman/client"
	"github.com/dragoman-a2a/dragoman/internal/cmdline"
	"github.com/dragoman-a2a/dragoman/internal/show"
	"github.com/dragoman-a2a/dragoman/internal/terminal"
	"github.com/dragoman-a2a/dragoman/internal/wire"
)

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
	a2a.ErrTaskNotFound: {"tasks of other callers are never shown; see yours with", "task list"},
	a2a.ErrUnsupportedOperation: {"the agent does not offer this, or the state of the task does not allow it; " +
		"see what it offers with", "card get"},
	a2a.ErrContentTypeNotSupported: {"name the media type of a part with --media-type; see which ones the agent " +
		"takes with", "card get"},
	a2a.ErrExtendedCardNotConfigured: {"the agent has no further card; see the one it has with", "card get"},
	a2a.ErrExtensionSupportRequired: {"activate the extensions that the agent wants with --extension; see them with",
		"card get"},
	a2a.ErrInvalidAgentResponse: {"tell whoever runs the agent; --debug shows what it answered", ""},
	a2a.ErrRateLimited:          {"wait a moment and try again", ""},
	a2a.ErrTooLarge:             {"send less, or put files behind a URL and give that to --file", ""},
}

// ownHints say it for an agent that is there for this run only.
var ownHints = map[a2a.Kind]string{
	a2a.ErrTaskNotFound: "a host knows the tasks of its data folder; name the folder with --data-dir",
}

// hintFor returns what to do about an error of the protocol.
func (c *Caller) hintFor(kind a2a.Kind) string {
	hint := protocolHints[kind]
	if hint.command == "" {
		return hint.text
	}
	if c.Own != nil { // that would be too late
		return ownHints[kind]
	}
	noun, verb, _ := strings.Cut(hint.command, " ")
	return hint.text + " " + terminal.CommandLine(c.CommandFor(noun, verb))
}

// Failure returns an error as the user sees it.
func (c *Caller) Failure(err error) *cmdline.Failure {
	if f, ok := errors.AsType[*cmdline.Failure](err); ok {
		return f
	}
	if e, ok := errors.AsType[*card.Error](err); ok {
		return c.tellSource(FlagAgentCard, "the address", CardFailure(e))
	}
	if e, ok := errors.AsType[*client.CutError](err); ok {
		return cutFailure(e)
	}
	if e, ok := errors.AsType[*client.UnreachableError](err); ok {
		return unreachable(e)
	}
	if e, ok := errors.AsType[*client.OriginError](err); ok {
		return originFailure(e)
	}
	if e, ok := errors.AsType[*a2a.Error](err); ok {
		return c.protocolFailure(e)
	}
	if e, ok := errors.AsType[*registry.UnreachableError](err); ok {
		return c.tellSource(FlagRegistry, "the address", c.registryUnreachable(e))
	}
	return cmdline.FailureOf(err)
}

// tellSource is TellSource for an agent that the user has named.
func (c *Caller) tellSource(flag, what string, f *cmdline.Failure) *cmdline.Failure {
	if c.Own != nil {
		return f
	}
	return c.TellSource(flag, what, f)
}

// stateNames puts states as people write them into what an agent says of an error.
var stateNames = func() *strings.Replacer {
	var pairs []string
	for state := a2a.TaskStateSubmitted; state <= a2a.TaskStateAuthRequired; state++ {
		pairs = append(pairs, state.String(), show.StateName(state))
	}
	return strings.NewReplacer(pairs...)
}()

// unreachable says why an agent cannot be reached, and each reason once when several of its interfaces were tried.
func unreachable(e *client.UnreachableError) *cmdline.Failure {
	f := &cmdline.Failure{Exit: cmdline.ExitUnreachable, Code: cmdline.CodeUnreachable,
		Hint: "check that the agent runs and that its card has the right address"}
	var reasons []string
	for _, err := range attempts(e.Err) {
		why, _ := cmdline.CauseOf(err, "")
		if _, hint := cmdline.CertificateCause(err); hint != "" {
			f.Hint = hint
		}
		if !slices.Contains(reasons, why) {
			reasons = append(reasons, why)
		}
	}
	f.Message = fmt.Sprintf("agent %q cannot be reached: %s", e.Agent, strings.Join(reasons, "; "))
	return f.AboutCredentials()
}

// originFailure says how to allow what the client refused.
func originFailure(e *client.OriginError) *cmdline.Failure {
	return &cmdline.Failure{Exit: cmdline.ExitAuth, Code: cmdline.CodeOther + "CREDENTIALS_ORIGIN", Message: e.Error(),
		Hint: "if that server may have them, add --" + FlagCredentialsTo + " " + e.Interface}
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

// CardFailure says why a card cannot be had.
func CardFailure(e *card.Error) *cmdline.Failure {
	shown := *e
	shown.Ref, shown.URL = WithoutUser(e.Ref), WithoutUser(e.URL)
	e = &shown
	f := &cmdline.Failure{Exit: cmdline.ExitUnreachable, Message: e.Error()}
	switch {
	case errors.Is(e, card.ErrReference):
		f.Exit, f.Code = cmdline.ExitUsage, cmdline.CodeUsage
		f.Hint = "give -a a URL such as http://127.0.0.1:8080, a host, or the file of a card"
	case errors.Is(e, card.ErrNotFound):
		f.Code = cmdline.CodeCardNotFound
		f.Hint = "give -a the agent's base URL, or the URL or file of the card itself"
		if u, err := url.Parse(cmp.Or(e.URL, e.Ref)); err == nil && strings.HasPrefix(u.Path, sessionPrefix) {
			f.Hint += "; a session of a coordinator is an agent only while it is registered: this one may have left " +
				"or died, and the coordinator's page shows who is there"
		}
	case errors.Is(e, card.ErrUnauthorized):
		f.Exit, f.Code = cmdline.ExitAuth, cmdline.CodeCredentialsMissing
		f.Hint = "credentials are not sent to where cards are; get the card by other means and give -a the file"
	case errors.Is(e, card.ErrUntrusted):
		return Untrusted(e)
	case errors.Is(e, card.ErrInvalid):
		f.Exit, f.Code = cmdline.ExitFailure, cmdline.CodeCardInvalid
		f.Hint = "check that the address is that of an A2A agent"
	default:
		f.Code = cmdline.CodeUnreachable
		var why string
		why, f.Hint = cmdline.CauseOf(e.Err, e.URL)
		f.Message = fmt.Sprintf("%v: %s: %s", e.Kind, cmp.Or(e.URL, e.Ref), why)
	}
	return f.AboutCredentials()
}

// Untrusted is the failure of a card that no trusted key signed.
func Untrusted(err error) *cmdline.Failure {
	f := &cmdline.Failure{Exit: cmdline.ExitFailure, Code: cmdline.CodeOther + "CARD_UNTRUSTED", Message: err.Error()}
	switch {
	case errors.Is(err, signature.ErrUnsigned):
		f.Hint = "ask the operator of the agent to sign its card, or take it with --trust off"
	case errors.Is(err, signature.ErrNoKey):
		f.Hint = "if you trust this key, add it with --trusted-keys, or the URL of the keys with --trusted-jku"
	default:
		f.Hint = "the card was changed after it was signed, or the trusted key of this ID is not the one that signed it"
	}
	return f
}

// sessionPrefix begins the paths of agents that are sessions of a coordinator; see apps/coord/a2abridge.
const sessionPrefix = "/a2a/"

func (c *Caller) protocolFailure(e *a2a.Error) *cmdline.Failure {
	row := wire.RowOf(e.Kind)
	f := &cmdline.Failure{Exit: cmdline.ExitFailure, Message: stateNames.Replace(e.Error()),
		A2ACode: row.Code(a2a.Generation10), Hint: c.hintFor(e.Kind)}
	switch e.Kind {
	case a2a.ErrUnauthenticated, a2a.ErrPermissionDenied:
		f.Exit, f.Code = cmdline.ExitAuth, cmdline.CodeAuthFailed
		f.Hint = "the agent refused the credentials; check them, and what they allow"
		if c.Bearer != "" {
			f = c.tellSource("bearer", "the token", f)
		}
		if !c.HasCredentials() {
			f.Code = cmdline.CodeCredentialsMissing
			f.Hint = "give a token in DRAGOMAN_BEARER, or a key in DRAGOMAN_API_KEY; see what the agent takes with " +
				terminal.CommandLine(c.CommandFor("card", "get"))
		}
	case a2a.ErrTimeout:
		f.Exit, f.Code = cmdline.ExitTimeout, cmdline.CodeTimeout
	case a2a.ErrUnavailable:
		f.Exit, f.Code = cmdline.ExitUnreachable, cmdline.CodeUnreachable
		f.Hint = "try again in a moment"
	case a2a.ErrInternal:
		f.Code = protocolNames[e.Kind]
		if !e.Remote {
			f.Code, f.A2ACode = cmdline.CodeInternal, 0
		}
	default:
		name, ok := protocolNames[e.Kind]
		if !ok {
			name = cmdline.CodeOther + row.Reason
		}
		f.Code = name
	}
	return f
}

// cutFailure says that a stream broke and did not come back.
func cutFailure(e *client.CutError) *cmdline.Failure {
	f := &cmdline.Failure{Exit: cmdline.ExitUnreachable, Code: cmdline.CodeUnreachable, Message: e.Error()}
	if e.TaskID == "" {
		return f
	}
	why := e.Err.Error()
	if away, ok := errors.AsType[*client.UnreachableError](e.Err); ok {
		why = unreachable(away).Message
	}
	f.Message = "the connection to the agent was lost and did not come back: " + why
	return f
}

// registryUnreachable says why a registry cannot be reached.
func (c *Caller) registryUnreachable(e *registry.UnreachableError) *cmdline.Failure {
	why, hint := cmdline.CauseOf(e.Err, e.URL)
	if hint == cmdline.HintAddress {
		hint = "start it with " + terminal.CommandLine([]string{c.Program, "registry", "serve"}) +
			", or name another one with --registry"
	}
	return &cmdline.Failure{Exit: cmdline.ExitUnreachable, Code: cmdline.CodeUnreachable,
		Message: fmt.Sprintf("the registry at %s cannot be reached: %s", WithoutUser(e.URL), why), Hint: hint}
}
