// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
)

// maxAnswer is how much of an answer is read.
const maxAnswer = 8 << 20

// maxShown is how much is shown of a request and of an answer.
const maxShown = 1200

// A wire makes HTTP requests and remembers what was said.
type wire struct {
	client  *http.Client
	timeout time.Duration
	header  http.Header // credentials
	secrets *strings.Replacer
}

func newWire(o *Options) *wire {
	var pairs []string
	for _, values := range o.Header {
		for _, value := range values {
			for _, secret := range append([]string{value}, strings.Fields(value)...) {
				// shorter ones would hide half of each text
				if len(secret) > 6 && !strings.EqualFold(secret, "bearer") {
					pairs = append(pairs, secret, "***")
				}
			}
		}
	}
	return &wire{client: o.HTTPClient, timeout: o.Timeout, header: o.Header, secrets: strings.NewReplacer(pairs...)}
}

type exchange struct {
	method, url string
	header      http.Header // of the request, without credentials
	body        []byte

	status   int
	answered http.Header
	answer   []byte // of a stream, what was read of it
	secrets  *strings.Replacer
}

// do makes a request and reads the answer. The error says why there is none.
func (w *wire) do(ctx context.Context, method, url string, header http.Header, body []byte) (*exchange, error) {
	ctx, cancel := context.WithTimeout(ctx, w.timeout)
	defer cancel()
	ex, answer, err := w.open(ctx, method, url, header, body)
	if err != nil {
		return nil, err
	}
	defer answer.Close()
	if ex.answer, err = io.ReadAll(io.LimitReader(answer, maxAnswer)); err != nil {
		return nil, fmt.Errorf("read the answer: %w", err)
	}
	return ex, nil
}

// open makes a request and leaves reading the answer to the caller, who closes it.
func (w *wire) open(ctx context.Context, method, url string, header http.Header, body []byte) (*exchange, io.ReadCloser,
	error) {
	r, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(body))
	if err != nil {
		return nil, nil, err
	}
	maps.Copy(r.Header, w.header)
	maps.Copy(r.Header, header)
	answer, err := w.client.Do(r)
	if err != nil {
		return nil, nil, err
	}
	ex := &exchange{
		method: method, url: r.URL.Redacted(), header: header, body: body,
		status: answer.StatusCode, answered: answer.Header, secrets: w.secrets,
	}
	return ex, answer.Body, nil
}

// mediaType is that of the answer, without parameters.
func (ex *exchange) mediaType() string {
	mediaType, _, _ := strings.Cut(ex.answered.Get("Content-Type"), ";")
	return strings.ToLower(strings.TrimSpace(mediaType))
}

func (ex *exchange) sent() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s", ex.method, ex.url)
	for _, name := range slices.Sorted(maps.Keys(ex.header)) {
		fmt.Fprintf(&b, " | %s: %s", strings.Replace(name, "A2a-", "A2A-", 1), strings.Join(ex.header[name], ", "))
	}
	if len(ex.body) > 0 {
		b.WriteString(" | " + shorten(ex.body, maxShown))
	}
	return ex.secrets.Replace(b.String())
}

func (ex *exchange) received() string {
	return ex.secrets.Replace(fmt.Sprintf("HTTP %d | Content-Type: %s | %s", ex.status, ex.answered.Get("Content-Type"),
		shorten(ex.answer, maxShown)))
}

// shorten makes one short line of a text.
func shorten(text []byte, n int) string {
	line := strings.Join(strings.Fields(strings.ToValidUTF8(string(text), "\uFFFD")), " ")
	if len(line) <= n {
		return line
	}
	return strings.ToValidUTF8(line[:n], "") + "..."
}

// An object is one of JSON.
type object = map[string]any

// decode reads JSON by the letter: one value, no name twice, good UTF-8. The problem is empty when it is that.
func decode(data []byte) (value any, problem string) {
	if err := json.Unmarshal(data, &value); err != nil {
		return nil, "no valid JSON: " + err.Error()
	}
	return value, ""
}

func encode(value any) []byte {
	data, err := json.Marshal(value, json.Deterministic(true))
	if err != nil {
		panic(err) // of objects and strings that checks are made of
	}
	return data
}

func asObject(value any) object {
	o, _ := value.(object)
	return o
}

// at returns a member of a member, or nil.
func at(o object, path ...string) any {
	var value any = o
	for _, name := range path {
		value = asObject(value)[name]
	}
	return value
}

// text returns a member that is a string, or "".
func text(o object, path ...string) string {
	s, _ := at(o, path...).(string)
	return s
}

// list returns the objects in a member that is an array.
func list(o object, path ...string) []object {
	values, _ := at(o, path...).([]any)
	var objects []object
	for _, v := range values {
		objects = append(objects, asObject(v))
	}
	return objects
}
