// SPDX-License-Identifier: Apache-2.0

package a2a

import (
	"bytes"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
)

// Unmarshal refuses each of these inputs with the right kind of error, and the error names the place.
func TestUnmarshalRefuses(t *testing.T) {
	t.Parallel()
	message := func(inner string) string { return `{"message":` + inner + `}` }
	part := func(inner string) string { return message(`{"parts":[{"text":"a"},` + inner + `]}`) }
	for _, test := range []struct {
		name, input string
		kind        Kind
		field       string // of the one violation; "" means that the error is about the whole
		says        string // part of the public message
	}{
		// Not strict JSON.
		{"empty", ``, ErrParse, "", "empty"},
		{"blank", " \n", ErrParse, "", "empty"},
		{"cut off", `{"message":{"messageId":"a`, ErrParse, "message.messageId", "EOF"},
		{"not JSON", `hello`, ErrParse, "", "invalid character"},
		{"trailing garbage", `{} x`, ErrParse, "", "x"},
		{"second value", `{} {}`, ErrParse, "", "more follows"},
		{"trailing comma", `{"tenant":"a",}`, ErrParse, "", "invalid character"},
		{"single quotes", `{'tenant':'a'}`, ErrParse, "", "invalid character"},
		{"comment", `{/* */}`, ErrParse, "", "invalid character"},
		{"byte order mark", "\xef\xbb\xbf{}", ErrParse, "", "invalid character"},
		{"NaN", part(`{"data":NaN}`), ErrParse, "message.parts[1].data", "invalid character"},
		{"raw line break in a string", "{\"tenant\":\"a\nb\"}", ErrParse, "tenant", "invalid character"},
		{"bad escape", `{"tenant":"\x"}`, ErrParse, "tenant", "escape"},
		{"duplicate key", message(`{"messageId":"a","messageId":"b"}`), ErrParse, "message.messageId", "twice"},
		{"duplicate key, escaped", message(`{"messageId":"a","message\u0049d":"b"}`), ErrParse, "message.messageId",
			"twice"},
		{"duplicate unknown key", `{"new":1,"new":2}`, ErrParse, "new", "twice"},
		{"duplicate key inside the unknown", `{"new":{"a":[{"b":1,"b":2}]}}`, ErrParse, "new.a[0].b", "twice"},
		{"duplicate key in metadata", message(`{"metadata":{"a":1,"a":2}}`), ErrParse, "message.metadata.a", "twice"},
		{"duplicate key in data", part(`{"data":{"a":{"b":1,"b":2}}}`), ErrParse, "message.parts[1].data.a.b", "twice"},
		{"both spellings", message(`{"messageId":"a","message_id":"b"}`), ErrParse, "message.message_id", "twice"},
		{"both spellings, other order", message(`{"message_id":"a","messageId":"b"}`), ErrParse, "message.messageId",
			"twice"},
		{"both spellings, one null", message(`{"message_id":null,"messageId":"b"}`), ErrParse, "message.messageId",
			"twice"},
		{"bad UTF-8", message("{\"messageId\":\"a\xffb\"}"), ErrParse, "message.messageId", "UTF-8"},
		{"bad UTF-8 in a key", message("{\"a\xffb\":1}"), ErrParse, "message", "UTF-8"},
		{"bad UTF-8 in data", part("{\"data\":[\"\xff\"]}"), ErrParse, "message.parts[1].data[0]", "UTF-8"},
		{"encoded surrogate", message("{\"messageId\":\"\xed\xa0\x80\"}"), ErrParse, "message.messageId", "UTF-8"},
		{"lone surrogate", message(`{"messageId":"\ud800"}`), ErrParse, "message.messageId", "surrogate"},
		{"data too deep", part(`{"data":` + nested(101) + `}`), ErrParse, "message.parts[1].data", "100 levels"},
		{"unknown too deep", `{"new":` + nested(101) + `}`, ErrParse, "new", "100 levels"},
		{"metadata too deep", `{"metadata":{"a":` + nested(100) + `}}`, ErrParse, "metadata.a", "100 levels"},

		// JSON of the wrong shape.
		{"array", `[]`, ErrInvalidParams, "", "must be an object"},
		{"null", `null`, ErrInvalidParams, "", "must be an object"},
		{"message is a string", message(`"hi"`), ErrInvalidParams, "message", "must be an object"},
		{"parts is an object", message(`{"parts":{}}`), ErrInvalidParams, "message.parts", "must be an array"},
		{"null part", part(`null`), ErrInvalidParams, "message.parts[1]", "must be an object"},
		{"number as string", message(`{"messageId":5}`), ErrInvalidParams, "message.messageId", "must be a string"},
		{"null in a list", message(`{"extensions":["a",null]}`), ErrInvalidParams, "message.extensions[1]",
			"must be a string"},
		{"text is a number", part(`{"text":5}`), ErrInvalidParams, "message.parts[1].text", "must be a string"},
		{"two contents", part(`{"text":"a","raw":"YQ=="}`), ErrInvalidParams, "message.parts[1]", "both text and raw"},
		{"two contents, one empty", part(`{"url":"","data":null}`), ErrInvalidParams, "message.parts[1]",
			"both url and data"},
		{"no content", part(`{"mediaType":"text/plain"}`), ErrInvalidParams, "message.parts[1]",
			"one of text, raw, url, data"},
		{"content of 0.3", part(`{"kind":"file","file":{"uri":"x"}}`), ErrInvalidParams, "message.parts[1]",
			"one of text, raw, url, data"},
		{"unset content", part(`{"text":null}`), ErrInvalidParams, "message.parts[1]", "one of text, raw, url, data"},
		{"base64 alphabet", part(`{"raw":"a*=="}`), ErrInvalidParams, "message.parts[1].raw", "base64"},
		{"base64 of both alphabets", part(`{"raw":"+_+_"}`), ErrInvalidParams, "message.parts[1].raw", "base64"},
		{"base64 padded wrongly", part(`{"raw":"YQ="}`), ErrInvalidParams, "message.parts[1].raw", "base64"},
		{"base64 in lines", part(`{"raw":"YWJj\nYWJj"}`), ErrInvalidParams, "message.parts[1].raw", "base64"},
		{"metadata is an array", message(`{"metadata":[]}`), ErrInvalidParams, "message.metadata", "must be an object"},
		{"unknown role", message(`{"role":"user"}`), ErrInvalidParams, "message.role", `"user" is unknown`},
		{"role in small letters", message(`{"role":"role_user"}`), ErrInvalidParams, "message.role", "unknown"},
		{"unknown role number", message(`{"role":3}`), ErrInvalidParams, "message.role", "unknown"},
		{"negative role", message(`{"role":-1}`), ErrInvalidParams, "message.role", "unknown"},
		{"role is a list", message(`{"role":[]}`), ErrInvalidParams, "message.role", "name or a number"},
		{"broken number", `{"configuration":{"historyLength":1.5}}`, ErrInvalidParams, "configuration.historyLength",
			"whole number"},
		{"broken number as string", `{"configuration":{"historyLength":"ten"}}`, ErrInvalidParams,
			"configuration.historyLength", "whole number"},
		{"number with blanks", `{"configuration":{"historyLength":" 1"}}`, ErrInvalidParams,
			"configuration.historyLength", "whole number"},
		{"empty number", `{"configuration":{"historyLength":""}}`, ErrInvalidParams, "configuration.historyLength",
			"whole number"},
		{"33 bits", `{"configuration":{"historyLength":2147483648}}`, ErrInvalidParams, "configuration.historyLength",
			"32 bits"},
		{"huge number", `{"configuration":{"historyLength":1e400}}`, ErrInvalidParams, "configuration.historyLength",
			"32 bits"},
		{"number is true", `{"configuration":{"historyLength":true}}`, ErrInvalidParams, "configuration.historyLength",
			"whole number"},
		{"boolean as string", `{"configuration":{"returnImmediately":"true"}}`, ErrInvalidParams,
			"configuration.returnImmediately", "true or false"},
		{"boolean as number", `{"configuration":{"return_immediately":1}}`, ErrInvalidParams,
			"configuration.return_immediately", "true or false"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var r SendMessageRequest
			refused(t, Unmarshal([]byte(test.input), &r), test.kind, test.field, test.says)
		})
	}
}

