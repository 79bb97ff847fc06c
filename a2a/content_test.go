// SPDX-License-Identifier: Apache-2.0

package a2a

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

func TestTextJoinsTextParts(t *testing.T) {
	t.Parallel()
	parts := []Part{TextPart("Hel"), URLPart("https://example.com", "", ""), TextPart("lo")}
	if got := (&Message{Parts: parts}).Text() + (&Artifact{Parts: parts}).Text(); got != "HelloHello" {
		t.Errorf("got %q", got)
	}
	if got := (&Message{}).Text() + (*Message)(nil).Text() + (*Artifact)(nil).Text(); got != "" {
		t.Errorf("got %q", got)
	}
}

func TestParts(t *testing.T) {
	t.Parallel()
	data, err := DataPart(map[string]any{"b": 1, "a": []string{"<"}})
	if err != nil {
		t.Fatal(err)
	}
	m := NewMessage(RoleUser, RawPart([]byte("abc"), "text/plain", "a.txt"),
		URLPart("https://example.com", "image/png", "b.png"), data)
	m.ID = "m"
	want := `{"messageId":"m","role":"ROLE_USER","parts":[{"raw":"YWJj","mediaType":"text/plain","filename":"a.txt"},` +
		`{"url":"https://example.com","mediaType":"image/png","filename":"b.png"},{"data":{"a":["<"],"b":1}}]}`
	if got, err := m.AppendJSON(nil); err != nil || string(got) != want {
		t.Errorf("got %s, %v", got, err)
	}
	if p, err := DataPart(nil); err != nil || string(p.Content.(Data)) != "null" {
		t.Errorf("got %v, %v", p, err)
	}
	if _, err := DataPart(make(chan int)); err == nil || !strings.Contains(err.Error(), "data part") {
		t.Errorf("got %v", err)
	}
}

func TestMetadataGetAndSet(t *testing.T) {
	t.Parallel()
	var m Metadata
	var n int
	if ok, err := m.Get("n", &n); ok || err != nil {
		t.Errorf("nil metadata has n: %v, %v", ok, err)
	}
	if err := m.Set("n", 7); err != nil {
		t.Fatal(err)
	}
	if ok, err := m.Get("n", &n); !ok || err != nil || n != 7 {
		t.Errorf("got %d, %v, %v", n, ok, err)
	}
	var s string
	if ok, err := m.Get("n", &s); !ok || err == nil || !strings.Contains(err.Error(), `"n"`) {
		t.Errorf("a number fits a string: %v, %v", ok, err)
	}
	if err := m.Set("bad", func() {}); err == nil || len(m) != 1 {
		t.Errorf("got %v, %v", m, err)
	}
	m["raw"] = jsontext.Value(`12345678901234567890`)
	var raw jsontext.Value
	if ok, err := m.Get("raw", &raw); !ok || err != nil || string(raw) != `12345678901234567890` {
		t.Errorf("got %s, %v, %v", raw, ok, err)
	}
}

func TestPartSaysWhatItCarries(t *testing.T) {
	t.Parallel()
	data := Part{Content: Data(`{"a":1}`)}
	for name, test := range map[string]struct {
		part                 Part
		text, raw, url, data string
	}{
		"text":  {TextPart("hi"), "hi", "", "", ""},
		"bytes": {RawPart([]byte("abc"), "image/png", ""), "", "abc", "", ""},
		"URL":   {URLPart("https://example.com", "", ""), "", "", "https://example.com", ""},
		"data":  {data, "", "", "", `{"a":1}`},
		"empty": {Part{}, "", "", "", ""},
	} {
		p := test.part
		if p.Text() != test.text || string(p.Raw()) != test.raw || p.URL() != test.url ||
			string(p.Data()) != test.data {
			t.Errorf("%s: %q, %q, %q, %q", name, p.Text(), p.Raw(), p.URL(), p.Data())
		}
		if err := p.Decode(new(any)); (err == nil) != (test.data != "") {
			t.Errorf("%s: Decode says %v", name, err)
		}
	}
	var n struct {
		A string `json:"a"`
	}
	if err := data.Decode(&n); err == nil || !strings.Contains(err.Error(), "data of a part") {
		t.Errorf("a number fits a string: %v", err)
	}
}

func TestTaskSaysWhatItCameTo(t *testing.T) {
	t.Parallel()
	said := NewMessage(RoleAgent, TextPart("That is all."))
	data := Part{Content: Data(`{"total":3}`)}
	task := &Task{Status: TaskStatus{Message: said}, Artifacts: []*Artifact{{Name: "sum", Parts: []Part{data}}}}
	if task.Text() != "That is all." {
		t.Errorf("got %q, want the status where no artifact has text", task.Text())
	}
	task.Artifacts = append(task.Artifacts, &Artifact{Parts: []Part{TextPart("a"), TextPart("b")}},
		&Artifact{Parts: []Part{TextPart("c")}})
	if task.Text() != "ab\nc" {
		t.Errorf("got %q", task.Text())
	}
	var sum struct {
		Total int `json:"total"`
	}
	if err := task.Artifact("sum").Decode(&sum); err != nil || sum.Total != 3 {
		t.Errorf("got %v, %v", sum, err)
	}
	for name, err := range map[string]error{
		"an artifact that is missing": task.Artifact("bill").Decode(&sum),
		"a message without data":      said.Decode(&sum),
		"no message":                  (*Message)(nil).Decode(&sum),
	} {
		if err == nil || err.Error() != "a2a: there is no data part" {
			t.Errorf("%s: %v", name, err)
		}
	}
}
