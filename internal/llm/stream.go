// SPDX-License-Identifier: Apache-2.0

package llm

import (
	"context"
	"errors"
	"io"
	"iter"
	"sync/atomic"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/dragoman-a2a/dragoman/internal/binding/sse"
)

// Stream sends a request and yields the answer as it comes. A server that refuses the schema gets it in words instead.
func (c *client) Stream(ctx context.Context, r *Request) iter.Seq2[Delta, error] {
	return func(yield func(Delta, error) bool) {
		reply, err := c.request(ctx, r)
		if err != nil {
			yield(Delta{}, err)
			return
		}
		defer reply.close()
		c.deltas(reply, yield)
	}
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
	return c.learn(ctx, r, known)
}

// learn tries the schema in words and remembers that this is what the server takes.
func (c *client) learn(ctx context.Context, r *Request, known *atomic.Bool) (*reply, error) {
	reply, err := c.requestIn(ctx, r, true)
	if err == nil {
		known.Store(true)
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

// deltas yields what an answer says, also when the server answers at once instead of streaming.
func (c *client) deltas(r *reply, yield func(Delta, error) bool) {
	var d decoder
	if r.mediaType() == "application/json" {
		body, err := io.ReadAll(r.body)
		if err == nil {
			_, err = c.event(&d, body, yield)
		}
		if err != nil {
			yield(Delta{}, err)
		}
		return
	}
	events := sse.NewReader(r.body, maxAnswer)
	for {
		e, err := events.Next()
		if err != nil {
			c.end(&d, err, yield)
			return
		}
		if string(e.Data) == "[DONE]" {
			return
		}
		more, err := c.event(&d, e.Data, yield)
		if err != nil {
			yield(Delta{}, err)
		}
		if err != nil || !more {
			return
		}
	}
}

// event yields the deltas of one event, and says whether more are wanted.
func (c *client) event(d *decoder, event []byte, yield func(Delta, error) bool) (more bool, err error) {
	deltas, said, err := d.decode(event)
	if err != nil {
		return false, err
	}
	if said != nil {
		return false, c.complain(0, complaintOf(jsontext.Value(said)), nil)
	}
	for _, delta := range deltas {
		if !yield(delta, nil) {
			return false, nil
		}
	}
	return true, nil
}

// end looks at how a stream ended that did not say it was done. Without a reason to finish it was cut.
func (c *client) end(d *decoder, err error, yield func(Delta, error) bool) {
	switch {
	case d.finished && (err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, ErrUnavailable)):
		// all but the count of tokens has come
	case err == io.EOF, errors.Is(err, io.ErrUnexpectedEOF):
		yield(Delta{}, &Error{Kind: ErrUnavailable, Message: "the answer was cut"})
	case isTooLarge(err):
		yield(Delta{}, &Error{Kind: ErrBadOutput, Err: err})
	default:
		yield(Delta{}, err)
	}
}

func isTooLarge(err error) bool {
	_, ok := errors.AsType[*sse.TooLargeError](err)
	return ok
}
