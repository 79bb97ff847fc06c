// SPDX-License-Identifier: Apache-2.0

package files

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/apps/samples/files/table"
	"github.com/dragoman-a2a/dragoman/files"
)

type format string

const (
	formatCSV  format = "csv"
	formatText format = "text"
)

// A source is a file, as a conversation keeps it.
type source struct {
	Name   string `json:"name"`
	Format format `json:"format"`
	Text   string `json:"text"`
}

// questionOf returns what a message says, without the files in it.
func questionOf(m *a2a.Message) string {
	var texts []string
	for i := range m.Parts {
		if text, ok := m.Parts[i].Content.(a2a.Text); ok && !isFile(&m.Parts[i]) {
			texts = append(texts, string(text))
		}
	}
	return strings.TrimSpace(strings.Join(texts, "\n"))
}

// isFile reports whether a part of text is a file, by its name or its type.
func isFile(p *a2a.Part) bool {
	return p.Filename != "" || p.MediaType != "" && !agent.MatchMode("text/plain", p.MediaType) &&
		!agent.MatchMode("text/markdown", p.MediaType)
}

// find returns the file of a message; nil when there is none. The error may be unclear.
func (a *reader) find(ctx context.Context, m *a2a.Message) (*source, error) {
	var found *source
	for i := range m.Parts {
		s, err := a.part(ctx, &m.Parts[i])
		if err != nil {
			return nil, err
		}
		if s != nil && found != nil {
			return nil, unclear("That is more than one file. Send them one by one, each with its question.")
		}
		found = cmp.Or(s, found)
	}
	return found, nil
}

// part reads the file of a part; nil when it has none.
func (a *reader) part(ctx context.Context, p *a2a.Part) (*source, error) {
	switch c := p.Content.(type) {
	case a2a.Raw:
		return a.read(c, p.MediaType, p.Filename)
	case a2a.Text:
		if isFile(p) {
			return a.read([]byte(c), p.MediaType, p.Filename)
		}
	case a2a.URL:
		got, err := a.options.Fetch.Fetch(ctx, string(c))
		switch {
		case err != nil && ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case errors.Is(err, files.ErrNotAllowed):
			return nil, unclear("The file's URL is not one that this agent may fetch. Send the file itself, or ask " +
				"whoever runs the agent to allow the URL: with --allow-url, and with --allow-networks where it is " +
				"not on the internet.")
		case err != nil:
			return nil, unclear("The file cannot be fetched: " + strings.TrimPrefix(err.Error(), "files: ") +
				". Send the file itself.")
		}
		return a.read(got.Content, cmp.Or(p.MediaType, got.MediaType), cmp.Or(p.Filename, got.Name))
	}
	return nil, nil
}

// read takes a file whose content is text.
func (a *reader) read(content []byte, mediaType, name string) (*source, error) {
	if name = clip(path.Base("/"+strings.ReplaceAll(name, `\`, "/")), 80); name == "/" {
		name = "the file"
	}
	if int64(len(content)) > a.options.MaxBytes {
		return nil, unclear(fmt.Sprintf("%s has %d bytes, and this agent reads up to %d. Send a smaller file.", name,
			len(content), a.options.MaxBytes))
	}
	// A byte order mark tells UTF-16, which spreadsheets write, from UTF-8.
	decoded, _, err := transform.Bytes(unicode.BOMOverride(transform.Nop), content)
	text := string(decoded)
	if err != nil || !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
		return nil, unclear(fmt.Sprintf("%s is not a text in UTF-8 or UTF-16. This agent reads CSV and plain text.",
			name))
	}
	if strings.TrimSpace(text) == "" {
		return nil, unclear(name + " is empty.")
	}
	return &source{Name: name, Format: formatOf(mediaType, name), Text: text}, nil
}

// formatOf chooses the format by media type and file name. Every file that is not a table is a text.
func formatOf(mediaType, name string) format {
	tables := []string{"text/csv", "application/csv", "text/tab-separated-values", "application/vnd.ms-excel"}
	named := strings.ToLower(path.Ext(name))
	if named == ".csv" || named == ".tsv" || mediaType != "" &&
		slices.ContainsFunc(tables, func(t string) bool { return agent.MatchMode(t, mediaType) }) {
		return formatCSV
	}
	return formatText
}

func (s *source) counts() *answer {
	lines := strings.Count(strings.TrimSuffix(s.Text, "\n"), "\n") + 1
	words, characters := len(strings.Fields(s.Text)), utf8.RuneCountInString(s.Text)
	return newAnswer(s.Name, table.Statistics, &table.Result{
		Text: fmt.Sprintf("Lines: %d. Words: %d. Characters: %d.", lines, words, characters), Rows: lines,
		Columns: []string{"lines", "words", "characters"}, Cells: [][]any{{lines, words, characters}},
	})
}

// clip bounds what is repeated to people.
func clip(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n-1]) + "…"
}
