// SPDX-License-Identifier: Apache-2.0

package pbv1

import (
	"time"

	pb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/binding/grpc/pbvalue"
)

// A decoder makes values of the model. That a required field is missing is for Validate to say, except where the model
// has no place for what is there instead.
type decoder struct{ values pbvalue.Decoder }

// set fills in a field of the model unless an earlier one failed, whose error it returns then.
func set[T any](err error, into *T, name string, value T, failed error) error {
	switch {
	case err != nil:
		return err
	case failed != nil:
		return pbvalue.Within(name, failed)
	}
	*into = value
	return nil
}

func (d decoder) metadata(err error, into *a2a.Metadata, s *structpb.Struct) error {
	if err != nil || s == nil {
		return err
	}
	value, failed := d.values.Metadata(s)
	return set(err, into, "metadata", value, failed)
}

func (d decoder) part(p *pb.Part) (a2a.Part, error) {
	part := a2a.Part{MediaType: p.GetMediaType(), Filename: p.GetFilename()}
	switch c := p.GetContent().(type) {
	case *pb.Part_Text:
		part.Content = a2a.Text(c.Text)
	case *pb.Part_Raw:
		part.Content = a2a.Raw(c.Raw)
	case *pb.Part_Url:
		part.Content = a2a.URL(c.Url)
	case *pb.Part_Data:
		text, err := d.values.Value(c.Data)
		if err != nil {
			return part, pbvalue.Within("data", err)
		}
		part.Content = a2a.Data(text)
	default:
		return part, a2a.InvalidParams("", "must have one of text, raw, url, data")
	}
	return part, d.metadata(nil, &part.Metadata, p.GetMetadata())
}

func (d decoder) message(m *pb.Message) (*a2a.Message, error) {
	if m == nil {
		return nil, nil
	}
	message := &a2a.Message{
		ID: a2a.MessageID(m.GetMessageId()), ContextID: a2a.ContextID(m.GetContextId()),
		TaskID: a2a.TaskID(m.GetTaskId()),
		Role:   a2a.Role(m.GetRole()), Extensions: m.GetExtensions(),
		ReferenceTaskIDs: pbvalue.Strings[string, a2a.TaskID](m.GetReferenceTaskIds()),
	}
	parts, failed := pbvalue.List(m.GetParts(), d.part)
	err := set(nil, &message.Parts, "parts", parts, failed)
	return message, d.metadata(err, &message.Metadata, m.GetMetadata())
}

func (d decoder) artifact(a *pb.Artifact) (*a2a.Artifact, error) {
	artifact := &a2a.Artifact{
		ID: a2a.ArtifactID(a.GetArtifactId()), Name: a.GetName(), Description: a.GetDescription(),
		Extensions: a.GetExtensions(),
	}
	parts, failed := pbvalue.List(a.GetParts(), d.part)
	err := set(nil, &artifact.Parts, "parts", parts, failed)
	return artifact, d.metadata(err, &artifact.Metadata, a.GetMetadata())
}

func (d decoder) status(s *pb.TaskStatus) (a2a.TaskStatus, error) {
	status := a2a.TaskStatus{State: a2a.TaskState(s.GetState())}
	message, failed := d.message(s.GetMessage())
	err := set(nil, &status.Message, "message", message, failed)
	return status, timestamp(err, &status.Timestamp, "timestamp", s.GetTimestamp())
}

func timestamp(err error, into *time.Time, name string, t *timestamppb.Timestamp) error {
	value, failed := pbvalue.Time(t)
	return set(err, into, name, value, failed)
}

func (d decoder) task(t *pb.Task) (*a2a.Task, error) {
	task := &a2a.Task{ID: a2a.TaskID(t.GetId()), ContextID: a2a.ContextID(t.GetContextId())}
	status, failed := d.status(t.GetStatus())
	err := set(nil, &task.Status, "status", status, failed)
	artifacts, failed := pbvalue.List(t.GetArtifacts(), d.artifact)
	err = set(err, &task.Artifacts, "artifacts", artifacts, failed)
	history, failed := pbvalue.List(t.GetHistory(), d.message)
	err = set(err, &task.History, "history", history, failed)
	return task, d.metadata(err, &task.Metadata, t.GetMetadata())
}

