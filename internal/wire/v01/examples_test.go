// SPDX-License-Identifier: Apache-2.0

package v01

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/wire"
)

var rewrite = flag.Bool("update", false, "write the golden files anew")

// The documents of the generation whose examples are in testdata.
var documents = []string{"april-2025", "0.1.0"}

// An example is a request or a response of a document, with the request before it.
type example struct {
	name    string
	op      wire.Operation
	text    jsontext.Value // params or result
	request jsontext.Value // params of the request that a response answers
	answers bool
}

func examplesOf(t testing.TB, document string) []example {
	t.Helper()
	archive, err := txtar.ParseFile("testdata/" + document + ".txtar")
	if err != nil {
		t.Fatal(err)
	}
	var list []example
	var op wire.Operation
	var request jsontext.Value
	for _, f := range archive.Files {
		if strings.HasSuffix(f.Name, ".original") {
			continue
		}
		var call struct {
			Method string         `json:"method"`
			Params jsontext.Value `json:"params"`
			Result jsontext.Value `json:"result"`
		}
		if err := json.Unmarshal(f.Data, &call); err != nil {
			t.Fatalf("%s: %v", f.Name, err)
		}
		if call.Method == "" {
			list = append(list, example{name: f.Name, op: op, text: call.Result, request: request, answers: true})
			continue
		}
		op, request = wire.OperationIn(a2a.Generation01, call.Method), call.Params
		if op == wire.OpNone {
			t.Fatalf("%s: %s is no method", f.Name, call.Method)
		}
		list = append(list, example{name: f.Name, op: op, text: call.Params})
	}
	return list
}

// Every example of the documents is read, and what is written of it again fits the schemas. The golden files show what
// each means in the model, and how it is written.
func TestExamplesOfTheDocuments(t *testing.T) {
	t.Parallel()
	for _, document := range documents {
		t.Run(document, func(t *testing.T) {
			t.Parallel()
			got := &txtar.Archive{Comment: []byte("What the examples of " + document +
				" are in the model of 1.0, and how they are written again.\n")}
			var decoder wire.StreamDecoder
			var encoder wire.StreamEncoder
			for _, e := range examplesOf(t, document) {
				var shown string
				switch {
				case !e.answers:
					shown = exampleRequest(t, e)
				case e.op.Streams():
					shown = exampleEvent(t, e, decoder, encoder)
				default:
					shown = exampleResult(t, e)
				}
				if !e.answers && e.op.Streams() {
					request := decodedRequest(t, e.op, e.text)
					decoder, encoder = Dialect.NewStreamDecoder(e.op, request), Dialect.NewStreamEncoder(e.op, request)
				}
				got.Files = append(got.Files, txtar.File{Name: e.name, Data: []byte(shown)})
			}
			golden(t, "testdata/"+document+".golden", txtar.Format(got))
		})
	}
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	if *rewrite {
		if err := os.WriteFile(name, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(bytes.ReplaceAll(want, []byte("\r\n"), []byte("\n"))), string(got)); diff != "" {
		t.Errorf("run the test with -update if this is right; -%s +now\n%s", name, diff)
	}
}

func decodedRequest(t testing.TB, op wire.Operation, params []byte) any {
	t.Helper()
	request, err := Dialect.DecodeRequest(op, params)
	if err != nil {
		t.Fatalf("%v\n%s", err, params)
	}
	return request
}

func exampleRequest(t *testing.T, e example) string {
	t.Helper()
	request := decodedRequest(t, e.op, e.text)
	again, err := Dialect.AppendRequest(nil, e.op, request)
	if err != nil {
		t.Fatalf("%s: %v", e.name, err)
	}
	fits(t, paramsOf[e.op], again)
	return show(t, request) + string(again) + "\n"
}

func exampleResult(t *testing.T, e example) string {
	t.Helper()
	request := decodedRequest(t, e.op, e.request)
	result, err := Dialect.DecodeResult(e.op, request, e.text)
	if err != nil {
		t.Fatalf("%s: %v", e.name, err)
	}
	again, err := Dialect.AppendResult(nil, e.op, request, result)
	if err != nil {
		t.Fatalf("%s: %v", e.name, err)
	}
	fits(t, resultOf[e.op], again)
	return show(t, result) + string(again) + "\n"
}

func exampleEvent(t *testing.T, e example, d wire.StreamDecoder, enc wire.StreamEncoder) string {
	t.Helper()
	var shown strings.Builder
	done, err := d.Decode(e.text, func(ev a2a.Event, partial bool) {
		fmt.Fprintf(&shown, "%s", show(t, ev))
		_, err := enc.Encode(a2a.NewStreamEvent("7", ev), func(id string, payload []byte) {
			fits(t, eventName(payload), payload)
			fmt.Fprintf(&shown, "%s\n", payload)
		})
		if err != nil {
			t.Fatalf("%s: %v", e.name, err)
		}
	})
	if err != nil {
		t.Fatalf("%s: %v", e.name, err)
	}
	fmt.Fprintf(&shown, "done: %t\n", done)
	return shown.String()
}

// show returns the JSON of 1.0, with the name of the type before it and without the ids that are made when reading.
func show(t *testing.T, v any) string {
	t.Helper()
	forgetMessageIDs(v)
	text, err := v.(interface{ AppendJSON([]byte) ([]byte, error) }).AppendJSON(nil)
	if err != nil {
		t.Fatal(err)
	}
	s := strings.TrimPrefix(fmt.Sprintf("%T ", v), "*a2a.") + string(text) + "\n"
	if r, ok := v.(*a2a.SendMessageRequest); ok {
		s += "NewTaskID " + string(r.NewTaskID) + "\n"
	}
	return s
}

// forgetMessageIDs gives all messages in a value the same id. Reading makes a new one each time, so what is compared
// cannot have them; that there is one is checked here.
func forgetMessageIDs(v any) {
	for _, m := range messagesIn(v) {
		if m != nil && m.ID != "" {
			m.ID = "m"
		}
	}
}

func messagesIn(v any) []*a2a.Message {
	switch v := v.(type) {
	case *a2a.SendMessageRequest:
		return []*a2a.Message{v.Message}
	case *a2a.Message:
		return []*a2a.Message{v}
	case *a2a.Task:
		return append([]*a2a.Message{v.Status.Message}, v.History...)
	case *a2a.StatusUpdate:
		return []*a2a.Message{v.Status.Message}
	}
	return nil
}