func refused(t *testing.T, err error, kind Kind, field, says string) {
	t.Helper()
	e, ok := errors.AsType[*Error](err)
	if !ok || e.Kind != kind {
		t.Fatalf("got %v, want kind %v", err, kind)
	}
	if !strings.Contains(e.PublicMessage(), says) {
		t.Errorf("%q does not say %q", e.PublicMessage(), says)
	}
	got := ""
	if len(e.Violations) == 1 {
		got = e.Violations[0].Field
	}
	if got != field {
		t.Errorf("names field %q, want %q", got, field)
	}
}

func nested(levels int) string {
	return strings.Repeat("[", levels) + strings.Repeat("]", levels)
}

// A card of a later edition may have security schemes of types that this one does not know.
func TestNewerSecuritySchemes(t *testing.T) {
	t.Parallel()
	var card AgentCard
	err := json.Unmarshal([]byte(`{"name":"n","securitySchemes":{"new":{"banana":{}},"both":{"banana":{},
	"mtlsSecurityScheme":{}}},
		"securityRequirements":[{"schemes":{"new":{"list":["a"]}}}]}`), &card)
	if err != nil || len(card.SecuritySchemes) != 1 || card.SecuritySchemes["both"] == nil ||
		len(card.SecurityRequirements) != 1 {
		t.Errorf("%+v %v", card, err)
	}
	if err := json.Unmarshal([]byte(`{"name":"n","securitySchemes":{"new":{"banana":{}}}}`), &card); err != nil ||
		card.SecuritySchemes != nil {
		t.Errorf("%+v %v", card, err)
	}
}

