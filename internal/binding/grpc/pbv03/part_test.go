// SPDX-License-Identifier: Apache-2.0

package pbv03_test

import (
	"testing"

	pb "github.com/a2aproject/a2a-go/a2apb"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/binding/grpc/pbv03"
)

// Members of a part for which 0.3 has no place go into its metadata, under the same key as in the JSON of 0.3. The
// decoder also understands the metadata that the official SDKs write.
func TestMarkers(t *testing.T) {
	t.Parallel()
	for wire, want := range map[string]a2a.Part{
		`{"text":"x"}`: a2a.TextPart("x"),
		`{"text":"x","metadata":{"https://dragoman-a2a.dev/wire/v03":{"mediaType":"text/html","filename":"x.html"},` +
			`"k":1}}`: {
			Content: a2a.Text("x"), MediaType: "text/html", Filename: "x.html",
			Metadata: a2a.Metadata{"k": []byte("1")},
		},
		`{"data":{"data":{"value":[1]}},"metadata":{"https:` +
			`//dragoman-a2a.dev/wire/v03":{"wrapped":true}}}`: {Content: a2a.Data(`[1]`)},
		`{"data":{"data":{"value":[1]}},"metadata":` +
			`{"data_part_compat":true}}`: {Content: a2a.Data(`[1]`)},
		`{"data":{"data":{"value":[1]}}}`: {Content: a2a.Data(`{"value":[1]}`)},
		`{"data":{"data":{"value":1,"b":2}},"metadata":{"https:` +
			`//dragoman-a2a.dev/wire/v03":{"wrapped":true}}}`: {Content: a2a.Data(`{"b":2,"value":1}`)},
		`{"file":{"fileWithUri":"https://example.com/x",` +
			`"mimeType":"a/b","name":"x"}}`: {
			Content: a2a.URL("https://example.com/x"), MediaType: "a/b", Filename: "x"},
	} {
		var part pb.Part
		if err := protojson.Unmarshal([]byte(wire), &part); err != nil {
			t.Fatal(err)
		}
		b, err := proto.Marshal(
			&pb.StreamResponse{Payload: &pb.StreamResponse_Msg{Msg: &pb.Message{Parts: []*pb.Part{&part}}}})
		if err != nil {
			t.Fatal(err)
		}
		ev, err := pbv03.Form{}.DecodeEvent(b)
		if err != nil {
			t.Errorf("%s: %v", wire, err)
			continue
		}
		if diff := cmp.Diff(want, ev.(*a2a.Message).Parts[0]); diff != "" {
			t.Errorf("%s: %s", wire, diff)
		}
	}
}
