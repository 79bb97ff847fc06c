// SPDX-License-Identifier: Apache-2.0

package v03

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/jsonio"
)

// Contents are what the members of a part before 1.0 say, of which one counts.
type Contents struct {
	Text *a2a.Text
	File *File
	Data jsontext.Value
}

// A File is what the member file of a part says: exactly one of its contents is there.
type File struct {
	Content        a2a.PartContent
	Name, MimeType string
	member         string // that holds the content
}

// Raw is a member of a file that has its bytes.
func (f *File) Raw(d *jsonio.Reader, member string) error {
	var content a2a.Raw
	if err := jsonio.Base64(d, &content); err != nil {
		return err
	}
	return f.set(d, member, content)
}

// URL is a member of a file that says where it is.
func (f *File) URL(d *jsonio.Reader, member string) error {
	var uri a2a.URL
	if err := jsonio.String(d, &uri); err != nil {
		return err
	}
	return f.set(d, member, uri)
}

func (f *File) set(d *jsonio.Reader, member string, content a2a.PartContent) error {
	if f.Content != nil {
		return jsonio.Invalid(d, "cannot be there beside "+f.member+": send one of them")
	}
	f.member, f.Content = member, content
	return nil
}

// Kind returns which part the object that has just ended is: text, file or data, whose content is then there. If the
// object says so by a member, that counts, and other members are just members nobody knows. The name is that of the
// member, "" where the form has none.
func (v *Contents) Kind(d *jsonio.Reader, member, said string) (string, error) {
	shape := ""
	for _, content := range [...]struct {
		kind  string
		there bool
	}{{kindText, v.Text != nil}, {kindFile, v.File != nil}, {kindData, v.Data != nil}} {
		switch {
		case !content.there:
		case content.kind == said:
			return said, nil
		case said == "" && shape != "":
			why := "has both " + shape + " and " + content.kind + ": send one of them"
			if member != "" {
				why += ", and " + member
			}
			return "", jsonio.Invalid(d, why)
		default:
			shape = content.kind
		}
	}
	switch {
	case said != "":
		return "", jsonio.InvalidMember(d, said, "is required, as "+member+" says")
	case shape == "":
		return "", jsonio.Invalid(d, "must have one of text, file, data")
	}
	return shape, nil
}
