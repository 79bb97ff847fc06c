// SPDX-License-Identifier: Apache-2.0

package pbv03

import (
	"errors"
	"fmt"

	pb "github.com/a2aproject/a2a-go/a2apb"
	"github.com/go-json-experiment/json/jsontext"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/binding/grpc/pbvalue"
)

func fromPart(p a2a.Part) (*pb.Part, error) {
	part, mark := &pb.Part{}, marker{MediaType: p.MediaType, Filename: p.Filename}
	switch c := p.Content.(type) {
	case a2a.Text:
		part.Part = &pb.Part_Text{Text: string(c)}
	case a2a.Raw:
		part.Part = &pb.Part_File{File: &pb.FilePart{File: &pb.FilePart_FileWithBytes{FileWithBytes: c},
			MimeType: p.MediaType, Name: p.Filename}}
		mark = marker{}
	case a2a.URL:
		part.Part = &pb.Part_File{File: &pb.FilePart{File: &pb.FilePart_FileWithUri{FileWithUri: string(c)},
			MimeType: p.MediaType, Name: p.Filename}}
		mark = marker{}
	case a2a.Data:
		object, wrapped, err := fromData(jsontext.Value(c))
		if err != nil {
			return nil, pbvalue.Within("data", err)
		}
		mark.Wrapped = wrapped
		part.Part = &pb.Part_Data{Data: &pb.DataPart{Data: object}}
	default:
		return nil, errors.New("a part carries Text, Raw, URL or Data")
	}
	metadata, err := mark.mark(p.Metadata)
	if err != nil {
		return nil, err
	}
	part.Metadata, err = pbvalue.FromMetadata(metadata)
	return part, err
}

// fromData returns data as the object that it has to be in this form, and whether it is the member of one.
func fromData(text jsontext.Value) (object *structpb.Struct, wrapped bool, err error) {
	v, err := pbvalue.FromValue(text)
	if err != nil {
		return nil, false, err
	}
	if s, ok := v.GetKind().(*structpb.Value_StructValue); ok {
		return s.StructValue, false, nil
	}
	return &structpb.Struct{Fields: map[string]*structpb.Value{wrapperName: v}}, true, nil
}

func fromMessage(m *a2a.Message) (*pb.Message, error) {
	if m == nil {
		return nil, nil
	}
	parts, err := pbvalue.List(m.Parts, fromPart)
	if err != nil {
		return nil, pbvalue.Within("parts", err)
	}
	metadata, err := pbvalue.FromMetadata(m.Metadata)
	return &pb.Message{
		MessageId: string(m.ID), ContextId: string(m.ContextID), TaskId: string(m.TaskID), Role: pb.Role(m.Role),
		Parts: parts, Metadata: metadata, Extensions: m.Extensions,
		ReferenceTaskIds: pbvalue.Strings[a2a.TaskID, string](m.ReferenceTaskIDs),
	}, err
}

func fromArtifact(a *a2a.Artifact) (*pb.Artifact, error) {
	if a == nil {
		return nil, nil
	}
	parts, err := pbvalue.List(a.Parts, fromPart)
	if err != nil {
		return nil, pbvalue.Within("parts", err)
	}
	metadata, err := pbvalue.FromMetadata(a.Metadata)
	return &pb.Artifact{
		ArtifactId: string(a.ID), Name: a.Name, Description: a.Description,
		Parts: parts, Metadata: metadata, Extensions: a.Extensions,
	}, err
}

func fromStatus(s *a2a.TaskStatus) (*pb.TaskStatus, error) {
	message, err := fromMessage(s.Message)
	return &pb.TaskStatus{State: pb.TaskState(s.State), Update: message, Timestamp: pbvalue.FromTime(s.Timestamp)}, err
}

func fromTask(t *a2a.Task) (*pb.Task, error) {
	status, err := fromStatus(&t.Status)
	if err != nil {
		return nil, pbvalue.Within("status", err)
	}
	artifacts, err := pbvalue.List(t.Artifacts, fromArtifact)
	if err != nil {
		return nil, pbvalue.Within("artifacts", err)
	}
	history, err := pbvalue.List(t.History, fromMessage)
	if err != nil {
		return nil, pbvalue.Within("history", err)
	}
	metadata, err := pbvalue.FromMetadata(t.Metadata)
	return &pb.Task{
		Id: string(t.ID), ContextId: string(t.ContextID), Status: status,
		Artifacts: artifacts, History: history, Metadata: metadata,
	}, err
}

