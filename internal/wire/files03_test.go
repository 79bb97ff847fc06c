// SPDX-License-Identifier: Apache-2.0

package wire_test

import (
	"testing"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/binding/grpc"
	"github.com/dragoman-a2a/dragoman/internal/wire"
	"github.com/dragoman-a2a/dragoman/internal/wire/v03pb"
)

// SDKs of 0.3 put either bytes or base64 text into the field for bytes, and the decoder reads both. The encoder writes
// base64 text, or bytes if the caller wants them. Encoding does not change the value that it encodes.
func TestFilesInProtobufOf03(t *testing.T) {
	t.Parallel()
	const content = "\x89PNG\r\n"
	for name, c := range map[string]struct{ sent, want, wantRaw string }{
		"bytes":           {content, content, content},
		"text of base64":  {"iVBORw0K", content, "iVBORw0K"},
		"padded":          {"aGk=", "hi", "aGk="},
		"a word":          {"hello", "hello", "hello"},
		"lines of base64": {"iVBO\nRw0K", "iVBO\nRw0K", "iVBO\nRw0K"},
		"nothing":         {"", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			for _, raw := range []bool{false, true} {
				want := c.want
				if raw {
					want = c.wantRaw
				}
				sender := grpc.FormOf(a2a.Generation03, 0, true) // which sends bytes as they are
				form, dialect := grpc.FormOf(a2a.Generation03, 0, raw), v03pb.Proto
				if raw {
					dialect = v03pb.ProtoRaw
				}
				task := fileTask(c.sent)
				b, err := sender.EncodeResult(wire.OpGetTask, task)
				checkFile(t, "gRPC", want, b, err,
					func(b []byte) (any, error) { return form.DecodeResult(wire.OpGetTask, b) })
				b, err = v03pb.ProtoRaw.AppendResult(nil, wire.OpGetTask, nil, task)
				checkFile(t, "HTTP+JSON", want, b, err, func(b []byte) (any, error) {
					return dialect.DecodeResult(wire.OpGetTask, &a2a.GetTaskRequest{}, b)
				})

				written := c.sent
				if !raw {
					written = string(wire.FilesAsText(task).(*a2a.Task).Artifacts[0].Parts[0].Content.(a2a.Raw))
				}
				b, err = form.EncodeResult(wire.OpGetTask, task)
				checkFile(t, "gRPC, written", written, b, err,
					func(b []byte) (any, error) { return sender.DecodeResult(wire.OpGetTask, b) })
				b, err = dialect.AppendResult(nil, wire.OpGetTask, nil, task)
				checkFile(t, "HTTP+JSON, written", written, b, err, func(b []byte) (any, error) {
					return v03pb.ProtoRaw.DecodeResult(wire.OpGetTask, &a2a.GetTaskRequest{}, b)
				})
				if got := string(task.Artifacts[0].Parts[0].Content.(a2a.Raw)); got != c.sent {
					t.Errorf("writing made %q of it", got)
				}
			}
		})
	}
	shown := wire.FilesAsText(fileTask("hi")).(*a2a.Task)
	if got := string(shown.Artifacts[0].Parts[0].Content.(a2a.Raw)); got != "aGk=" {
		t.Errorf("written as %q", got)
	}
}

func fileTask(content string) *a2a.Task {
	return &a2a.Task{
		ID: "t", ContextID: "c", Status: a2a.TaskStatus{State: a2a.TaskStateCompleted},
		Artifacts: []*a2a.Artifact{{ID: "a", Parts: []a2a.Part{a2a.RawPart([]byte(content), "image/png", "x.png")}}},
	}
}

func checkFile(t *testing.T, name, want string, b []byte, err error, decode func([]byte) (any, error)) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	v, err := decode(b)
	if err != nil {
		t.Fatal(err)
	}
	if got := string(v.(*a2a.Task).Artifacts[0].Parts[0].Content.(a2a.Raw)); got != want {
		t.Errorf("%s: %q, want %q", name, got, want)
	}
}
