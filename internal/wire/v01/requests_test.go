// SPDX-License-Identifier: Apache-2.0

package v01

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/wire"
)

func TestGeneration(t *testing.T) {
	t.Parallel()
	if Dialect.Generation() != a2a.Generation01 {
		t.Error(Dialect.Generation())
	}
}

const image = "iVBORw0KGgo="

// Every form that parameters of a send have in the documents and in the programs of their time.
func TestSendParams(t *testing.T) {
	t.Parallel()
	text := []a2a.Part{a2a.TextPart("hi")}
	bytes := []byte("\x89PNG\r\n\x1a\n")
	none := 0
	for name, test := range map[string]struct {
		params string
		want   a2a.SendMessageRequest
	}{
		"least": {
			`{"id":"t","message":{"role":"user","parts":[{"type":"text","text":"hi"}]}}`,
			a2a.SendMessageRequest{Message: &a2a.Message{Role: a2a.RoleUser, Parts: text}},
		},
		"most": {
			`{"id":"t","sessionId":"s","message":{"role":"agent","parts":[{"type":"text","text":"hi",
				"metadata":{"a":1}}],"metadata":{"b":[2]}},
			  "pushNotification":{"url":"https://a.example/hook","token":"k","authentication":{"schemes":["Bearer",
			"Basic"],"credentials":"c"}},
			  "historyLength":3,"acceptedOutputModes":["text","image/png"],"metadata":{"c":"x"},"unheardOf":{"id":1}}`,
			a2a.SendMessageRequest{
				Message: &a2a.Message{
					Role: a2a.RoleAgent, ContextID: "s", Metadata: a2a.Metadata{"b": []byte("[2]")},
					Parts: []a2a.Part{{Content: a2a.Text("hi"), Metadata: a2a.Metadata{"a": []byte("1")}}},
				},
				Configuration: &a2a.SendConfiguration{
					AcceptedOutputModes: []string{"text", "image/png"}, HistoryLength: new(3),
					PushConfig: &a2a.PushConfig{URL: "https://a.example/hook", Token: "k",
						Authentication: &a2a.PushAuthentication{Scheme: "Bearer", Credentials: "c"}},
				},
				Metadata: a2a.Metadata{"c": []byte(`"x"`)},
			},
		},
		"text only, as the command line of April 2025 says to everybody": {
			`{"id":"t","message":{"role":"user","parts":[{"type":"text","text":"hi"}]},"acceptedOutputModes":["text"]}`,
			a2a.SendMessageRequest{Message: &a2a.Message{Role: a2a.RoleUser, Parts: text}},
		},
		"null everywhere": {
			`{"id":"t","sessionId":null,"message":{"role":"user","parts":[{"type":"text","text":"hi","file":null,
				"data":null,"metadata":null}],"metadata":null},
			  "pushNotification":null,"historyLength":null,"acceptedOutputModes":null,"metadata":null}`,
			a2a.SendMessageRequest{Message: &a2a.Message{Role: a2a.RoleUser, Parts: text}},
		},
		"null within": {
			`{"id":"t","message":{"role":"user","parts":[{"type":null,"file":{"name":null,"mimeType":null,
				"bytes":null,"uri":"https://a.example/f"}}]},
			  "pushNotification":{"url":"https://a.example/hook","token":null,"authentication":null}}`,
			a2a.SendMessageRequest{
				Message: &a2a.Message{Role: a2a.RoleUser,
					Parts: []a2a.Part{a2a.URLPart("https://a.example/f", "", "")}},
				Configuration: &a2a.SendConfiguration{HistoryLength: &none,
					PushConfig: &a2a.PushConfig{URL: "https://a.example/hook"}},
			},
		},
		"no schemes": {
			`{"id":"t","message":{"role":"user","parts":[{"text":"hi"}]},` +
				`"pushNotification":{"url":"https://a.example/hook","authentication":{"schemes":[]}}}`,
			a2a.SendMessageRequest{
				Message: &a2a.Message{Role: a2a.RoleUser, Parts: text},
				Configuration: &a2a.SendConfiguration{HistoryLength: &none,
					PushConfig: &a2a.PushConfig{URL: "https://a.example/hook"}},
			},
		},
		"parts without type": {
			`{"id":"t","message":{"role":"user","parts":[{"text":"hi"},{"file":{"bytes":"` + image +
				`"}},{"data":{"type":"text","text":5}}]}}`,
			a2a.SendMessageRequest{Message: &a2a.Message{Role: a2a.RoleUser, Parts: []a2a.Part{
				text[0], a2a.RawPart(bytes, "", ""), {Content: a2a.Data(`{"type":"text","text":5}`)},
			}}},
		},
		"type decides": {
			`{"id":"t","message":{"role":"user","parts":[{"type":"text","text":"hi","data":{},"file":{}}]}}`,
			a2a.SendMessageRequest{Message: &a2a.Message{Role: a2a.RoleUser, Parts: text}},
		},
		"files": {
			`{"id":"t","message":{"role":"user","parts":[
			  {"type":"file","file":{"name":"a.png","mimeType":"image/png","bytes":"` + image + `"}},
			  {"type":"file","file":{"data":"` + image + `"}},
			  {"type":"file","file":{"bytes":"iVBORw0KGgo","uri":""}},
			  {"type":"file","file":{"bytes":""}},
			  {"type":"file","file":{"bytes":"","uri":"https://a.example/f","name":"f","mimeType":"a/b"}},
			  {"type":"file","file":{"bytes":"-_8"}}]}}`,
			a2a.SendMessageRequest{Message: &a2a.Message{Role: a2a.RoleUser, Parts: []a2a.Part{
				a2a.RawPart(bytes, "image/png", "a.png"), a2a.RawPart(bytes, "", ""), a2a.RawPart(bytes, "", ""),
				a2a.RawPart([]byte{}, "", ""),
				a2a.URLPart("https://a.example/f", "a/b", "f"), a2a.RawPart([]byte{0xfb, 0xff}, "", ""),
			}}},
		},
		"file without content": {
			`{"id":"t","message":{"role":"user","parts":[{"type":"file","file":{"name":"a.pdf",` +
				`"mimeType":"application/pdf"},"metadata":{"k":1}},{"type":"file","file":{}}]}}`,
			a2a.SendMessageRequest{Message: &a2a.Message{Role: a2a.RoleUser, Parts: []a2a.Part{
				{Content: a2a.Data(`{"name":"a.pdf","mimeType":"application/pdf"}`),
					Metadata: a2a.Metadata{"k": []byte("1"), markerKey: []byte(`{"file":true}`)}},
				{Content: a2a.Data(`{}`), Metadata: a2a.Metadata{markerKey: []byte(`{"file":true}`)}},
			}}},
		},
		"data": {
			`{"id":"t","message":{"role":"user","parts":[{"type":"data","data":{"a":1e400}},{"type":"data","data":[1,` +
				`"x"]},{"type":"data","data":[]}]}}`,
			a2a.SendMessageRequest{Message: &a2a.Message{Role: a2a.RoleUser, Parts: []a2a.Part{
				{Content: a2a.Data(`{"a":1e400}`)}, {Content: a2a.Data(`[1,"x"]`)}, {Content: a2a.Data(`[]`)},
			}}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, op := range []wire.Operation{wire.OpSendMessage, wire.OpStreamMessage} {
				got := decodedRequest(t, op, []byte(test.params)).(*a2a.SendMessageRequest)
				if err := got.Validate(); err != nil {
					t.Error(err)
				}
				want := test.want
				want.NewTaskID = "t"
				if want.Configuration == nil {
					want.Configuration = &a2a.SendConfiguration{HistoryLength: &none}
				}
				m := *want.Message
				m.ID = "m"
				want.Message = &m
				forgetMessageIDs(got)
				if diff := cmp.Diff(&want, got, canonical); diff != "" {
					t.Errorf("-want +got\n%s", diff)
				}
			}
		})
	}
}

