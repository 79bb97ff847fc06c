// SPDX-License-Identifier: Apache-2.0

package show

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/internal/cmdline"
	"github.com/dragoman-a2a/dragoman/internal/fold"
	"github.com/dragoman-a2a/dragoman/internal/form"
	"github.com/dragoman-a2a/dragoman/internal/terminal"
)

// A Printer makes text of the protocol's objects.
type Printer struct{ *terminal.Printer }

// Event prints what a stream or a send brought.
func (p Printer) Event(event a2a.Event) {
	switch e := event.(type) {
	case *a2a.Task:
		p.Task(e)
	case *a2a.Message:
		p.Field(0, "Task", string(e.TaskID))
		p.Field(0, "Context", string(e.ContextID))
		p.Message("Message", e)
	case *a2a.StatusUpdate:
		p.Field(0, "Task", string(e.TaskID))
		p.Field(0, "Context", string(e.ContextID))
		p.status(&e.Status)
	case *a2a.ArtifactUpdate:
		p.Field(0, "Task", string(e.TaskID))
		if e.Artifact != nil {
			label := "Artifact"
			if e.Append {
				label = "Artifact, continued"
			}
			p.artifact(label, e.Artifact)
		}
	}
	p.End()
}

func (p Printer) Task(t *a2a.Task) {
	p.Field(0, "Task", string(t.ID))
	p.Field(0, "Context", string(t.ContextID))
	p.status(&t.Status)
	p.metadata(0, t.Metadata)
	for _, artifact := range t.Artifacts {
		p.artifact("Artifact", artifact)
	}
	for _, message := range t.History {
		p.Message("History", message)
	}
}

// Story prints a task as it came about: what was said, what came of it, how it stands. Ids are left out.
func (p Printer) Story(t *a2a.Task) {
	p.Brief = true
	for _, message := range t.History {
		p.Message("History", message)
	}
	for _, artifact := range t.Artifacts {
		p.artifact("Artifact", artifact)
	}
	p.status(&t.Status)
	p.End()
}

func (p Printer) status(s *a2a.TaskStatus) {
	p.Field(0, "Status", StateName(s.State))
	if !s.Timestamp.IsZero() {
		p.Field(0, "Time", s.Timestamp.UTC().Format("2006-01-02T15:04:05.000Z07:00"))
	}
	if s.Message != nil {
		p.Message("Message", s.Message)
	}
}

func (p Printer) Message(label string, m *a2a.Message) {
	p.Field(0, label, strings.ToLower(strings.TrimPrefix(m.Role.String(), "ROLE_")))
	if p.All {
		p.Field(1, "ID", string(m.ID))
		p.extensions(m.Extensions)
		for _, task := range m.ReferenceTaskIDs {
			p.Field(1, "Reference", string(task))
		}
	}
	p.metadata(1, m.Metadata)
	for i := range m.Parts {
		need, needsAuth := agent.FindAuthorization(m.Parts[i])
		switch f := form.In(m.Parts, i); {
		case needsAuth && !p.All:
			p.authorization(&need, m.Text())
		case p.All || f == nil && !isEcho(m.Parts[:i], &m.Parts[i]):
			p.partBeside(m.Parts, i)
		case f != nil && !p.Brief: // else people are asked for the fields next
			f.Print(p.Printer)
		}
	}
}

// authorization prints what a person has to allow, without what the words beside it say.
func (p Printer) authorization(need *agent.Authorization, words string) {
	if !strings.Contains(words, need.Instructions) {
		p.Text(1, "Instructions", need.Instructions)
	}
	if need.URL != "" && !strings.Contains(words, need.URL) {
		p.Field(1, "URL", need.URL)
	}
	p.Field(1, "Authorization", strings.Join(need.Schemes, ", "))
	p.Field(1, "Scopes", strings.Join(need.Scopes, ", "))
}

// echoes are the types of documents that hosts write beside a text that says the same.
var echoes = []string{"plan", "choice"}

// isEcho reports whether a part only says for programs what a text before it says for people.
func isEcho(before []a2a.Part, part *a2a.Part) bool {
	var doc struct {
		Type string `json:"type"`
	}
	data, isData := part.Content.(a2a.Data)
	if !isData || jsontext.Value(data).Kind() != '{' || json.Unmarshal([]byte(data), &doc) != nil ||
		!slices.Contains(echoes, doc.Type) {
		return false
	}
	return slices.ContainsFunc(before, saysText)
}

// change prints a new status of a task that is known: on one line, if the message with it has one.
func (p Printer) change(s *a2a.TaskStatus) {
	if s.Message != nil && len(s.Message.Parts) == 1 {
		part := &s.Message.Parts[0]
		text, isText := part.Content.(a2a.Text)
		if isText && TypeOf(part) == "text/plain" && !strings.ContainsAny(string(text), "\r\n") {
			p.Field(0, "Status", strings.TrimSuffix(StateName(s.State)+" - "+string(text), " - "))
			return
		}
	}
	p.Field(0, "Status", StateName(s.State))
	if s.Message != nil {
		p.Message("Message", s.Message)
	}
}

func (p Printer) artifact(label string, a *a2a.Artifact) {
	p.artifactHead(label, a)
	parts := Joined(a.Parts)
	for i := range parts {
		p.partBeside(parts, i)
	}
}

// maxData is how many bytes of data are shown beside a text, which says to people what the data says to programs.
const maxData = 160

