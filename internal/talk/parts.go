// SPDX-License-Identifier: Apache-2.0

package talk

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/cmdline"
	"github.com/dragoman-a2a/dragoman/internal/terminal"
)

// MaxPart is how much of a file or of standard input becomes a part. More belongs behind a URL.
const MaxPart = 64 << 20

// PartFlags collect the parts of a message in the order of the command line.
type PartFlags struct{ specs []partSpec }

// Given reports whether the command line has parts.
func (p *PartFlags) Given() bool { return len(p.specs) > 0 }

type partSpec struct{ flag, value, mediaType string }

// Add defines the flags of parts.
func (p *PartFlags) Add(flags *pflag.FlagSet) {
	for _, f := range []struct{ name, kind, usage string }{
		{"text", "text", "a part of text; repeatable"},
		{"file", "path|-|url", "a part with the content of a file or of standard input (-), or with the URL of a " +
			"file; repeatable"},
		{"data", "path|-|json", "a part of JSON: from a file, from standard input, or as it stands; repeatable"},
		{"media-type", "type", "media type of the part before it"},
	} {
		flags.Var(&partFlag{p, f.name, f.kind}, f.name, f.usage)
		flags.SetAnnotation(f.name, cmdline.AnnotationPart, nil)
	}
}

// partFlag is one of them; it implements pflag.Value.
type partFlag struct {
	parts      *PartFlags
	name, kind string
}

func (f *partFlag) String() string { return "" }
func (f *partFlag) Type() string   { return f.kind }

func (f *partFlag) Set(value string) error {
	p := f.parts
	if f.name != "media-type" {
		p.specs = append(p.specs, partSpec{flag: f.name, value: value})
		return nil
	}
	if len(p.specs) == 0 {
		return errors.New("it must follow a --text, --file or --data")
	}
	last := &p.specs[len(p.specs)-1]
	if last.mediaType != "" {
		return errors.New("the part before it has a media type already")
	}
	if _, _, err := mime.ParseMediaType(value); err != nil || !strings.Contains(value, "/") {
		return errors.New("it is not a media type such as text/markdown")
	}
	last.mediaType = value
	return nil
}

// Build makes the parts: the words of the command line first, then those of the flags.
func (p *PartFlags) Build(words []string, stdin io.Reader) ([]a2a.Part, error) {
	var parts []a2a.Part
	if len(words) > 0 {
		part, err := TextPart(strings.Join(words, " "))
		if err != nil {
			return nil, explainText("the text", err)
		}
		parts = append(parts, part)
	}
	piped := false
	for _, spec := range p.specs { // all of them, before standard input is waited for
		if spec.readsInput() && piped {
			return nil, cmdline.Usagef("--%s -: standard input can only be one part", spec.flag)
		}
		piped = piped || spec.readsInput()
	}
	for _, spec := range p.specs {
		part, err := spec.part(stdin)
		if err != nil {
			return nil, ExplainPart(spec.flag, err)
		}
		if spec.mediaType != "" {
			part.MediaType = spec.mediaType
		}
		parts = append(parts, part)
	}
	if len(parts) == 0 {
		return nil, errNothingSaid()
	}
	return parts, nil
}

// readsInput reports whether the part is standard input.
func (s *partSpec) readsInput() bool {
	return s.value == "-" && (s.flag == "file" || s.flag == "data")
}

func (s *partSpec) part(stdin io.Reader) (a2a.Part, error) {
	switch s.flag {
	case "file":
		if s.readsInput() {
			return inputPart(stdin)
		}
		return FilePart(s.value)
	case "data":
		return DataPart(s.value, stdin)
	}
	return TextPart(s.value)
}

var errNoText, errNotUTF8 = errors.New("is empty"), errors.New("is not UTF-8")

const hintBytes = "send other bytes as a file: --file PATH, or --file - for standard input"

// TextPart makes a part of a text, which says something.
func TextPart(text string) (a2a.Part, error) {
	switch {
	case strings.TrimSpace(text) == "":
		return a2a.Part{}, errNoText
	case !utf8.ValidString(text):
		return a2a.Part{}, errNotUTF8
	}
	return a2a.TextPart(text), nil
}

// ExplainPart says which flag made a part that cannot be sent.
func ExplainPart(flag string, err error) error {
	if err == errNoText || err == errNotUTF8 {
		return explainText("--"+flag, err)
	}
	return cmdline.Usagef("--%s: %v", flag, err)
}

