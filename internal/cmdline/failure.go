// SPDX-License-Identifier: Apache-2.0

package cmdline

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"syscall"

	"github.com/go-json-experiment/json"

	"github.com/dragoman-a2a/dragoman/internal/terminal"
)

// The exit codes.
const (
	ExitOK          = 0
	ExitFailure     = 1
	ExitUsage       = 2
	ExitUnreachable = 3
	ExitAuth        = 4
	ExitTimeout     = 5
	ExitState       = 10 // of --fail-on
	ExitInterrupted = 130
)

// The codes of this program's own errors. Those of the protocol keep their names.
const (
	CodeUsage              = "A2ACLI_ERR_USAGE"
	CodeCardNotFound       = "A2ACLI_ERR_CARD_NOT_FOUND"
	CodeCardInvalid        = "A2ACLI_ERR_CARD_INVALID"
	CodeUnreachable        = "A2ACLI_ERR_UNREACHABLE"
	CodeCredentialsMissing = "A2ACLI_ERR_CREDENTIALS_MISSING"
	CodeAuthFailed         = "A2ACLI_ERR_AUTH_FAILED"
	CodeTimeout            = "A2ACLI_ERR_TIMEOUT"
	CodeInternal           = "A2ACLI_ERR_INTERNAL"

	// CodeOther begins the codes of what neither the protocol nor the list above has a name for.
	CodeOther = "DRAGOMAN_ERR_"
)

// A Failure is an error as the user sees it.
type Failure struct {
	Exit    int
	Code    string
	Message string
	Hint    string // what to do next; "" when there is nothing to say
	A2ACode int    // the JSON-RPC code of an error of the protocol, whatever binding it came by; 0 for none
}

func (f *Failure) Error() string { return f.Message }

func Usagef(format string, args ...any) *Failure {
	return &Failure{Exit: ExitUsage, Code: CodeUsage, Message: fmt.Sprintf(format, args...)}
}

func (f *Failure) WithHint(hint string) *Failure {
	f.Hint = hint
	return f
}

// Write shows the failure: as text, in lines of so many columns (0 for any), or as one line of JSON.
func (f *Failure) Write(w io.Writer, asJSON bool, columns int) {
	if !asJSON {
		fmt.Fprintln(w, terminal.WrapLine("Error: "+terminal.Inline(f.Message), columns, len(terminal.Indent)))
		if f.Hint != "" {
			fmt.Fprintln(w, terminal.WrapLine("Hint: "+terminal.Inline(f.Hint), columns, len(terminal.Indent)))
		}
		return
	}
	type body struct {
		Code    string  `json:"code"`
		Message string  `json:"message"`
		Hint    *string `json:"hint"`
		A2ACode *int    `json:"a2aCode"`
	}
	b := body{Code: f.Code, Message: strings.ToValidUTF8(f.Message, "\uFFFD")}
	if f.Hint != "" {
		hint := strings.ToValidUTF8(f.Hint, "\uFFFD")
		b.Hint = &hint
	}
	if f.A2ACode != 0 {
		b.A2ACode = &f.A2ACode
	}
	text, err := json.Marshal(map[string]body{"error": b})
	if err != nil { // cannot happen: strings and a number
		text = []byte(`{"error":{"code":"` + CodeInternal +
			`","message":"the error cannot be shown","hint":null,"a2aCode":null}}`)
	}
	fmt.Fprintf(w, "%s\n", text)
}

// FailureOf returns the failure that an error is, or the one that stands for it.
func FailureOf(err error) *Failure {
	if f, ok := errors.AsType[*Failure](err); ok {
		return f
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return &Failure{Exit: ExitTimeout, Code: CodeTimeout, Message: err.Error()}
	}
	return &Failure{Exit: ExitFailure, Code: CodeInternal, Message: err.Error()}
}

// LastCause returns the text of what the operating system said.
func LastCause(err error) string {
	if errno, ok := errors.AsType[syscall.Errno](err); ok {
		return errno.Error()
	}
	return err.Error()
}
