// SPDX-License-Identifier: Apache-2.0

package a2a

var partObject = object[Part]{
	members: []member[Part]{
		{name: "text", read: func(d *reader, v *Part) error { return readContent(d, v, "text", readString[Text]) }},
		{name: "raw", read: func(d *reader, v *Part) error { return readContent(d, v, "raw", readBytes) }},
		{name: "url", read: func(d *reader, v *Part) error { return readContent(d, v, "url", readString[URL]) }},
		// A Value has null among its values, so null here is data, not the lack of it.
		{name: "data", nullable: true, read: func(d *reader, v *Part) error { return readContent(d, v, "data", readData) }},
		{name: "mediaType", read: func(d *reader, v *Part) error { return readString(d, &v.MediaType) }},
		{name: "filename", read: func(d *reader, v *Part) error { return readString(d, &v.Filename) }},
		{name: "metadata", read: func(d *reader, v *Part) error { return readMetadata(d, &v.Metadata) }},
	},
	finish: func(d *reader, v *Part) error {
		if v.Content == nil {
			return invalid(d, "must have one of text, raw, url, data")
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
	v, err := readRaw(d)
	*p = Data(v.Clone())
	return err
}
