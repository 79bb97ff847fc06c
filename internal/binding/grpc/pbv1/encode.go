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

func fromPart(p a2a.Part) (*pb.Part, error) {
	part := &pb.Part{MediaType: p.MediaType, Filename: p.Filename}
	switch c := p.Content.(type) {
	case a2a.Text:
		part.Content = &pb.Part_Text{Text: string(c)}
	case a2a.Raw:
		part.Content = &pb.Part_Raw{Raw: c}
	case a2a.URL:
		part.Content = &pb.Part_Url{Url: string(c)}
	case a2a.Data:
		v, err := pbvalue.FromValue(jsontext.Value(c))
		if err != nil {
			return nil, pbvalue.Within("data", err)
		}
		part.Content = &pb.Part_Data{Data: v}
	default:
		return nil, errors.New("a part carries Text, Raw, URL or Data")
	}
	var err error
	part.Metadata, err = pbvalue.FromMetadata(p.Metadata)
	return part, err
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
	return &pb.TaskStatus{State: pb.TaskState(s.State), Message: message, Timestamp: pbvalue.FromTime(s.Timestamp)}, err
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

func fromStatusUpdate(u *a2a.StatusUpdate) (*pb.TaskStatusUpdateEvent, error) {
	status, err := fromStatus(&u.Status)
	if err != nil {
		return nil, pbvalue.Within("status", err)
	}
	metadata, err := pbvalue.FromMetadata(u.Metadata)
	return &pb.TaskStatusUpdateEvent{TaskId: string(u.TaskID), ContextId: string(u.ContextID), Status: status,
		Metadata: metadata}, err
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

func fromEvent(ev a2a.Event) (*pb.StreamResponse, error) {
	switch e := ev.(type) {
	case *a2a.Task:
		task, err := fromTask(e)
		return &pb.StreamResponse{Payload: &pb.StreamResponse_Task{Task: task}}, err
	case *a2a.Message:
		message, err := fromMessage(e)
		return &pb.StreamResponse{Payload: &pb.StreamResponse_Message{Message: message}}, err
	case *a2a.StatusUpdate:
		update, err := fromStatusUpdate(e)
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
	request := &pb.SendMessageRequest{Tenant: r.Tenant, Message: message, Metadata: metadata}
	if c := r.Configuration; c != nil {
		request.Configuration = &pb.SendMessageConfiguration{
			AcceptedOutputModes: c.AcceptedOutputModes, HistoryLength: fromInt(c.HistoryLength),
			ReturnImmediately: c.ReturnImmediately,
		}
		if c.PushConfig != nil {
			request.Configuration.TaskPushNotificationConfig = fromPushConfig(c.PushConfig)
		}
	}
	return request, err
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

func fromPushConfig(c *a2a.PushConfig) *pb.TaskPushNotificationConfig {
	config := &pb.TaskPushNotificationConfig{
		Tenant: c.Tenant, Id: c.ID, TaskId: string(c.TaskID), Url: c.URL, Token: c.Token,
	}
	if c.Authentication != nil {
		config.Authentication = &pb.AuthenticationInfo{Scheme: c.Authentication.Scheme,
			Credentials: c.Authentication.Credentials}
	}
	return config
}

func fromInt(n *int) *int32 {
	if n == nil {
		return nil
	}
	return new(pbvalue.Int32(*n))
}
