// SPDX-License-Identifier: Apache-2.0

package v03

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/wire"
)

// sent returns the request of a send that says only this.
func sent(parts ...a2a.Part) *a2a.SendMessageRequest {
	return &a2a.SendMessageRequest{
		Message:       &a2a.Message{ID: "m", Role: a2a.RoleUser, Parts: parts},
		Configuration: &a2a.SendConfiguration{HistoryLength: new(0)},
	}
}

// Different spellings in the documents, drafts and peers of 0.2 and 0.3 mean the same.
func TestOneGrammarForAllVersions(t *testing.T) {
	t.Parallel()
	const inMessage = `{"message":{"kind":"message","messageId":"m","role":"user","parts":[%s]}}`
	text, raw, url := a2a.TextPart("x"), a2a.RawPart([]byte("abc"), "image/png", "a.png"),
		a2a.URLPart("https://e.com/a", "", "")
	data := a2a.Part{Content: a2a.Data(`{"kind":"text","text":"y","type":"file"}`)}
	configured := func(change func(*a2a.SendConfiguration)) *a2a.SendMessageRequest {
		r := sent(text)
		change(r.Configuration)
		return r
	}
	withConfiguration := func(c string) string {
		return `{"configuration":` + c + `,"message":{"messageId":"m","role":"user","parts":[{"text":"x"}]}}`
	}
	push := &a2a.PushConfig{ID: "p", URL: "https://e.com/hook", Token: "t",
		Authentication: &a2a.PushAuthentication{Scheme: "Bearer", Credentials: "c"}}
	const pushText = `{"id":"p","url":"https://e.com/hook","token":"t","authentication":{"schemes":["Bearer",` +
		`"Basic"],"credentials":"c"}}`
	pushOf := func(task a2a.TaskID) *a2a.PushConfig {
		c := *push
		c.TaskID = task
		return &c
	}
	for name, test := range map[string]struct {
		op   wire.Operation
		text string
		want any
	}{
		"kind": {wire.OpSendMessage, fmt.Sprintf(inMessage, `{"kind":"text","text":"x"}`), sent(text)},
		"type": {wire.OpStreamMessage, fmt.Sprintf(inMessage, `{"text":"x","type":"text"}`), sent(text)},
		"kind and type": {wire.OpSendMessage, fmt.Sprintf(inMessage, `{"text":"x","type":"text","kind":"text"}`),
			sent(text)},
		"neither": {wire.OpSendMessage, fmt.Sprintf(inMessage, `{"text":"x"}`), sent(text)},
		"kind decides": {wire.OpSendMessage, fmt.Sprintf(inMessage, `{"data":{},"text":"x","kind":"text"}`),
			sent(text)},
		"bytes": {wire.OpSendMessage,
			fmt.Sprintf(inMessage, `{"kind":"file","file":{"bytes":"YWJj","mimeType":"image/png","name":"a.png"}}`),
			sent(raw)},
		"file.data": {wire.OpSendMessage,
			fmt.Sprintf(inMessage, `{"type":"file","file":{"data":"YWJj","mimeType":"image/png","name":"a.png"}}`),
			sent(raw)},
		"URL-safe, unpadded": {wire.OpSendMessage, fmt.Sprintf(inMessage, `{"file":{"bytes":"-_8"}}`),
			sent(a2a.RawPart([]byte{0xfb, 0xff}, "", ""))},
		"uri": {wire.OpSendMessage,
			fmt.Sprintf(inMessage, `{"file":{"uri":"https://e.com/a","bytes":null}}`), sent(url)},
		"data": {wire.OpSendMessage,
			fmt.Sprintf(inMessage, `{"kind":"data","data":{"kind":"text","text":"y","type":"file"}}`), sent(data)},
		"data alone": {wire.OpSendMessage,
			fmt.Sprintf(inMessage, `{"data":{"kind":"text","text":"y","type":"file"}}`), sent(data)},
		"data, an array": {wire.OpSendMessage, fmt.Sprintf(inMessage, `{"kind":"data","data":[1,2]}`),
			sent(a2a.Part{Content: a2a.Data(`[1,2]`)})},
		"messageId beside": {wire.OpSendMessage,
			`{"messageId":"m","message":{"role":"user","parts":[{"text":"x"}]}}`, sent(text)},
		"messageId in both": {wire.OpSendMessage,
			`{"messageId":"other","message":{"messageId":"m","role":"user","parts":[{"text":"x"}]}}`, sent(text)},
		"id of a draft": {wire.OpSendMessage,
			`{"id":"request","message":{"messageId":"m","role":"user","parts":[{"text":"x"}]}}`, sent(text)},
		"nulls": {wire.OpSendMessage,
			`{"message":{"kind":null,"messageId":"m","role":"user","parts":[{"kind":null,"text":"x","file":null,` +
				`"data":null,"metadata":null}],"taskId":null,"contextId":null,"extensions":null,` +
				`"referenceTaskIds":null,"metadata":null},"configuration":{"blocking":null,"historyLength":null,` +
				`"pushNotificationConfig":null,"acceptedOutputModes":null},"metadata":null}`, sent(text)},
		"configuration, null": {wire.OpSendMessage, withConfiguration(`null`), sent(text)},
		"unknown members": {wire.OpSendMessage,
			`{"message":{"messageId":"m","role":"user","parts":[{"text":"x","Text":1}],"new":{"a":[{}]}},"new":1}`,
			sent(text)},
		"escaped names": {wire.OpSendMessage,
			`{"m\u0065ssage":{"messageId":"m","role":"user","parts":[{"t\u0065xt":"x"}]}}`, sent(text)},

		"blocking": {wire.OpSendMessage, withConfiguration(`{"blocking":true}`), sent(text)},
		"not blocking": {wire.OpSendMessage, withConfiguration(`{"blocking":false}`),
			configured(func(c *a2a.SendConfiguration) { c.ReturnImmediately = true })},
		"historyLength 0": {wire.OpSendMessage, withConfiguration(`{"historyLength":0}`), sent(text)},
		"historyLength": {wire.OpSendMessage, withConfiguration(`{"historyLength":1e1}`),
			configured(func(c *a2a.SendConfiguration) { c.HistoryLength = new(10) })},
		"acceptedOutputModes": {wire.OpSendMessage,
			withConfiguration(`{"acceptedOutputModes":["text/plain","image/*"]}`),
			configured(func(c *a2a.SendConfiguration) { c.AcceptedOutputModes = []string{"text/plain", "image/*"} })},
		"pushNotificationConfig": {wire.OpSendMessage,
			withConfiguration(`{"pushNotificationConfig":` + pushText + `}`),
			configured(func(c *a2a.SendConfiguration) { c.PushConfig = push })},
		"pushNotification": {wire.OpSendMessage, withConfiguration(`{"pushNotification":` + pushText + `}`),
			configured(func(c *a2a.SendConfiguration) { c.PushConfig = push })},
		"authentication for nothing": {wire.OpSendMessage,
			withConfiguration(`{"pushNotificationConfig":{"url":"https://e.com","authentication":{"schemes":[]}}}`),
			configured(func(c *a2a.SendConfiguration) { c.PushConfig = &a2a.PushConfig{URL: "https://e.com"} })},
		"tasks/get": {wire.OpGetTask, `{"id":"t","metadata":{}}`,
			&a2a.GetTaskRequest{ID: "t", HistoryLength: new(0)}},
		"tasks/get with history": {wire.OpGetTask, `{"id":"t","historyLength":3}`,
			&a2a.GetTaskRequest{ID: "t", HistoryLength: new(3)}},
		"tasks/cancel": {wire.OpCancelTask, `{"id":"t","metadata":{"a":1.0}}`,
			&a2a.CancelTaskRequest{ID: "t", Metadata: a2a.Metadata{"a": jsontext.Value("1.0")}}},
		"tasks/resubscribe": {wire.OpSubscribe, `{"id":"t"}`, &a2a.SubscribeRequest{ID: "t"}},
		"set": {wire.OpCreatePushConfig,
			`{"taskId":"t","pushNotificationConfig":` + pushText + `}`, pushOf("t")},
		"set, config": {wire.OpCreatePushConfig, `{"taskId":"t","config":` + pushText + `}`,
			pushOf("t")},
		"get push": {wire.OpGetPushConfig, `{"id":"t","pushNotificationConfigId":"p"}`,
			&a2a.GetPushConfigRequest{TaskID: "t", ID: "p"}},
		"get push before 0.2.5": {wire.OpGetPushConfig, `{"id":"t"}`, &a2a.GetPushConfigRequest{TaskID: "t"}},
		"list push": {wire.OpListPushConfigs, `{"id":"t"}`,
			&a2a.ListPushConfigsRequest{TaskID: "t"}},
		"delete push": {wire.OpDeletePushConfig, `{"id":"t","pushNotificationConfigId":"p"}`,
			&a2a.DeletePushConfigRequest{TaskID: "t", ID: "p"}},
		"extended card":       {wire.OpExtendedCard, ``, &a2a.ExtendedCardRequest{}},
		"extended card, null": {wire.OpExtendedCard, ` null `, &a2a.ExtendedCardRequest{}},
		"tasks/list, nothing": {wire.OpListTasks, ``, &a2a.ListTasksRequest{HistoryLength: new(0)}},
		"tasks/list, other spelling": {wire.OpListTasks, `{"status":"input_required"}`,
			&a2a.ListTasksRequest{Status: a2a.TaskStateInputRequired, HistoryLength: new(0)}},
		"tasks/list, two l in state": {wire.OpListTasks, `{"status":"cancelled"}`,
			&a2a.ListTasksRequest{Status: a2a.TaskStateCanceled, HistoryLength: new(0)}},
		"tasks/list, every member set": {wire.OpListTasks,
			`{"contextId":"c","status":"auth-required","pageSize":7,"pageToken":"n","historyLength":2,` +
				`"lastUpdatedAfter":1761647400123,"includeArtifacts":true,"metadata":{}}`,
			&a2a.ListTasksRequest{ContextID: "c", Status: a2a.TaskStateAuthRequired, PageSize: new(7), PageToken: "n",
				HistoryLength: new(2), StatusTimestampAfter: time.Date(2025, 10, 28, 10, 30, 0, 123e6, time.UTC),
				IncludeArtifacts: true}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := Dialect.DecodeRequest(test.op, []byte(test.text))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got, asCarried); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

// Errors about a request use the member names that the client used.
func TestBadRequests(t *testing.T) {
	t.Parallel()
	part := func(text string) string {
		return `{"message":{"messageId":"m","role":"user","parts":[{"text":"x"},` + text + `]}}`
	}
	configured := func(c string) string {
		return `{"message":{"messageId":"m","role":"user","parts":[{"text":"x"}]},"configuration":` + c + `}`
	}
	for _, test := range []struct {
		op         wire.Operation
		text       string
		field, why string
	}{
		{wire.OpSendMessage, ``, "message", "required"},
		{wire.OpSendMessage, `{"message":[]}`, "message", "an object"},
		{wire.OpSendMessage, `{"message":{"role":"user","parts":[{"text":"x"}]}}`, "message.messageId", "required"},
		{wire.OpSendMessage, `{"message":{"messageId":"m","parts":[{"text":"x"}]}}`, "message.role", "user or agent"},
		{wire.OpSendMessage, `{"message":{"messageId":"m","role":"ROLE_USER","parts":[]}}`, "message.role",
			`"ROLE_USER"`},
		{wire.OpSendMessage, `{"message":{"messageId":"m","role":"user"}}`, "message.parts", "at least one"},
		{wire.OpSendMessage, `{"message":{"messageId":"m","role":"user","kind":"task","parts":[{"text":"x"}]}}`,
			"message.kind", "expected message"},
		{wire.OpSendMessage, `{"message":{"messageId":"m","role":"user","role":"user"}}`, "message.role", "twice"},
		{wire.OpSendMessage, `{"message":{"messageId":"m","role":"user","parts":[{"text":"x"}],"taskId":7}}`,
			"message.taskId", "a string"},
		{wire.OpSendMessage, `{"message":{"messageId":"` + strings.Repeat("m", 257) +
			`","role":"user","parts":[{"text":"x"}]}}`, "message.messageId", "256"},
		{wire.OpSendMessage, part(`{"kind":"image","text":"x"}`), "message.parts[1].kind", "expected text, file, data"},
		{wire.OpSendMessage, part(`{"type":"image","text":"x"}`), "message.parts[1].type", "expected text, file, data"},
		{wire.OpSendMessage, part(`{"type":"data","kind":"text","text":"x"}`), "message.parts[1].type", "contradicts"},
		{wire.OpSendMessage, part(`{"kind":"text","data":{}}`), "message.parts[1].text", "required"},
		{wire.OpSendMessage, part(`{"kind":"data","data":null}`), "message.parts[1].data", "required"},
		{wire.OpSendMessage, part(`{"kind":1,"text":"x"}`), "message.parts[1].kind", "a string"},
		{wire.OpSendMessage, part(`{"text":"x","data":{}}`), "message.parts[1]", "both text and data"},
		{wire.OpSendMessage, part(`{"raw":"eA=="}`), "message.parts[1]", "one of text, file, data"},
		{wire.OpSendMessage, part(`null`), "message.parts[1]", "an object"},
		{wire.OpSendMessage, part(`{"file":"YWJj"}`), "message.parts[1].file", "an object"},
		{wire.OpSendMessage, part(`{"kind":"file","file":{}}`), "message.parts[1].file", "one of bytes, uri"},
		{wire.OpSendMessage, part(`{"kind":"file","file":{"bytes":"YWJj","uri":"https://e.com"}}`),
			"message.parts[1].file.uri", "beside bytes"},
		{wire.OpSendMessage, part(`{"kind":"file","file":{"uri":"https://e.com","data":"YWJj"}}`),
			"message.parts[1].file.data", "beside uri"},
		{wire.OpSendMessage, part(`{"kind":"file","file":{"bytes":"YWJj","data":"YWJj"}}`),
			"message.parts[1].file.data", "beside bytes"},
		{wire.OpSendMessage, part(`{"kind":"file","file":{"bytes":"<base64-encoded-content>"}}`),
			"message.parts[1].file.bytes", "base64"},
		{wire.OpSendMessage, part(`{"kind":"file","file":{"uri":""}}`), "message.parts[1].file.uri", "required"},
		{wire.OpSendMessage, part(`{"text":"x","metadata":[]}`), "message.parts[1].metadata", "an object"},
		{wire.OpSendMessage, part(`{"text":"x","metadata":{"a":1,"a":2}}`), "message.parts[1].metadata.a", "twice"},
		{wire.OpSendMessage, part(`{"data":` + nest(101) + `}`), "message.parts[1].data", "100 levels"},
		{wire.OpSendMessage, part(`{"data":` + nest(102) + `}`), "message.parts[1].data", "100 levels"},
		{wire.OpSendMessage, `{"metadata":{"a":` + nest(100) + `}}`, "metadata.a", "100 levels"},
		{wire.OpSendMessage, `{"unknown":` + nest(101) + `}`, "unknown", "100 levels"},
		{wire.OpSendMessage, configured(`{"blocking":"false"}`), "configuration.blocking", "true or false"},
		{wire.OpSendMessage, configured(`{"historyLength":-1}`), "configuration.historyLength", "negative"},
		{wire.OpSendMessage, configured(`{"historyLength":1.5}`), "configuration.historyLength", "whole"},
		{wire.OpSendMessage, configured(`{"historyLength":1e400}`), "configuration.historyLength", "2147483647"},
		{wire.OpSendMessage, configured(`{"historyLength":"3"}`), "configuration.historyLength", "a whole number"},
		{wire.OpSendMessage, configured(`{"acceptedOutputModes":"text"}`), "configuration.acceptedOutputModes",
			"an array"},
		{wire.OpSendMessage, configured(`{"pushNotificationConfig":{"url":"ftp://x"}}`),
			"configuration.pushNotificationConfig.url", "http"},
		{wire.OpSendMessage,
			configured(`{"pushNotificationConfig":{"url":"http://x"},"pushNotification":{"url":"http://x"}}`),
			"configuration.pushNotification", "beside pushNotificationConfig"},
		{wire.OpSendMessage,
			configured(`{"pushNotificationConfig":{"url":"http://x","authentication":{"credentials":"c"}}}`),
			"configuration.pushNotificationConfig.authentication.schemes", "required"},
		{wire.OpSendMessage,
			configured(`{"pushNotificationConfig":{"url":"http://x","authentication":{"schemes":[""]}}}`),
			"configuration.pushNotificationConfig.authentication.schemes[0]", "required"},
		{wire.OpGetTask, `{}`, "id", "required"},
		{wire.OpGetTask, `{"id":7}`, "id", "a string"},
		{wire.OpCancelTask, `{}`, "id", "required"},
		{wire.OpSubscribe, `{"id":"a","id":"b"}`, "id", "twice"},
		{wire.OpListTasks, `{"pageSize":101}`, "pageSize", "1 to 100"},
		{wire.OpListTasks, `{"pageSize":0}`, "pageSize", "1 to 100"},
		{wire.OpListTasks, `{"status":"done"}`, "status", `"done"`},
		{wire.OpListTasks, `{"status":"unknown"}`, "status", "unknown"},
		{wire.OpListTasks, `{"lastUpdatedAfter":"2025-10-28T10:30:00Z"}`, "lastUpdatedAfter", "a whole number"},
		{wire.OpListTasks, `{"historyLength":-2}`, "historyLength", "negative"},
		{wire.OpCreatePushConfig, `{"pushNotificationConfig":{"url":"http://x"}}`, "taskId", "required"},
		{wire.OpCreatePushConfig, `{"taskId":"t"}`, "pushNotificationConfig", "required"},
		{wire.OpCreatePushConfig, `{"taskId":"t","pushNotificationConfig":null}`, "pushNotificationConfig", "required"},
		{wire.OpCreatePushConfig, `{"taskId":"t","config":{}}`, "pushNotificationConfig.url", "required"},
		{wire.OpCreatePushConfig,
			`{"taskId":"t","config":{"url":"http://x"},"pushNotificationConfig":{"url":"http://x"}}`, "config",
			"beside pushNotificationConfig"},
		{wire.OpCreatePushConfig, `{"taskId":"t","pushNotificationConfig":{"url":"http://x","token":"a\nb"}}`,
			"pushNotificationConfig.token", "control"},
		{wire.OpGetPushConfig, `{"pushNotificationConfigId":"p"}`, "id", "required"},
		{wire.OpListPushConfigs, `{}`, "id", "required"},
		{wire.OpDeletePushConfig, `{"id":"t"}`, "pushNotificationConfigId", "required"},
	} {
		err := decodeAndValidate(test.op, []byte(test.text))
		e, ok := errors.AsType[*a2a.Error](err)
		if !ok || e.Kind != a2a.ErrInvalidParams || len(e.Violations) == 0 {
			t.Errorf("%s: %v", test.text, err)
			continue
		}
		if v := e.Violations[0]; v.Field != test.field || !strings.Contains(v.Description, test.why) {
			t.Errorf("%.200s: %q %q, want %q %q", test.text, v.Field, v.Description, test.field, test.why)
		}
	}
}

func nest(levels int) string {
	return strings.Repeat(`{"a":`, levels-1) + "{}" + strings.Repeat("}", levels-1)
}

// A list in a request is refused at the first element over its limit.
func TestListsOfRequestsAreBounded(t *testing.T) {
	t.Parallel()
	many := func(n int, element string) string {
		return "[" + strings.TrimSuffix(strings.Repeat(element+",", n), ",") + "]"
	}
	const form = `{"message":{"messageId":"m","role":"user","parts":%s,"extensions":%s,"referenceTaskIds":%s},` +
		`"configuration":{"acceptedOutputModes":%s}}`
	limits := []int{a2a.MaxParts, a2a.MaxNames, a2a.MaxNames, a2a.MaxNames}
	fields := []string{"message.parts", "message.extensions", "message.referenceTaskIds",
		"configuration.acceptedOutputModes"}
	for over := range 5 { // in the last round none is over its limit
		lists := make([]any, 4)
		for i := range lists {
			element := `"x"`
			if i == 0 {
				element = `{"text":"x"}`
			}
			n := limits[i]
			if i == over {
				n++
			}
			lists[i] = many(n, element)
		}
		err := decodeAndValidate(wire.OpSendMessage, fmt.Appendf(nil, form, lists...))
		switch e := a2a.AsError(err); {
		case over == 4 && err != nil:
			t.Error(err)
		case over < 4 && (e == nil || len(e.Violations) != 1 || e.Violations[0].Field != fields[over] ||
			!strings.Contains(e.Violations[0].Description, fmt.Sprint(limits[over]))):
			t.Errorf("%s: %v", fields[over], err)
		}
	}
}

// Broken JSON is a parse error, whatever the operation.
func TestBadJSON(t *testing.T) {
	t.Parallel()
	for _, text := range []string{`{`, `{"id":}`, `{} {}`, "{\"id\":\"\xff\"}", `{"id":"\ud800"}`, `]`} {
		if _, err := Dialect.DecodeRequest(wire.OpGetTask, []byte(text)); !errors.Is(err, a2a.ErrParse) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// Arguments that do not go together cause an error, not a panic or an empty answer.
func TestMismatches(t *testing.T) {
	t.Parallel()
	if _, err := Dialect.DecodeRequest(wire.OpNone, nil); err == nil {
		t.Error("a request of no operation")
	}
	if _, err := Dialect.DecodeResult(wire.OpStreamMessage, nil, []byte(`{}`)); err == nil {
		t.Error("a result of a stream")
	}
	if b, err := Dialect.AppendRequest([]byte("x"), wire.OpGetTask, 7); err == nil || string(b) != "x" {
		t.Errorf("a number as a request: %s, %v", b, err)
	}
	if b, err := Dialect.AppendResult([]byte("x"), wire.OpGetTask, nil, nil); err == nil || string(b) != "x" {
		t.Errorf("no task: %s, %v", b, err)
	}
}

// The encoder leaves out values that the form cannot carry, and writes the defaults that peers need.
func TestRequestsAsWritten(t *testing.T) {
	t.Parallel()
	message := &a2a.Message{ID: "m", Role: a2a.RoleUser, Parts: []a2a.Part{a2a.TextPart("x")}}
	const messageText = `{"kind":"message","messageId":"m","role":"user","parts":[{"kind":"text","text":"x"}]}`
	for _, test := range []struct {
		op      wire.Operation
		request any
		want    string
	}{
		{wire.OpSendMessage, &a2a.SendMessageRequest{Tenant: "acme", Message: message},
			`{"message":` + messageText + `}`},
		{wire.OpSendMessage, &a2a.SendMessageRequest{Message: message, Configuration: &a2a.SendConfiguration{}},
			`{"message":` + messageText + `,"configuration":{"acceptedOutputModes":[],"blocking":true}}`},
		{wire.OpStreamMessage, &a2a.SendMessageRequest{Message: message,
			Configuration: &a2a.SendConfiguration{ReturnImmediately: true, HistoryLength: new(0)}},
			`{"message":` + messageText +
				`,"configuration":{"acceptedOutputModes":[],"historyLength":0,"blocking":false}}`},
		{wire.OpGetTask, &a2a.GetTaskRequest{Tenant: "acme", ID: "t"}, `{"id":"t"}`},
		{wire.OpListTasks, &a2a.ListTasksRequest{}, `{}`},
		{wire.OpListPushConfigs, &a2a.ListPushConfigsRequest{TaskID: "t", PageSize: 3, PageToken: "n"}, `{"id":"t"}`},
		{wire.OpGetPushConfig, &a2a.GetPushConfigRequest{TaskID: "t", ID: "p"},
			`{"id":"t","pushNotificationConfigId":"p"}`},
		{wire.OpExtendedCard, &a2a.ExtendedCardRequest{Tenant: "acme"}, `{}`},
	} {
		got, err := Dialect.AppendRequest(nil, test.op, test.request)
		if err != nil || string(got) != test.want {
			t.Errorf("%v: %v\n got %s\nwant %s", test.op, err, got, test.want)
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
