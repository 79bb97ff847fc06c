// SPDX-License-Identifier: Apache-2.0

package pbv1

import (
	"errors"
	"fmt"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/binding/grpc/pbvalue"
)

func fromPart(c *pbvalue.Converter, p a2a.Part) *pb.Part {
	part := &pb.Part{MediaType: p.MediaType, Filename: p.Filename, Metadata: c.FromMetadata(p.Metadata)}
	switch content := p.Content.(type) {
	case a2a.Text:
		part.Content = &pb.Part_Text{Text: string(content)}
	case a2a.Raw:
		part.Content = &pb.Part_Raw{Raw: content}
	case a2a.URL:
		part.Content = &pb.Part_Url{Url: string(content)}
	case a2a.Data:
		part.Content = &pb.Part_Data{Data: c.FromValue(jsontext.Value(content))}
	default:
		c.Fail(errors.New("a part carries Text, Raw, URL or Data"))
	}
	return part
}

func fromMessage(c *pbvalue.Converter, m *a2a.Message) *pb.Message {
	if m == nil {
		return nil
	}
	return &pb.Message{
		MessageId: string(m.ID), ContextId: string(m.ContextID), TaskId: string(m.TaskID), Role: pb.Role(m.Role),
		Parts: pbvalue.List(c, "parts", m.Parts, fromPart), Metadata: c.FromMetadata(m.Metadata),
		Extensions: m.Extensions, ReferenceTaskIds: pbvalue.Strings[a2a.TaskID, string](m.ReferenceTaskIDs),
	}
}

func fromArtifact(c *pbvalue.Converter, a *a2a.Artifact) *pb.Artifact {
	if a == nil {
		return nil
	}
	return &pb.Artifact{
		ArtifactId: string(a.ID), Name: a.Name, Description: a.Description,
		Parts: pbvalue.List(c, "parts", a.Parts, fromPart), Metadata: c.FromMetadata(a.Metadata),
		Extensions: a.Extensions,
	}
}

func fromStatus(c *pbvalue.Converter, s *a2a.TaskStatus) *pb.TaskStatus {
	return &pb.TaskStatus{
		State: pb.TaskState(s.State), Message: pbvalue.Member(c, "message", s.Message, fromMessage),
		Timestamp: pbvalue.FromTime(s.Timestamp),
	}
}

func fromTask(c *pbvalue.Converter, t *a2a.Task) *pb.Task {
	return &pb.Task{
		Id: string(t.ID), ContextId: string(t.ContextID), Status: pbvalue.Member(c, "status", &t.Status, fromStatus),
		Artifacts: pbvalue.List(c, "artifacts", t.Artifacts, fromArtifact),
		History:   pbvalue.List(c, "history", t.History, fromMessage), Metadata: c.FromMetadata(t.Metadata),
	}
}

func fromStatusUpdate(c *pbvalue.Converter, u *a2a.StatusUpdate) *pb.TaskStatusUpdateEvent {
	return &pb.TaskStatusUpdateEvent{
		TaskId: string(u.TaskID), ContextId: string(u.ContextID),
		Status: pbvalue.Member(c, "status", &u.Status, fromStatus), Metadata: c.FromMetadata(u.Metadata),
	}
}

func fromArtifactUpdate(c *pbvalue.Converter, u *a2a.ArtifactUpdate) *pb.TaskArtifactUpdateEvent {
	return &pb.TaskArtifactUpdateEvent{
		TaskId: string(u.TaskID), ContextId: string(u.ContextID),
		Artifact: pbvalue.Member(c, "artifact", u.Artifact, fromArtifact),
		Append:   u.Append, LastChunk: u.LastChunk, Metadata: c.FromMetadata(u.Metadata),
	}
}