// partBeside prints a part among others: long data beside a text is only named.
func (p Printer) partBeside(parts []a2a.Part, i int) {
	data, isData := parts[i].Content.(a2a.Data)
	if !isData || p.All || p.Shortens == "" || len(data) <= maxData || form.Parse(jsontext.Value(data)) != nil ||
		!slices.ContainsFunc(parts, saysText) {
		p.part(&parts[i])
		return
	}
	p.mediaType(parts[i].MediaType, "application/json")
	p.Field(1, "Data", fmt.Sprintf("%s of JSON%s; %s shows all of it", Size(len(data)), outline(jsontext.Value(data)),
		p.Shortens))
	p.metadata(2, parts[i].Metadata)
}

func saysText(part a2a.Part) bool {
	text, isText := part.Content.(a2a.Text)
	return isText && strings.TrimSpace(string(text)) != ""
}

// outline names the first members of an object; "" of anything else.
func outline(data jsontext.Value) string {
	const most = 5
	var names []string
	_ = form.EachMember(data, func(name string,
		_ jsontext.Value) {
		names = append(names, terminal.Short(terminal.Inline(name), 30))
	})
	if len(names) == 0 {
		return ""
	}
	if len(names) > most {
		names = append(names[:most], "...")
	}
	return " (" + strings.Join(names, ", ") + ")"
}

func (p Printer) artifactHead(label string, a *a2a.Artifact) {
	name := a.Name
	if name == "" {
		name = string(a.ID)
	}
	p.Field(0, label, name)
	p.Field(1, "ID", string(a.ID))
	if a.Description != "" {
		p.Text(1, "Description", a.Description)
	}
	if p.All {
		p.extensions(a.Extensions)
	}
	p.metadata(1, a.Metadata)
}

func (p Printer) extensions(uris []string) {
	for _, uri := range uris {
		p.Field(1, "Extension", uri)
	}
}

// metadata prints what rides along, if that is wanted.
func (p Printer) metadata(depth int, m a2a.Metadata) {
	if !p.All {
		return
	}
	for _, key := range slices.Sorted(maps.Keys(m)) {
		p.Field(depth, "Metadata", key+": "+string(m[key]))
	}
}

// Joined returns the parts with texts that follow each other made one: an artifact that was streamed has a part for
// each of its chunks.
func Joined(parts []a2a.Part) []a2a.Part {
	var all []a2a.Part
	var text strings.Builder // of the last part in all, if that is a text
	for _, part := range parts {
		chunk, isText := part.Content.(a2a.Text)
		n := len(all)
		if isText && n > 0 && text.Len() > 0 && all[n-1].MediaType == part.MediaType {
			text.WriteString(string(chunk))
			all[n-1].Content = a2a.Text(text.String()) // shares the builder's memory
			continue
		}
		text = strings.Builder{}
		text.WriteString(string(chunk))
		all = append(all, part)
	}
	return all
}

// part prints one part: text and data as they are, files as a summary.
func (p Printer) part(part *a2a.Part) {
	switch content := part.Content.(type) {
	case a2a.Text:
		p.mediaType(part.MediaType, "text/plain")
		p.Text(1, "Text", string(content))
	case a2a.Data:
		p.mediaType(part.MediaType, "application/json")
		f := form.Parse(jsontext.Value(content))
		if f == nil || p.All {
			text := jsontext.Value(content).Clone()
			_ = text.Compact() // what is not JSON after all is shown as it is
			p.Text(1, "Data", string(text))
		}
		if f != nil && !p.Brief { // people are asked for the fields next
			f.Print(p.Printer)
		}
	case a2a.Raw:
		p.Field(1, "File", DescribeFile(part.Filename, part.MediaType, Size(len(content))))
	case a2a.URL:
		p.Field(1, "File", DescribeFile(part.Filename, part.MediaType, string(content)))
	default:
		p.Field(1, "Part", "of a kind that this program does not know")
	}
	p.metadata(2, part.Metadata)
}

// mediaType tells the media type of a part where it is not what one expects.
func (p Printer) mediaType(mediaType, expected string) {
	if p.All && mediaType == "" {
		mediaType = expected
	}
	if mediaType != expected || p.All {
		p.Field(1, "Media type", mediaType)
	}
}

// DescribeFile summarises a file: its name if it has one, its media type, its size or where it is.
func DescribeFile(name, mediaType, where string) string {
	if mediaType != "" {
		where = mediaType + ", " + where
	}
	if name == "" {
		return where
	}
	return name + " (" + where + ")"
}

// TypeOf returns the media type of a part; "" when nobody knows.
func TypeOf(part *a2a.Part) string {
	if part.MediaType != "" {
		return part.MediaType
	}
	switch part.Content.(type) {
	case a2a.Text:
		return "text/plain"
	case a2a.Data:
		return "application/json"
	}
	return ""
}

// Size says how many bytes there are.
func Size(n int) string { return fmt.Sprintf("%d bytes", n) }

// List prints a page of tasks, each with no more of its history than is asked for.
func (p Printer) List(res *a2a.ListTasksResponse, history int) {
	if len(res.Tasks) == 0 {
		p.Field(0, "Tasks", "none")
	}
	for _, task := range res.Tasks {
		p.Task(fold.ShowHistory(task, history))
		p.End()
	}
	p.Field(0, "Total", cmdline.Itoa(res.TotalSize))
	p.Field(0, "Next page token", res.NextPageToken)
	p.End()
}
