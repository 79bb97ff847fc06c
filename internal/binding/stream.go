// SPDX-License-Identifier: Apache-2.0

package binding

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/auth"
	"github.com/dragoman-a2a/dragoman/internal/binding/sse"
	"github.com/dragoman-a2a/dragoman/internal/telemetry"
	"github.com/dragoman-a2a/dragoman/internal/wire"
)

// writeChunk is how much is written under one deadline, so that a slow reader of something large is not taken for one
// that has stopped.
const writeChunk = 64 << 10

// eventRoom is as much as most events need, so that appending one finds its place in the batch.
const eventRoom = 1 << 10

// batchSize is how much of a stream is collected before it is written. A buffer grows by doubling, so one that had a
// batch in it still goes back to the pool.
const batchSize = keptBuffer / 2

// Frame puts payloads and errors into the form in which a binding streams them.
type Frame interface {
	// AppendEvent appends one server-sent event.
	AppendEvent(dst []byte, id string, payload []byte) []byte
	// AppendError appends the one server-sent event that tells why the stream ends.
	AppendError(dst []byte, e *a2a.Error) []byte
}

// Open runs an operation that answers with a stream. The error it returns was found before the stream opened. The
// caller must call end once it is done with the events.
func (c *Core) Open(x *Exchange, request any) (events wire.Events, end func(), e *a2a.Error) {
	if e := c.check(x, request); e != nil {
		return nil, nil, e
	}
	if sub, ok := request.(*a2a.SubscribeRequest); ok {
		sub.After = resumeAfter(x)
	}
	release, e := c.Streams.acquire(auth.Owner(x.identity))
	if e != nil {
		return nil, nil, e
	}
	// A reader that is cut must end the service's side too, also when nothing more is written.
	ctx, cancel := context.WithCancel(x.ctx)
	x.ctx = ctx
	opened, err := c.call(x, request)
	events, _ = opened.(wire.Events)
	x.room.release()
	if err != nil {
		cancel()
		release()
		return nil, nil, x.challenge(explain(x, err))
	}
	x.streams = true
	telemetry.OpenStreams.Add(x.ctx, 1)
	return events, func() { cancel(); release() }, nil
}

// Stream runs an operation that answers with a stream and writes it. The error it returns was found before the stream
// opened, so nothing is written yet and the binding answers it.
func (c *Core) Stream(x *Exchange, request any, frame Frame) *a2a.Error {
	events, end, e := c.Open(x, request)
	if e != nil {
		return e
	}
	defer end()
	w := c.openStream(x, end)
	defer w.close()
	w.frame, w.encoder = frame, x.Dialect.NewStreamEncoder(x.Operation, request)
	switch e := c.Range(x, events, w); {
	case e != nil:
		x.Err = e
		w.fail(e)
	case x.Cut == nil:
		w.flush()
	}
	return nil
}

// A Sink takes the events of a stream in the order in which they are written.
type Sink interface {
	// Send writes an event. done says that the stream is over by the rules of its generation.
	Send(ev a2a.StreamEvent) (done bool, err error)
	// End writes what is left to say once the service has ended the stream.
	End() error
	// Failed returns why nothing reaches the caller any more, nil while it does.
	Failed() error
}

// Range hands the events of a stream that [Core.Open] opened to a sink, until they end, fail, or cannot be written. It
// returns what the caller is to be told. If the caller is gone, Exchange.Cut has the reason and nobody is told.
func (c *Core) Range(x *Exchange, events wire.Events, sink Sink) *a2a.Error {
	first := true
	err := each(events, func(ev a2a.StreamEvent) error {
		noteResult(x, ev.Event)
		done, err := sink.Send(ev)
		if first {
			telemetry.FirstEvent.Since(x.ctx, x.began, x.Operation.String())
			first = false
		}
		if err == nil && done {
			return errDone
		}
		return err
	})
	if err == nil {
		err = sink.End()
	}
	switch {
	case err == nil, errors.Is(err, errDone):
	case sink.Failed() != nil:
		x.Cut = sink.Failed()
	case x.R.Context().Err() != nil && !shuttingDown(x):
		x.Cut = x.R.Context().Err()
	default:
		return explain(x, err)
	}
	return nil
}

// errDone ends a stream that is over by the rules of its generation before the service ends it.
var errDone = errors.New("done")

// each calls do for each event, until one of the two fails. A panic of the service is an error like others.
func each(events wire.Events, do func(a2a.StreamEvent) error) (err error) {
	defer guard(&err)
	for ev, err := range events {
		if err != nil {
			return err
		}
		if err := do(ev); err != nil {
			return err
		}
	}
	return nil
}

// A streamWriter writes one stream of server-sent events. Batches are written whole, and a buffer is held only while
// there is something in it: thousands of streams are open and silent at most times.
type streamWriter struct {
	http2    bool
	interval time.Duration
	timeout  time.Duration
	cancel   func()
	frame    Frame
	encoder  wire.StreamEncoder
	batch    *bytes.Buffer             // nil while empty; of the goroutine that pumps
	emit     func(id string, b []byte) // w.payload, made once

	mu      sync.Mutex // guards all below: the keep-alive timer writes too
	w       http.ResponseWriter
	control *http.ResponseController
	timer   *time.Timer
	written time.Time
	err     error // of the first write that failed; nothing is written after it
	closed  bool
	unwatch func() bool // forgets the probe; nil when there is none
}