func (d decoder) statusUpdate(u *pb.TaskStatusUpdateEvent) (*a2a.StatusUpdate, error) {
	update := &a2a.StatusUpdate{TaskID: a2a.TaskID(u.GetTaskId()), ContextID: a2a.ContextID(u.GetContextId())}
	status, failed := d.status(u.GetStatus())
	err := set(nil, &update.Status, "status", status, failed)
	return update, d.metadata(err, &update.Metadata, u.GetMetadata())
}

func (d decoder) artifactUpdate(u *pb.TaskArtifactUpdateEvent) (*a2a.ArtifactUpdate, error) {
	update := &a2a.ArtifactUpdate{
		TaskID: a2a.TaskID(u.GetTaskId()), ContextID: a2a.ContextID(u.GetContextId()),
		Append: u.GetAppend(), LastChunk: u.GetLastChunk(),
	}
	artifact, failed := d.artifact(u.GetArtifact())
	err := set(nil, &update.Artifact, "artifact", artifact, failed)
	return update, d.metadata(err, &update.Metadata, u.GetMetadata())
}

func (d decoder) event(r *pb.StreamResponse) (a2a.Event, error) {
	switch p := r.GetPayload().(type) {
	case *pb.StreamResponse_Task:
		return event("task", p.Task, d.task)
	case *pb.StreamResponse_Message:
		return event("message", p.Message, d.message)
	case *pb.StreamResponse_StatusUpdate:
		return event("statusUpdate", p.StatusUpdate, d.statusUpdate)
	case *pb.StreamResponse_ArtifactUpdate:
		return event("artifactUpdate", p.ArtifactUpdate, d.artifactUpdate)
	}
	return nil, a2a.InvalidParams("", "must have one of task, message, statusUpdate, artifactUpdate")
}

func event[M any, E a2a.Event](name string, m *M, convert func(*M) (E, error)) (a2a.Event, error) {
	ev, err := convert(m)
	if err != nil {
		return nil, pbvalue.Within(name, err)
	}
	return ev, nil
}

func (d decoder) sendMessageResponse(r *pb.SendMessageResponse) (a2a.SendResult, error) {
	switch p := r.GetPayload().(type) {
	case *pb.SendMessageResponse_Task:
		task, err := d.task(p.Task)
		return task, within("task", err)
	case *pb.SendMessageResponse_Message:
		message, err := d.message(p.Message)
		return message, within("message", err)
	}
	return nil, a2a.InvalidParams("", "must have one of task, message")
}

func within(name string, err error) error {
	if err == nil {
		return nil
	}
	return pbvalue.Within(name, err)
}

func (d decoder) sendMessageRequest(r *pb.SendMessageRequest) (*a2a.SendMessageRequest, error) {
	request := &a2a.SendMessageRequest{Tenant: r.GetTenant()}
	if c := r.GetConfiguration(); c != nil {
		request.Configuration = &a2a.SendConfiguration{
			AcceptedOutputModes: c.GetAcceptedOutputModes(), HistoryLength: intOf(c.HistoryLength),
			ReturnImmediately: c.GetReturnImmediately(),
		}
		if push := c.GetTaskPushNotificationConfig(); push != nil {
			request.Configuration.PushConfig, _ = pushConfig(push)
		}
	}
	message, failed := d.message(r.GetMessage())
	err := set(nil, &request.Message, "message", message, failed)
	return request, d.metadata(err, &request.Metadata, r.GetMetadata())
}

func getTaskRequest(r *pb.GetTaskRequest) (*a2a.GetTaskRequest, error) {
	return &a2a.GetTaskRequest{Tenant: r.GetTenant(), ID: a2a.TaskID(r.GetId()), HistoryLength: intOf(r.HistoryLength)},
		nil
}

