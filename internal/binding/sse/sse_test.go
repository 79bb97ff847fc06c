// SPDX-License-Identifier: Apache-2.0

package sse_test

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/dragoman-a2a/dragoman/internal/binding/sse"
)

type event struct{ id, typ, data string }

// readAll returns all events of r and the error after them.
func readAll(r *sse.Reader) ([]event, error) {
	var all []event
	for {
		ev, err := r.Next()
		if err != nil {
			return all, err
		}
		all = append(all, event{ev.ID, ev.Type, string(ev.Data)})
	}
}

func TestReader(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		stream string
		want   []event
		err    error
	}{
		{"empty stream", "", nil, io.EOF},
		{"LF", "data: a\n\ndata: b\n\n", []event{{"", "", "a"}, {"", "", "b"}}, io.EOF},
		{"CR", "data: a\r\rdata: b\r\r", []event{{"", "", "a"}, {"", "", "b"}}, io.EOF},
		{"CRLF", "data: a\r\n\r\ndata: b\r\n\r\n", []event{{"", "", "a"}, {"", "", "b"}}, io.EOF},
		{"mixed ends", "data: a\r\n\ndata: b\n\r\n", []event{{"", "", "a"}, {"", "", "b"}}, io.EOF},
		{"lines are joined", "data: a\ndata:\ndata:  b\n\n", []event{{"", "", "a\n\n b"}}, io.EOF},
		{"one space is dropped", "data:a\n\ndata:  a\n\n", []event{{"", "", "a"}, {"", "", " a"}}, io.EOF},
		{"empty data is an event", "data\n\ndata:\n\n", []event{{"", "", ""}, {"", "", ""}}, io.EOF},
		{"no data is no event", "event: x\n\nid: 1\n\ndata: a\n\n", []event{{"1", "", "a"}}, io.EOF},
		{"comments", ": hi\n\n:\ndata: a\n: in between\n\n", []event{{"", "", "a"}}, io.EOF},
		{"type", "event: ping\ndata: a\n\ndata: b\n\n", []event{{"", "ping", "a"}, {"", "", "b"}}, io.EOF},
		{"an id stays in force", "id: 7\ndata: a\n\ndata: b\n\nid\ndata: c\n\n",
			[]event{{"7", "", "a"}, {"7", "", "b"}, {"", "", "c"}}, io.EOF},
		{"NUL in an id", "id: 7\ndata: a\n\nid: 8\x00\ndata: b\n\n", []event{{"7", "", "a"}, {"7", "", "b"}}, io.EOF},
		{"byte order mark", "\ufeffdata: a\n\n\ufeffdata: b\n\n", []event{{"", "", "a"}}, io.EOF},
		{"unknown field", "foo: x\ndata: a\nnonsense\n\n", []event{{"", "", "a"}}, io.EOF},
		{"colons in the value", "data: {\"a\":1}\n\n", []event{{"", "", `{"a":1}`}}, io.EOF},
		{"cut in a line", "data: a\n\ndata: b", []event{{"", "", "a"}}, io.ErrUnexpectedEOF},
		{"cut before the blank line", "data: a\n\ndata: b\n", []event{{"", "", "a"}}, io.ErrUnexpectedEOF},
		{"cut after an id", "data: a\n\nid: 2\n", []event{{"", "", "a"}}, io.ErrUnexpectedEOF},
		{"cut in a comment", "data: a\n\n: keep", []event{{"", "", "a"}}, io.ErrUnexpectedEOF},
		{"end after a comment", "data: a\n\n: keep\n", []event{{"", "", "a"}}, io.EOF},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := readAll(sse.NewReader(strings.NewReader(test.stream), 0))
			if !slices.Equal(got, test.want) || err != test.err {
				t.Errorf("got %v, %v; want %v, %v", got, err, test.want, test.err)
			}
			got, err = readAll(sse.NewReader(iotest.OneByteReader(strings.NewReader(test.stream)), 0))
			if !slices.Equal(got, test.want) || err != test.err {
				t.Errorf("byte by byte: got %v, %v; want %v, %v", got, err, test.want, test.err)
			}
		})
	}
}

func TestReaderLimit(t *testing.T) {
	t.Parallel()
	const limit = 10
	for stream, ok := range map[string]bool{
		"data: 1234567890\n\n":                                true,
		"data: 12345678901\n\n":                               false,
		"data: 1234\ndata: 56789\n\n":                         true,
		"data: 12345\ndata: 67890\n\n":                        false,
		strings.Repeat("data:\n", limit+2) + "\n":             false,
		"data: " + strings.Repeat("x", 1<<20):                 false,
		"foo: " + strings.Repeat("x", 1<<20) + "\n\n":         false,
		": " + strings.Repeat("x", 1<<20) + "\n\ndata: 1\n\n": true,
	} {
		_, err := sse.NewReader(strings.NewReader(stream), limit).Next()
		var tooLarge *sse.TooLargeError
		switch {
		case ok && err != nil:
			t.Errorf("%.40q: %v", stream, err)
		case !ok && !errors.As(err, &tooLarge):
			t.Errorf("%.40q: got %v, want a TooLargeError", stream, err)
		case !ok && tooLarge.Limit != limit:
			t.Errorf("%.40q: limit is %d, want %d", stream, tooLarge.Limit, limit)
		}
	}
}

