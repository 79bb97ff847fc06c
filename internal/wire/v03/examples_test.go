// SPDX-License-Identifier: Apache-2.0

package v03

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

// An example is a request, a response, an event or a notification of the document.
type example struct {
	name, sort string
	op         wire.Operation
	text       jsontext.Value
}

func examples(t testing.TB) []example {
	t.Helper()
	archive, err := txtar.ParseFile("testdata/0.2.1.txtar")
	if err != nil {
		t.Fatal(err)
	}
	var list []example
	for _, f := range archive.Files {
		if strings.HasSuffix(f.Name, ".original") {
			continue
		}
		words := strings.Fields(f.Name)
		e := example{name: f.Name, sort: words[1], text: bytes.TrimSpace(f.Data)}
		if len(words) > 2 {
			e.op = wire.OperationIn(a2a.Generation02, words[2])
			e.text = envelope(t, e.text)
		}
		list = append(list, e)
	}
	return list
}

// envelope returns what is in a JSON-RPC request or response.
func envelope(t testing.TB, text jsontext.Value) jsontext.Value {
	t.Helper()
	var call struct {
		Params jsontext.Value `json:"params"`
		Result jsontext.Value `json:"result"`
	}
	if err := json.Unmarshal(text, &call); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if call.Params != nil {
		return call.Params
	}
	return call.Result
}

// Every example of the document is read, and what is written of it again fits the schemas of all versions. The golden
// file shows what each is in the model, and how it is written.
func TestExamplesOfTheDocument(t *testing.T) {
	t.Parallel()
	got := &txtar.Archive{Comment: []byte("What the examples of 0.2.1 are in the model of 1.0, and how they are " +
		"written again.\n")}
	for _, e := range examples(t) {
		model, again, schema, err := e.throughModel(t)
		if err != nil {
			t.Errorf("%s: %v", e.name, err)
			continue
		}
		fitsSchemas(t, again, schema)
		got.Files = append(got.Files, txtar.File{Name: e.name, Data: fmt.Appendf(nil, "%s\n%s\n", model, again)})
	}
	const file = "testdata/0.2.1.golden"
	if *rewrite {
		if err := os.WriteFile(file, txtar.Format(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(txtar.Format(got))); diff != "" {
		t.Errorf("-want +got (-update writes it anew)\n%s", diff)
	}
}

// throughModel returns the example as the JSON of 1.0, and as it is written again.
func (e example) throughModel(t *testing.T) (model, again []byte, schema string, err error) {
	if e.sort == "request" {
		request, err := Dialect.DecodeRequest(e.op, e.text)
		if err != nil {
			return nil, nil, "", err
		}
		again, err = Dialect.AppendRequest(nil, e.op, request)
		if err != nil {
			return nil, nil, "", err
		}
		model, err = request.(*a2a.SendMessageRequest).AppendJSON(nil)
		return model, again, "MessageSendParams", err
	}
	ev := decodeSecond(t, e.text)
	nameMadeUp(ev, e.text)
	if model, err = a2a.AppendStreamResponse(nil, ev); err != nil {
		return nil, nil, "", err
	}
	again, _ = encodeOne(t, ev)
	return model, again, definitionOf(ev), nil
}

// nameMadeUp gives the messages of an event that came without an id one that is always the same.
func nameMadeUp(ev a2a.Event, text []byte) {
	name := func(m *a2a.Message) {
		if m != nil && !bytes.Contains(text, []byte(m.ID)) {
			m.ID = "made-up"
		}
	}
	switch ev := ev.(type) {
	case *a2a.Message:
		name(ev)
	case *a2a.StatusUpdate:
		name(ev.Status.Message)
	case *a2a.Task:
		name(ev.Status.Message)
		for _, m := range ev.History {
			name(m)
		}
	}
}
