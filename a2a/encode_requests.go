// SPDX-License-Identifier: Apache-2.0

package a2a

import "github.com/dragoman-a2a/dragoman/internal/jsonio"

func writeSendMessageRequest(w *writer, r *SendMessageRequest) {
	w.Begin()
	w.OptStr("tenant", r.Tenant)
	writeMember(w, "message", r.Message, writeMessage)
	writeOptMember(w, "configuration", r.Configuration, writeSendConfiguration)
	w.OptMetadata("metadata", r.Metadata)
	w.End()
}

func writeSendConfiguration(w *writer, c *SendConfiguration) {
	w.Begin()
	jsonio.OptStrs(w, "acceptedOutputModes", c.AcceptedOutputModes)
	writeOptMember(w, "taskPushNotificationConfig", c.PushConfig, writePushConfig)
	writePtrInt32(w, "historyLength", c.HistoryLength)
	w.OptBool("returnImmediately", c.ReturnImmediately)
	w.End()
}

func writeGetTaskRequest(w *writer, r *GetTaskRequest) {
	w.Begin()
	w.OptStr("tenant", r.Tenant)
	w.Str("id", string(r.ID))
	writePtrInt32(w, "historyLength", r.HistoryLength)
	w.End()
}

func writeListTasksRequest(w *writer, r *ListTasksRequest) {
	w.Begin()
	w.OptStr("tenant", r.Tenant)
	w.OptStr("contextId", string(r.ContextID))
	if r.Status != TaskStateUnspecified {
		writeEnum(w, "status", taskStateNames, int32(r.Status))
	}
	writePtrInt32(w, "pageSize", r.PageSize)
	w.OptStr("pageToken", r.PageToken)
	writePtrInt32(w, "historyLength", r.HistoryLength)
	w.OptTime("statusTimestampAfter", r.StatusTimestampAfter)
	w.OptBool("includeArtifacts", r.IncludeArtifacts)
	w.End()
}

func writeListTasksResponse(w *writer, r *ListTasksResponse) {
	w.Begin()
	jsonio.WritePointers(w, "tasks", r.Tasks, writeTask)
	w.Str("nextPageToken", r.NextPageToken)
	writeInt32(w, "pageSize", r.PageSize)
	writeInt32(w, "totalSize", r.TotalSize)
	w.End()
}

func writeCancelTaskRequest(w *writer, r *CancelTaskRequest) {
	w.Begin()
	w.OptStr("tenant", r.Tenant)
	w.Str("id", string(r.ID))
	w.OptMetadata("metadata", r.Metadata)
	w.End()
}

func writeSubscribeRequest(w *writer, r *SubscribeRequest) {
	w.Begin()
	w.OptStr("tenant", r.Tenant)
	w.Str("id", string(r.ID))
	w.End()
}

func writePushConfig(w *writer, c *PushConfig) {
	w.Begin()
	w.OptStr("tenant", c.Tenant)
	w.OptStr("id", c.ID)
	w.OptStr("taskId", string(c.TaskID))
	w.Str("url", c.URL)
	w.OptStr("token", c.Token)
	writeOptMember(w, "authentication", c.Authentication, writePushAuthentication)
	w.End()
}

func writePushAuthentication(w *writer, a *PushAuthentication) {
	w.Begin()
	w.Str("scheme", a.Scheme)
	w.OptStr("credentials", a.Credentials)
	w.End()
}

// pushConfigKey writes GetTaskPushNotificationConfigRequest and DeleteTaskPushNotificationConfigRequest, which are
// alike.
func writePushConfigKey(w *writer, tenant string, task TaskID, id string) {
	w.Begin()
	w.OptStr("tenant", tenant)
	w.Str("taskId", string(task))
	w.Str("id", id)
	w.End()
}

func writeGetPushConfigRequest(w *writer, r *GetPushConfigRequest) {
	writePushConfigKey(w, r.Tenant, r.TaskID, r.ID)
}

func writeDeletePushConfigRequest(w *writer, r *DeletePushConfigRequest) {
	writePushConfigKey(w, r.Tenant, r.TaskID, r.ID)
}

func writeListPushConfigsRequest(w *writer, r *ListPushConfigsRequest) {
	w.Begin()
	w.OptStr("tenant", r.Tenant)
	w.Str("taskId", string(r.TaskID))
	if r.PageSize != 0 {
		writeInt32(w, "pageSize", r.PageSize)
	}
	w.OptStr("pageToken", r.PageToken)
	w.End()
}

func writeListPushConfigsResponse(w *writer, r *ListPushConfigsResponse) {
	w.Begin()
	writeOptPointers(w, "configs", r.Configs, writePushConfig)
	w.OptStr("nextPageToken", r.NextPageToken)
	w.End()
}

func writeExtendedCardRequest(w *writer, r *ExtendedCardRequest) {
	w.Begin()
	w.OptStr("tenant", r.Tenant)
	w.End()
}