func listTasksRequest(r *pb.ListTasksRequest) (*a2a.ListTasksRequest, error) {
	request := &a2a.ListTasksRequest{
		Tenant: r.GetTenant(), ContextID: a2a.ContextID(r.GetContextId()), Status: a2a.TaskState(r.GetStatus()),
		PageSize: intOf(r.PageSize), PageToken: r.GetPageToken(), HistoryLength: intOf(r.HistoryLength),
		IncludeArtifacts: r.GetIncludeArtifacts(),
	}
	return request, timestamp(nil, &request.StatusTimestampAfter, "statusTimestampAfter", r.GetStatusTimestampAfter())
}

func (d decoder) listTasksResponse(r *pb.ListTasksResponse) (*a2a.ListTasksResponse, error) {
	response := &a2a.ListTasksResponse{
		NextPageToken: r.GetNextPageToken(), PageSize: int(r.GetPageSize()), TotalSize: int(r.GetTotalSize()),
	}
	tasks, failed := pbvalue.List(r.GetTasks(), d.task)
	return response, set(nil, &response.Tasks, "tasks", tasks, failed)
}

func (d decoder) cancelTaskRequest(r *pb.CancelTaskRequest) (*a2a.CancelTaskRequest, error) {
	request := &a2a.CancelTaskRequest{Tenant: r.GetTenant(), ID: a2a.TaskID(r.GetId())}
	return request, d.metadata(nil, &request.Metadata, r.GetMetadata())
}

func subscribeRequest(r *pb.SubscribeToTaskRequest) (*a2a.SubscribeRequest, error) {
	return &a2a.SubscribeRequest{Tenant: r.GetTenant(), ID: a2a.TaskID(r.GetId())}, nil
}

func pushConfig(c *pb.TaskPushNotificationConfig) (*a2a.PushConfig, error) {
	config := &a2a.PushConfig{
		Tenant: c.GetTenant(), ID: c.GetId(), TaskID: a2a.TaskID(c.GetTaskId()), URL: c.GetUrl(), Token: c.GetToken(),
	}
	if auth := c.GetAuthentication(); auth != nil {
		config.Authentication = &a2a.PushAuthentication{Scheme: auth.GetScheme(), Credentials: auth.GetCredentials()}
	}
	return config, nil
}

func getPushConfigRequest(r *pb.GetTaskPushNotificationConfigRequest) (*a2a.GetPushConfigRequest, error) {
	return &a2a.GetPushConfigRequest{Tenant: r.GetTenant(), TaskID: a2a.TaskID(r.GetTaskId()), ID: r.GetId()}, nil
}

func listPushConfigsRequest(r *pb.ListTaskPushNotificationConfigsRequest) (*a2a.ListPushConfigsRequest, error) {
	return &a2a.ListPushConfigsRequest{
		Tenant: r.GetTenant(), TaskID: a2a.TaskID(r.GetTaskId()), PageSize: int(r.GetPageSize()),
		PageToken: r.GetPageToken(),
	}, nil
}

func listPushConfigsResponse(r *pb.ListTaskPushNotificationConfigsResponse) (*a2a.ListPushConfigsResponse, error) {
	configs, err := pbvalue.List(r.GetConfigs(), pushConfig)
	return &a2a.ListPushConfigsResponse{Configs: configs, NextPageToken: r.GetNextPageToken()}, err
}

func deletePushConfigRequest(r *pb.DeleteTaskPushNotificationConfigRequest) (*a2a.DeletePushConfigRequest, error) {
	return &a2a.DeletePushConfigRequest{Tenant: r.GetTenant(), TaskID: a2a.TaskID(r.GetTaskId()), ID: r.GetId()}, nil
}

func extendedCardRequest(r *pb.GetExtendedAgentCardRequest) (*a2a.ExtendedCardRequest, error) {
	return &a2a.ExtendedCardRequest{Tenant: r.GetTenant()}, nil
}

func intOf(n *int32) *int {
	if n == nil {
		return nil
	}
	return new(int(*n))
}
