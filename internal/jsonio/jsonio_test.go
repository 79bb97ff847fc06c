// SPDX-License-Identifier: Apache-2.0

package jsonio_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/jsonio"
	"github.com/dragoman-a2a/dragoman/internal/wire"
)

// A thing has a member of each sort.
type thing struct {
	Name     string
	On       bool
	Count    int64
	Bytes    []byte
	At       time.Time
	Names    []string
	Things   []*thing
	Metadata a2a.Metadata
}

var thingObject jsonio.Object[thing]

func init() {
	thingObject = jsonio.Object[thing]{
		Members: []jsonio.Member[thing]{
			{Name: "name", Read: func(d *jsonio.Reader, v *thing) error { return jsonio.String(d, &v.Name) }},
			{Name: "on", Read: func(d *jsonio.Reader, v *thing) error { return jsonio.Bool(d, &v.On) }},
			{Name: "count", Read: func(d *jsonio.Reader, v *thing) error { return jsonio.Int(d, &v.Count, 1000) }},
			{Name: "bytes", Read: func(d *jsonio.Reader, v *thing) error { return jsonio.Base64(d, &v.Bytes) }},
			{Name: "at", Read: func(d *jsonio.Reader, v *thing) error { return jsonio.Time(d, &v.At) }},
			{Name: "names", Read: func(d *jsonio.Reader, v *thing) error {
				return jsonio.List(d, &v.Names, 3, jsonio.String)
			}},
			{Name: "things", Read: func(d *jsonio.Reader, v *thing) error {
				return jsonio.List(d, &v.Things, 0, thingObject.ReadNew)
			}},
			{Name: "metadata", Read: func(d *jsonio.Reader, v *thing) error {
				return jsonio.Metadata(d, &v.Metadata)
			}},
		},
		Finish: func(d *jsonio.Reader, v *thing) error {
			switch v.Name {
			case "":
				return jsonio.InvalidMember(d, "name", "is required")
			case "deep":
				return jsonio.InvalidMember(d, "a.b", "is deep")
			case "bad":
				return jsonio.Invalid(d, "is bad")
			}
			return nil
		},
	}
}

func writeThing(w *jsonio.Writer, v *thing) {
	w.Begin()
	w.Str("name", v.Name)
	w.OptBool("on", v.On)
	w.Int("count", v.Count)
	w.Base64("bytes", v.Bytes)
	w.OptTime("at", v.At)
	jsonio.WriteOptStrs(w, "names", v.Names)
	jsonio.WriteList(w, "things", v.Things, writeThing)
	if v.Metadata != nil {
		w.Key("metadata")
		w.Begin()
		w.Members(v.Metadata)
		w.End()
	}
	w.End()
}

func TestWhatIsWrittenIsRead(t *testing.T) {
	t.Parallel()
	genText := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"\u2028", "\x00\"\\", "a\r\nb"}))
	var genThing func(depth int) *rapid.Generator[*thing]
	genThing = func(depth int) *rapid.Generator[*thing] {
		return rapid.Custom(func(t *rapid.T) *thing {
			v := &thing{
				Name: "x" + genText.Draw(t, "name"), On: rapid.Bool().Draw(t, "on"),
				Count: rapid.Int64Range(-1000, 1000).Draw(t, "count"),
				Bytes: rapid.SliceOfN(rapid.Byte(), 0, 9).Draw(t, "bytes"),
				Names: rapid.SliceOfN(genText, 0, 3).Draw(t, "names"),
				At:    time.UnixMilli(rapid.Int64Range(-6e13, 2.5e14).Draw(t, "at")).UTC(),
			}
			keys := rapid.SliceOfNDistinct(genText, 0, 3, func(k string) string { return k })
			for _, k := range keys.Draw(t, "keys") {
				if v.Metadata == nil {
					v.Metadata = a2a.Metadata{}
				}
				value := rapid.SampledFrom([]string{`1.0`, `null`, `[1e400]`, `"\u0041"`}).Draw(t, "value")
				v.Metadata[k] = jsontext.Value(value)
			}
			if depth > 0 {
				v.Things = rapid.SliceOfN(genThing(depth-1), 0, 2).Draw(t, "things")
			}
			return v
		})
	}
	rapid.Check(t, func(t *rapid.T) {
		want := genThing(2).Draw(t, "thing")
		text, err := jsonio.Append([]byte("x"), want, writeThing)
		if err != nil || bytes.ContainsAny(text, "\r\n") {
			t.Fatalf("%v\n%s", err, text)
		}
		var got thing
		if err := jsonio.Decode(text[1:], &got, thingObject.Read); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if diff := cmp.Diff(want, &got, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("-written +read\n%s", diff)
		}
	})
}

