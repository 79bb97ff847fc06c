// SPDX-License-Identifier: Apache-2.0

package recorder

import (
	"bytes"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const begin = `{"dragoman":"cassette","version":1}` + "\n"

// talk is a cassette of two exchanges, one of them a stream.
const talk = begin +
	`{"t":1,"n":1,"dir":"request","proto":"JSONRPC","method":"POST","path":"/","body":{"jsonrpc":"2.0",` +
	`"id":"${rpcNumber.1}","method":"SendMessage","params":{"message":{"messageId":"${message.1}","parts":[{"text":"Hello"}]}}}}
{"t":2,"n":1,"dir":"answer","status":200,"headers":{"Content-Type":"application/json"},"body":{"jsonrpc":"2.0",` +
	`"id":"${rpcNumber.1}","result":{"task":{"id":"${task.1}","contextId":"${context.1}",` +
	`"status":{"state":"TASK_STATE_COMPLETED","timestamp":"${time.1}"}}}}}
{"t":3,"n":2,"dir":"request","proto":"HTTP+JSON","method":"GET","path":"/tasks/${task.1}:subscribe",` +
	`"headers":{"Authorization":"[redacted]"}}
{"t":4,"n":2,"dir":"answer","status":200,"headers":{"Content-Type":"text/event-stream"}}
{"t":5,"n":2,"dir":"event","body":{"task":{"id":"${task.1}"}},"sse":{"id":"${event.1}"}}
{"t":6,"n":2,"dir":"event","text":"${base}/files costs $${5}","sse":{"id":"${event.2}","event":"note"}}
{"t":7,"n":2,"dir":"end"}
`

func read(t testing.TB, text string) *Cassette {
	t.Helper()
	c, err := Read(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestReadAndWrite(t *testing.T) {
	t.Parallel()
	c := read(t, talk)
	if len(c.Exchanges) != 2 || len(c.Lines) != 7 || c.Cut || len(c.Exchanges[1].Events) != 2 ||
		!c.Exchanges[1].IsStream() || c.Exchanges[1].left() {
		t.Errorf("got %+v", c)
	}
	if title := c.Exchanges[0].Request.Title(); title != "POST / SendMessage" {
		t.Errorf("title %q", title)
	}
	var b strings.Builder
	if err := c.Write(&b); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(talk, b.String()); diff != "" {
		t.Error(diff)
	}
}

// A recorder that is killed leaves half a line at most.
func TestReadWhatIsCut(t *testing.T) {
	t.Parallel()
	c := read(t, talk[:len(talk)-20])
	if !c.Cut || len(c.Lines) != 6 || !c.Exchanges[1].left() {
		t.Errorf("got %+v", c)
	}
}

func TestReadSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	request := `{"n":1,"dir":"request","method":"GET","path":"/"}` + "\n"
	for text, want := range map[string]string{
		"":                    ErrNone.Error(),
		"hello\n":             ErrNone.Error(),
		`{"name":"x"}` + "\n": ErrNone.Error(),
		`{"dragoman":"cassette","version":2}` + "\n": "version 2",
		begin + "hello\n": "line 2: ",
		begin + `{"n":1,"dir":"answer","status":200}` +
			"\n": "line 2: exchange 1 has no request before",
		begin + request + request: "line 3: exchange 1 has a request " +
			"already",
		begin + `{"n":0,"dir":"request","method":"GET","path":"/"}` + "\n":     "number above 0",
		begin + `{"n":1,"dir":"request","method":"GET","path":"http:"}` + "\n": "begins with /",
		begin + request + `{"n":1,"dir":"answer","status":42}` + "\n":          "status 42",
		begin + request + `{"n":1,"dir":"event"}` + "\n":                       "before its answer",
		begin + request + `{"n":1,"dir":"sideways"}` + "\n":                    `dir is "sideways"`,
		begin + request + strings.Repeat(`{"n":1,"dir":"end"}`+"\n", 2):        "has had its answer",
	} {
		if _, err := Read(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	if _, err := Read(strings.NewReader("")); !errors.Is(err, ErrNone) {
		t.Error(err)
	}
}

// A file of any content is refused, or it can be written, compared and played.
func FuzzRead(f *testing.F) {
	f.Add([]byte(talk))
	f.Add([]byte(begin))
	f.Add([]byte(begin +
		`{"n":1,"dir":"request","method":"GET","path":"/${task.1}?a=${base}","text":"$${x} ${rpc.1} ${rpcNumber.3}"}` +
		"\n"))
	f.Add([]byte(begin + `{"n":1,"dir":"request","method":"GET","path":"/"}` + "\n" +
		`{"n":1,"dir":"end","error":"no answer"}` + "\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		c, err := Read(bytes.NewReader(text))
		if err != nil {
			return
		}
		var b bytes.Buffer
		if err := c.Write(&b); err != nil {
			t.Fatal(err)
		}
		again, err := Read(&b)
		if err != nil {
			t.Fatalf("%v in %q", err, b.String())
		}
		if d := Diff(c, again); d != nil {
			t.Fatalf("a cassette differs from itself: %+v", d)
		}
		player := NewPlayer(c, "http://127.0.0.1:1", nil)
		values := newBinding("http://127.0.0.1:1")
		for _, e := range c.Exchanges {
			body, err := values.body(e.Request)
			req := &http.Request{Method: e.Request.Method, URL: httptest.NewRequest("GET", "/", nil).URL,
				Body: http.NoBody}
			if err == nil && len(body) > 0 {
				req = httptest.NewRequest("POST", "/", bytes.NewReader(body))
			}
			player.ServeHTTP(httptest.NewRecorder(), req)
		}
	})
}