// The sums of the protocol hold exactly one of their members.
func TestSumsHoldExactlyOne(t *testing.T) {
	t.Parallel()
	flows := func(inner string) string {
		return `{"securitySchemes":{"a.b":{"oauth2SecurityScheme":{"flows":` + inner + `}}}}`
	}
	for _, test := range []struct {
		into               codec
		input, field, says string
	}{
		{new(StreamResponse), `{}`, "", "one of task, message, statusUpdate, artifactUpdate"},
		{new(StreamResponse), `{"task":null}`, "", "one of task"},
		{new(StreamResponse), `{"task":{},"message":{}}`, "", "both task and message"},
		{new(StreamResponse), `{"statusUpdate":{"status":{"state":99}}}`, "statusUpdate.status.state", "unknown"},
		{new(SendResponse), `{"statusUpdate":{}}`, "", "one of task, message"},
		{new(SendResponse), `{"message":{},"task":{}}`, "", "both message and task"},
		{new(AgentCard), `{"securitySchemes":{"x":{}}}`, "securitySchemes.x", "one of apiKeySecurityScheme"},
		{new(AgentCard), `{"securitySchemes":{"x":null}}`, "securitySchemes.x", "must be an object"},
		{new(AgentCard), `{"securitySchemes":{"7":{"mtlsSecurityScheme":{},"httpAuthSecurityScheme":{}}}}`,
			"securitySchemes.7", "both mtlsSecurityScheme and httpAuthSecurityScheme"},
		{new(AgentCard), flows(`{}`), "securitySchemes.a.b.oauth2SecurityScheme.flows", "one of authorizationCode"},
		{new(AgentCard), flows(`{"password":{},"device_code":{}}`), "securitySchemes.a.b.oauth2SecurityScheme.flows",
			"both password and deviceCode"},
		{new(AgentCard), flows(`{"password":{"scopes":{"a":null}}}`),
			"securitySchemes.a.b.oauth2SecurityScheme.flows.password.scopes.a", "must be a string"},
		{new(AgentCard), `{"securityRequirements":[{"schemes":{"a":["x"]}}]}`, "securityRequirements[0].schemes.a",
			"must be an object"},
		{new(AgentCard), `{"skills":[{},{"tags":"x"}]}`, "skills[1].tags", "must be an array"},
	} {
		refused(t, Unmarshal([]byte(test.input), test.into), ErrInvalidParams, test.field, test.says)
	}
	if event, err := DecodeStreamResponse([]byte(`{"task":null,"status_update":{"task_id":"t"}}`)); err != nil ||
		event.(*StatusUpdate).TaskID != "t" {
		t.Errorf("got %v, %v", event, err)
	}
	if result, err := DecodeSendResponse([]byte(`{"message":{"messageId":"m"}}`)); err != nil ||
		result.(*Message).ID != "m" {
		t.Errorf("got %v, %v", result, err)
	}
	if event, err := DecodeStreamResponse([]byte(`{}`)); err == nil || event != nil {
		t.Errorf("got %v, %v", event, err)
	}
	if result, err := DecodeSendResponse([]byte(`{}`)); err == nil || result != nil {
		t.Errorf("got %v, %v", result, err)
	}
}