func TestReaderErrorStays(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	r := sse.NewReader(io.MultiReader(strings.NewReader("id: 1\ndata: a\n\nid: 2\ndata: b\n"),
		iotest.ErrReader(broken)), 0)
	if _, err := r.Next(); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := r.Next(); err != broken {
			t.Errorf("got %v, want %v", err, broken)
		}
	}
	if got := r.LastEventID(); got != "1" {
		t.Errorf("LastEventID is %q, want that of the last whole event", got)
	}
}

func TestReaderRetry(t *testing.T) {
	t.Parallel()
	for field, want := range map[string]time.Duration{
		"retry: 1500": 1500 * time.Millisecond, "retry: +1": 0, "retry: x": 0, "retry": 0,
		"retry: 99999999999999999999": 0,
	} {
		r := sse.NewReader(strings.NewReader(field+"\ndata: a\n\n"), 0)
		if _, err := r.Next(); err != nil || r.Retry() != want {
			t.Errorf("%q: %v, %v; want %v", field, r.Retry(), err, want)
		}
	}
}

// An event that ends in CR must be there at once, not when the byte after it arrives.
func TestReaderDoesNotWaitBehindCR(t *testing.T) {
	t.Parallel()
	pr, pw := io.Pipe()
	defer pr.Close()
	go pw.Write([]byte("data: a\r\r"))
	if ev, err := sse.NewReader(pr, 0).Next(); err != nil || string(ev.Data) != "a" {
		t.Errorf("got %q, %v", ev.Data, err)
	}
}

func TestAppendEvent(t *testing.T) {
	t.Parallel()
	tests := []struct {
		id   string
		data []string
		want string
	}{
		{"", []string{"a"}, "data: a\n\n"},
		{"7", []string{"a"}, "id: 7\ndata: a\n\n"},
		{"7", []string{`{"id":1,"result":`, `{}`, `}`}, "id: 7\ndata: {\"id\":1,\"result\":{}}\n\n"},
		{"", []string{"a\nb\rc\r\nd"}, "data: a\ndata: b\ndata: c\ndata: d\n\n"},
		{"", []string{"a\r", "\nb"}, "data: a\ndata: b\n\n"},
		{"7\ndata: x", []string{"a"}, "data: a\n\n"},
		{"7\r", []string{"a"}, "data: a\n\n"},
		{"7\x00", []string{"a"}, "data: a\n\n"},
		{"", nil, "data: \n\n"},
	}
	for _, test := range tests {
		var data [][]byte
		for _, s := range test.data {
			data = append(data, []byte(s))
		}
		if got := string(sse.AppendEvent([]byte("x"), test.id, data...)); got != "x"+test.want {
			t.Errorf("%q %q: got %q, want %q", test.id, test.data, got, test.want)
		}
	}
}

func TestAppendComment(t *testing.T) {
	t.Parallel()
	if got, want := string(sse.AppendComment(nil, "keep-alive")), ": keep-alive\n\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	stream := sse.AppendComment(nil, "a\ndata: evil\r\n\r\nid: 1")
	stream = sse.AppendEvent(stream, "", []byte("good"))
	got, err := readAll(sse.NewReader(bytes.NewReader(stream), 0))
	if want := []event{{"", "", "good"}}; !slices.Equal(got, want) || err != io.EOF {
		t.Errorf("got %v, %v; want %v", got, err, want)
	}
}

// FuzzReader checks that where reads end has no influence, and that nothing over the limit is returned.
func FuzzReader(f *testing.F) {
	f.Add([]byte("\ufeffid: 1\r\ndata: a\r\ndata:b\n\n: c\r\revent: x\rdata\r\r"))
	f.Add([]byte("retry: 10\nid: \x00\ndata: x\n\ndata: cut"))
	f.Fuzz(func(t *testing.T, stream []byte) {
		const limit = 64
		whole, err1 := readAll(sse.NewReader(bytes.NewReader(stream), limit))
		bytewise, err2 := readAll(sse.NewReader(iotest.OneByteReader(bytes.NewReader(stream)), limit))
		if !slices.Equal(whole, bytewise) || err1.Error() != err2.Error() {
			t.Errorf("whole: %q, %v; byte by byte: %q, %v", whole, err1, bytewise, err2)
		}
		for _, ev := range whole {
			if len(ev.data) > limit || strings.ContainsAny(ev.id, "\x00\r\n") {
				t.Errorf("event %q", ev)
			}
		}
	})
}

// FuzzAppendEvent checks that a reader gets back what was written, and never another event or field.
func FuzzAppendEvent(f *testing.F) {
	f.Add("1", []byte("a\r"), []byte("\nb"))
	f.Add("1\nid: 2", []byte(""), []byte("\n\ndata: x"))
	f.Fuzz(func(t *testing.T, id string, one, two []byte) {
		stream := sse.AppendEvent(nil, id, one, two)
		stream = sse.AppendEvent(stream, "", []byte("next"))
		got, err := readAll(sse.NewReader(bytes.NewReader(stream), 0))
		if strings.ContainsAny(id, "\x00\r\n") {
			id = ""
		}
		data := strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(string(one) + string(two))
		if want := []event{{id, "", data}, {id, "", "next"}}; !slices.Equal(got, want) || err != io.EOF {
			t.Errorf("got %q, %v; want %q", got, err, want)
		}
	})
}