// Two messages are two, even if they say the same: 0.1 has no other way to tell.
func TestMessagesGetFreshIDs(t *testing.T) {
	t.Parallel()
	params := []byte(`{"id":"t","message":{"role":"user","parts":[{"text":"yes"}]}}`)
	first := decodedRequest(t, wire.OpSendMessage, params).(*a2a.SendMessageRequest)
	second := decodedRequest(t, wire.OpSendMessage, params).(*a2a.SendMessageRequest)
	if first.Message.ID == "" || first.Message.ID == second.Message.ID {
		t.Errorf("%q, %q", first.Message.ID, second.Message.ID)
	}
	if first.Message.TaskID != "" || first.NewTaskID != "t" {
		t.Errorf("the message is for task %q, new %q", first.Message.TaskID, first.NewTaskID)
	}
}

func TestOtherParams(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		op     wire.Operation
		params string
		want   any
	}{
		{wire.OpGetTask, `{"id":"t"}`, &a2a.GetTaskRequest{ID: "t", HistoryLength: new(0)}},
		{wire.OpGetTask, `{"id":"t","historyLength":null,"metadata":null}`,
			&a2a.GetTaskRequest{ID: "t", HistoryLength: new(0)}},
		{wire.OpGetTask, `{"id":"t","historyLength":10,"metadata":{"a":1}}`,
			&a2a.GetTaskRequest{ID: "t", HistoryLength: new(10)}},
		{wire.OpCancelTask, `{"id":"t","metadata":{"a":1}}`,
			&a2a.CancelTaskRequest{ID: "t", Metadata: a2a.Metadata{"a": []byte("1")}}},
		{wire.OpSubscribe, `{"id":"t","historyLength":7,"metadata":{}}`, &a2a.SubscribeRequest{ID: "t"}},
		{wire.OpGetPushConfig, `{"id":"t","metadata":{}}`, &a2a.GetPushConfigRequest{TaskID: "t"}},
		{wire.OpCreatePushConfig, `{"id":"t","pushNotificationConfig":{"url":"http://a.example"}}`,
			&a2a.PushConfig{TaskID: "t", URL: "http://a.example"}},
	} {
		got := decodedRequest(t, test.op, []byte(test.params))
		if diff := cmp.Diff(test.want, got, canonical); diff != "" {
			t.Errorf("%s: -want +got\n%s", test.params, diff)
		}
	}
}

