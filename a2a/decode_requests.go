// SPDX-License-Identifier: Apache-2.0

package a2a

import (
	"slices"

	"github.com/dragoman-a2a/dragoman/internal/jsonio"
)

var sendMessageRequestObject = object[SendMessageRequest]{Snake: true, Members: []member[SendMessageRequest]{
	{Name: "tenant", Read: func(d *reader, v *SendMessageRequest) error { return jsonio.String(d, &v.Tenant) }},
	{Name: "message", Read: func(d *reader,
		v *SendMessageRequest) error {
		return sentMessageObject.ReadNew(d, &v.Message)
	}},
	{Name: "configuration", Read: func(d *reader, v *SendMessageRequest) error {
		return sendConfigurationObject.ReadNew(d, &v.Configuration)
	}},
	{Name: "metadata", Read: func(d *reader, v *SendMessageRequest) error { return jsonio.Metadata(d, &v.Metadata) }},
}}

// sentMessageObject reads the message of a request, which is bounded: anybody can send one. Those of tasks are as large
// as agents make them.
var sentMessageObject = object[Message]{Snake: true, Members: bounded(messageObject.Members)}

func bounded(members []member[Message]) []member[Message] {
	members = slices.Clone(members)
	for i := range members {
		switch m := &members[i]; m.Name {
		case "parts":
			m.Read = func(d *reader, v *Message) error { return jsonio.List(d, &v.Parts, MaxParts, partObject.Read) }
		case "extensions":
			m.Read = func(d *reader, v *Message) error { return readNames(d, &v.Extensions) }
		case "referenceTaskIds":
			m.Read = func(d *reader, v *Message) error { return readNames(d, &v.ReferenceTaskIDs) }
		}
	}
	return members
}

func readNames[S ~string](d *reader, list *[]S) error {
	return jsonio.List(d, list, MaxNames, jsonio.String)
}

var sendConfigurationObject = object[SendConfiguration]{Snake: true, Members: []member[SendConfiguration]{
	{Name: "acceptedOutputModes", Read: func(d *reader,
		v *SendConfiguration) error {
		return readNames(d, &v.AcceptedOutputModes)
	}},
	{Name: "taskPushNotificationConfig",
		Read: func(d *reader, v *SendConfiguration) error { return pushConfigObject.ReadNew(d, &v.PushConfig) }},
	{Name: "historyLength", Read: func(d *reader,
		v *SendConfiguration) error {
		return jsonio.New(d, &v.HistoryLength, readInt32)
	}},
	{Name: "returnImmediately", Read: func(d *reader,
		v *SendConfiguration) error {
		return jsonio.Bool(d, &v.ReturnImmediately)
	}},
}}

var getTaskRequestObject = object[GetTaskRequest]{Snake: true, Members: []member[GetTaskRequest]{
	{Name: "tenant", Read: func(d *reader, v *GetTaskRequest) error { return jsonio.String(d, &v.Tenant) }},
	{Name: "id", Read: func(d *reader, v *GetTaskRequest) error { return jsonio.String(d, &v.ID) }},
	{Name: "historyLength", Read: func(d *reader,
		v *GetTaskRequest) error {
		return jsonio.New(d, &v.HistoryLength, readInt32)
	}},
}}

var listTasksRequestObject = object[ListTasksRequest]{Snake: true, Members: []member[ListTasksRequest]{
	{Name: "tenant", Read: func(d *reader, v *ListTasksRequest) error { return jsonio.String(d, &v.Tenant) }},
	{Name: "contextId", Read: func(d *reader, v *ListTasksRequest) error { return jsonio.String(d, &v.ContextID) }},
	{Name: "status", Read: func(d *reader, v *ListTasksRequest) error { return readTaskState(d, &v.Status) }},
	{Name: "pageSize", Read: func(d *reader,
		v *ListTasksRequest) error {
		return jsonio.New(d, &v.PageSize, readInt32)
	}},
	{Name: "pageToken", Read: func(d *reader, v *ListTasksRequest) error { return jsonio.String(d, &v.PageToken) }},
	{Name: "historyLength", Read: func(d *reader,
		v *ListTasksRequest) error {
		return jsonio.New(d, &v.HistoryLength, readInt32)
	}},
	{Name: "statusTimestampAfter", Read: func(d *reader,
		v *ListTasksRequest) error {
		return jsonio.Time(d, &v.StatusTimestampAfter)
	}},
	{Name: "includeArtifacts", Read: func(d *reader,
		v *ListTasksRequest) error {
		return jsonio.Bool(d, &v.IncludeArtifacts)
	}},
}}

var listTasksResponseObject = object[ListTasksResponse]{Snake: true, Members: []member[ListTasksResponse]{
	{Name: "tasks", Read: func(d *reader, v *ListTasksResponse) error { return taskObject.ReadNewList(d, &v.Tasks) }},
	{Name: "nextPageToken", Read: func(d *reader,
		v *ListTasksResponse) error {
		return jsonio.String(d, &v.NextPageToken)
	}},
	{Name: "pageSize", Read: func(d *reader, v *ListTasksResponse) error { return readInt32(d, &v.PageSize) }},
	{Name: "totalSize", Read: func(d *reader, v *ListTasksResponse) error { return readInt32(d, &v.TotalSize) }},
}}

