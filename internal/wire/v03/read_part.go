// SPDX-License-Identifier: Apache-2.0

package v03

import (
	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/jsonio"
)

// A part is what a JSON object that is a part says.
type part struct {
	discriminator
	Contents
	metadata a2a.Metadata
}

var partObject = jsonio.Object[part]{Members: append(
	discriminatorMembers(func(v *part) *discriminator { return &v.discriminator }),
	jsonio.Member[part]{Name: "text",
		Read: func(d *jsonio.Reader, v *part) error { return jsonio.New(d, &v.Text, jsonio.String) }},
	jsonio.Member[part]{Name: "file",
		Read: func(d *jsonio.Reader, v *part) error { return fileObject.ReadNew(d, &v.File) }},
	jsonio.Member[part]{Name: "data", Read: func(d *jsonio.Reader, v *part) error { return ReadData(d, &v.Data) }},
	jsonio.OptMetadata("metadata", func(v *part) *a2a.Metadata { return &v.metadata }),
)}

var fileObject = jsonio.Object[File]{
	Members: []jsonio.Member[File]{
		{Name: "bytes", Read: func(d *jsonio.Reader, v *File) error { return v.Raw(d, "bytes") }},
		{Name: "data", Read: func(d *jsonio.Reader, v *File) error { return v.Raw(d, "data") }},
		{Name: "uri", Read: func(d *jsonio.Reader, v *File) error { return v.URL(d, "uri") }},
		jsonio.OptStr("name", func(v *File) *string { return &v.Name }),
		jsonio.OptStr("mimeType", func(v *File) *string { return &v.MimeType }),
	},
	Finish: func(d *jsonio.Reader, v *File) error {
		if v.Content == nil {
			return jsonio.Invalid(d, "must have one of bytes, uri")
		}
		return nil
	},
}

// A partCodec reads a part into the model, and writes it.
type partCodec struct{}

var parts jsonio.Codec[a2a.Part] = partCodec{}

func (partCodec) Read(d *jsonio.Reader, p *a2a.Part) error {
	var v part
	if err := partObject.Read(d, &v); err != nil {
		return err
	}
	said, err := v.value(d, kindText, kindFile, kindData)
	if err != nil {
		return err
	}
	kind, err := v.Kind(d, "kind", said)
	if err != nil {
		return err
	}
	mark := TakeMarker(&v.metadata)
	*p = a2a.Part{MediaType: mark.MediaType, Filename: mark.Filename, Metadata: v.metadata}
	switch kind {
	case kindText:
		p.Content = *v.Text
	case kindFile:
		p.Content, p.MediaType, p.Filename = v.File.Content, v.File.MimeType, v.File.Name
	default:
		data, err := DataOf(d, "data", v.Data, mark.Wrapped)
		p.Content = data
		return err
	}
	return nil
}

func (partCodec) Write(w *jsonio.Writer, p *a2a.Part) { writePart(w, p) }
