// SPDX-License-Identifier: Apache-2.0

package pbv1

import (
	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/binding/grpc/pbvalue"
)

// That a required field is missing is for Validate to say, except where the model has no place for what is there
// instead.

func part(c *pbvalue.Converter, p *pb.Part) a2a.Part {
	part := a2a.Part{MediaType: p.GetMediaType(), Filename: p.GetFilename()}
	switch content := p.GetContent().(type) {
	case *pb.Part_Text:
		part.Content = a2a.Text(content.Text)
	case *pb.Part_Raw:
		part.Content = a2a.Raw(content.Raw)
	case *pb.Part_Url:
		part.Content = a2a.URL(content.Url)
	case *pb.Part_Data:
		part.Content = a2a.Data(c.Value(content.Data))
	default:
		c.Fail(a2a.InvalidParams("", "must have one of text, raw, url, data"))
	}
	part.Metadata = c.Metadata(p.GetMetadata())
	return part
}

func message(c *pbvalue.Converter, m *pb.Message) *a2a.Message {
	if m == nil {
		return nil
	}
	return &a2a.Message{
		ID: a2a.MessageID(m.GetMessageId()), ContextID: a2a.ContextID(m.GetContextId()),
		TaskID: a2a.TaskID(m.GetTaskId()), Role: a2a.Role(m.GetRole()),
		Parts: pbvalue.List(c, "parts", m.GetParts(), part), Metadata: c.Metadata(m.GetMetadata()),
		Extensions:       m.GetExtensions(),
		ReferenceTaskIDs: pbvalue.Strings[string, a2a.TaskID](m.GetReferenceTaskIds()),
	}
}

func artifact(c *pbvalue.Converter, a *pb.Artifact) *a2a.Artifact {
	return &a2a.Artifact{
		ID: a2a.ArtifactID(a.GetArtifactId()), Name: a.GetName(), Description: a.GetDescription(),
		Parts: pbvalue.List(c, "parts", a.GetParts(), part), Metadata: c.Metadata(a.GetMetadata()),
		Extensions: a.GetExtensions(),
	}
}

func status(c *pbvalue.Converter, s *pb.TaskStatus) a2a.TaskStatus {
	return a2a.TaskStatus{
		State: a2a.TaskState(s.GetState()), Message: pbvalue.Member(c, "message", s.GetMessage(), message),
		Timestamp: c.Time("timestamp", s.GetTimestamp()),
	}
}

func task(c *pbvalue.Converter, t *pb.Task) *a2a.Task {
	return &a2a.Task{
		ID: a2a.TaskID(t.GetId()), ContextID: a2a.ContextID(t.GetContextId()),
		Status:    pbvalue.Member(c, "status", t.GetStatus(), status),
		Artifacts: pbvalue.List(c, "artifacts", t.GetArtifacts(), artifact),
		History:   pbvalue.List(c, "history", t.GetHistory(), message),
		Metadata:  c.Metadata(t.GetMetadata()),
	}
}

func statusUpdate(c *pbvalue.Converter, u *pb.TaskStatusUpdateEvent) *a2a.StatusUpdate {
	return &a2a.StatusUpdate{
		TaskID: a2a.TaskID(u.GetTaskId()), ContextID: a2a.ContextID(u.GetContextId()),
		Status: pbvalue.Member(c, "status", u.GetStatus(), status), Metadata: c.Metadata(u.GetMetadata()),
	}
}

func artifactUpdate(c *pbvalue.Converter, u *pb.TaskArtifactUpdateEvent) *a2a.ArtifactUpdate {
	return &a2a.ArtifactUpdate{
		TaskID: a2a.TaskID(u.GetTaskId()), ContextID: a2a.ContextID(u.GetContextId()),
		Artifact: pbvalue.Member(c, "artifact", u.GetArtifact(), artifact),
		Append:   u.GetAppend(), LastChunk: u.GetLastChunk(), Metadata: c.Metadata(u.GetMetadata()),
	}
}

func event(c *pbvalue.Converter, r *pb.StreamResponse) a2a.Event {
	switch p := r.GetPayload().(type) {
	case *pb.StreamResponse_Task:
		return pbvalue.Member(c, "task", p.Task, task)
	case *pb.StreamResponse_Message:
		return pbvalue.Member(c, "message", p.Message, message)
	case *pb.StreamResponse_StatusUpdate:
		return pbvalue.Member(c, "statusUpdate", p.StatusUpdate, statusUpdate)
	case *pb.StreamResponse_ArtifactUpdate:
		return pbvalue.Member(c, "artifactUpdate", p.ArtifactUpdate, artifactUpdate)
	}
	c.Fail(a2a.InvalidParams("", "must have one of task, message, statusUpdate, artifactUpdate"))
	return nil
}

func sendMessageResponse(c *pbvalue.Converter, r *pb.SendMessageResponse) a2a.SendResult {
	switch p := r.GetPayload().(type) {
	case *pb.SendMessageResponse_Task:
		return pbvalue.Member(c, "task", p.Task, task)
	case *pb.SendMessageResponse_Message:
		return pbvalue.Member(c, "message", p.Message, message)
	}
	c.Fail(a2a.InvalidParams("", "must have one of task, message"))
	return nil
}