// explainText says why a text cannot be sent.
func explainText(what string, err error) *cmdline.Failure {
	f := cmdline.Usagef("%s %v", what, err).WithHint(hintBytes)
	if err == errNoText {
		f.Hint = "put the answer, or whatever there is to say, in its place"
	}
	return f
}

func errNothingSaid() *cmdline.Failure {
	return cmdline.Usagef("the message is empty").WithHint(
		"give a message with --text, --file or --data, as words after the options, or on standard input")
}

// FilePart makes a part of a file or of the URL of one.
func FilePart(ref string) (a2a.Part, error) {
	if u, err := url.Parse(ref); err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" {
		name := path.Base(u.Path)
		if name == "." || name == "/" {
			name = ""
		}
		return a2a.URLPart(ref, mime.TypeByExtension(path.Ext(name)), name), nil
	}
	content, err := ReadFile(ref)
	if err != nil {
		return a2a.Part{}, err
	}
	mediaType := cmp.Or(mime.TypeByExtension(filepath.Ext(ref)), http.DetectContentType(content))
	return a2a.RawPart(content, mediaType, filepath.Base(ref)), nil
}

// inputPart makes a part of standard input, whose name nobody knows.
func inputPart(stdin io.Reader) (a2a.Part, error) {
	content, err := readAll(stdin)
	switch {
	case err != nil:
		return a2a.Part{}, fmt.Errorf("read standard input: %w", err)
	case len(content) == 0:
		return a2a.Part{}, errors.New("standard input is empty")
	}
	return a2a.RawPart(content, http.DetectContentType(content), ""), nil
}

// saysSomething reports whether the command line has a message, or is about a form.
func saysSomething(cmd *cobra.Command, words []string) bool {
	given := func(flag string) bool { return cmd.Flags().Changed(flag) }
	return len(words) > 0 || slices.ContainsFunc([]string{"text", "file", "data", "answer", "skeleton"}, given)
}

// OrInput returns the words of a message. Where the command line has no message they are standard input, unless that is
// a terminal, at which a person would not know that something waits for them.
func OrInput(run *cmdline.Run, cmd *cobra.Command, words []string) ([]string, error) {
	if saysSomething(cmd, words) {
		return words, nil
	}
	if terminal.IsTerminal(run.Stdin) {
		return nil, errNothingSaid()
	}
	content, err := readAll(run.Stdin)
	if err != nil {
		return nil, cmdline.Usagef("standard input: %v", err)
	}
	text := strings.TrimRight(string(content), "\r\n")
	if strings.TrimSpace(text) == "" {
		return nil, errNothingSaid()
	}
	return []string{text}, nil
}

// DataPart takes JSON as it stands, from standard input, or from a file. JSON is kept to the letter.
func DataPart(value string, stdin io.Reader) (a2a.Part, error) {
	if text := jsontext.Value(value); value != "-" && text.IsValid() {
		return JSONPart(text), nil
	}
	var text []byte
	var err error
	name := value
	if value == "-" {
		name = "standard input"
		text, err = readAll(stdin)
	} else {
		text, err = ReadFile(value)
	}
	switch {
	case err != nil && looksLikeJSON(value):
		return a2a.Part{}, fmt.Errorf("%s is neither JSON nor a file", value)
	case err != nil:
		return a2a.Part{}, err
	case !jsontext.Value(text).IsValid():
		return a2a.Part{}, fmt.Errorf("%s is not JSON", name)
	}
	return JSONPart(text), nil
}

// JSONPart makes a part of JSON.
func JSONPart(text jsontext.Value) a2a.Part {
	return a2a.Part{Content: a2a.Data(text), MediaType: "application/json"}
}

func looksLikeJSON(value string) bool {
	return strings.HasPrefix(value, "{") || strings.HasPrefix(value, "[") || strings.HasPrefix(value, `"`)
}

// ReadFile reads a file that becomes a part, of MaxPart bytes at most.
func ReadFile(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Size() > MaxPart {
		return nil, errTooLarge // without reading it; what says nothing of its size is counted
	}
	return readAll(f)
}

var errTooLarge = fmt.Errorf("it has more than %d bytes; upload it and send its URL", MaxPart)

func readAll(r io.Reader) ([]byte, error) {
	content, err := io.ReadAll(io.LimitReader(r, MaxPart+1))
	if err != nil {
		return nil, err
	}
	if len(content) > MaxPart {
		return nil, errTooLarge
	}
	return content, nil
}
