// SPDX-License-Identifier: Apache-2.0

package v03

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/jsonio"
)

// A part is what a JSON object that is a part says.
type part struct {
	discriminator
	text     *a2a.Text
	file     *file
	data     jsontext.Value
	metadata a2a.Metadata
}

// A file is what the member file of a part says: exactly one of its contents is there.
type file struct {
	content        a2a.PartContent
	member         string // that holds the content
	name, mimeType string
}

var partObject = jsonio.Object[part]{Members: append(
	discriminatorMembers(func(v *part) *discriminator { return &v.discriminator }),
	jsonio.Member[part]{Name: "text", Read: func(d *jsonio.Reader, v *part) error {
		v.text = new(a2a.Text)
		return jsonio.String(d, v.text)
	}},
	jsonio.Member[part]{Name: "file", Read: func(d *jsonio.Reader,
		v *part) error {
		return fileObject.ReadNew(d, &v.file)
	}},
	jsonio.Member[part]{Name: "data", Read: func(d *jsonio.Reader, v *part) error {
		data, err := jsonio.RawOf(d, a2a.MaxDepth+1) // one level may be that of a wrapper
		v.data = data.Clone()
		return err
	}},
	jsonio.Member[part]{Name: "metadata",
		Read: func(d *jsonio.Reader, v *part) error { return jsonio.Metadata(d, &v.metadata) }},
)}

var fileObject = jsonio.Object[file]{
	Members: []jsonio.Member[file]{
		{Name: "bytes", Read: func(d *jsonio.Reader, v *file) error { return readFileBytes(d, v, "bytes") }},
		{Name: "data", Read: func(d *jsonio.Reader, v *file) error { return readFileBytes(d, v, "data") }},
		{Name: "uri", Read: func(d *jsonio.Reader, v *file) error {
			var uri a2a.URL
			if err := jsonio.String(d, &uri); err != nil {
				return err
			}
			return v.set(d, "uri", uri)
		}},
		{Name: "name", Read: func(d *jsonio.Reader, v *file) error { return jsonio.String(d, &v.name) }},
		{Name: "mimeType", Read: func(d *jsonio.Reader, v *file) error { return jsonio.String(d, &v.mimeType) }},
	},
	Finish: func(d *jsonio.Reader, v *file) error {
		if v.content == nil {
			return jsonio.Invalid(d, "must have one of bytes, uri")
		}
		return nil
	},
}

func readFileBytes(d *jsonio.Reader, v *file, member string) error {
	var content []byte
	if err := jsonio.Base64(d, &content); err != nil {
		return err
	}
	return v.set(d, member, a2a.Raw(content))
}

func (v *file) set(d *jsonio.Reader, member string, content a2a.PartContent) error {
	if v.content != nil {
		return jsonio.Invalid(d, "cannot be there beside "+v.member+": send one of them")
	}
	v.member, v.content = member, content
	return nil
}

// readPart reads a part into the model.
func readPart(d *jsonio.Reader, p *a2a.Part) error {
	var v part
	if err := partObject.Read(d, &v); err != nil {
		return err
	}
	kind, err := v.kindOf(d)
	if err != nil {
		return err
	}
	mark := takeMarker(&v.metadata)
	*p = a2a.Part{MediaType: mark.mediaType, Filename: mark.filename, Metadata: v.metadata}
	switch kind {
	case kindText:
		p.Content = *v.text
	case kindFile:
		p.Content, p.MediaType, p.Filename = v.file.content, v.file.mimeType, v.file.name
	default:
		if mark.wrapped {
			v.data = unwrap(v.data)
		}
		if jsonio.Depth(v.data) > a2a.MaxDepth {
			return jsonio.InvalidMember(d, "data", jsonio.TooDeep)
		}
		p.Content = a2a.Data(v.data)
	}
	return nil
}

// kindOf returns which part the object that has just ended is, whose content is then there. Where the object says it,
// that counts and other members are just members nobody knows.
func (v *part) kindOf(d *jsonio.Reader) (string, error) {
	has := []struct {
		kind  string
		there bool
	}{{kindText, v.text != nil}, {kindFile, v.file != nil}, {kindData, v.data != nil}}
	said, err := v.value(d, kindText, kindFile, kindData)
	if err != nil {
		return "", err
	}
	shape := ""
	for _, content := range has {
		switch {
		case !content.there:
		case content.kind == said:
			return said, nil
		case said == "" && shape != "":
			return "", jsonio.Invalid(d, "has both "+shape+" and "+content.kind+": send one of them, and kind")
		default:
			shape = content.kind
		}
	}
	switch {
	case said != "":
		return "", jsonio.InvalidMember(d, said, "is required, as kind says")
	case shape == "":
		return "", jsonio.Invalid(d, "must have one of text, file, data")
	}
	return shape, nil
}