// Every member of every type is read in snake_case too.
func TestBothSpellings(t *testing.T) {
	t.Parallel()
	for _, e := range examples() {
		camel, err := e.value.AppendJSON(nil)
		if err != nil {
			t.Fatal(err)
		}
		snake := snakeNames(t, camel, e.members)
		got := reflect.New(reflect.TypeOf(e.value).Elem()).Interface().(codec)
		if err := Unmarshal(snake, got); err != nil {
			t.Errorf("%s: %v\n%s", e.schema, err, snake)
		}
		if diff := cmp.Diff(e.value, got, canonical); diff != "" {
			t.Errorf("%s: -sent +decoded\n%s", e.schema, diff)
		}
	}
}

// snakeNames writes the names of the outer object's members in snake_case.
func snakeNames(t *testing.T, object jsontext.Value, members []string) []byte {
	t.Helper()
	var values map[string]jsontext.Value
	if err := json.Unmarshal(object, &values); err != nil {
		t.Fatal(err)
	}
	renamed := make(map[string]jsontext.Value)
	for _, name := range members {
		var snake strings.Builder
		for _, c := range name {
			if 'A' <= c && c <= 'Z' {
				snake.WriteByte('_')
				c += 'a' - 'A'
			}
			snake.WriteRune(c)
		}
		if value, ok := values[name]; ok {
			renamed[snake.String()] = value
		}
	}
	out, err := json.Marshal(renamed, jsontext.PreserveRawStrings(true))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// A name in neither spelling is an unknown member, whatever it looks like.
func TestOtherSpellingsAreUnknown(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"MessageId", "messageid", "message__id", "_messageId", "messageId_", "message_Id",
		"message_", "_", "", "MESSAGE_ID", "message-id", "message_\\u0049d"} {
		var m Message
		if err := Unmarshal([]byte(`{"`+name+`":"x","role":"ROLE_USER"}`), &m); err != nil || m.ID != "" ||
			m.Role != RoleUser {
			t.Errorf("%q: %+v, %v", name, m, err)
		}
	}
	var m Message
	if err := Unmarshal([]byte(`{"message\u005fid":"x","r\u006fle":2}`), &m); err != nil || m.ID != "x" ||
		m.Role != RoleAgent {
		t.Errorf("escaped names: %+v, %v", m, err)
	}
}

func TestUnmarshalAccepts(t *testing.T) {
	t.Parallel()
	accepts(t, `{"tenant":null,"message":null,"configuration":null,"metadata":null,"future":{"a":[1,{"b":"}]"}]}}`,
		&SendMessageRequest{})
	accepts(t, `{"message":{"parts":[],"metadata":{},"extensions":null,"role":null}}`,
		&SendMessageRequest{Message: &Message{Metadata: Metadata{}}})
	accepts(t, "\t{ \"historyLength\" : \"7\" }\r\n", &GetTaskRequest{HistoryLength: ptr(7)})
	for _, seven := range []string{`7`, `7.0`, `7e0`, `0.7E1`, `70e-1`, `"7"`, `"7.00"`, `"70E-1"`,
		`700000000000000000000000e-23`} {
		accepts(t, `{"history_length":`+seven+`}`, &GetTaskRequest{HistoryLength: ptr(7)})
	}
	for text, n := range map[string]int{`0`: 0, `-0`: 0, `0e999999999`: 0, `0.000e-5`: 0, `-2147483648`: -2147483648,
		`2147483647`: 2147483647, `2.147483647e9`: 2147483647} {
		accepts(t, `{"historyLength":`+text+`}`, &GetTaskRequest{HistoryLength: ptr(n)})
	}
	for _, role := range []string{`"ROLE_AGENT"`, `2`, `"2"`, `2.0`} {
		accepts(t, `{"role":`+role+`}`, &Message{Role: RoleAgent})
	}
	for _, raw := range []string{"+/8=", "+/8", "-_8=", "-_8", `\u002b\/8=`} {
		accepts(t, `{"raw":"`+raw+`"}`, &Part{Content: Raw{0xfb, 0xff}})
	}
	accepts(t, `{"raw":""}`, &Part{Content: Raw{}})
	accepts(t, `{"text":""}`, &Part{Content: Text("")})
	accepts(t, `{"text":"a\u2028\ud83d\ude00\u0000"}`, &Part{Content: Text("a\u2028\U0001F600\x00")})
	accepts(t, `{"data":null,"mediaType":null}`, &Part{Content: Data("null")})
	accepts(t, `{"data":{ "b":1e400,"a":[12345678901234567890,1.0,-0.0] }}`,
		&Part{Content: Data(`{ "b":1e400,"a":[12345678901234567890,1.0,-0.0] }`)})
	accepts(t, `{"params":{"a":null}}`, &AgentExtension{Params: Metadata{"a": jsontext.Value("null")}})
	accepts(t, `{"documentationUrl":"","iconUrl":null,"capabilities":{"streaming":false}}`,
		&AgentCard{DocumentationURL: ptr(""), Capabilities: AgentCapabilities{Streaming: ptr(false)}})
	accepts(t, `{"data":`+nested(100)+`}`, &Part{Content: Data(nested(100))})
	accepts(t, `{"text":"","x":`+nested(100)+`,"metadata":{"a":`+nested(99)+`}}`,
		&Part{Content: Text(""), Metadata: Metadata{"a": jsontext.Value(nested(99))}})
	accepts(t, `{"data":"]]]{{{\"\\"}`, &Part{Content: Data(`"]]]{{{\"\\"`)})
	accepts(t, `{"data":["\\",{"\"[[":0}]}`, &Part{Content: Data(`["\\",{"\"[[":0}]`)})
}

