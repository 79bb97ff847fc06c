// SPDX-License-Identifier: Apache-2.0

package a2a

import "github.com/dragoman-a2a/dragoman/internal/jsonio"

var partObject = object[Part]{
	Snake: true,
	Members: []member[Part]{
		{Name: "text", Read: func(d *reader, v *Part) error { return readContent(d, v, "text", jsonio.String[Text]) }},
		{Name: "raw", Read: func(d *reader, v *Part) error { return readContent(d, v, "raw", jsonio.Base64[Raw]) }},
		{Name: "url", Read: func(d *reader, v *Part) error { return readContent(d, v, "url", jsonio.String[URL]) }},
		// A Value has null among its values, so null here is data, not the lack of it.
		{Name: "data", Nullable: true, Read: func(d *reader,
			v *Part) error {
			return readContent(d, v, "data", readData)
		}},
		{Name: "mediaType", Read: func(d *reader, v *Part) error { return jsonio.String(d, &v.MediaType) }},
		{Name: "filename", Read: func(d *reader, v *Part) error { return jsonio.String(d, &v.Filename) }},
		{Name: "metadata", Read: func(d *reader, v *Part) error { return jsonio.Metadata(d, &v.Metadata) }},
	},
	Finish: func(d *reader, v *Part) error {
		if v.Content == nil {
			return jsonio.Invalid(d, "must have one of text, raw, url, data")
		}
		return nil
	},
}

func readContent[C PartContent](d *reader, p *Part, name string, read func(*reader, *C) error) error {
	var content C
	if err := read(d, &content); err != nil {
		return err
	}
	if p.Content != nil {
		return both(d, contentName(p.Content), name)
	}
	p.Content = content
	return nil
}

// contentName returns the member that holds a part's content.
func contentName(c PartContent) string {
	switch c.(type) {
	case Text:
		return "text"
	case Raw:
		return "raw"
	case URL:
		return "url"
	case Data:
		return "data"
	}
	return ""
}

func readData(d *reader, p *Data) error {
	v, err := jsonio.Raw(d)
	*p = Data(v.Clone())
	return err
}