// Errors about parameters use the member names of the form.
func TestBadParams(t *testing.T) {
	t.Parallel()
	send := func(message string) string { return `{"id":"t","message":` + message + `}` }
	part := func(part string) string { return send(`{"role":"user","parts":[{"text":"fine"},` + part + `]}`) }
	deep := strings.Repeat("[", 101) + strings.Repeat("]", 101)
	for _, test := range []struct {
		op     wire.Operation
		params string
		fields string // separated by spaces
		why    string
	}{
		{wire.OpSendMessage, ``, "id message", "is required"},
		{wire.OpStreamMessage, `{}`, "id message", "is required"},
		{wire.OpSendMessage, `[]`, "", "the value must be an object"},
		{wire.OpSendMessage, `{"id":1,"message":{}}`, "id", "a string"},
		{wire.OpSendMessage, send(`null`), "message", "is required"},
		{wire.OpSendMessage, send(`[]`), "message", "an object"},
		{wire.OpSendMessage, send(`{"parts":[{"text":"x"}]}`), "message.role", "user or agent"},
		{wire.OpSendMessage, send(`{"role":"ROLE_USER","parts":[{"text":"x"}]}`), "message.role", "user or agent"},
		{wire.OpSendMessage, send(`{"role":"user"}`), "message.parts", "at least one"},
		{wire.OpSendMessage, send(`{"role":"user","parts":[]}`), "message.parts", "at least one"},
		{wire.OpSendMessage, send(`{"role":"user","parts":{}}`), "message.parts", "an array"},
		{wire.OpSendMessage, send(`{"role":"user","parts":[null]}`), "message.parts[0]", "an object"},
		{wire.OpSendMessage, send(`{"role":"user","parts":["x"]}`), "message.parts[0]", "an object"},
		{wire.OpSendMessage, part(`{}`), "message.parts[1]", "one of text, file, data"},
		{wire.OpSendMessage, part(`{"text":5}`), "message.parts[1].text", "a string"},
		{wire.OpSendMessage, part(`{"text":"x","data":{}}`), "message.parts[1]", "both text and data"},
		{wire.OpSendMessage, part(`{"type":"image"}`), "message.parts[1].type", "text, file or data"},
		{wire.OpSendMessage, part(`{"kind":"text"}`), "message.parts[1]", "one of"},
		{wire.OpSendMessage, part(`{"type":"text","data":{}}`), "message.parts[1].text", "is required"},
		{wire.OpSendMessage, part(`{"type":"file","text":"x"}`), "message.parts[1].file", "is required"},
		{wire.OpSendMessage, part(`{"type":"data","data":null}`), "message.parts[1].data", "is required"},
		{wire.OpSendMessage, part(`{"type":"data","data":"x"}`), "message.parts[1].data", "an object or an array"},
		{wire.OpSendMessage, part(`{"type":"data","data":` + deep + `}`), "message.parts[1].data", "100 levels"},
		{wire.OpSendMessage, part(`{"text":"x","metadata":[]}`), "message.parts[1].metadata", "an object"},
		{wire.OpSendMessage, part(`{"text":"x","metadata":{"a":` + deep[1:100] + deep[101:200] + `,"b":` + deep + `}}`),
			"message.parts[1].metadata.b", "100 levels"},
		{wire.OpSendMessage, part(`{"type":"file","file":{"bytes":"!"}}`), "message.parts[1].file.bytes", "base64"},
		{wire.OpSendMessage, part(`{"type":"file","file":{"data":"a\nb="}}`), "message.parts[1].file.data", "base64"},
		{wire.OpSendMessage, part(`{"type":"file","file":{"bytes":"` + image + `","uri":"https://a.example"}}`),
			"message.parts[1].file", "both bytes and uri"},
		{wire.OpSendMessage, part(`{"type":"file","file":{"bytes":"` + image + `","data":"` + image + `"}}`),
			"message.parts[1].file.data", "both bytes and data"},
		{wire.OpSendMessage, part(`{"type":"file","file":"a.png"}`), "message.parts[1].file", "an object"},
		{wire.OpSendMessage, send(`{"role":"user","parts":[{"text":"x"}],"metadata":"x"}`), "message.metadata",
			"an object"},
		{wire.OpSendMessage, `{"id":"` + strings.Repeat("i", 257) +
			`","message":{"role":"user","parts":[{"text":"x"}]}}`, "id", "at most 256"},
		{wire.OpSendMessage, `{"id":"t","sessionId":"a\u0000","message":{"role":"user","parts":[{"text":"x"}]}}`,
			"sessionId", "control characters"},
		{wire.OpSendMessage, `{"id":"t","historyLength":-1,"message":{"role":"user","parts":[{"text":"x"}]}}`,
			"historyLength", "negative"},
		{wire.OpSendMessage, `{"id":"t","historyLength":1.5,"message":{}}`, "historyLength", "a whole number"},
		{wire.OpSendMessage, `{"id":"t","historyLength":"1","message":{}}`, "historyLength", "a whole number"},
		{wire.OpSendMessage, `{"id":"t","pushNotification":{},"message":{"role":"user","parts":[{"text":"x"}]}}`,
			"pushNotification.url", "is required"},
		{
			wire.OpSendMessage,
			`{"pushNotification":{"url":"x","token":"\n","authentication":{"credentials":"c"}},` +
				`"message":{"role":"user","parts":[{"text":"x"}]}}`,
			"id pushNotification.url pushNotification.token pushNotification.authentication.schemes", "",
		},
		{wire.OpSendMessage,
			`{"id":"t","pushNotification":{"url":"https://a.example","authentication":{"schemes":"Bearer"}}}`,
			"pushNotification.authentication.schemes", "an array"},
		{wire.OpSendMessage, `{"id":"t","acceptedOutputModes":"text","message":{}}`, "acceptedOutputModes", "an array"},
		{wire.OpGetTask, `{}`, "id", "is required"},
		{wire.OpGetTask, `{"id":"t","historyLength":-1}`, "historyLength", "negative"},
		{wire.OpGetTask, `{"id":null}`, "id", "is required"},
		{wire.OpCancelTask, `{"taskId":"t"}`, "id", "is required"},
		{wire.OpCancelTask, `{"id":"t","metadata":5}`, "metadata", "an object"},
		{wire.OpSubscribe, `{"id":""}`, "id", "is required"},
		{wire.OpGetPushConfig, `{}`, "id", "is required"},
		{wire.OpCreatePushConfig, `{}`, "id", "is required"},
		{wire.OpCreatePushConfig, `{"id":"t","pushNotificationConfig":null}`, "pushNotificationConfig", "is required"},
		{
			wire.OpCreatePushConfig,
			`{"pushNotificationConfig":{"url":"ftp://x","token":"\u007f","authentication":{"schemes":["a\nb"],` +
				`"credentials":"\n"}}}`,
			"id pushNotificationConfig.url pushNotificationConfig.token " +
				"pushNotificationConfig.authentication.schemes pushNotificationConfig.authentication.credentials", "",
		},
	} {
		err := decodeAndValidate(test.op, []byte(test.params))
		e, ok := errors.AsType[*a2a.Error](err)
		if !ok || e.Kind != a2a.ErrInvalidParams {
			t.Errorf("%v %s: %v", test.op, test.params, err)
			continue
		}
		var fields []string
		for _, v := range e.Violations {
			fields = append(fields, v.Field)
		}
		if got := strings.Join(fields, " "); got != test.fields || !strings.Contains(e.PublicMessage(), test.why) {
			t.Errorf("%v %s:\n%v\nnames %q, want %q", test.op, test.params, e, got, test.fields)
		}
	}
}

