// SPDX-License-Identifier: Apache-2.0

package files

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"path"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/files"
)

// format is how a file is read.
type format string

const (
	formatCSV  format = "csv"
	formatJSON format = "json"
	formatText format = "text"
)

// A source is a file, as a conversation keeps it.
type source struct {
	Name   string `json:"name"`
	Format format `json:"format"`
	Text   string `json:"text"`
}

// An excuse is why a file cannot be used, in words for whoever sent it.
type excuse string

func (e excuse) Error() string { return string(e) }

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
	return p.Filename != "" || p.MediaType != "" && !agent.MatchMode("text/plain", p.MediaType) && !agent.MatchMode("text/markdown", p.MediaType)
}

// find returns the file of a message; nil when there is none. Errors: an excuse.
func (a *reader) find(ctx context.Context, m *a2a.Message) (*source, error) {
	var found *source
	for i := range m.Parts {
		s, err := a.part(ctx, &m.Parts[i])
		if err != nil {
			return nil, err
		}
		if s != nil && found != nil {
			return nil, excuse("That is more than one file. Send them one by one, each with its question.")
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
	case a2a.Data:
		return a.read([]byte(c), "application/json", cmp.Or(p.Filename, "data"))
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
			return nil, excuse("The file's URL is not one that this agent may fetch. Send the file itself, or ask whoever runs the agent to allow the URL: with --allow-url, and with --allow-networks where it is not on the internet.")
		case err != nil:
			return nil, excuse("The file cannot be fetched: " + strings.TrimPrefix(err.Error(), "files: ") + ". Send the file itself.")
		}
		return a.read(got.Content, cmp.Or(p.MediaType, got.MediaType), cmp.Or(p.Filename, got.Name))
	}
	return nil, nil
}

// read takes a file whose content is text.
func (a *reader) read(content []byte, mediaType, name string) (*source, error) {
	name = clip(cmp.Or(strings.TrimSpace(path.Base("/" + strings.ReplaceAll(name, `\`, "/"))[0:]), "file"), 80)
	if name == "/" {
		name = "the file"
	}
	if int64(len(content)) > a.options.MaxBytes {
		return nil, excuse(fmt.Sprintf("%s has %d bytes, and this agent reads up to %d. Send a smaller file.", name, len(content), a.options.MaxBytes))
	}
	text, ok := decode(content)
	if !ok {
		return nil, excuse(fmt.Sprintf("%s is not a text. This agent reads CSV, JSON and plain text.", name))
	}
	if strings.TrimSpace(text) == "" {
		return nil, excuse(name + " is empty.")
	}
	return &source{Name: name, Format: formatOf(text, mediaType, name), Text: text}, nil
}

// formatOf goes by the type, then by the name, and only then by what the file looks like.
func formatOf(text, mediaType, name string) format {
	ext := strings.ToLower(path.Ext(name))
	for _, known := range []struct {
		format format
		types  []string
		exts   string
	}{
		{formatCSV, []string{"text/csv", "application/csv", "text/tab-separated-values", "application/vnd.ms-excel"}, ".csv .tsv .tab"},
		{formatJSON, []string{"application/json"}, ".json"},
		{formatText, nil, ".txt .md .log .text"},
	} {
		for _, t := range known.types {
			if mediaType != "" && agent.MatchMode(t, mediaType) {
				return known.format
			}
		}
		if ext != "" && strings.Contains(known.exts+" ", ext+" ") {
			return known.format
		}
	}
	if agent.MatchMode("text/*", cmp.Or(mediaType, "application/octet-stream")) {
		return formatText
	}
	if first := strings.TrimSpace(text)[0]; first == '[' || first == '{' {
		return formatJSON
	}
	if even(text) {
		return formatCSV
	}
	return formatText
}

// even reports whether each of the first lines has the same number of cells, which sentences do not have.
func even(text string) bool {
	d, ok := delimiter(text)
	if !ok {
		return false
	}
	r := csvReader(text, d)
	r.FieldsPerRecord = 0 // that of the first
	for range 20 {
		if record, err := r.Read(); err != nil {
			return record == nil && err.Error() == "EOF"
		}
	}
	return true
}

// decode makes UTF-8 of what is UTF-8, UTF-16 with its mark, or, if it has no control characters, Windows-1252.
func decode(content []byte) (string, bool) {
	content = bytes.TrimPrefix(content, []byte("\xef\xbb\xbf"))
	switch {
	case bytes.HasPrefix(content, []byte("\xff\xfe")):
		return decode16(content[2:], binary.LittleEndian)
	case bytes.HasPrefix(content, []byte("\xfe\xff")):
		return decode16(content[2:], binary.BigEndian)
	case bytes.IndexByte(content, 0) >= 0:
		return "", false
	case utf8.Valid(content):
		return string(content), true
	}
	var b strings.Builder
	for _, c := range content {
		if c < ' ' && c != '\n' && c != '\r' && c != '\t' && c != '\f' {
			return "", false
		}
		b.WriteRune(rune1252(c))
	}
	return b.String(), true
}

// rune1252 is a byte of Windows-1252, where it is not that of Latin-1.
func rune1252(c byte) rune {
	if c >= 0x80 && c < 0xa0 {
		return []rune("€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ")[c-0x80]
	}
	return rune(c)
}

func decode16(content []byte, order binary.ByteOrder) (string, bool) {
	if len(content)%2 != 0 {
		return "", false
	}
	units := make([]uint16, len(content)/2)
	for i := range units {
		units[i] = order.Uint16(content[2*i:])
	}
	text := string(utf16.Decode(units))
	return text, !strings.ContainsRune(text, 0)
}
