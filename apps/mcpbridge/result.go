// SPDX-License-Identifier: Apache-2.0

package mcpbridge

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/dragoman-a2a/dragoman/a2a"
)

// A report is the line of JSON at the end of an answer, by which a model goes on.
type report struct {
	Status    string `json:"status"` // answered, or the state of the task
	Question  string `json:"question,omitzero"`
	Error     string `json:"error,omitzero"`
	TaskID    string `json:"task_id,omitzero"`
	ContextID string `json:"context_id,omitzero"`
	Agent     string `json:"agent,omitzero"` // for get_task and cancel_task, when there are several
	Note      string `json:"note,omitzero"`  // what to do next, or what is missing
}

func (b *Bridge) result(r *remote, o outcome) *sdk.CallToolResult {
	w := &writer{room: b.opts.MaxOutput}
	rep := report{Status: "answered"}
	if o.message != nil {
		w.parts(o.message.Parts)
		rep.ContextID, rep.TaskID = string(o.message.ContextID), string(o.message.TaskID)
	}
	if o.task != nil {
		rep.TaskID, rep.ContextID = string(o.task.ID), string(o.task.ContextID)
		b.task(w, &rep, o.task)
	}
	if rep.TaskID != "" && len(b.agents) > 1 {
		rep.Agent = r.name
	}
	if o.err != nil {
		rep.Status, rep.Error = "error", line(o.err.Error(), 1000)
		if rep.TaskID != "" && !isAnswer(o.err) {
			rep.Note = "the task may go on: look with get_task"
		}
	}
	if w.cut {
		rep.Note = strings.TrimPrefix(rep.Note+fmt.Sprintf("; the output was cut at %d bytes", b.opts.MaxOutput), "; ")
	}
	failed := o.err != nil ||
		o.task != nil && o.task.Status.State.Terminal() && o.task.Status.State != a2a.TaskStateCompleted
	rep.TaskID, rep.ContextID = line(rep.TaskID, maxID), line(rep.ContextID, maxID)
	return &sdk.CallToolResult{Content: append(w.blocks, rep.block()), IsError: failed}
}

func (r report) block() sdk.Content {
	text, err := json.Marshal(r)
	if err != nil {
		text = []byte(`{"status":"error"}`) // it has only clean strings
	}
	return &sdk.TextContent{Text: string(text)}
}

func (b *Bridge) task(w *writer, rep *report, task *a2a.Task) {
	state := task.Status.State
	rep.Status = strings.ToLower(strings.ReplaceAll(strings.TrimPrefix(state.String(), "TASK_STATE_"), "_", "-"))
	if state.Interrupted() {
		rep.Question = clean(cut(wordsOf(task.Status.Message), maxQuestion))
	}
	switch state {
	case a2a.TaskStateInputRequired:
		rep.Note = "call the same tool again with this task_id and with the answer as text"
	case a2a.TaskStateAuthRequired:
		rep.Note = "a person has to authorize this with the agent; then look with get_task"
	case a2a.TaskStateSubmitted, a2a.TaskStateWorking:
		rep.Note = "the agent is not done: look again with get_task"
	}
	if m := task.Status.Message; m != nil && (!state.Interrupted() || len(m.Parts) > 1) {
		w.parts(m.Parts)
	}
	for _, a := range task.Artifacts {
		w.parts(a.Parts)
	}
}

// isAnswer reports whether an error is what the agent says, and not that it could not be heard.
func isAnswer(err error) bool {
	e, ok := errors.AsType[*a2a.Error](err)
	return ok && e.Remote
}

// refuse is the answer to a call that cannot be made.
func refuse(why string) *sdk.CallToolResult {
	return &sdk.CallToolResult{IsError: true, Content: []sdk.Content{report{Status: "error", Error: why}.block()}}
}

const maxBlocks = 200

// A writer makes content blocks of parts, as far as there is room.
type writer struct {
	blocks []sdk.Content
	room   int // bytes
	cut    bool
	text   *sdk.TextContent // the last block, when it is a text that goes on
}