// Text must be strict JSON, also in what nobody reads: duplicate members are a way to smuggle things past others.
func TestBadSyntax(t *testing.T) {
	t.Parallel()
	for params, kind := range map[string]a2a.Kind{
		`{`:                            a2a.ErrParse,
		`{"id":t}`:                     a2a.ErrParse,
		`{"id":"t"} {}`:                a2a.ErrParse,
		`{"id":"` + "\xff" + `"}`:      a2a.ErrParse,
		`{"id":"t","id":"u"}`:          a2a.ErrInvalidParams,
		`{"id":"t","a":{"b":1,"b":2}}`: a2a.ErrInvalidParams,
		`{"id":"t","message":{"role":"user","role":"user"}}`:                        a2a.ErrInvalidParams,
		`{"id":"t","message":{"parts":[{"text":"a","metadata":{"a":1,"a":2}}]}}`:    a2a.ErrInvalidParams,
		`{"id":"t","pushNotificationConfig":{"url":"https://a.example","url":"x"}}`: a2a.ErrInvalidParams,
	} {
		for _, op := range []wire.Operation{wire.OpSendMessage, wire.OpGetTask, wire.OpCancelTask, wire.OpSubscribe,
			wire.OpCreatePushConfig} {
			if _, err := Dialect.DecodeRequest(op, []byte(params)); !errors.Is(err, kind) ||
				kind == a2a.ErrInvalidParams && !strings.Contains(err.Error(), "appears twice") {
				t.Errorf("%v %s: %v", op, params, err)
			}
		}
	}
}

