// SPDX-License-Identifier: Apache-2.0

// Package hooks reads and writes the JSON of harnesses that call hooks, in the form of Claude Code.
package hooks

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// maxInput is the largest input of a hook, in bytes: that of a tool that writes a file has all of it.
const maxInput = 64 << 20

// Editors are the tools of harnesses that change a file.
var Editors = []string{"Edit", "Write", "MultiEdit", "NotebookEdit"}

// Events are the events of harnesses, each with the name of our hook.
var Events = [][2]string{
	{"SessionStart", "session-start"}, {"PreToolUse", "pre-tool-use"}, {"PostToolUse", "post-tool-use"},
	{"Stop", "stop"}, {"SessionEnd", "session-end"},
}

// An Input is what a harness passes to a hook.
type Input struct {
	SessionID      string         `json:"session_id"`
	Cwd            string         `json:"cwd"`
	ToolName       string         `json:"tool_name"`
	ToolInput      jsontext.Value `json:"tool_input"` // of any tool
	StopHookActive bool           `json:"stop_hook_active"`
}

// Read reads the input of a hook. Text that a tool writes may be of another encoding than UTF-8.
func Read(r io.Reader) (*Input, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxInput))
	if err != nil {
		return nil, fmt.Errorf("read what the harness says: %w", err)
	}
	in := new(Input)
	if err := json.Unmarshal(text, in, jsontext.AllowInvalidUTF8(true)); err != nil {
		return nil, errors.New("standard input is not a JSON object with a session_id, which a harness passes to a " +
			"hook")
	}
	return in, nil
}

// Edits returns the file that the tool is about to edit; "" if it is no editor.
func (in *Input) Edits() (string, error) {
	if !slices.Contains(Editors, in.ToolName) {
		return "", nil
	}
	var input struct {
		FilePath     string `json:"file_path"`
		NotebookPath string `json:"notebook_path"`
	}
	err := json.Unmarshal(in.ToolInput, &input, jsontext.AllowInvalidUTF8(true))
	file := cmp.Or(input.FilePath, input.NotebookPath)
	if err != nil || file == "" {
		return "", fmt.Errorf("the input of the tool %s has no file name", in.ToolName)
	}
	return file, nil
}

// Context is the answer of a hook that tells the model something.
func Context(event, text string) any {
	type output struct {
		Event   string `json:"hookEventName"`
		Context string `json:"additionalContext"`
	}
	return map[string]output{"hookSpecificOutput": {event, text}}
}

// Deny is the answer of a hook that denies an edit.
func Deny(reason string) any {
	type output struct {
		Event    string `json:"hookEventName"`
		Decision string `json:"permissionDecision"`
		Reason   string `json:"permissionDecisionReason"`
	}
	return map[string]output{"hookSpecificOutput": {"PreToolUse", "deny", reason}}
}

// Continue is the answer of a hook that has the model go on with a text.
func Continue(text string) any { return map[string]string{"decision": "block", "reason": text} }
