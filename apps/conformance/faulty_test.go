// SPDX-License-Identifier: Apache-2.0

package conformance_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"
)

type object = map[string]any

// A faulty wire stands between the checks and an agent that does everything right, and plants a fault.
type faulty struct {
	// changes a request before the agent sees it; body may be nil
	request func(op string, r *http.Request, body object)
	answer  func(op string, answer *http.Response, body object) // changes an answer before the checks see it
	// changes the n-th event of a stream, or leaves it out
	event func(op string, n int, event object, emit func(object))

	mu sync.Mutex // requests and answers are changed one at a time
}

// plant calls what changes a request or an answer.
func (f *faulty) plant(change func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change()
}

func (f *faulty) RoundTrip(r *http.Request) (*http.Response, error) {
	data, _ := io.ReadAll(r.Body)
	var body object
	op := r.Method + " " + r.URL.Path
	if json.Unmarshal(data, &body) == nil && body["method"] != nil {
		op, _ = body["method"].(string)
	}
	r = r.Clone(r.Context())
	if f.request != nil {
		f.plant(func() { f.request(op, r, body) })
		if body != nil {
			data, _ = json.Marshal(body)
		}
	}
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(data)), int64(len(data))
	answer, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	if strings.HasPrefix(answer.Header.Get("Content-Type"), "text/event-stream") {
		answer.Body = f.stream(op, answer.Body)
	} else {
		f.single(op, answer)
	}
	if f.answer != nil && strings.HasPrefix(answer.Header.Get("Content-Type"), "text/event-stream") {
		f.plant(func() { f.answer(op, answer, nil) })
	}
	return answer, nil
}

// single changes an answer that is no stream.
func (f *faulty) single(op string, answer *http.Response) {
	data, _ := io.ReadAll(answer.Body)
	answer.Body.Close()
	var body object
	if f.answer != nil && json.Unmarshal(data, &body) == nil {
		f.plant(func() { f.answer(op, answer, body) })
		data, _ = json.Marshal(body)
	}
	answer.ContentLength = int64(len(data))
	answer.Body = io.NopCloser(bytes.NewReader(data))
}

// stream changes the events of a stream as they come.
func (f *faulty) stream(op string, from io.ReadCloser) io.ReadCloser {
	if f.event == nil {
		return from
	}
	out, in := io.Pipe()
	emit := func(event object) {
		data, _ := json.Marshal(event)
		io.WriteString(in, "data: "+string(data)+"\n\n")
	}
	go func() {
		lines, n := bufio.NewScanner(from), 0
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			data, ok := strings.CutPrefix(lines.Text(), "data:")
			var event object
			if ok && json.Unmarshal([]byte(data), &event) == nil {
				f.event(op, n, event, emit)
				n++
			}
		}
		in.CloseWithError(lines.Err())
	}()
	return closer{out, from}
}

// closer closes both ends of a stream.
type closer struct {
	io.ReadCloser
	from io.Closer
}

func (c closer) Close() error {
	c.from.Close()
	return c.ReadCloser.Close()
}

// in returns a member of a member, or nil.
func in(o object, path ...string) object {
	for _, name := range path {
		o, _ = o[name].(object)
	}
	return o
}
