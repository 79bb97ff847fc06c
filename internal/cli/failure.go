// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/card"
	"github.com/dragoman-a2a/dragoman/client"
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

// protocolHints say what to do about errors of the protocol. %s is how the program was called.
var protocolHints = map[a2a.Kind]string{
	a2a.ErrTaskNotFound:              "check the id with %s task list; tasks of other callers are never shown",
	a2a.ErrTaskNotCancelable:         "see how it ended with %s task get",
	a2a.ErrUnsupportedOperation:      "see what the agent offers with %s card get; a task that has ended takes no further message",
	a2a.ErrContentTypeNotSupported:   "see which media types the agent takes with %s card get, and name that of a part with --media-type",
	a2a.ErrExtendedCardNotConfigured: "the agent has no further card; see the one it has with %s card get",
	a2a.ErrExtensionSupportRequired:  "see which extensions the agent wants with %s card get, and activate them with --extension",
	a2a.ErrRateLimited:               "wait a moment and try again",
	a2a.ErrTooLarge:                  "send less, or put files behind a URL and give that to --file",
}

// failureOf sorts an error of a command. A credential was sent if bearer is true.
func failureOf(err error, program string, bearer bool) *failure {
	if f, ok := errors.AsType[*failure](err); ok {
		return f
	}
	if e, ok := errors.AsType[*card.Error](err); ok {
		return cardFailure(e)
	}
	if e, ok := errors.AsType[*client.CutError](err); ok {
		return &failure{exit: exitUnreachable, code: codeUnreachable, message: e.Error()}
	}
	if e, ok := errors.AsType[*client.UnreachableError](err); ok {
		return &failure{exit: exitUnreachable, code: codeUnreachable, message: e.Error(),
			hint: "check that the agent runs and that its card names the right address"}
	}
	if e, ok := errors.AsType[*a2a.Error](err); ok {
		return protocolFailure(e, program, bearer)
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return &failure{exit: exitTimeout, code: codeTimeout, message: err.Error()}
	}
	return &failure{exit: exitFailure, code: codeInternal, message: err.Error()}
}

func cardFailure(e *card.Error) *failure {
	f := &failure{exit: exitUnreachable, message: e.Error()}
	switch {
	case errors.Is(e, card.ErrReference):
		f.exit, f.code = exitUsage, codeUsage
		f.hint = "give -a a URL such as http://127.0.0.1:8080, a host, or the file of a card"
	case errors.Is(e, card.ErrNotFound):
		f.code = codeCardNotFound
		f.hint = "give -a the agent's base URL, or the URL or file of the card itself"
	case errors.Is(e, card.ErrUnauthorized):
		f.exit, f.code = exitAuth, codeCredentialsMissing
		f.hint = "credentials are not sent to where cards are; get the card by other means and give -a the file"
	case errors.Is(e, card.ErrInvalid):
		f.code = codeCardInvalid
		f.hint = "check that the address is that of an A2A agent"
	default:
		f.code = codeUnreachable
		f.hint = "check the address, and that the agent runs"
	}
	return f
}

func protocolFailure(e *a2a.Error, program string, bearer bool) *failure {
	row := wire.RowOf(e.Kind)
	f := &failure{exit: exitFailure, message: e.Error(), a2aCode: row.Code(a2a.Generation10)}
	if hint, ok := protocolHints[e.Kind]; ok {
		f.hint = strings.ReplaceAll(hint, "%s", program)
	}
	switch e.Kind {
	case a2a.ErrUnauthenticated, a2a.ErrPermissionDenied:
		f.exit, f.code = exitAuth, codeAuthFailed
		f.hint = "the agent refused the credentials; check the token of --bearer, or what it allows"
		if !bearer {
			f.code = codeCredentialsMissing
			f.hint = "give a token with --bearer or in DRAGOMAN_BEARER; " + program + " card get shows what the agent takes"
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

// write shows the failure: as text, or as one line of JSON.
func (f *failure) write(w io.Writer, asJSON bool) {
	if !asJSON {
		fmt.Fprintf(w, "Error: %s\n", inline(f.message))
		if f.hint != "" {
			fmt.Fprintf(w, "Hint: %s\n", inline(f.hint))
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