func accepts(t *testing.T, input string, want codec) {
	t.Helper()
	got := reflect.New(reflect.TypeOf(want).Elem()).Interface().(codec)
	if err := Unmarshal([]byte(input), got); err != nil {
		t.Errorf("%s: %v", input, err)
		return
	}
	if diff := cmp.Diff(want, got, canonical); diff != "" {
		t.Errorf("%s: -want +got\n%s", input, diff)
	}
}

func TestTimestamps(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"2025-10-28T10:30:00Z":                "2025-10-28T10:30:00.000Z",
		"2025-10-28T10:30:00.1Z":              "2025-10-28T10:30:00.100Z",
		"2025-10-28T10:30:00.123999999Z":      "2025-10-28T10:30:00.123Z", // cut off, not rounded
		"2025-10-28T12:30:00.5+02:00":         "2025-10-28T10:30:00.500Z",
		"2024-02-29T23:59:59.999-12:00":       "2024-03-01T11:59:59.999Z",
		"9999-12-31T23:59:59Z":                "9999-12-31T23:59:59.000Z",
		"0001-01-01T00:00:01Z":                "0001-01-01T00:00:01.000Z",
		"2025-10-28T10:30:00,1Z":              "",
		"2025-10-28 10:30:00Z":                "",
		"2025-10-28T10:30:00":                 "2025-10-28T10:30:00.000Z", // fasta2a writes no zone
		"2026-11-22T19:45:52.561672":          "2026-11-22T19:45:52.561Z",
		"2025-10-28":                          "",
		"2025-02-29T10:30:00Z":                "",
		"2025-10-28T1:30:00Z":                 "",
		"2025-10-28T10:30:00+24:00":           "",
		"9999-12-31T23:59:59-01:00":           "",
		"0001-01-01T00:00:00+01:00":           "",
		"0000-01-01T00:00:00Z":                "",
		"":                                    "",
		"1761647400":                          "",
		"2025-10-28T10:30:00Z; and something": "",
	} {
		var s TaskStatus
		err := Unmarshal([]byte(`{"timestamp":"`+text+`"}`), &s)
		if want == "" {
			if !errors.Is(err, ErrInvalidParams) {
				t.Errorf("%s: got %v, %v", text, s.Timestamp, err)
				continue
			}
			refused(t, err, ErrInvalidParams, "timestamp", "RFC 3339")
			continue
		}
		got, encodeErr := s.AppendJSON(nil)
		if err != nil || encodeErr != nil || !strings.Contains(string(got), `"timestamp":"`+want+`"`) {
			t.Errorf("%s: got %s, %v, %v, want %s", text, got, err, encodeErr, want)
		}
		if s.Timestamp.Location() != time.UTC {
			t.Errorf("%s is in %v", text, s.Timestamp.Location())
		}
	}
}

// A decoded value does not change with the buffer it came from, and the previous contents of the value are gone.
func TestUnmarshalSharesNothing(t *testing.T) {
	t.Parallel()
	want := exampleSendRequest()
	data, err := want.AppendJSON(nil)
	if err != nil {
		t.Fatal(err)
	}
	got := &SendMessageRequest{Tenant: "old", IdempotencyKey: "old"}
	if err := Unmarshal(data, got); err != nil {
		t.Fatal(err)
	}
	for i := range data {
		data[i] = 'x'
	}
	if diff := cmp.Diff(want, got, canonical); diff != "" {
		t.Errorf("-sent +decoded\n%s", diff)
	}
}