// A list is refused at the first element over its limit: as many as fill a body must cost no more than as many as are
// allowed. It does not run in parallel, because it counts allocations.
func TestListsAreBounded(t *testing.T) {
	const rest = `"id":"t"`
	for _, test := range []struct {
		form, element string
		limit         int
		field         string
	}{
		{`{` + rest + `,"message":{"role":"user","parts":%s}}`, `{"text":"x"}`, a2a.MaxParts, "message.parts"},
		{`{` + rest + `,"message":{"role":"user","parts":[{"text":"x"}]},"acceptedOutputModes":%s}`, `"a/b"`,
			a2a.MaxNames, "acceptedOutputModes"},
		{
			`{` + rest +
				`,"message":{"role":"user","parts":[{"text":"x"}]},"pushNotification":{"url":"https://a.example",` +
				`"authentication":{"schemes":%s}}}`,
			`"Bearer"`, a2a.MaxNames, "pushNotification.authentication.schemes",
		},
	} {
		params := fmt.Appendf(nil, test.form, repeated(test.element, test.limit))
		if err := decodeAndValidate(wire.OpSendMessage, params); err != nil {
			t.Errorf("%s, %d elements: %v", test.field, test.limit, err)
		}
		params = fmt.Appendf(nil, test.form, repeated(test.element, 100_000))
		allocations := testing.AllocsPerRun(1, func() {
			err := decodeAndValidate(wire.OpSendMessage, params)
			e, ok := errors.AsType[*a2a.Error](err)
			if !ok || e.Kind != a2a.ErrInvalidParams || len(e.Violations) != 1 || e.Violations[0].Field != test.field ||
				!strings.Contains(e.Violations[0].Description, fmt.Sprint(test.limit)) {
				t.Errorf("%s: %v", test.field, err)
			}
		})
		if allocations > 5000 {
			t.Errorf("%s: %v allocations", test.field, allocations)
		}
	}
}

