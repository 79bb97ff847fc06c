// SPDX-License-Identifier: Apache-2.0

package a2a

import "slices"

var sendMessageRequestObject = object[SendMessageRequest]{members: []member[SendMessageRequest]{
	{name: "tenant", read: func(d *reader, v *SendMessageRequest) error { return readString(d, &v.Tenant) }},
	{name: "message", read: func(d *reader, v *SendMessageRequest) error { return sentMessageObject.readNew(d, &v.Message) }},
	{name: "configuration", read: func(d *reader, v *SendMessageRequest) error {
		return sendConfigurationObject.readNew(d, &v.Configuration)
	}},
	{name: "metadata", read: func(d *reader, v *SendMessageRequest) error { return readMetadata(d, &v.Metadata) }},
}}

// sentMessageObject reads the message of a request, which is bounded: anybody can send one. Those of tasks are as large as
// agents make them.
var sentMessageObject = object[Message]{members: bounded(messageObject.members)}

func bounded(members []member[Message]) []member[Message] {
	members = slices.Clone(members)
	for i := range members {
		switch m := &members[i]; m.name {
		case "parts":
			m.read = func(d *reader, v *Message) error { return readBounded(d, &v.Parts, MaxParts, partObject.read) }
		case "extensions":
			m.read = func(d *reader, v *Message) error { return readNames(d, &v.Extensions) }
		case "referenceTaskIds":
			m.read = func(d *reader, v *Message) error { return readNames(d, &v.ReferenceTaskIDs) }
		}
	}
	return members
}

func readNames[S ~string](d *reader, list *[]S) error {
	return readBounded(d, list, MaxNames, readString)
}

var sendConfigurationObject = object[SendConfiguration]{members: []member[SendConfiguration]{
	{name: "acceptedOutputModes", read: func(d *reader, v *SendConfiguration) error { return readNames(d, &v.AcceptedOutputModes) }},
	{name: "taskPushNotificationConfig", read: func(d *reader, v *SendConfiguration) error { return pushConfigObject.readNew(d, &v.PushConfig) }},
	{name: "historyLength", read: func(d *reader, v *SendConfiguration) error { return readInt32Ptr(d, &v.HistoryLength) }},
	{name: "returnImmediately", read: func(d *reader, v *SendConfiguration) error { return readBool(d, &v.ReturnImmediately) }},
}}

var getTaskRequestObject = object[GetTaskRequest]{members: []member[GetTaskRequest]{
	{name: "tenant", read: func(d *reader, v *GetTaskRequest) error { return readString(d, &v.Tenant) }},
	{name: "id", read: func(d *reader, v *GetTaskRequest) error { return readString(d, &v.ID) }},
	{name: "historyLength", read: func(d *reader, v *GetTaskRequest) error { return readInt32Ptr(d, &v.HistoryLength) }},
}}

var listTasksRequestObject = object[ListTasksRequest]{members: []member[ListTasksRequest]{
	{name: "tenant", read: func(d *reader, v *ListTasksRequest) error { return readString(d, &v.Tenant) }},
	{name: "contextId", read: func(d *reader, v *ListTasksRequest) error { return readString(d, &v.ContextID) }},
	{name: "status", read: func(d *reader, v *ListTasksRequest) error { return readTaskState(d, &v.Status) }},
	{name: "pageSize", read: func(d *reader, v *ListTasksRequest) error { return readInt32Ptr(d, &v.PageSize) }},
	{name: "pageToken", read: func(d *reader, v *ListTasksRequest) error { return readString(d, &v.PageToken) }},
	{name: "historyLength", read: func(d *reader, v *ListTasksRequest) error { return readInt32Ptr(d, &v.HistoryLength) }},
	{name: "statusTimestampAfter", read: func(d *reader, v *ListTasksRequest) error { return readTime(d, &v.StatusTimestampAfter) }},
	{name: "includeArtifacts", read: func(d *reader, v *ListTasksRequest) error { return readBool(d, &v.IncludeArtifacts) }},
}}

var listTasksResponseObject = object[ListTasksResponse]{members: []member[ListTasksResponse]{
	{name: "tasks", read: func(d *reader, v *ListTasksResponse) error { return taskObject.readNewList(d, &v.Tasks) }},
	{name: "nextPageToken", read: func(d *reader, v *ListTasksResponse) error { return readString(d, &v.NextPageToken) }},
	{name: "pageSize", read: func(d *reader, v *ListTasksResponse) error { return readInt32(d, &v.PageSize) }},
	{name: "totalSize", read: func(d *reader, v *ListTasksResponse) error { return readInt32(d, &v.TotalSize) }},
}}