var cancelTaskRequestObject = object[CancelTaskRequest]{Snake: true, Members: []member[CancelTaskRequest]{
	{Name: "tenant", Read: func(d *reader, v *CancelTaskRequest) error { return jsonio.String(d, &v.Tenant) }},
	{Name: "id", Read: func(d *reader, v *CancelTaskRequest) error { return jsonio.String(d, &v.ID) }},
	{Name: "metadata", Read: func(d *reader, v *CancelTaskRequest) error { return jsonio.Metadata(d, &v.Metadata) }},
}}

var subscribeRequestObject = object[SubscribeRequest]{Snake: true, Members: []member[SubscribeRequest]{
	{Name: "tenant", Read: func(d *reader, v *SubscribeRequest) error { return jsonio.String(d, &v.Tenant) }},
	{Name: "id", Read: func(d *reader, v *SubscribeRequest) error { return jsonio.String(d, &v.ID) }},
}}

var pushConfigObject = object[PushConfig]{Snake: true, Members: []member[PushConfig]{
	{Name: "tenant", Read: func(d *reader, v *PushConfig) error { return jsonio.String(d, &v.Tenant) }},
	{Name: "id", Read: func(d *reader, v *PushConfig) error { return jsonio.String(d, &v.ID) }},
	{Name: "taskId", Read: func(d *reader, v *PushConfig) error { return jsonio.String(d, &v.TaskID) }},
	{Name: "url", Read: func(d *reader, v *PushConfig) error { return jsonio.String(d, &v.URL) }},
	{Name: "token", Read: func(d *reader, v *PushConfig) error { return jsonio.String(d, &v.Token) }},
	{Name: "authentication", Read: func(d *reader,
		v *PushConfig) error {
		return pushAuthenticationObject.ReadNew(d, &v.Authentication)
	}},
}}

var pushAuthenticationObject = object[PushAuthentication]{Snake: true, Members: []member[PushAuthentication]{
	{Name: "scheme", Read: func(d *reader, v *PushAuthentication) error { return jsonio.String(d, &v.Scheme) }},
	{Name: "credentials", Read: func(d *reader,
		v *PushAuthentication) error {
		return jsonio.String(d, &v.Credentials)
	}},
}}

var getPushConfigRequestObject = object[GetPushConfigRequest]{Snake: true, Members: []member[GetPushConfigRequest]{
	{Name: "tenant", Read: func(d *reader, v *GetPushConfigRequest) error { return jsonio.String(d, &v.Tenant) }},
	{Name: "taskId", Read: func(d *reader, v *GetPushConfigRequest) error { return jsonio.String(d, &v.TaskID) }},
	{Name: "id", Read: func(d *reader, v *GetPushConfigRequest) error { return jsonio.String(d, &v.ID) }},
}}

var listPushConfigsRequestObject = object[ListPushConfigsRequest]{Snake: true,
	Members: []member[ListPushConfigsRequest]{
		{Name: "tenant", Read: func(d *reader, v *ListPushConfigsRequest) error { return jsonio.String(d, &v.Tenant) }},
		{Name: "taskId", Read: func(d *reader, v *ListPushConfigsRequest) error { return jsonio.String(d, &v.TaskID) }},
		{Name: "pageSize", Read: func(d *reader, v *ListPushConfigsRequest) error { return readInt32(d, &v.PageSize) }},
		{Name: "pageToken", Read: func(d *reader,
			v *ListPushConfigsRequest) error {
			return jsonio.String(d, &v.PageToken)
		}},
	}}

var listPushConfigsResponseObject = object[ListPushConfigsResponse]{Snake: true,
	Members: []member[ListPushConfigsResponse]{
		{Name: "configs", Read: func(d *reader,
			v *ListPushConfigsResponse) error {
			return pushConfigObject.ReadNewList(d, &v.Configs)
		}},
		{Name: "nextPageToken", Read: func(d *reader,
			v *ListPushConfigsResponse) error {
			return jsonio.String(d, &v.NextPageToken)
		}},
	}}

var deletePushConfigRequestObject = object[DeletePushConfigRequest]{Snake: true,
	Members: []member[DeletePushConfigRequest]{
		{Name: "tenant", Read: func(d *reader,
			v *DeletePushConfigRequest) error {
			return jsonio.String(d, &v.Tenant)
		}},
		{Name: "taskId", Read: func(d *reader,
			v *DeletePushConfigRequest) error {
			return jsonio.String(d, &v.TaskID)
		}},
		{Name: "id", Read: func(d *reader, v *DeletePushConfigRequest) error { return jsonio.String(d, &v.ID) }},
	}}

var extendedCardRequestObject = object[ExtendedCardRequest]{Snake: true, Members: []member[ExtendedCardRequest]{
	{Name: "tenant", Read: func(d *reader, v *ExtendedCardRequest) error { return jsonio.String(d, &v.Tenant) }},
}}