// Within a larger document, fields are named from where our type starts.
func TestFieldsAreNamedFromTheirOwnStart(t *testing.T) {
	t.Parallel()
	for input, field := range map[string]string{
		`[{"params":{"parts":[{"text":1}]}}]`:                "parts[0].text",
		`[{"params":{"parts":[{"data":{"a":1,"a":1}}]}}]`:    "parts[0].data.a",
		`[{"params":{"parts":[{"text":"a"}]}},{"params":1}]`: "",
	} {
		var envelopes []struct {
			Params Message `json:"params"`
		}
		err := json.Unmarshal([]byte(input), &envelopes)
		e, ok := errors.AsType[*Error](err)
		if !ok {
			t.Fatalf("%s: %v", input, err)
		}
		if field != "" && e.Violations[0].Field != field {
			t.Errorf("%s: names %q, want %q", input, e.Violations[0].Field, field)
		}
	}
}

// An error of the reader below is not made one of JSON: a body over the limit is no bad JSON.
func TestReaderErrorsStay(t *testing.T) {
	t.Parallel()
	tooLarge := errors.New("too large")
	var m Message
	err := m.UnmarshalJSONFrom(jsontext.NewDecoder(
		io.MultiReader(strings.NewReader(`{"parts":[{"te`), iotest.ErrReader(tooLarge))))
	if !errors.Is(err, tooLarge) || errors.Is(err, ErrParse) {
		t.Errorf("got %v", err)
	}
}

func TestLongStrings(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("0123456789abcdef", 1<<16)
	for _, content := range []PartContent{Text(long), Text(long + "\u00e9\n"), Raw(long), URL(long),
		Data(`"` + long + `"`)} {
		part, got := Part{Content: content}, Part{}
		text, err := part.AppendJSON(nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := Unmarshal(text, &got); err != nil {
			t.Fatal(err)
		}
		if !cmp.Equal(part, got, canonical) {
			t.Errorf("%T of a megabyte came back otherwise", content)
		}
	}
}

// An error does not repeat without bounds what a peer sent.
func TestErrorsAreShort(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("\u00e9", 1<<16)
	for _, input := range []string{`{"role":"` + long + `"}`, `{"metadata":{"` + long + `":1,"` + long + `":2}}`,
		`{"metadata":{"` + long + `":` + nested(200) + `}}`} {
		err := Unmarshal([]byte(input), new(Message))
		if n := len(AsError(err).PublicMessage()); err == nil || n > 1000 {
			t.Errorf("the message has %d bytes", n)
		}
	}
}

func TestUnmarshalTwiceAtOnce(t *testing.T) {
	t.Parallel()
	data, _ := exampleTask().AppendJSON(nil)
	results := make(chan error)
	for range 8 {
		go func() {
			var got Task
			err := Unmarshal(data, &got)
			if again, _ := got.AppendJSON(nil); err == nil && !bytes.Equal(again, data) {
				err = errors.New("decoders share state")
			}
			results <- err
		}()
	}
	for range 8 {
		if err := <-results; err != nil {
			t.Error(err)
		}
	}
}

// Free-form values keep their text to the last space, so that what was signed or hashed stays the same.
func TestFreeFormKeepsItsText(t *testing.T) {
	t.Parallel()
	const value = `{ "b" :1.0,"a":[ 12345678901234567890,1e400 , "\u00e9\/" ] }`
	var p Part
	if err := Unmarshal([]byte(`{"data": `+value+` ,"metadata":{"m" : `+value+`}}`), &p); err != nil {
		t.Fatal(err)
	}
	if got := string(p.Content.(Data)); got != value {
		t.Errorf("data is %s", got)
	}
	if got := string(p.Metadata["m"]); got != value {
		t.Errorf("metadata is %s", got)
	}
	if got, err := p.AppendJSON(nil); err != nil || string(got) != `{"data":`+value+`,"metadata":{"m":`+value+`}}` {
		t.Errorf("got %s, %v", got, err)
	}
}

// Unmarshal refuses every truncated text, wherever the cut is.
func TestEveryCutIsRefused(t *testing.T) {
	t.Parallel()
	for _, e := range examples() {
		text, err := e.value.AppendJSON(nil)
		if err != nil {
			t.Fatal(err)
		}
		for n := range text {
			got := reflect.New(reflect.TypeOf(e.value).Elem()).Interface().(codec)
			if err := Unmarshal(text[:n], got); !errors.Is(err, ErrParse) {
				t.Fatalf("%s cut to %s: %v", e.schema, text[:n], err)
			}
		}
	}
}
