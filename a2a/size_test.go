// SPDX-License-Identifier: Apache-2.0

package a2a

import (
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// Large values are encoded into a buffer of sufficient size, so that nothing is copied while the buffer grows.
func TestLargeValuesAreEncodedInPlace(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 200_000)
	for name, part := range map[string]Part{
		"text":    TextPart(long),
		"escapes": TextPart(strings.Repeat("a line \"of\" text\n", 20_000)),
		"bytes":   RawPart([]byte(long), "image/png", "x.png"),
		"data":    {Content: Data(`"` + long + `"`)},
		"URL":     URLPart("https://example.com/"+long, "", ""),
		"meta":    {Content: Text("x"), Metadata: Metadata{"k": jsontext.Value(`"` + long + `"`)}},
	} {
		m := NewMessage(RoleUser, part)
		artifact := &Artifact{ID: "a", Parts: []Part{part}}
		status := TaskStatus{State: TaskStateWorking, Message: m, Timestamp: time.Now()}
		for _, e := range []Event{
			m, &Task{ID: "t", Status: status, History: []*Message{m}, Artifacts: []*Artifact{artifact}},
			&StatusUpdate{TaskID: "t", Status: status}, &ArtifactUpdate{TaskID: "t", Artifact: artifact},
		} {
			size := SizeOf(e)
			b, err := AppendStreamResponse(make([]byte, 0, 1), e)
			if err != nil {
				t.Fatal(err)
			}
			if len(b) > size+size/256+1<<10 || len(b) < size*9/10 {
				t.Errorf("%s in a %T: %d bytes, expected %d", name, e, len(b), size)
			}
		}
	}
	if n := SizeOf(&ListTasksResponse{Tasks: []*Task{{ID: "t"}, {ID: "u"}}}); n < 200 || n > 2000 {
		t.Errorf("two small tasks: %d", n)
	}
	for _, none := range []any{nil, (*Task)(nil), (*Message)(nil), (*StatusUpdate)(nil), (*ArtifactUpdate)(nil),
		(*ListTasksResponse)(nil), 1} {
		if n := SizeOf(none); n != 0 {
			t.Errorf("%T: %d", none, n)
		}
	}
}
