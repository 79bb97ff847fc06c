// SPDX-License-Identifier: Apache-2.0

package card_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/card"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// valid is a card with all that the standard requires.
const valid = `{
	"name": "Clock", "description": "Tells the time.", "version": "2.1",
	"supportedInterfaces": [{"url": "https://clock.example/rpc", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}],
	"capabilities": {}, "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"],
	"skills": [{"id": "now", "name": "Now", "description": "The time now.", "tags": ["time"]}]
}`

func TestDecode(t *testing.T) {
	t.Parallel()
	c, err := card.Decode([]byte(valid))
	if err != nil {
		t.Fatal(err)
	}
	want := a2a.AgentInterface{URL: "https://clock.example/rpc", Binding: "JSONRPC", ProtocolVersion: "1.0"}
	if c.Name != "Clock" || len(c.SupportedInterfaces) != 1 || c.SupportedInterfaces[0] != want {
		t.Errorf("got %+v", c)
	}
}

func TestDecodeReadsOlderCards(t *testing.T) {
	t.Parallel()
	for in, version := range map[string]string{
		`{"name":"x","url":"https://a.example","protocolVersion":"0.3.0"}`:                    "0.3",
		`{"name":"x","url":"https://a.example","protocolVersion":"0.2.5"}`:                    "0.2",
		`{"name":"x","url":"https://a.example","authentication":{"schemes":["Bearer"]}}`:      "0.1",
		`{"name":"x","url":"https://a.example","preferredTransport":"JSONRPC","security":[]}`: "0.2",
	} {
		c, err := card.Decode([]byte(in))
		if err != nil {
			t.Errorf("%s: %v", in, err)
			continue
		}
		want := a2a.AgentInterface{URL: "https://a.example", Binding: "JSONRPC", ProtocolVersion: version}
		if len(c.SupportedInterfaces) != 1 || c.SupportedInterfaces[0] != want {
			t.Errorf("%s: interfaces %v", in, c.SupportedInterfaces)
		}
	}
}

func TestDecodeSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		``:                           "not a JSON object",
		`<html>Welcome</html>`:       `begins with "<html>Welcome`,
		`[1]`:                        "not a JSON object",
		`{"name":"x"}`:               "names no interface",
		`{"supportedInterfaces":[]}`: "names no interface",
		`{"supportedInterfaces":[{"url":"https://a.example"}]}`: "supportedInterfaces[0] lacks",
		`{"name":"x","url":"","protocolVersion":"0.3.0"}`:       "names no interface",
		`{"name":"x","protocolVersion":"0.3.0"}`:                "names no interface",
		`{"name":"x","name":"y"}`:                               "name",
		valid + `{}`:                                            "",
	} {
		_, err := card.Decode([]byte(in))
		if err == nil || !contains(err.Error(), want) {
			t.Errorf("%.60s: error %v, want %q", in, err, want)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(valid))
	f.Add([]byte(`{"supportedInterfaces":[{"url":"u","protocolBinding":"b"}]}`))
	f.Add([]byte(`{"url":"https://a.example","protocolVersion":"0.3.0"}`))
	f.Add([]byte("\xff{"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		c, err := card.Decode(raw)
		if err == nil && len(c.SupportedInterfaces) == 0 {
			t.Error("a card without an interface was taken")
		}
	})
}