// openStream writes status and headers at once: the caller learns that it was heard before the agent says anything.
func (c *Core) openStream(x *Exchange, cancel func()) *streamWriter {
	w := &streamWriter{
		http2: x.R.ProtoMajor > 1, interval: c.KeepAlive, timeout: c.WriteTimeout,
		cancel: cancel, w: x.W, control: x.control, written: time.Now(),
	}
	w.emit = w.payload
	h := x.W.Header()
	h.Set("Content-Type", sse.ContentType)
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no") // nginx would collect events otherwise
	x.Status = http.StatusOK
	x.W.WriteHeader(http.StatusOK)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.write()
	w.timer = time.AfterFunc(w.interval, w.keepAlive)
	if x.closed != nil {
		x.opened()
		w.unwatch = context.AfterFunc(x.closed, w.probe)
	}
	return w
}

// Send adds one event to the batch, and writes the batch unless another event is ready.
func (w *streamWriter) Send(ev a2a.StreamEvent) (done bool, err error) {
	done, err = w.encoder.Encode(ev, w.emit)
	if err != nil {
		return false, fmt.Errorf("encoding an event: %w", err)
	}
	if done || ev.More() && (w.batch == nil || w.batch.Len() < batchSize) {
		return done, nil
	}
	return false, w.flush()
}

// End adds what the encoder has left to say to the batch.
func (w *streamWriter) End() error {
	ender, ok := w.encoder.(wire.StreamEnder)
	if !ok {
		return nil
	}
	if err := ender.End(w.emit); err != nil {
		return fmt.Errorf("encoding the end: %w", err)
	}
	return nil
}

// payload adds a payload to the batch. A large one is written at once and as it is: its readers share its bytes, and a
// reader that is stuck must not hold a copy.
func (w *streamWriter) payload(id string, b []byte) {
	if len(b) >= writeChunk && bytes.IndexByte(b, '\n') < 0 && bytes.IndexByte(b, '\r') < 0 {
		head, tail, _ := bytes.Cut(w.frame.AppendEvent(nil, id, mark), mark)
		w.flush()
		w.mu.Lock()
		defer w.mu.Unlock()
		w.write(head, b, tail)
		return
	}
	if w.batch == nil {
		w.batch = Buffer()
	}
	w.batch.Grow(eventRoom)
	w.batch.Write(w.frame.AppendEvent(w.batch.AvailableBuffer(), id, b))
}

// mark stands for a payload where its frame is made without it. No frame has it, as no JSON and no id has.
var mark = []byte{0}

// fail writes what is in the batch and then why the stream ends.
func (w *streamWriter) fail(e *a2a.Error) {
	if w.batch == nil {
		w.batch = Buffer()
	}
	w.batch.Write(w.frame.AppendError(w.batch.AvailableBuffer(), e))
	w.flush()
}

// flush writes the batch.
func (w *streamWriter) flush() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.batch != nil {
		w.write(w.batch.Bytes())
		Release(w.batch)
		w.batch = nil
	}
	return w.err
}

// keepAlive runs when the stream may have been silent for a while, and makes sure that it runs again.
func (w *streamWriter) keepAlive() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed || w.err != nil {
		return
	}
	silent := time.Since(w.written)
	if silent >= w.interval {
		w.write(keepAliveComment)
		silent = 0
	}
	w.timer.Reset(w.interval - silent)
}

// probeAgain is how long after the first write to a caller that has closed its sending side the second one comes.
const probeAgain = time.Second

// probe finds out whether a caller that has closed its sending side still reads. One that has gone answers the first
// write with a reset, and the second one fails.
func (w *streamWriter) probe() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed || w.err != nil {
		return
	}
	w.write(keepAliveComment)
	w.written = w.written.Add(-w.interval) // the timer takes the stream for silent, and writes
	w.timer.Reset(min(w.interval, probeAgain))
}

var keepAliveComment = sse.AppendComment(nil, "keep-alive")

// write writes and flushes the pieces; the caller holds the lock. A write that fails or takes too long ends the stream.
func (w *streamWriter) write(pieces ...[]byte) {
	if w.err != nil {
		return
	}
	for _, b := range pieces {
		if w.err == nil {
			w.err = writeAll(w.w, w.control, b, w.timeout, nil)
		}
	}
	if w.err == nil {
		w.err = w.control.Flush()
	}
	if w.http2 {
		w.control.SetWriteDeadline(time.Time{}) // in HTTP/2 a deadline that passes between two writes resets the stream
	}
	w.written = time.Now()
	if w.err != nil {
		w.cancel()
	}
}

// Failed returns the error of the first write that failed.
func (w *streamWriter) Failed() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

// close stops the timer. After it nothing touches the ResponseWriter any more.
func (w *streamWriter) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = true
	w.timer.Stop()
	if w.unwatch != nil {
		w.unwatch()
	}
	if w.batch != nil {
		Release(w.batch)
		w.batch = nil
	}
}

// writeAll writes b with a deadline for each piece. room, which may be nil, is what b counts against: it is told of
// each piece, and may end the writing.
func writeAll(w http.ResponseWriter, control *http.ResponseController, b []byte, timeout time.Duration,
	room *claim) error {
	for {
		piece := b[:min(len(b), writeChunk)]
		control.SetWriteDeadline(time.Now().Add(timeout)) // a ResponseWriter without deadlines is served without
		if !room.move(0) {
			return os.ErrDeadlineExceeded
		}
		if len(piece) > 0 {
			if _, err := w.Write(piece); err != nil {
				return err
			}
			room.move(len(piece))
		}
		if b = b[len(piece):]; len(b) == 0 {
			return nil
		}
	}
}
