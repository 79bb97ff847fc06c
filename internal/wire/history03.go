// SPDX-License-Identifier: Apache-2.0

package wire

import "github.com/dragoman-a2a/dragoman/a2a"

// TrimHistory takes the history out of the answer to a request that wants none, which the protobuf of 0.3 cannot say:
// there a length of 0 means all.
func TrimHistory(request, result any) {
	task, ok := result.(*a2a.Task)
	if !ok {
		return
	}
	var length *int
	switch r := request.(type) {
	case *a2a.GetTaskRequest:
		length = r.HistoryLength
	case *a2a.SendMessageRequest:
		if r.Configuration != nil {
			length = r.Configuration.HistoryLength
		}
	}
	if length != nil && *length == 0 {
		task.History = nil
	}
}