func sendMessageRequest(c *pbvalue.Converter, r *pb.SendMessageRequest) *a2a.SendMessageRequest {
	request := &a2a.SendMessageRequest{
		Tenant: r.GetTenant(), Message: pbvalue.Member(c, "message", r.GetMessage(), message),
		Metadata: c.Metadata(r.GetMetadata()),
	}
	if config := r.GetConfiguration(); config != nil {
		request.Configuration = &a2a.SendConfiguration{
			AcceptedOutputModes: config.GetAcceptedOutputModes(), HistoryLength: intOf(config.HistoryLength),
			ReturnImmediately: config.GetReturnImmediately(),
		}
		if push := config.GetTaskPushNotificationConfig(); push != nil {
			request.Configuration.PushConfig = pushConfig(c, push)
		}
	}
	return request
}

func getTaskRequest(_ *pbvalue.Converter, r *pb.GetTaskRequest) *a2a.GetTaskRequest {
	return &a2a.GetTaskRequest{Tenant: r.GetTenant(), ID: a2a.TaskID(r.GetId()), HistoryLength: intOf(r.HistoryLength)}
}

func listTasksRequest(c *pbvalue.Converter, r *pb.ListTasksRequest) *a2a.ListTasksRequest {
	return &a2a.ListTasksRequest{
		Tenant: r.GetTenant(), ContextID: a2a.ContextID(r.GetContextId()), Status: a2a.TaskState(r.GetStatus()),
		PageSize: intOf(r.PageSize), PageToken: r.GetPageToken(), HistoryLength: intOf(r.HistoryLength),
		StatusTimestampAfter: c.Time("statusTimestampAfter", r.GetStatusTimestampAfter()),
		IncludeArtifacts:     r.GetIncludeArtifacts(),
	}
}

func listTasksResponse(c *pbvalue.Converter, r *pb.ListTasksResponse) *a2a.ListTasksResponse {
	return &a2a.ListTasksResponse{
		Tasks: pbvalue.List(c, "tasks", r.GetTasks(), task), NextPageToken: r.GetNextPageToken(),
		PageSize: int(r.GetPageSize()), TotalSize: int(r.GetTotalSize()),
	}
}

func cancelTaskRequest(c *pbvalue.Converter, r *pb.CancelTaskRequest) *a2a.CancelTaskRequest {
	return &a2a.CancelTaskRequest{
		Tenant: r.GetTenant(), ID: a2a.TaskID(r.GetId()), Metadata: c.Metadata(r.GetMetadata()),
	}
}

func subscribeRequest(_ *pbvalue.Converter, r *pb.SubscribeToTaskRequest) *a2a.SubscribeRequest {
	return &a2a.SubscribeRequest{Tenant: r.GetTenant(), ID: a2a.TaskID(r.GetId())}
}

func pushConfig(_ *pbvalue.Converter, p *pb.TaskPushNotificationConfig) *a2a.PushConfig {
	config := &a2a.PushConfig{
		Tenant: p.GetTenant(), ID: p.GetId(), TaskID: a2a.TaskID(p.GetTaskId()), URL: p.GetUrl(), Token: p.GetToken(),
	}
	if auth := p.GetAuthentication(); auth != nil {
		config.Authentication = &a2a.PushAuthentication{Scheme: auth.GetScheme(), Credentials: auth.GetCredentials()}
	}
	return config
}

func getPushConfigRequest(
	_ *pbvalue.Converter, r *pb.GetTaskPushNotificationConfigRequest,
) *a2a.GetPushConfigRequest {
	return &a2a.GetPushConfigRequest{Tenant: r.GetTenant(), TaskID: a2a.TaskID(r.GetTaskId()), ID: r.GetId()}
}

func listPushConfigsRequest(
	_ *pbvalue.Converter, r *pb.ListTaskPushNotificationConfigsRequest,
) *a2a.ListPushConfigsRequest {
	return &a2a.ListPushConfigsRequest{
		Tenant: r.GetTenant(), TaskID: a2a.TaskID(r.GetTaskId()), PageSize: int(r.GetPageSize()),
		PageToken: r.GetPageToken(),
	}
}

func listPushConfigsResponse(
	c *pbvalue.Converter, r *pb.ListTaskPushNotificationConfigsResponse,
) *a2a.ListPushConfigsResponse {
	return &a2a.ListPushConfigsResponse{
		Configs: pbvalue.List(c, "configs", r.GetConfigs(), pushConfig), NextPageToken: r.GetNextPageToken(),
	}
}

func deletePushConfigRequest(
	_ *pbvalue.Converter, r *pb.DeleteTaskPushNotificationConfigRequest,
) *a2a.DeletePushConfigRequest {
	return &a2a.DeletePushConfigRequest{Tenant: r.GetTenant(), TaskID: a2a.TaskID(r.GetTaskId()), ID: r.GetId()}
}

func extendedCardRequest(_ *pbvalue.Converter, r *pb.GetExtendedAgentCardRequest) *a2a.ExtendedCardRequest {
	return &a2a.ExtendedCardRequest{Tenant: r.GetTenant()}
}

func intOf(n *int32) *int {
	if n == nil {
		return nil
	}
	return new(int(*n))
}