func repeated(element string, n int) string {
	return "[" + strings.TrimSuffix(strings.Repeat(element+",", n), ",") + "]"
}

func TestRequestsAreWritten(t *testing.T) {
	t.Parallel()
	message := &a2a.Message{ID: "m", Role: a2a.RoleUser, Parts: []a2a.Part{a2a.TextPart("hi")}}
	to := *message
	to.TaskID, to.ContextID = "old", "c"
	for _, test := range []struct {
		op      wire.Operation
		request any
		want    string
	}{
		{
			wire.OpSendMessage, &a2a.SendMessageRequest{Message: message, NewTaskID: "new"},
			`{"id":"new","message":{"role":"user","parts":[{"type":"text","text":"hi"}]}}`,
		},
		{
			wire.OpStreamMessage, &a2a.SendMessageRequest{Message: &to, NewTaskID: "new",
				Configuration: &a2a.SendConfiguration{ReturnImmediately: true}},
			`{"id":"old","sessionId":"c","message":{"role":"user","parts":[{"type":"text","text":"hi"}]}}`,
		},
		{
			wire.OpSendMessage, &a2a.SendMessageRequest{
				Tenant: "lost", Message: &to, Metadata: a2a.Metadata{"a": []byte("1")},
				Configuration: &a2a.SendConfiguration{
					AcceptedOutputModes: []string{"text/plain", "image/*"}, HistoryLength: new(0),
					PushConfig: &a2a.PushConfig{ID: "lost", URL: "https://a.example", Token: "k",
						Authentication: &a2a.PushAuthentication{Scheme: "Bearer"}},
				},
			},
			`{"id":"old","sessionId":"c","message":{"role":"user","parts":[{"type":"text","text":"hi"}]},` +
				`"pushNotification":{"url":"https://a.example","token":"k","authentication":{"schemes":["Bearer"]}},` +
				`"historyLength":0,"acceptedOutputModes":["text/plain","image/*"],"metadata":{"a":1}}`,
		},
		{wire.OpGetTask, &a2a.GetTaskRequest{ID: "t"}, `{"id":"t"}`},
		{wire.OpGetTask, &a2a.GetTaskRequest{ID: "t", HistoryLength: new(2)}, `{"id":"t","historyLength":2}`},
		{wire.OpCancelTask, &a2a.CancelTaskRequest{ID: "t", Metadata: a2a.Metadata{}}, `{"id":"t","metadata":{}}`},
		{wire.OpSubscribe, &a2a.SubscribeRequest{ID: "t", After: "5"}, `{"id":"t"}`},
		{wire.OpCreatePushConfig, &a2a.PushConfig{TaskID: "t", ID: "p", URL: "https://a.example"},
			`{"id":"t","pushNotificationConfig":{"url":"https://a.example"}}`},
		{wire.OpGetPushConfig, &a2a.GetPushConfigRequest{TaskID: "t", ID: "p"}, `{"id":"t"}`},
	} {
		got, err := Dialect.AppendRequest([]byte("x"), test.op, test.request)
		if err != nil || string(got) != "x"+test.want {
			t.Errorf("%v:\ngot  %s, %v\nwant x%s", test.op, got, err, test.want)
			continue
		}
		fits(t, paramsOf[test.op], got[1:])
	}
}

