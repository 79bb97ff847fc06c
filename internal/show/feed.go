// SPDX-License-Identifier: Apache-2.0

package show

import (
	"reflect"
	"strings"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/fold"
	"github.com/dragoman-a2a/dragoman/internal/terminal"
)

// A Feed shows the events of one stream as they come: with -o json an object a line, and else blocks of text that say
// only what is new. The chunks of an artifact go on in the line of text that the first one began. How many lines that
// text will have is not known then, so it stands below its label, as a text of several lines does. The nil feed shows
// nothing.
type Feed struct {
	*terminal.Terminal
	History int  // messages of a task's history to show
	Brief   bool // without what only programs need: ids, times, and states that say nothing
	Whole   bool // with all data

	task      a2a.TaskID     // of the last block
	artifact  a2a.ArtifactID // whose block is open; "" for none
	open      bool           // its last line is a text that may go on
	below     bool           // that text began below its label
	mediaType string         // of that text
	held      string         // line breaks at its end, which count once something follows

	waits *a2a.TaskStatus // the last status, if the task waits
}

// Repeats reports whether an event only says once more that the task still waits, as further looks at it do.
func (f *Feed) Repeats(event a2a.Event) bool {
	if f == nil {
		return false
	}
	var status *a2a.TaskStatus
	switch e := event.(type) {
	case *a2a.Task:
		status = &e.Status
	case *a2a.StatusUpdate:
		status = &e.Status
	default:
		return false
	}
	was := f.waits
	f.waits = nil
	if status.State.Interrupted() {
		f.waits = status
	}
	return f.waits != nil && was != nil && was.State == status.State && reflect.DeepEqual(Words(was), Words(status))
}

// Words returns what an agent says with a status.
func Words(s *a2a.TaskStatus) []a2a.Part {
	if s.Message == nil {
		return nil
	}
	return s.Message.Parts
}

// wordsOf returns the text that an agent says with a status.
func wordsOf(status *a2a.TaskStatus) string {
	var texts []string
	for _, part := range Words(status) {
		if text, ok := part.Content.(a2a.Text); ok {
			texts = append(texts, string(text))
		}
	}
	return strings.Join(texts, " ")
}

// Progress shows what an event says on the line of progress.
func Progress(p *terminal.Progress, event a2a.Event) {
	switch e := event.(type) {
	case *a2a.Task:
		noteStatus(p, &e.Status)
	case *a2a.StatusUpdate:
		noteStatus(p, &e.Status)
	case *a2a.ArtifactUpdate:
		if e.Artifact != nil && e.Artifact.Name != "" {
			p.Detail(e.Artifact.Name)
		}
	}
}

func noteStatus(p *terminal.Progress, s *a2a.TaskStatus) {
	state := ""
	if s.State != a2a.TaskStateUnspecified {
		state = StateName(s.State)
	}
	p.Note(state, wordsOf(s))
}

// Show shows an event.
func (f *Feed) Show(e a2a.Event) error {
	if f == nil {
		return nil
	}
	if task, ok := e.(*a2a.Task); ok {
		e = fold.ShowHistory(task, f.History)
	}
	if f.AsJSON {
		return event(f.Terminal, e)
	}
	return f.ShowText(func(p *terminal.Printer) { f.print(Printer{p}, e) })
}

// End ends the block that is open.
func (f *Feed) End() error {
	if f == nil {
		return nil
	}
	return f.ShowText(func(p *terminal.Printer) { f.close(Printer{p}) })
}

func (f *Feed) print(p Printer, event a2a.Event) {
	p.Brief = f.Brief
	if f.Whole {
		p.Shortens = ""
	}
	if f.Brief && isDull(event) {
		f.close(p)
		return
	}
	switch e := event.(type) {
	case *a2a.ArtifactUpdate:
		if e.Artifact != nil {
			f.chunk(p, e)
		}
		return
	case *a2a.StatusUpdate:
		f.close(p)
		if state := e.Status.State; state.Terminal() || state.Interrupted() {
			f.task = "" // who reads the end only needs the ids, too
		}
		f.head(p, e.TaskID, e.ContextID)
		p.change(&e.Status)
		p.End()
		return
	case *a2a.Task:
		f.close(p)
		f.task = e.ID
	default:
		f.close(p)
	}
	p.Event(event)
}

// isDull reports whether an event only says that the agent has begun.
func isDull(event a2a.Event) bool {
	var status *a2a.TaskStatus
	switch e := event.(type) {
	case *a2a.Task:
		if len(e.Artifacts)+len(e.History) > 0 {
			return false
		}
		status = &e.Status
	case *a2a.StatusUpdate:
		status = &e.Status
	default:
		return false
	}
	begun := status.State == a2a.TaskStateSubmitted || status.State == a2a.TaskStateWorking
	return begun && len(Words(status)) == 0
}

// head names the task, unless the block before was about it.
func (f *Feed) head(p Printer, task a2a.TaskID, context a2a.ContextID) {
	if task != f.task {
		p.Field(0, "Task", string(task))
		p.Field(0, "Context", string(context))
	}
	f.task = task
}

func (f *Feed) chunk(p Printer, u *a2a.ArtifactUpdate) {
	parts := Joined(u.Artifact.Parts)
	same := u.Append && u.Artifact.ID == f.artifact && u.TaskID == f.task
	switch {
	case same:
	case u.Append && isEmpty(parts): // it only says that nothing more comes
		return
	default:
		f.close(p)
		f.head(p, u.TaskID, u.ContextID)
		label := "Artifact"
		if u.Append {
			label = "Artifact, continued"
		}
		p.artifactHead(label, u.Artifact)
		f.artifact = u.Artifact.ID
	}
	for i := range parts {
		f.part(p, parts, i, !u.LastChunk && i == len(parts)-1)
	}
	if u.LastChunk {
		f.close(p)
	}
}

// isEmpty reports whether parts, joined, say nothing.
func isEmpty(parts []a2a.Part) bool {
	return len(parts) == 0 || len(parts) == 1 && parts[0].Content == a2a.Text("")
}

// part prints a part, or goes on with the text before it. more says whether a text may go on later.
func (f *Feed) part(p Printer, parts []a2a.Part, i int, more bool) {
	part := &parts[i]
	text, isText := part.Content.(a2a.Text)
	if !isText {
		f.closeLine(p)
		p.partBeside(parts, i)
		return
	}
	if text == "" {
		return
	}
	if !f.open || part.MediaType != f.mediaType {
		f.closeLine(p)
		p.mediaType(part.MediaType, "text/plain")
		p.Buf.WriteString(terminal.Indent + "Text:")
		f.open, f.mediaType = true, part.MediaType
		f.below = more || strings.Contains(strings.TrimRight(string(text), "\r\n"), "\n")
		if f.below {
			p.Buf.WriteString("\n" + strings.Repeat(terminal.Indent, 3))
		} else {
			p.Buf.WriteByte(' ')
		}
	}
	whole := strings.ReplaceAll(f.held+string(text), "\r\n", "\n")
	shown := strings.TrimRight(whole, "\r\n")
	f.held = whole[len(shown):]
	p.Buf.WriteString(strings.ReplaceAll(shown, "\n", "\n"+strings.Repeat(terminal.Indent, 3)))
}

func (f *Feed) closeLine(p Printer) {
	if f.open {
		p.Buf.WriteByte('\n')
		if f.below {
			p.Buf.WriteByte('\n')
		}
	}
	f.open, f.held = false, ""
}

func (f *Feed) close(p Printer) {
	f.closeLine(p)
	if f.artifact != "" {
		p.End()
	}
	f.artifact = ""
}