func fromStatusUpdate(u *a2a.StatusUpdate, final bool) (*pb.TaskStatusUpdateEvent, error) {
	status, err := fromStatus(&u.Status)
	if err != nil {
		return nil, pbvalue.Within("status", err)
	}
	metadata, err := pbvalue.FromMetadata(u.Metadata)
	return &pb.TaskStatusUpdateEvent{
		TaskId: string(u.TaskID), ContextId: string(u.ContextID), Status: status, Final: final, Metadata: metadata,
	}, err
}

func fromArtifactUpdate(u *a2a.ArtifactUpdate) (*pb.TaskArtifactUpdateEvent, error) {
	artifact, err := fromArtifact(u.Artifact)
	if err != nil {
		return nil, pbvalue.Within("artifact", err)
	}
	metadata, err := pbvalue.FromMetadata(u.Metadata)
	return &pb.TaskArtifactUpdateEvent{
		TaskId: string(u.TaskID), ContextId: string(u.ContextID), Artifact: artifact,
		Append: u.Append, LastChunk: u.LastChunk, Metadata: metadata,
	}, err
}

func fromEvent(ev a2a.Event, final bool) (*pb.StreamResponse, error) {
	switch e := ev.(type) {
	case *a2a.Task:
		task, err := fromTask(e)
		return &pb.StreamResponse{Payload: &pb.StreamResponse_Task{Task: task}}, err
	case *a2a.Message:
		message, err := fromMessage(e)
		return &pb.StreamResponse{Payload: &pb.StreamResponse_Msg{Msg: message}}, err
	case *a2a.StatusUpdate:
		update, err := fromStatusUpdate(e, final)
		return &pb.StreamResponse{Payload: &pb.StreamResponse_StatusUpdate{StatusUpdate: update}}, err
	case *a2a.ArtifactUpdate:
		update, err := fromArtifactUpdate(e)
		return &pb.StreamResponse{Payload: &pb.StreamResponse_ArtifactUpdate{ArtifactUpdate: update}}, err
	}
	return nil, fmt.Errorf("no stream carries a %T", ev)
}

func fromSendMessageRequest(r *a2a.SendMessageRequest) (*pb.SendMessageRequest, error) {
	message, err := fromMessage(r.Message)
	if err != nil {
		return nil, pbvalue.Within("message", err)
	}
	metadata, err := pbvalue.FromMetadata(r.Metadata)
	request := &pb.SendMessageRequest{Request: message, Metadata: metadata,
		Configuration: &pb.SendMessageConfiguration{Blocking: true}}
	if c := r.Configuration; c != nil {
		request.Configuration = &pb.SendMessageConfiguration{
			AcceptedOutputModes: c.AcceptedOutputModes, HistoryLength: fromHistoryLength(c.HistoryLength),
			Blocking: !c.ReturnImmediately,
		}
		if c.PushConfig != nil {
			request.Configuration.PushNotification = fromPushConfig(c.PushConfig)
		}
	}
	return request, err
}

// fromHistoryLength returns the length of a history: 0 for all of it. None cannot be said, so the client asks for one
// and leaves it out, see [TrimHistory].
func fromHistoryLength(n *int) int32 {
	switch {
	case n == nil:
		return 0
	case *n == 0:
		return 1
	}
	return pbvalue.Int32(*n)
}

// TrimHistory takes the history out of the answer to a request that wants none, which this form cannot say.
func TrimHistory(request, result any) {
	task, ok := result.(*a2a.Task)
	if !ok {
		return
	}
	var length *int
	switch r := request.(type) {
	case *a2a.GetTaskRequest:
		length = r.HistoryLength
	case *a2a.SendMessageRequest:
		if r.Configuration != nil {
			length = r.Configuration.HistoryLength
		}
	}
	if length != nil && *length == 0 {
		task.History = nil
	}
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

func fromCreatePushConfig(c *a2a.PushConfig) *pb.CreateTaskPushNotificationConfigRequest {
	return &pb.CreateTaskPushNotificationConfigRequest{
		Parent: taskName(c.TaskID), ConfigId: c.ID, Config: fromNamedPushConfig(c),
	}
}

func fromNamedPushConfig(c *a2a.PushConfig) *pb.TaskPushNotificationConfig {
	return &pb.TaskPushNotificationConfig{Name: configName(c.TaskID, c.ID), PushNotificationConfig: fromPushConfig(c)}
}

func fromPushConfig(c *a2a.PushConfig) *pb.PushNotificationConfig {
	config := &pb.PushNotificationConfig{Id: c.ID, Url: c.URL, Token: c.Token}
	if c.Authentication != nil {
		config.Authentication = &pb.AuthenticationInfo{Credentials: c.Authentication.Credentials}
		if c.Authentication.Scheme != "" {
			config.Authentication.Schemes = []string{c.Authentication.Scheme}
		}
	}
	return config
}