func (w *writer) take(size int) int {
	n := min(size, w.room)
	w.room -= n
	w.cut = w.cut || n < size
	return n
}

func (w *writer) add(c sdk.Content) {
	if len(w.blocks) >= maxBlocks {
		w.cut = true
		return
	}
	w.blocks = append(w.blocks, c)
}

// parts writes the parts of one message or artifact. Text parts that follow each other become one text.
func (w *writer) parts(parts []a2a.Part) {
	w.text = nil
	for i := range parts {
		p := &parts[i]
		if text, ok := p.Content.(a2a.Text); ok {
			w.words(cut(string(text), w.take(len(text))))
			continue
		}
		w.text = nil
		switch c := p.Content.(type) {
		case a2a.Data:
			w.data(c)
		case a2a.Raw:
			w.file(p, c)
		case a2a.URL:
			w.link(p, string(c))
		}
	}
}

func (w *writer) words(text string) {
	if text == "" {
		return
	}
	if w.text != nil {
		w.text.Text += clean(text)
		return
	}
	w.text = &sdk.TextContent{Text: clean(text)}
	w.add(w.text)
}

// data writes JSON; half of it would be none.
func (w *writer) data(d a2a.Data) {
	if len(d) > w.room {
		w.room, w.cut = 0, true
		return
	}
	w.take(len(d))
	w.add(&sdk.TextContent{Text: clean(string(d))})
}

// file writes a file: half of it would be of no use.
func (w *writer) file(p *a2a.Part, content []byte) {
	if len(content) > w.room {
		w.cut = true
		w.add(&sdk.TextContent{Text: fmt.Sprintf("[a file of %d bytes, which is too large to be shown here: %s]",
			len(content), line(p.Filename, 200))})
		return
	}
	w.take(len(content))
	mediaType := line(p.MediaType, 200)
	switch kind, _, _ := strings.Cut(mediaType, "/"); {
	case kind == "image":
		w.add(&sdk.ImageContent{Data: content, MIMEType: mediaType})
	case kind == "audio":
		w.add(&sdk.AudioContent{Data: content, MIMEType: mediaType})
	default:
		r := &sdk.ResourceContents{URI: "attachment:///" + url.PathEscape(cmp.Or(line(p.Filename, 200), "file")),
			MIMEType: mediaType, Blob: content}
		if kind == "text" && utf8.Valid(content) {
			r.Text, r.Blob = clean(string(content)), nil
		}
		w.add(&sdk.EmbeddedResource{Resource: r})
	}
}

// link writes where a file is. Only addresses of the web are links that a client may follow.
func (w *writer) link(p *a2a.Part, address string) {
	if len(address) > w.room { // the beginning of an address is another one
		w.cut = true
		w.add(&sdk.TextContent{Text: "[a file, whose address is too long to be shown here: " + line(p.Filename, 200) +
			"]"})
		return
	}
	w.take(len(address))
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		w.add(&sdk.TextContent{Text: "[a file at " + line(address, 500) + "]"})
		return
	}
	name := cmp.Or(line(p.Filename, 200), "file")
	w.add(&sdk.ResourceLink{URI: address, Name: name, MIMEType: line(p.MediaType, 200)})
}

// cut returns the beginning of a text, of so many bytes at most, without half a character.
func cut(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit]
}

// clean replaces control characters, except for line breaks and tabs, and those that turn the order of letters around.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r == '\r':
			return -1
		case unicode.IsControl(r), r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069, r == 0x200e, r == 0x200f,
			r == 0x061c, r >= 0xe0000 && r <= 0xe007f:
			return utf8.RuneError
		}
		return r
	}, s)
}

func line(s string, limit int) string {
	return strings.Join(strings.Fields(clean(cut(s, limit))), " ")
}

func wordsOf(m *a2a.Message) string {
	if m == nil {
		return ""
	}
	var texts []string
	for _, p := range m.Parts {
		if t, ok := p.Content.(a2a.Text); ok {
			texts = append(texts, string(t))
		}
	}
	return strings.Join(texts, "\n")
}
