// SPDX-License-Identifier: Apache-2.0

package pbv03

import (
	"cmp"
	"errors"
	"fmt"

	pb "github.com/a2aproject/a2a-go/a2apb"
	"github.com/go-json-experiment/json/jsontext"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/binding/grpc/pbvalue"
)

func fromPart(c *pbvalue.Converter, p a2a.Part) *pb.Part {
	part, mark := &pb.Part{}, marker{MediaType: p.MediaType, Filename: p.Filename}
	switch content := p.Content.(type) {
	case a2a.Text:
		part.Part = &pb.Part_Text{Text: string(content)}
	case a2a.Raw:
		part.Part = &pb.Part_File{File: &pb.FilePart{File: &pb.FilePart_FileWithBytes{FileWithBytes: content},
			MimeType: p.MediaType, Name: p.Filename}}
		mark = marker{}
	case a2a.URL:
		part.Part = &pb.Part_File{File: &pb.FilePart{File: &pb.FilePart_FileWithUri{FileWithUri: string(content)},
			MimeType: p.MediaType, Name: p.Filename}}
		mark = marker{}
	case a2a.Data:
		value := c.FromValue(jsontext.Value(content))
		object := value.GetStructValue()
		if mark.Wrapped = object == nil; mark.Wrapped { // here data are an object
			object = &structpb.Struct{Fields: map[string]*structpb.Value{wrapperName: value}}
		}
		part.Part = &pb.Part_Data{Data: &pb.DataPart{Data: object}}
	default:
		c.Fail(errors.New("a part carries Text, Raw, URL or Data"))
	}
	metadata, err := mark.mark(p.Metadata)
	if err != nil {
		c.Fail(err)
	}
	part.Metadata = c.FromMetadata(metadata)
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
		State: pb.TaskState(s.State), Update: pbvalue.Member(c, "message", s.Message, fromMessage),
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
		Status: pbvalue.Member(c, "status", &u.Status, fromStatus), Final: Form{}.Final(u),
		Metadata: c.FromMetadata(u.Metadata),
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
		return &pb.StreamResponse{Payload: &pb.StreamResponse_Msg{Msg: fromMessage(c, e)}}
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
	return &pb.SendMessageResponse{Payload: &pb.SendMessageResponse_Msg{Msg: fromMessage(c, m)}}
}

func fromSendMessageRequest(c *pbvalue.Converter, r *a2a.SendMessageRequest) *pb.SendMessageRequest {
	request := &pb.SendMessageRequest{
		Request: pbvalue.Member(c, "message", r.Message, fromMessage), Metadata: c.FromMetadata(r.Metadata),
		Configuration: &pb.SendMessageConfiguration{Blocking: true},
	}
	if config := r.Configuration; config != nil {
		request.Configuration = &pb.SendMessageConfiguration{
			AcceptedOutputModes: config.AcceptedOutputModes, HistoryLength: fromHistoryLength(config.HistoryLength),
			Blocking: !config.ReturnImmediately,
		}
		if config.PushConfig != nil {
			request.Configuration.PushNotification = fromPushConfig(config.PushConfig)
		}
	}
	return request
}

// fromHistoryLength returns the length of a history: 0 for all of it. None cannot be said, so the client asks for one
// and leaves it out, see [wire.TrimHistory].
func fromHistoryLength(n *int) int32 {
	if n == nil {
		return 0
	}
	return pbvalue.Int32(cmp.Or(*n, 1))
}

func fromListTasksRequest(r *a2a.ListTasksRequest) *pb.ListTasksRequest {
	request := &pb.ListTasksRequest{
		ContextId: string(r.ContextID), Status: pb.TaskState(r.Status), PageToken: r.PageToken,
		LastUpdatedTime: pbvalue.FromTime(r.StatusTimestampAfter), IncludeArtifacts: r.IncludeArtifacts,
	}
	if r.PageSize != nil {
		request.PageSize = pbvalue.Int32(*r.PageSize)
	}
	if r.HistoryLength != nil {
		request.HistoryLength = pbvalue.Int32(*r.HistoryLength)
	}
	return request
}

func fromListTasksResponse(c *pbvalue.Converter, r *a2a.ListTasksResponse) *pb.ListTasksResponse {
	return &pb.ListTasksResponse{
		Tasks: pbvalue.List(c, "tasks", r.Tasks, fromTask), NextPageToken: r.NextPageToken,
		TotalSize: pbvalue.Int32(r.TotalSize),
	}
}

func fromNamedPushConfig(_ *pbvalue.Converter, p *a2a.PushConfig) *pb.TaskPushNotificationConfig {
	return &pb.TaskPushNotificationConfig{Name: configName(p.TaskID, p.ID), PushNotificationConfig: fromPushConfig(p)}
}

func fromPushConfigs(
	c *pbvalue.Converter, r *a2a.ListPushConfigsResponse,
) *pb.ListTaskPushNotificationConfigResponse {
	return &pb.ListTaskPushNotificationConfigResponse{
		Configs: pbvalue.List(c, "configs", r.Configs, fromNamedPushConfig), NextPageToken: r.NextPageToken,
	}
}

func fromPushConfig(p *a2a.PushConfig) *pb.PushNotificationConfig {
	config := &pb.PushNotificationConfig{Id: p.ID, Url: p.URL, Token: p.Token}
	if auth := p.Authentication; auth != nil {
		config.Authentication = &pb.AuthenticationInfo{Credentials: auth.Credentials}
		if auth.Scheme != "" {
			config.Authentication.Schemes = []string{auth.Scheme}
		}
	}
	return config
}
