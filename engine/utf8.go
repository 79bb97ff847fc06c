// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/dragoman-a2a/dragoman/a2a"
)

// Every binding has to be able to write what an agent sends. A slip in one part would otherwise keep all of a
// task, and each list that it is in, from being read.

// validUTF8 returns why parts cannot be written, nil if they can: their texts are UTF-8 and their data is JSON.
func validUTF8(parts []a2a.Part) error {
	for i := range parts {
		if err := validUTF8Part(&parts[i]); err != nil {
			return fmt.Errorf("part %d: %w", i, err)
		}
	}
	return nil
}

func validUTF8Part(p *a2a.Part) error {
	switch c := p.Content.(type) {
	case a2a.Text:
		if !utf8.ValidString(string(c)) {
			return errors.New("the text is not UTF-8; send bytes as a file")
		}
	case a2a.URL:
		if !utf8.ValidString(string(c)) {
			return errors.New("the URL is not UTF-8")
		}
	case a2a.Data:
		if !jsontext.Value(c).IsValid() {
			return errors.New("the data is not JSON")
		}
	}
	if !utf8.ValidString(p.Filename) || !utf8.ValidString(p.MediaType) {
		return errors.New("its filename or media type is not UTF-8")
	}
	return validUTF8Metadata(p.Metadata)
}

func validUTF8Metadata(m a2a.Metadata) error {
	for name, value := range m {
		if !utf8.ValidString(name) || !jsontext.Value(value).IsValid() {
			return fmt.Errorf("metadata %.100q is not JSON", name)
		}
	}
	return nil
}

func validUTF8Artifact(a *a2a.Artifact) error {
	if !utf8.ValidString(a.Name) || !utf8.ValidString(a.Description) || !utf8.ValidString(string(a.ID)) {
		return fmt.Errorf("artifact %.100q: its name, description or id is not UTF-8", a.Name)
	}
	if err := validUTF8(a.Parts); err != nil {
		return fmt.Errorf("artifact %.100q: %w", a.Name, err)
	}
	return validUTF8Metadata(a.Metadata)
}
