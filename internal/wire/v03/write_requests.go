// SPDX-License-Identifier: Apache-2.0

package v03

import (
	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/jsonio"
	"github.com/dragoman-a2a/dragoman/internal/wire"
)

func (dialect) AppendRequest(dst []byte, op wire.Operation, request any) ([]byte, error) {
	switch req := request.(type) {
	case *a2a.SendMessageRequest:
		return wire.AppendJSON(dst, req, writeSend)
	case *a2a.GetTaskRequest:
		return wire.AppendJSON(dst, req, writeGetTask)
	case *a2a.ListTasksRequest:
		return wire.AppendJSON(dst, req, writeListTasks)
	case *a2a.CancelTaskRequest:
		return wire.AppendJSON(dst, req, writeCancelTask)
	case *a2a.SubscribeRequest:
		return wire.AppendJSON(dst, idParams{id: string(req.ID)}, writeIDs)
	case *a2a.PushConfig:
		return wire.AppendJSON(dst, req, writeTaskPush)
	case *a2a.GetPushConfigRequest:
		return wire.AppendJSON(dst, idParams{id: string(req.TaskID), pushID: req.ID}, writeIDs)
	case *a2a.ListPushConfigsRequest:
		return wire.AppendJSON(dst, idParams{id: string(req.TaskID)}, writeIDs)
	case *a2a.DeletePushConfigRequest:
		return wire.AppendJSON(dst, idParams{id: string(req.TaskID), pushID: req.ID}, writeIDs)
	case *a2a.ExtendedCardRequest:
		return append(dst, '{', '}'), nil // the method takes nothing
	}
	return dst, mismatch(op, request)
}

func writeSend(w *jsonio.Writer, r *a2a.SendMessageRequest) {
	w.Begin()
	w.Key("message")
	writeMessage(w, r.Message)
	if r.Configuration != nil {
		w.Key("configuration")
		writeConfiguration(w, r.Configuration)
	}
	w.OptMetadata("metadata", r.Metadata)
	w.End()
}

// writeConfiguration writes acceptedOutputModes even when there are none, which the schemas before 0.2.6 want, and says
// whether to wait, as no text says what happens when it is left out.
func writeConfiguration(w *jsonio.Writer, c *a2a.SendConfiguration) {
	w.Begin()
	jsonio.WriteStrs(w, "acceptedOutputModes", c.AcceptedOutputModes)
	w.OptInt("historyLength", c.HistoryLength)
	if c.PushConfig != nil {
		w.Key("pushNotificationConfig")
		writePush(w, c.PushConfig)
	}
	w.Bool("blocking", !c.ReturnImmediately)
	w.End()
}

func writeGetTask(w *jsonio.Writer, r *a2a.GetTaskRequest) {
	w.Begin()
	w.Str("id", string(r.ID))
	w.OptInt("historyLength", r.HistoryLength)
	w.End()
}

func writeCancelTask(w *jsonio.Writer, r *a2a.CancelTaskRequest) {
	w.Begin()
	w.Str("id", string(r.ID))
	w.OptMetadata("metadata", r.Metadata)
	w.End()
}

func writeIDs(w *jsonio.Writer, v idParams) {
	w.Begin()
	w.Str("id", v.id)
	w.OptStr("pushNotificationConfigId", v.pushID)
	w.End()
}

func writeListTasks(w *jsonio.Writer, r *a2a.ListTasksRequest) {
	w.Begin()
	w.OptStr("contextId", string(r.ContextID))
	if r.Status != a2a.TaskStateUnspecified {
		writeState(w, "status", r.Status)
	}
	w.OptInt("pageSize", r.PageSize)
	w.OptStr("pageToken", r.PageToken)
	w.OptInt("historyLength", r.HistoryLength)
	if !r.StatusTimestampAfter.IsZero() {
		w.Int("lastUpdatedAfter", r.StatusTimestampAfter.UnixMilli())
	}
	w.OptBool("includeArtifacts", r.IncludeArtifacts)
	w.End()
}

func writeTaskPush(w *jsonio.Writer, c *a2a.PushConfig) {
	if c == nil {
		w.Fail("is missing")
		return
	}
	w.Begin()
	w.Str("taskId", string(c.TaskID))
	w.Key("pushNotificationConfig")
	writePush(w, c)
	w.End()
}

func writePush(w *jsonio.Writer, c *a2a.PushConfig) {
	w.Begin()
	w.OptStr("id", c.ID)
	w.Str("url", c.URL)
	w.OptStr("token", c.Token)
	if c.Authentication != nil {
		w.Key("authentication")
		w.Begin()
		jsonio.WriteStrs(w, "schemes", []string{c.Authentication.Scheme})
		w.OptStr("credentials", c.Authentication.Credentials)
		w.End()
	}
	w.End()
}
