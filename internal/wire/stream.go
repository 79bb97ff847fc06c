// SPDX-License-Identifier: Apache-2.0

package wire

import "github.com/dragoman-a2a/dragoman/a2a"

// EndsStream03 reports whether an event ends its stream by the rules before 1.0: a status update that says that the
// task is over, or waits for its caller.
func EndsStream03(ev a2a.Event) bool {
	u, ok := ev.(*a2a.StatusUpdate)
	return ok && (u.Status.State.Terminal() || u.Status.State.Interrupted())
}

// EmitFrom emits an event of a stream before 1.0. The first one may follow a task whose beginning was not seen. Then a
// task comes in front, with what is known of it.
func EmitFrom(event a2a.Event, first bool, emit func(ev a2a.Event, partial bool)) {
	if first {
		switch ev := event.(type) {
		case *a2a.StatusUpdate: // the task says all of it
			emit(&a2a.Task{ID: ev.TaskID, ContextID: ev.ContextID, Status: ev.Status, Metadata: ev.Metadata}, true)
			return
		case *a2a.ArtifactUpdate: // the agent works, or else there would be none
			emit(&a2a.Task{
				ID: ev.TaskID, ContextID: ev.ContextID, Status: a2a.TaskStatus{State: a2a.TaskStateWorking},
			}, true)
		}
	}
	emit(event, false)
}