func TestErrorsNameTheField(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		text, field, why string
		kind             a2a.Kind
	}{
		{`{"things":[{"name":"a"},{"name":7}]}`, "things[1].name", "must be a string", a2a.ErrInvalidParams},
		{`{"things":[{"name":"a"},{"name":null}]}`, "things[1].name", "is required", a2a.ErrInvalidParams},
		{`{"things":[{"name":"deep"}]}`, "things[0].a.b", "is deep", a2a.ErrInvalidParams},
		{`{"things":[{"name":"bad"}]}`, "things[0]", "is bad", a2a.ErrInvalidParams},
		{`{"name":"bad"}`, "", "the value is bad", a2a.ErrInvalidParams},
		{`{"name":"a","n\u0061me":"b"}`, "name", "appears twice", a2a.ErrInvalidParams},
		{`{"other":{"x":1,"x":2}}`, "other.x", "appears twice", a2a.ErrInvalidParams},
		{`{"names":["a","b","c","d"]}`, "names", "at most 3 elements", a2a.ErrInvalidParams},
		{`{"metadata":{"1":{"a":1,"a":1}}}`, "metadata.1.a", "appears twice", a2a.ErrInvalidParams},
		{`{"count":1001}`, "count", "-1000 to 1000", a2a.ErrInvalidParams},
		{`{"count":-1e999}`, "count", "-1000 to 1000", a2a.ErrInvalidParams},
		{`{"count":0.5}`, "count", "whole", a2a.ErrInvalidParams},
		{`{"on":1}`, "on", "true or false", a2a.ErrInvalidParams},
		{`{"bytes":"a\nb="}`, "bytes", "base64", a2a.ErrInvalidParams},
		{`{"bytes":"YQ\r\n=="}`, "bytes", "base64", a2a.ErrInvalidParams},
		{`{"at":"2025-04-02"}`, "at", "RFC 3339", a2a.ErrInvalidParams},
		{`{"at":"2025-04-02T16:59:25+02:00Z"}`, "at", "RFC 3339", a2a.ErrInvalidParams},
		{`{"metadata":{"a":` + nested(100) + `}}`, "metadata.a", "100 levels", a2a.ErrInvalidParams},
		{
			`{"` + strings.Repeat("k", 300) + `":` + nested(101) + `}`,
			strings.Repeat("k", 256) + "...", "100 levels", a2a.ErrInvalidParams,
		},
		{`[]`, "", "must be an object", a2a.ErrInvalidParams},
		{``, "", "empty", a2a.ErrParse},
		{`{"name":"a"} 1`, "", "more follows", a2a.ErrParse},
		{`{"name":"a"}]`, "", "invalid JSON", a2a.ErrParse},
		{`{"name":nul}`, "", "invalid JSON", a2a.ErrParse},
		{"{\"name\":\"\xff\"}", "", "UTF-8", a2a.ErrParse},
	} {
		var v thing
		err := wire.DecodeJSON([]byte(test.text), &v, thingObject.Read)
		e, ok := errors.AsType[*a2a.Error](err)
		if !ok || e.Kind != test.kind || !strings.Contains(e.PublicMessage(), test.why) {
			t.Errorf("%.100s: %v", test.text, err)
			continue
		}
		field := ""
		if len(e.Violations) > 0 {
			field = e.Violations[0].Field
		}
		if field != test.field {
			t.Errorf("%.100s: %q, want %q", test.text, field, test.field)
		}
	}
}