// A request that cannot be written causes an error, and the buffer stays unchanged.
func TestRequestsThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	message := a2a.NewMessage(a2a.RoleUser, a2a.TextPart("hi"))
	for _, test := range []struct {
		op      wire.Operation
		request any
		kind    a2a.Kind
		why     string
	}{
		{wire.OpSendMessage, &a2a.SendMessageRequest{Message: message}, a2a.ErrInvalidParams, "NewTaskID"},
		{wire.OpSendMessage, &a2a.SendMessageRequest{NewTaskID: "t"}, a2a.ErrInvalidParams, "message is required"},
		{wire.OpListTasks, &a2a.ListTasksRequest{}, a2a.ErrUnsupportedOperation, "ListTasks"},
		{wire.OpListPushConfigs, &a2a.ListPushConfigsRequest{TaskID: "t"}, a2a.ErrUnsupportedOperation, "ListTaskPush"},
		{wire.OpDeletePushConfig, &a2a.DeletePushConfigRequest{TaskID: "t", ID: "p"}, a2a.ErrUnsupportedOperation,
			"DeleteTaskPush"},
		{wire.OpExtendedCard, &a2a.ExtendedCardRequest{}, a2a.ErrUnsupportedOperation, "ExtendedAgentCard"},
		{wire.OpSendMessage, &a2a.SendMessageRequest{NewTaskID: "t", Message: &a2a.Message{Parts: []a2a.Part{{}}}},
			a2a.ErrInternal, "no content"},
		{wire.OpSendMessage, &a2a.SendMessageRequest{NewTaskID: "t",
			Message: &a2a.Message{Parts: []a2a.Part{a2a.TextPart("\xff")}}}, a2a.ErrInternal, "UTF-8"},
		{wire.OpGetTask, &a2a.GetTaskRequest{ID: "\xff"}, a2a.ErrInternal, "UTF-8"},
		{wire.OpCancelTask, &a2a.CancelTaskRequest{ID: "t", Metadata: a2a.Metadata{"a": []byte("{")}}, a2a.ErrInternal,
			"valid JSON"},
	} {
		got, err := Dialect.AppendRequest([]byte("x"), test.op, test.request)
		if err == nil || !errors.Is(a2a.AsError(err), test.kind) || !strings.Contains(err.Error(), test.why) ||
			string(got) != "x" {
			t.Errorf("%v: %q, %v", test.op, got, err)
		}
	}
}

func TestOperationsThatDoNotExist(t *testing.T) {
	t.Parallel()
	for _, op := range []wire.Operation{wire.OpNone, wire.OpListTasks, wire.OpListPushConfigs, wire.OpDeletePushConfig,
		wire.OpExtendedCard} {
		if _, err := Dialect.DecodeRequest(op, []byte(`{"id":"t"}`)); !errors.Is(err, a2a.ErrUnsupportedOperation) {
			t.Errorf("%v: %v", op, err)
		}
		if _, err := Dialect.DecodeResult(op, nil, []byte(`{"id":"t"}`)); !errors.Is(err, a2a.ErrUnsupportedOperation) {
			t.Errorf("%v: %v", op, err)
		}
	}
}

// decodeAndValidate reads a request as a server does.
func decodeAndValidate(op wire.Operation, params []byte) error {
	request, err := Dialect.DecodeRequest(op, params)
	if err != nil {
		return err
	}
	return Dialect.Validate(request)
}
