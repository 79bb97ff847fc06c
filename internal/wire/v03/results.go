// SPDX-License-Identifier: Apache-2.0

package v03

import (
	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/jsonio"
	"github.com/dragoman-a2a/dragoman/internal/wire"
	"github.com/dragoman-a2a/dragoman/internal/wire/cards"
)

func (dialect) AppendResult(dst []byte, op wire.Operation, _, result any) ([]byte, error) {
	if op == wire.OpDeletePushConfig && result == nil {
		return append(dst, "null"...), nil
	}
	switch res := result.(type) {
	case *a2a.Task:
		return wire.AppendJSON(dst, res, writeTask)
	case *a2a.Message:
		return wire.AppendJSON(dst, res, writeMessage)
	case *a2a.ListTasksResponse:
		return wire.AppendJSON(dst, res, tasksObject.Write)
	case *a2a.PushConfig:
		return wire.AppendJSON(dst, res, writeTaskPush)
	case *a2a.ListPushConfigsResponse:
		return wire.AppendJSON(dst, res, writePushConfigs)
	case *a2a.AgentCard:
		return cards.Append(dst, res, cards.Form03)
	}
	return dst, mismatch(op, result)
}

func writePushConfigs(w *jsonio.Writer, r *a2a.ListPushConfigsResponse) {
	jsonio.WriteList(w, "", r.Configs, writeTaskPush)
}

func (dialect) DecodeResult(op wire.Operation, _ any, result []byte) (any, error) {
	switch op {
	case wire.OpSendMessage:
		return decodeResult(result, readSendResult)
	case wire.OpGetTask, wire.OpCancelTask:
		return decodeResult(result, readTask)
	case wire.OpListTasks:
		return decodeResult(result, tasksObject.ReadNew)
	case wire.OpCreatePushConfig, wire.OpGetPushConfig:
		return decodeResult(result, readTaskPush)
	case wire.OpListPushConfigs:
		return decodeResult(result, readPushConfigs)
	case wire.OpDeletePushConfig:
		return nil, nil // null, but peers send other things too
	case wire.OpExtendedCard:
		return decodeCard(result)
	}
	return nil, mismatch(op, nil)
}

func decodeCard(result []byte) (any, error) {
	card, err := cards.Decode(result)
	if err != nil {
		return nil, err
	}
	return card, nil
}

func decodeResult[T any](result []byte, read func(*jsonio.Reader, *T) error) (any, error) {
	var v T
	if err := wire.DecodeJSON(result, &v, read); err != nil {
		return nil, err
	}
	return v, nil
}

func readSendResult(d *jsonio.Reader, e *a2a.Event) error {
	var final bool
	return readEvent(d, e, &final, kindTask, kindMessage)
}

func readTask(d *jsonio.Reader, p **a2a.Task) error {
	var ev a2a.Event
	var final bool
	if err := readEvent(d, &ev, &final, kindTask); err != nil {
		return err
	}
	*p = ev.(*a2a.Task)
	return nil
}

var tasksObject = jsonio.Object[a2a.ListTasksResponse]{Members: []jsonio.Member[a2a.ListTasksResponse]{
	{
		Name: "tasks",
		Read: func(d *jsonio.Reader, v *a2a.ListTasksResponse) error { return jsonio.List(d, &v.Tasks, 0, readTask) },
		Write: func(w *jsonio.Writer, name string, v *a2a.ListTasksResponse) {
			jsonio.WriteList(w, name, v.Tasks, writeTask)
		},
	},
	jsonio.Num("totalSize", func(v *a2a.ListTasksResponse) *int { return &v.TotalSize }),
	jsonio.Num("pageSize", func(v *a2a.ListTasksResponse) *int { return &v.PageSize }),
	jsonio.Str("nextPageToken", func(v *a2a.ListTasksResponse) *string { return &v.NextPageToken }),
}}

func readTaskPush(d *jsonio.Reader, p **a2a.PushConfig) error {
	var v taskPush
	if err := taskPushObject.Read(d, &v); err != nil {
		return err
	}
	*p = v.model()
	return nil
}

func readPushConfigs(d *jsonio.Reader, p **a2a.ListPushConfigsResponse) error {
	*p = new(a2a.ListPushConfigsResponse)
	return jsonio.List(d, &(*p).Configs, 0, readTaskPush)
}
