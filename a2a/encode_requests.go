// SPDX-License-Identifier: Apache-2.0

package a2a

func (w *writer) sendMessageRequest(r *SendMessageRequest) {
	w.begin()
	w.optStr("tenant", r.Tenant)
	writeMember(w, "message", r.Message, (*writer).message)
	writeOptMember(w, "configuration", r.Configuration, (*writer).sendConfiguration)
	w.metadata("metadata", r.Metadata)
	w.end()
}

func (w *writer) sendConfiguration(c *SendConfiguration) {
	w.begin()
	w.optStrs("acceptedOutputModes", c.AcceptedOutputModes)
	writeOptMember(w, "taskPushNotificationConfig", c.PushConfig, (*writer).pushConfig)
	w.ptrInt32("historyLength", c.HistoryLength)
	w.optBool("returnImmediately", c.ReturnImmediately)
	w.end()
}

func (w *writer) getTaskRequest(r *GetTaskRequest) {
	w.begin()
	w.optStr("tenant", r.Tenant)
	w.str("id", string(r.ID))
	w.ptrInt32("historyLength", r.HistoryLength)
	w.end()
}

func (w *writer) listTasksRequest(r *ListTasksRequest) {
	w.begin()
	w.optStr("tenant", r.Tenant)
	w.optStr("contextId", string(r.ContextID))
	if r.Status != TaskStateUnspecified {
		w.key("status")
		w.enum(taskStateNames, int32(r.Status))
	}
	w.ptrInt32("pageSize", r.PageSize)
	w.optStr("pageToken", r.PageToken)
	w.ptrInt32("historyLength", r.HistoryLength)
	w.optTime("statusTimestampAfter", r.StatusTimestampAfter)
	w.optBool("includeArtifacts", r.IncludeArtifacts)
	w.end()
}

func (w *writer) listTasksResponse(r *ListTasksResponse) {
	w.begin()
	writePointers(w, "tasks", r.Tasks, (*writer).task)
	w.str("nextPageToken", r.NextPageToken)
	w.int32("pageSize", r.PageSize)
	w.int32("totalSize", r.TotalSize)
	w.end()
}

func (w *writer) cancelTaskRequest(r *CancelTaskRequest) {
	w.begin()
	w.optStr("tenant", r.Tenant)
	w.str("id", string(r.ID))
	w.metadata("metadata", r.Metadata)
	w.end()
}

func (w *writer) subscribeRequest(r *SubscribeRequest) {
	w.begin()
	w.optStr("tenant", r.Tenant)
	w.str("id", string(r.ID))
	w.end()
}

func (w *writer) pushConfig(c *PushConfig) {
	w.begin()
	w.optStr("tenant", c.Tenant)
	w.optStr("id", c.ID)
	w.optStr("taskId", string(c.TaskID))
	w.str("url", c.URL)
	w.optStr("token", c.Token)
	writeOptMember(w, "authentication", c.Authentication, (*writer).pushAuthentication)
	w.end()
}

func (w *writer) pushAuthentication(a *PushAuthentication) {
	w.begin()
	w.str("scheme", a.Scheme)
	w.optStr("credentials", a.Credentials)
	w.end()
}

// pushConfigKey writes GetTaskPushNotificationConfigRequest and DeleteTaskPushNotificationConfigRequest, which are alike.
func (w *writer) pushConfigKey(tenant string, task TaskID, id string) {
	w.begin()
	w.optStr("tenant", tenant)
	w.str("taskId", string(task))
	w.str("id", id)
	w.end()
}

func (w *writer) getPushConfigRequest(r *GetPushConfigRequest) {
	w.pushConfigKey(r.Tenant, r.TaskID, r.ID)
}

func (w *writer) deletePushConfigRequest(r *DeletePushConfigRequest) {
	w.pushConfigKey(r.Tenant, r.TaskID, r.ID)
}

func (w *writer) listPushConfigsRequest(r *ListPushConfigsRequest) {
	w.begin()
	w.optStr("tenant", r.Tenant)
	w.str("taskId", string(r.TaskID))
	if r.PageSize != 0 {
		w.int32("pageSize", r.PageSize)
	}
	w.optStr("pageToken", r.PageToken)
	w.end()
}

func (w *writer) listPushConfigsResponse(r *ListPushConfigsResponse) {
	w.begin()
	writeOptPointers(w, "configs", r.Configs, (*writer).pushConfig)
	w.optStr("nextPageToken", r.NextPageToken)
	w.end()
}

func (w *writer) extendedCardRequest(r *ExtendedCardRequest) {
	w.begin()
	w.optStr("tenant", r.Tenant)
	w.end()
}
