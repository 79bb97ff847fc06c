// SPDX-License-Identifier: Apache-2.0

package client

import (
	"context"
	"fmt"
	"iter"

	"github.com/dragoman-a2a/dragoman/a2a"
)

// An Update is what [Client.Stream] and [Client.Follow] yield: an event, and how it came.
type Update struct {
	a2a.StreamEvent

	// Resync says that the event is an [*a2a.Task] which replaces all that came before: the stream broke, and what
	// happened meanwhile is known only by its outcome. Some of what the task holds has come before.
	Resync bool
	// Polled says that the event is an [*a2a.Task] that was asked for: the agent does not stream, or its streams
	// break time and again. Polled tasks replace all that came before, too, and come only when they have changed.
	Polled bool
}

// String returns the update on one line, for logs: what it is about and, of what the agent says, 300 characters.
func (u Update) String() string {
	how := ""
	if u.Resync {
		how = "after a cut, "
	} else if u.Polled {
		how = "polled, "
	}
	switch e := u.Event.(type) {
	case *a2a.Task:
		return fmt.Sprintf("%stask %s, %s, %d artifacts%s", how, e.ID, e.Status.State, len(e.Artifacts), said(e))
	case *a2a.StatusUpdate:
		return fmt.Sprintf("%stask %s, %s%s", how, e.TaskID, e.Status.State, oneLine(e.Status.Message.Text()))
	case *a2a.ArtifactUpdate:
		return fmt.Sprintf("%stask %s, artifact %q, %d parts%s", how, e.TaskID, e.Artifact.Name, len(e.Artifact.Parts),
			oneLine(e.Artifact.Text()))
	case *a2a.Message:
		return how + "message" + oneLine(e.Text())
	}
	return "no event"
}

// Stream sends a message and yields what happens because of it: the one message that is the answer, or a task and its
// updates until it has ended or waits for input. Stream goes on while the task waits for authorization, because that
// may come by another way.
//
// When the stream breaks, Stream comes back: with replay, if the card offers it, so that nothing is lost and nothing
// comes twice; else with a subscription, which starts with the task as it is, see Update.Resync; else by asking for the
// task again and again, see Update.Polled. When all that fails for Options.ResumeTimeout it yields a [*CutError]. An
// agent that does not stream gets the message by SendMessage and is asked for the task from then on.
//
// The message is sent once, also when the stream breaks before its first event: then that is a CutError without a task.
//
// The sequence can be ranged over once. Leaving the loop closes the stream at once and does not harm the task.
func (c *Client) Stream(ctx context.Context, req *a2a.SendMessageRequest) iter.Seq2[Update, error] {
	return func(yield func(Update, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		f := c.newFollower(ctx, yield)
		f.sent, f.watch.continues = true, continues(req)
		if !c.streams() {
			f.sendAndPoll(req)
			return
		}
		first, err := f.open(func(ctx context.Context) (events, error) { return c.openMessage(ctx, req) })
		if err != nil {
			yield(Update{}, err)
			return
		}
		if err := f.drain(first); err != nil {
			f.recover(err)
		}
	}
}

// continues reports whether a message goes to a task that is there already.
func continues(req *a2a.SendMessageRequest) bool {
	return req.Message != nil && req.Message.TaskID != ""
}

// Follow yields a task and what happens to it until it has ended, beginning as [Client.Subscribe] does. A task that
// has ended already is yielded as polled. If the stream breaks, Follow reconnects as [Client.Stream] does. If the
// agent ends the stream because the task waits for input, Follow ends, too.
func (c *Client) Follow(ctx context.Context, req *a2a.SubscribeRequest) iter.Seq2[Update, error] {
	return func(yield func(Update, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		f := c.newFollower(ctx, yield)
		f.watch.taskID, f.watch.lastID = req.ID, req.After
		first, err := f.open(func(ctx context.Context) (events, error) { return c.openTask(ctx, req) })
		if err == nil {
			err = f.drain(first)
		}
		switch {
		case err == nil:
		case cannotSubscribe(err):
			f.poll()
		case passing(err):
			f.recover(err)
		default:
			yield(Update{}, err)
		}
	}
}

// Wait returns a task as soon as it has ended or waits for input or authorization.
func (c *Client) Wait(ctx context.Context, id a2a.TaskID) (*a2a.Task, error) {
	task, err := c.GetTask(ctx, &a2a.GetTaskRequest{ID: id})
	if err != nil || stopped(task.Status.State) {
		return task, err
	}
	var w watch
	for u, err := range c.Follow(ctx, &a2a.SubscribeRequest{ID: id}) {
		if err != nil {
			return nil, err
		}
		w.note("", u.Event)
		if stopped(w.state) {
			break
		}
	}
	return c.GetTask(ctx, &a2a.GetTaskRequest{ID: id})
}

func stopped(s a2a.TaskState) bool { return s.Terminal() || s.Interrupted() }
