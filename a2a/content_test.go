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
	m := NewMessage(RoleUser, RawPart([]byte("abc"), "text/plain", "a.txt"), URLPart("https://example.com", "image/png", "b.png"), data)
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
