// SPDX-License-Identifier: Apache-2.0

package llm

import (
	"context"
	"errors"
	"io"
	"strings"

	"github.com/dragoman-a2a/dragoman/internal/binding/sse"
)

// Ask sends a request and reads the answer. A server that refuses the schema gets it in words instead.
func (c *client) Ask(ctx context.Context, r *Request, listen func(text string)) (*Response, error) {
	a := &answer{listen: listen}
	err := c.ask(ctx, r, a)
	if err == nil {
		err = a.refused()
	}
	return a.response(), err
}

// ask reads an answer, also when the server answers at once instead of streaming.
func (c *client) ask(ctx context.Context, r *Request, a *answer) error {
	reply, err := c.request(ctx, r)
	if err != nil {
		return err
	}
	defer reply.close()
	if strings.HasPrefix(reply.Header.Get("Content-Type"), "application/json") {
		body, err := io.ReadAll(reply.body)
		if err != nil {
			return err
		}
		return c.event(a, body)
	}
	events := sse.NewReader(reply.body, maxAnswer)
	for {
		e, err := events.Next()
		if err != nil {
			return cutBy(err, a.finish != "")
		}
		if string(e.Data) == "[DONE]" {
			return nil
		}
		if err := c.event(a, e.Data); err != nil {
			return err
		}
	}
}

// event adds one event to the answer.
func (c *client) event(a *answer, event []byte) error {
	complaint, err := a.add(event)
	if complaint != nil {
		return c.complain(0, complaintOf(complaint), nil)
	}
	return err
}

// cutBy is the error of a stream that ended without saying that it was done. If it had given a reason to finish, all
// but the count of tokens has come.
func cutBy(err error, finished bool) error {
	_, tooLarge := errors.AsType[*sse.TooLargeError](err)
	switch cut := err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF); {
	case finished && (cut || errors.Is(err, ErrUnavailable)):
		return nil
	case cut:
		return &Error{Kind: ErrUnavailable, Message: "the answer was cut"}
	case tooLarge:
		return &Error{Kind: ErrBadOutput, Err: err}
	}
	return err
}

// request sends a request, in the form that the server takes.
func (c *client) request(ctx context.Context, r *Request) (*reply, error) {
	known := &c.inWords
	if len(r.Tools) > 0 {
		known = &c.inWordsWithTools
	}
	if len(r.Schema) == 0 || c.facts.ignores || known.Load() {
		return c.requestIn(ctx, r, true)
	}
	reply, err := c.requestIn(ctx, r, false)
	if !errors.Is(err, ErrBadRequest) {
		return reply, err
	}
	reply, err = c.requestIn(ctx, r, true)
	if err == nil {
		known.Store(true) // in words is what the server takes
	}
	return reply, err
}

func (c *client) requestIn(ctx context.Context, r *Request, inWords bool) (*reply, error) {
	body, err := c.encode(r, inWords)
	if err != nil {
		return nil, err
	}
	return c.post(ctx, c.base+"/chat/completions", "application/json", body)
}
