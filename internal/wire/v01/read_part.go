// SPDX-License-Identifier: Apache-2.0

package v01

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/jsonio"
	"github.com/dragoman-a2a/dragoman/internal/wire"
	"github.com/dragoman-a2a/dragoman/internal/wire/v03"
)

// A part is what a JSON object that is a part says.
type part struct {
	kind     string // its member type, which was left out before 15 April 2025
	text     *a2a.Text
	file     *file
	data     jsontext.Value
	metadata a2a.Metadata
}

var partObject = jsonio.Object[part]{Members: []jsonio.Member[part]{
	{Name: "type", Read: func(d *jsonio.Reader, v *part) error {
		if err := jsonio.String(d, &v.kind); err != nil {
			return err
		}
		if v.kind != "text" && v.kind != "file" && v.kind != "data" {
			return jsonio.Invalid(d, "must be text, file or data")
		}
		return nil
	}},
	{Name: "text", Read: func(d *jsonio.Reader, v *part) error { return jsonio.New(d, &v.text, jsonio.String) }},
	{Name: "file", Read: func(d *jsonio.Reader, v *part) error { return fileObject.ReadNew(d, &v.file) }},
	{Name: "data", Read: readData},
	jsonio.OptMetadata("metadata", func(v *part) *a2a.Metadata { return &v.metadata }),
}}

func readData(d *jsonio.Reader, v *part) error {
	kind := d.PeekKind()
	err := v03.ReadData(d, &v.data)
	if err == nil && kind != '{' && kind != '[' {
		return jsonio.Invalid(d, "must be an object or an array")
	}
	return err
}

// A partCodec reads a part into the model, and writes it.
type partCodec struct{}

var parts jsonio.Codec[a2a.Part] = partCodec{}

func (partCodec) Write(w *jsonio.Writer, p *a2a.Part) { writePart(w, *p) }

func (partCodec) Read(d *jsonio.Reader, p *a2a.Part) error {
	var v part
	if err := partObject.Read(d, &v); err != nil {
		return err
	}
	kind, err := v.is(d)
	if err != nil {
		return err
	}
	mark, metadata := readMarker(v.metadata)
	*p = a2a.Part{MediaType: mark.mediaType, Filename: mark.filename, Metadata: metadata}
	switch kind {
	case "text":
		p.Content = *v.text
	case "file":
		v.file.into(p)
	default:
		data, err := v03.DataOf(d, "data", v.data, mark.wrapped)
		p.Content = data
		return err
	}
	return nil
}

// is returns what the part that has just ended is: what its type says, or else the one member that says so.
func (v *part) is(d *jsonio.Reader) (string, error) {
	shape := ""
	for _, content := range [...]struct {
		kind  string
		there bool
	}{{"text", v.text != nil}, {"file", v.file != nil}, {"data", v.data != nil}} {
		switch {
		case !content.there:
		case content.kind == v.kind:
			return v.kind, nil
		case v.kind == "" && shape != "":
			return "", jsonio.Invalid(d, "has both "+shape+" and "+content.kind+": say which of them counts with type")
		default:
			shape = content.kind
		}
	}
	switch {
	case v.kind != "":
		return "", jsonio.InvalidMember(d, v.kind, "is required in a part of type "+v.kind)
	case shape == "":
		return "", jsonio.Invalid(d, "must have one of text, file, data")
	}
	return shape, nil
}

// A file is what the member file of a part says. It may have no content.
type file struct {
	name, mimeType string
	uri            string
	bytes          []byte
	member         string // that holds the bytes, "" for none
}

var fileObject = jsonio.Object[file]{
	Members: []jsonio.Member[file]{
		jsonio.OptStr("name", func(v *file) *string { return &v.name }),
		jsonio.OptStr("mimeType", func(v *file) *string { return &v.mimeType }),
		{Name: "bytes", Read: func(d *jsonio.Reader, v *file) error { return v.readBytes(d, "bytes") }},
		{Name: "data", Read: func(d *jsonio.Reader, v *file) error { return v.readBytes(d, "data") }}, // in examples
		{Name: "uri", Read: func(d *jsonio.Reader, v *file) error { return jsonio.String(d, &v.uri) }},
	},
	Finish: func(d *jsonio.Reader, v *file) error {
		if v.uri != "" && len(v.bytes) > 0 {
			return jsonio.Invalid(d, "has both "+v.member+" and uri: send one of them")
		}
		return nil
	},
}

func (v *file) readBytes(d *jsonio.Reader, member string) error {
	if v.member != "" {
		return jsonio.Invalid(d, "has both bytes and data, which are the same: send bytes")
	}
	v.member = member
	return jsonio.Base64(d, &v.bytes)
}

// into makes the file the content of a part.
func (v *file) into(p *a2a.Part) {
	p.Filename, p.MediaType = v.name, v.mimeType
	switch {
	case v.uri != "":
		p.Content = a2a.URL(v.uri)
	case v.member != "":
		p.Content = a2a.Raw(v.bytes)
	default:
		v.refer(p)
	}
}

// refer makes the part of a file without content: 1.0 has no such file, so it is data that say what is known of it.
func (v *file) refer(p *a2a.Part) {
	data, _ := wire.AppendJSON(nil, v, writeReference)     // they have been read, so they can be written
	p.Metadata, _ = marked(p.Metadata, marker{file: true}) // as above
	p.Content, p.Filename, p.MediaType = a2a.Data(data), "", ""
}

func writeReference(w *jsonio.Writer, v *file) {
	w.Begin()
	w.OptStr("name", v.name)
	w.OptStr("mimeType", v.mimeType)
	w.End()
}

// referenceOf returns the file without content that a data part came as.
func referenceOf(p *a2a.Part, c a2a.Data) (f file, ok bool) {
	m, _ := readMarker(p.Metadata)
	if !m.file || wire.DecodeJSON(c, &f, fileObject.Read) != nil {
		return file{}, false
	}
	return f, true
}