// An error of somebody else's read function comes through as it is.
func TestForeignErrors(t *testing.T) {
	t.Parallel()
	mine := errors.New("mine")
	var v int
	if err := jsonio.Decode([]byte(`1`), &v, func(*jsonio.Reader, *int) error { return mine }); err != mine {
		t.Error(err)
	}
}

func TestTimesWithoutZone(t *testing.T) {
	t.Parallel()
	want := time.Date(2025, 4, 2, 16, 59, 25, 331844e3, time.UTC)
	for _, text := range []string{
		"2025-04-02T16:59:25.331844", "2025-04-02T16:59:25.331844Z", "2025-04-02T14:59:25.331844-02:00",
	} {
		var got time.Time
		err := jsonio.Decode([]byte(`"`+text+`"`), &got, jsonio.Time)
		if err != nil || !got.Equal(want) || got.Location() != time.UTC {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
}

// After an error the buffer is as it was, and the error names the first field that cannot be.
func TestFail(t *testing.T) {
	t.Parallel()
	v := &thing{Name: "x", Things: []*thing{{Name: "y"}, {Name: "\xff", Names: []string{"\xfe"}}}}
	b, err := jsonio.Append([]byte("x"), v, writeThing)
	const says = "cannot encode: things[1].name holds invalid UTF-8"
	if string(b) != "x" || err == nil || !strings.HasPrefix(err.Error(), says) {
		t.Errorf("%q, %v", b, err)
	}
}

// Text that came from elsewhere keeps its tokens, and its line breaks do not stay.
func TestRaw(t *testing.T) {
	t.Parallel()
	text := jsontext.Value("{\r\n \"a\" : 1.0,\n\"b\":\"\\u0041\"}")
	got, err := jsonio.Append(nil, text, (*jsonio.Writer).Raw)
	if err != nil || string(got) != `{"a":1.0,"b":"\u0041"}` {
		t.Errorf("%s, %v", got, err)
	}
}

func TestDepth(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{`1`: 0, `"[{"`: 0, `[]`: 1, `{"a\"[":[[]],"b":{}}`: 3} {
		if got := jsonio.Depth(jsontext.Value(text)); got != want {
			t.Errorf("%s: %d, want %d", text, got, want)
		}
	}
}

// A member that has several names is there once.
func TestMembersOfSeveralNames(t *testing.T) {
	t.Parallel()
	read := func(d *jsonio.Reader, v *thing) error { return jsonio.String(d, &v.Name) }
	o := jsonio.Object[thing]{Members: []jsonio.Member[thing]{
		{Name: "a", Read: read}, {Name: "name", Read: read},
		{Name: "title", Of: "name", Read: read}, {Name: "label", Of: "name", Read: read},
	}}
	for text, want := range map[string]string{
		`{"name":"x"}`: "x", `{"title":"x"}`: "x", `{"label":"x","title":null}`: "x", `{"a":"y","title":"x"}`: "x",
		`{"name":"x","title":"y"}`: "", `{"title":"x","name":"y"}`: "", `{"label":"x","title":{}}`: "",
	} {
		var v thing
		err := jsonio.Decode([]byte(text), &v, o.Read)
		if want != "" && (err != nil || v.Name != want) {
			t.Errorf("%s: %q, %v", text, v.Name, err)
		}
		if want == "" && (err == nil || !strings.Contains(err.Error(), "two names: send name alone")) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func nested(levels int) string { return strings.Repeat("[", levels) + strings.Repeat("]", levels) }