func fromEvent(c *pbvalue.Converter, ev a2a.Event) *pb.StreamResponse {
	switch e := ev.(type) {
	case *a2a.Task:
		return &pb.StreamResponse{Payload: &pb.StreamResponse_Task{Task: fromTask(c, e)}}
	case *a2a.Message:
		return &pb.StreamResponse{Payload: &pb.StreamResponse_Message{Message: fromMessage(c, e)}}
	case *a2a.StatusUpdate:
		return &pb.StreamResponse{Payload: &pb.StreamResponse_StatusUpdate{StatusUpdate: fromStatusUpdate(c, e)}}
	case *a2a.ArtifactUpdate:
		return &pb.StreamResponse{Payload: &pb.StreamResponse_ArtifactUpdate{ArtifactUpdate: fromArtifactUpdate(c, e)}}
	}
	c.Fail(fmt.Errorf("no stream carries a %T", ev))
	return nil
}

func fromSendResult(c *pbvalue.Converter, result a2a.SendResult) *pb.SendMessageResponse {
	if t, ok := result.(*a2a.Task); ok {
		return &pb.SendMessageResponse{Payload: &pb.SendMessageResponse_Task{Task: fromTask(c, t)}}
	}
	m, _ := result.(*a2a.Message)
	return &pb.SendMessageResponse{Payload: &pb.SendMessageResponse_Message{Message: fromMessage(c, m)}}
}

func fromSendMessageRequest(c *pbvalue.Converter, r *a2a.SendMessageRequest) *pb.SendMessageRequest {
	request := &pb.SendMessageRequest{
		Tenant: r.Tenant, Message: pbvalue.Member(c, "message", r.Message, fromMessage),
		Metadata: c.FromMetadata(r.Metadata),
	}
	if config := r.Configuration; config != nil {
		request.Configuration = &pb.SendMessageConfiguration{
			AcceptedOutputModes: config.AcceptedOutputModes, HistoryLength: fromInt(config.HistoryLength),
			ReturnImmediately: config.ReturnImmediately,
		}
		if config.PushConfig != nil {
			request.Configuration.TaskPushNotificationConfig = fromPushConfig(c, config.PushConfig)
		}
	}
	return request
}

func fromListTasksRequest(r *a2a.ListTasksRequest) *pb.ListTasksRequest {
	request := &pb.ListTasksRequest{
		Tenant: r.Tenant, ContextId: string(r.ContextID), Status: pb.TaskState(r.Status),
		PageSize: fromInt(r.PageSize), PageToken: r.PageToken, HistoryLength: fromInt(r.HistoryLength),
		StatusTimestampAfter: pbvalue.FromTime(r.StatusTimestampAfter),
	}
	if r.IncludeArtifacts {
		request.IncludeArtifacts = new(true)
	}
	return request
}

func fromListTasksResponse(c *pbvalue.Converter, r *a2a.ListTasksResponse) *pb.ListTasksResponse {
	return &pb.ListTasksResponse{
		Tasks: pbvalue.List(c, "tasks", r.Tasks, fromTask), NextPageToken: r.NextPageToken,
		PageSize: pbvalue.Int32(r.PageSize), TotalSize: pbvalue.Int32(r.TotalSize),
	}
}

func fromCancelTaskRequest(c *pbvalue.Converter, r *a2a.CancelTaskRequest) *pb.CancelTaskRequest {
	return &pb.CancelTaskRequest{Tenant: r.Tenant, Id: string(r.ID), Metadata: c.FromMetadata(r.Metadata)}
}

func fromPushConfig(_ *pbvalue.Converter, p *a2a.PushConfig) *pb.TaskPushNotificationConfig {
	config := &pb.TaskPushNotificationConfig{
		Tenant: p.Tenant, Id: p.ID, TaskId: string(p.TaskID), Url: p.URL, Token: p.Token,
	}
	if auth := p.Authentication; auth != nil {
		config.Authentication = &pb.AuthenticationInfo{Scheme: auth.Scheme, Credentials: auth.Credentials}
	}
	return config
}

func fromPushConfigs(
	c *pbvalue.Converter, r *a2a.ListPushConfigsResponse,
) *pb.ListTaskPushNotificationConfigsResponse {
	return &pb.ListTaskPushNotificationConfigsResponse{
		Configs: pbvalue.List(c, "configs", r.Configs, fromPushConfig), NextPageToken: r.NextPageToken,
	}
}

func fromInt(n *int) *int32 {
	if n == nil {
		return nil
	}
	return new(pbvalue.Int32(*n))
}
