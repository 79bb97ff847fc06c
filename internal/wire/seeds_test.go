// SPDX-License-Identifier: Apache-2.0

package wire_test

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/wire"
	"github.com/dragoman-a2a/dragoman/internal/wire/v01"
	"github.com/dragoman-a2a/dragoman/internal/wire/v03"
)

// A document of the A2A project, whose examples are beside the dialect that reads them.
type document struct {
	file    string
	dialect wire.Dialect
	count   int
}

var documents = []document{
	{"v01/testdata/april-2025.txtar", v01.Dialect, 30},
	{"v01/testdata/0.1.0.txtar", v01.Dialect, 19},
	{"v03/testdata/0.2.1.txtar", v03.Dialect, 22},
}

// respelt are members of examples that are written under another name than they had: the documents call them otherwise
// than their schemas. They are told by the end of their path.
var respelt = map[string]string{
	"file.data": "bytes",
	".type":     "kind", // parts of 0.2.1, which are half way from 0.1
}

// unknown are members that no generation knows where they stand.
var unknown = []string{"22.final"} // of a message of 0.2.1

// alike reports whether two values of a member mean the same.
func alike(before, after any) bool {
	switch before := before.(type) {
	case bool:
		return !before && after == nil // what is false may be left out
	case float64:
		// answers of April 2025 have the number of their request for the id of the task, which the request has
		id, _ := after.(string)
		return id != ""
	case []any: // a list is data in 0.1 but not in its schema, which wants an object
		wrapper, _ := after.(map[string]any)
		return reflect.DeepEqual(any(before), wrapper["value"])
	case string:
		text, _ := after.(string)
		now, err := a2a.ParseTime(text)
		if err != nil {
			return false
		}
		then, err := a2a.ParseTime(before)
		if err != nil { // a time without a zone is one of UTC
			then, err = a2a.ParseTime(before + "Z")
		}
		return err == nil && then.Truncate(time.Millisecond).Equal(now)
	}
	return false
}

// Every example of the documents is read and written again, and says then what it said before.
func TestExamplesOfTheDocumentsStayTheSame(t *testing.T) {
	t.Parallel()
	for _, d := range documents {
		t.Run(d.file, func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(d.file)
			if err != nil {
				t.Fatal(err)
			}
			run := exchange{t: t, document: &d}
			for _, f := range archive.Files {
				if !strings.HasSuffix(f.Name, ".original") {
					run.example(f.Name, f.Data)
				}
			}
			if run.count != d.count {
				t.Errorf("%d examples, want %d", run.count, d.count)
			}
		})
	}
}

// An exchange goes through the examples of a document: each answer belongs to the request before it.
type exchange struct {
	t *testing.T
	*document
	count   int
	op      wire.Operation
	request any
	decoder wire.StreamDecoder
	encoder wire.StreamEncoder
}

func (x *exchange) example(name string, text []byte) {
	x.count++
	var call struct {
		Method string         `json:"method"`
		Params jsontext.Value `json:"params"`
		Result jsontext.Value `json:"result"`
	}
	if err := json.Unmarshal(text, &call); err != nil {
		x.t.Fatalf("%s: %v", name, err)
	}
	number, _, _ := strings.Cut(name, " ")
	switch {
	case call.Method != "":
		x.ask(number, call.Method, call.Params)
	case call.Result == nil: // the body of a notification is a task
		x.op, x.request = wire.OpGetTask, &a2a.GetTaskRequest{}
		x.answer(number, text)
	case x.op.Streams():
		x.event(number, call.Result)
	default:
		x.answer(number, call.Result)
	}
}

func (x *exchange) ask(number, method string, params []byte) {
	x.op = wire.OperationIn(x.dialect.Generation(), method)
	request, err := x.dialect.DecodeRequest(x.op, params)
	if err != nil {
		x.t.Fatalf("%s: %v", number, err)
	}
	x.request = request
	if x.op.Streams() {
		x.decoder, x.encoder = x.dialect.NewStreamDecoder(x.op, request), x.dialect.NewStreamEncoder(x.op, request)
	}
	again, err := x.dialect.AppendRequest(nil, x.op, request)
	x.same(number, params, again, err)
}

func (x *exchange) answer(number string, result []byte) {
	decoded, err := x.dialect.DecodeResult(x.op, x.request, result)
	if err != nil {
		x.t.Fatalf("%s: %v", number, err)
	}
	again, err := x.dialect.AppendResult(nil, x.op, x.request, decoded)
	x.same(number, result, again, err)
}

// event checks the last of the events that a payload stands for: before it there may be one that is made up.
func (x *exchange) event(number string, payload []byte) {
	var again []byte
	_, err := x.decoder.Decode(payload, func(ev a2a.Event, _ bool) {
		_, err := x.encoder.Encode(a2a.NewStreamEvent("7", ev),
			func(_ string, payload []byte) { again = slices.Clone(payload) })
		if err != nil {
			x.t.Errorf("%s: %v", number, err)
		}
	})
	x.same(number, payload, again, err)
}

func (x *exchange) same(number string, before, after []byte, err error) {
	if err != nil {
		x.t.Errorf("%s: %v", number, err)
		return
	}
	was, is := value(x.t, before), value(x.t, after)
	if id := was["messageId"]; id != nil && was["message"] != nil { // two examples of 0.2.1 have it beside the message
		delete(was, "messageId")
		was["message"].(map[string]any)["messageId"] = id
	}
	for _, path := range missing(number, was, is) {
		if slices.Contains(unknown, path) {
			continue
		}
		x.t.Errorf("%s is not what it was:\n%s\n%s", path, before, after)
	}
}

func value(t *testing.T, text []byte) map[string]any {
	t.Helper()
	var v map[string]any
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return v
}

// missing returns the paths of values that before has and after lacks. It ignores values that only after has.
func missing(at string, before, after any) []string {
	switch before := before.(type) {
	case map[string]any:
		if after, ok := after.(map[string]any); ok {
			var list []string
			for _, name := range slices.Sorted(maps.Keys(before)) {
				path := at + "." + name
				list = append(list, missing(path, before[name], after[spelling(path, name, after)])...)
			}
			return list
		}
		if len(before) == 0 && after == nil {
			return nil
		}
	case []any:
		if after, ok := after.([]any); ok && len(before) == len(after) {
			var list []string
			for i := range before {
				list = append(list, missing(fmt.Sprintf("%s[%d]", at, i), before[i], after[i])...)
			}
			return list
		}
	}
	if reflect.DeepEqual(before, after) || alike(before, after) {
		return nil
	}
	return []string{at}
}

// spelling returns the name under which a member is to be found.
func spelling(path, name string, after map[string]any) string {
	if _, there := after[name]; !there {
		for end, other := range respelt {
			if strings.HasSuffix(path, end) {
				return other
			}
		}
	}
	return name
}