var cancelTaskRequestObject = object[CancelTaskRequest]{members: []member[CancelTaskRequest]{
	{name: "tenant", read: func(d *reader, v *CancelTaskRequest) error { return readString(d, &v.Tenant) }},
	{name: "id", read: func(d *reader, v *CancelTaskRequest) error { return readString(d, &v.ID) }},
	{name: "metadata", read: func(d *reader, v *CancelTaskRequest) error { return readMetadata(d, &v.Metadata) }},
}}

var subscribeRequestObject = object[SubscribeRequest]{members: []member[SubscribeRequest]{
	{name: "tenant", read: func(d *reader, v *SubscribeRequest) error { return readString(d, &v.Tenant) }},
	{name: "id", read: func(d *reader, v *SubscribeRequest) error { return readString(d, &v.ID) }},
}}

var pushConfigObject = object[PushConfig]{members: []member[PushConfig]{
	{name: "tenant", read: func(d *reader, v *PushConfig) error { return readString(d, &v.Tenant) }},
	{name: "id", read: func(d *reader, v *PushConfig) error { return readString(d, &v.ID) }},
	{name: "taskId", read: func(d *reader, v *PushConfig) error { return readString(d, &v.TaskID) }},
	{name: "url", read: func(d *reader, v *PushConfig) error { return readString(d, &v.URL) }},
	{name: "token", read: func(d *reader, v *PushConfig) error { return readString(d, &v.Token) }},
	{name: "authentication", read: func(d *reader, v *PushConfig) error { return pushAuthenticationObject.readNew(d, &v.Authentication) }},
}}

var pushAuthenticationObject = object[PushAuthentication]{members: []member[PushAuthentication]{
	{name: "scheme", read: func(d *reader, v *PushAuthentication) error { return readString(d, &v.Scheme) }},
	{name: "credentials", read: func(d *reader, v *PushAuthentication) error { return readString(d, &v.Credentials) }},
}}

var getPushConfigRequestObject = object[GetPushConfigRequest]{members: []member[GetPushConfigRequest]{
	{name: "tenant", read: func(d *reader, v *GetPushConfigRequest) error { return readString(d, &v.Tenant) }},
	{name: "taskId", read: func(d *reader, v *GetPushConfigRequest) error { return readString(d, &v.TaskID) }},
	{name: "id", read: func(d *reader, v *GetPushConfigRequest) error { return readString(d, &v.ID) }},
}}

var listPushConfigsRequestObject = object[ListPushConfigsRequest]{members: []member[ListPushConfigsRequest]{
	{name: "tenant", read: func(d *reader, v *ListPushConfigsRequest) error { return readString(d, &v.Tenant) }},
	{name: "taskId", read: func(d *reader, v *ListPushConfigsRequest) error { return readString(d, &v.TaskID) }},
	{name: "pageSize", read: func(d *reader, v *ListPushConfigsRequest) error { return readInt32(d, &v.PageSize) }},
	{name: "pageToken", read: func(d *reader, v *ListPushConfigsRequest) error { return readString(d, &v.PageToken) }},
}}

var listPushConfigsResponseObject = object[ListPushConfigsResponse]{members: []member[ListPushConfigsResponse]{
	{name: "configs", read: func(d *reader, v *ListPushConfigsResponse) error { return pushConfigObject.readNewList(d, &v.Configs) }},
	{name: "nextPageToken", read: func(d *reader, v *ListPushConfigsResponse) error { return readString(d, &v.NextPageToken) }},
}}

var deletePushConfigRequestObject = object[DeletePushConfigRequest]{members: []member[DeletePushConfigRequest]{
	{name: "tenant", read: func(d *reader, v *DeletePushConfigRequest) error { return readString(d, &v.Tenant) }},
	{name: "taskId", read: func(d *reader, v *DeletePushConfigRequest) error { return readString(d, &v.TaskID) }},
	{name: "id", read: func(d *reader, v *DeletePushConfigRequest) error { return readString(d, &v.ID) }},
}}

var extendedCardRequestObject = object[ExtendedCardRequest]{members: []member[ExtendedCardRequest]{
	{name: "tenant", read: func(d *reader, v *ExtendedCardRequest) error { return readString(d, &v.Tenant) }},
}}
