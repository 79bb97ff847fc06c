// SPDX-License-Identifier: Apache-2.0

package a2a

import (
	"time"

	"github.com/dragoman-a2a/dragoman/internal/jsonio"
)

var sendMessageRequestObject = object[SendMessageRequest]{Snake: true, Members: []member[SendMessageRequest]{
	jsonio.OptStr("tenant", func(v *SendMessageRequest) *string { return &v.Tenant }),
	jsonio.Required("message", &sentMessageObject, func(v *SendMessageRequest) **Message { return &v.Message }),
	jsonio.Ptr("configuration", &sendConfigurationObject,
		func(v *SendMessageRequest) **SendConfiguration { return &v.Configuration }),
	jsonio.OptMetadata("metadata", func(v *SendMessageRequest) *Metadata { return &v.Metadata }),
}}

var sendConfigurationObject = object[SendConfiguration]{Snake: true, Members: []member[SendConfiguration]{
	jsonio.OptStrs("acceptedOutputModes", MaxNames,
		func(v *SendConfiguration) *[]string { return &v.AcceptedOutputModes }),
	jsonio.Ptr("taskPushNotificationConfig", &pushConfigObject,
		func(v *SendConfiguration) **PushConfig { return &v.PushConfig }),
	ptrInt32("historyLength", func(v *SendConfiguration) **int { return &v.HistoryLength }),
	jsonio.OptBool("returnImmediately", func(v *SendConfiguration) *bool { return &v.ReturnImmediately }),
}}

var getTaskRequestObject = object[GetTaskRequest]{Snake: true, Members: []member[GetTaskRequest]{
	jsonio.OptStr("tenant", func(v *GetTaskRequest) *string { return &v.Tenant }),
	jsonio.Str("id", func(v *GetTaskRequest) *TaskID { return &v.ID }),
	ptrInt32("historyLength", func(v *GetTaskRequest) **int { return &v.HistoryLength }),
}}

var listTasksRequestObject = object[ListTasksRequest]{Snake: true, Members: []member[ListTasksRequest]{
	jsonio.OptStr("tenant", func(v *ListTasksRequest) *string { return &v.Tenant }),
	jsonio.OptStr("contextId", func(v *ListTasksRequest) *ContextID { return &v.ContextID }),
	jsonio.Value("status", readTaskState, writeOptTaskState, func(v *ListTasksRequest) *TaskState { return &v.Status }),
	ptrInt32("pageSize", func(v *ListTasksRequest) **int { return &v.PageSize }),
	jsonio.OptStr("pageToken", func(v *ListTasksRequest) *string { return &v.PageToken }),
	ptrInt32("historyLength", func(v *ListTasksRequest) **int { return &v.HistoryLength }),
	jsonio.OptTime("statusTimestampAfter", func(v *ListTasksRequest) *time.Time { return &v.StatusTimestampAfter }),
	jsonio.OptBool("includeArtifacts", func(v *ListTasksRequest) *bool { return &v.IncludeArtifacts }),
}}

var listTasksResponseObject = object[ListTasksResponse]{Snake: true, Members: []member[ListTasksResponse]{
	jsonio.EachPtr("tasks", &taskObject, func(v *ListTasksResponse) *[]*Task { return &v.Tasks }),
	jsonio.Str("nextPageToken", func(v *ListTasksResponse) *string { return &v.NextPageToken }),
	jsonio.Value("pageSize", readInt32, writeInt32, func(v *ListTasksResponse) *int { return &v.PageSize }),
	jsonio.Value("totalSize", readInt32, writeInt32, func(v *ListTasksResponse) *int { return &v.TotalSize }),
}}

var cancelTaskRequestObject = object[CancelTaskRequest]{Snake: true, Members: []member[CancelTaskRequest]{
	jsonio.OptStr("tenant", func(v *CancelTaskRequest) *string { return &v.Tenant }),
	jsonio.Str("id", func(v *CancelTaskRequest) *TaskID { return &v.ID }),
	jsonio.OptMetadata("metadata", func(v *CancelTaskRequest) *Metadata { return &v.Metadata }),
}}

var subscribeRequestObject = object[SubscribeRequest]{Snake: true, Members: []member[SubscribeRequest]{
	jsonio.OptStr("tenant", func(v *SubscribeRequest) *string { return &v.Tenant }),
	jsonio.Str("id", func(v *SubscribeRequest) *TaskID { return &v.ID }),
}}

var pushConfigObject = object[PushConfig]{Snake: true, Members: []member[PushConfig]{
	jsonio.OptStr("tenant", func(v *PushConfig) *string { return &v.Tenant }),
	jsonio.OptStr("id", func(v *PushConfig) *string { return &v.ID }),
	jsonio.OptStr("taskId", func(v *PushConfig) *TaskID { return &v.TaskID }),
	jsonio.Str("url", func(v *PushConfig) *string { return &v.URL }),
	jsonio.OptStr("token", func(v *PushConfig) *string { return &v.Token }),
	jsonio.Ptr("authentication", &pushAuthenticationObject,
		func(v *PushConfig) **PushAuthentication { return &v.Authentication }),
}}

var pushAuthenticationObject = object[PushAuthentication]{Snake: true, Members: []member[PushAuthentication]{
	jsonio.Str("scheme", func(v *PushAuthentication) *string { return &v.Scheme }),
	jsonio.OptStr("credentials", func(v *PushAuthentication) *string { return &v.Credentials }),
}}

var getPushConfigRequestObject = object[GetPushConfigRequest]{Snake: true, Members: []member[GetPushConfigRequest]{
	jsonio.OptStr("tenant", func(v *GetPushConfigRequest) *string { return &v.Tenant }),
	jsonio.Str("taskId", func(v *GetPushConfigRequest) *TaskID { return &v.TaskID }),
	jsonio.Str("id", func(v *GetPushConfigRequest) *string { return &v.ID }),
}}

var listPushConfigsRequestObject = object[ListPushConfigsRequest]{Snake: true,
	Members: []member[ListPushConfigsRequest]{
		jsonio.OptStr("tenant", func(v *ListPushConfigsRequest) *string { return &v.Tenant }),
		jsonio.Str("taskId", func(v *ListPushConfigsRequest) *TaskID { return &v.TaskID }),
		jsonio.Value("pageSize", readInt32, writeOptInt32, func(v *ListPushConfigsRequest) *int { return &v.PageSize }),
		jsonio.OptStr("pageToken", func(v *ListPushConfigsRequest) *string { return &v.PageToken }),
	}}

var listPushConfigsResponseObject = object[ListPushConfigsResponse]{Snake: true,
	Members: []member[ListPushConfigsResponse]{
		jsonio.OptEachPtr("configs", &pushConfigObject,
			func(v *ListPushConfigsResponse) *[]*PushConfig { return &v.Configs }),
		jsonio.OptStr("nextPageToken", func(v *ListPushConfigsResponse) *string { return &v.NextPageToken }),
	}}

var deletePushConfigRequestObject = object[DeletePushConfigRequest]{Snake: true,
	Members: []member[DeletePushConfigRequest]{
		jsonio.OptStr("tenant", func(v *DeletePushConfigRequest) *string { return &v.Tenant }),
		jsonio.Str("taskId", func(v *DeletePushConfigRequest) *TaskID { return &v.TaskID }),
		jsonio.Str("id", func(v *DeletePushConfigRequest) *string { return &v.ID }),
	}}

var extendedCardRequestObject = object[ExtendedCardRequest]{Snake: true, Members: []member[ExtendedCardRequest]{
	jsonio.OptStr("tenant", func(v *ExtendedCardRequest) *string { return &v.Tenant }),
}}
