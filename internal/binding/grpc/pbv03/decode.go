// SPDX-License-Identifier: Apache-2.0

package pbv03

import (
	"time"

	pb "github.com/a2aproject/a2a-go/a2apb"
	"github.com/go-json-experiment/json/jsontext"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/binding/grpc/pbvalue"
)

// A decoder makes values of the model. That a required field is missing is for Validate to say, except where the model
// has no place for what is there instead. Errors name fields as this form does.
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

func within(name string, err error) error {
	if err == nil {
		return nil
	}
	return pbvalue.Within(name, err)
}

func (d decoder) metadata(err error, into *a2a.Metadata, s *structpb.Struct) error {
	if err != nil || s == nil {
		return err
	}
	value, failed := d.values.Metadata(s)
	return set(err, into, "metadata", value, failed)
}

func timestamp(err error, into *time.Time, name string, t *timestamppb.Timestamp) error {
	value, failed := pbvalue.Time(t)
	return set(err, into, name, value, failed)
}

func (d decoder) part(p *pb.Part) (a2a.Part, error) {
	var part a2a.Part
	if err := d.metadata(nil, &part.Metadata, p.GetMetadata()); err != nil {
		return part, err
	}
	switch c := p.GetPart().(type) {
	case *pb.Part_Text:
		mark := takeMarker(&part.Metadata)
		part.Content, part.MediaType, part.Filename = a2a.Text(c.Text), mark.MediaType, mark.Filename
	case *pb.Part_File:
		return part, file(&part, c.File)
	case *pb.Part_Data:
		return part, d.data(&part, c.Data.GetData())
	default:
		return part, a2a.InvalidParams("", "must have one of text, file, data")
	}
	return part, nil
}

func file(part *a2a.Part, f *pb.FilePart) error {
	switch c := f.GetFile().(type) {
	case *pb.FilePart_FileWithUri:
		part.Content = a2a.URL(c.FileWithUri)
	case *pb.FilePart_FileWithBytes:
		part.Content = a2a.Raw(c.FileWithBytes)
	default:
		return a2a.InvalidParams("file", "must have one of fileWithUri, fileWithBytes")
	}
	part.MediaType, part.Filename = f.GetMimeType(), f.GetName()
	return nil
}

func (d decoder) data(part *a2a.Part, s *structpb.Struct) error {
	var text jsontext.Value
	var err error
	mark := takeMarker(&part.Metadata)
	if wrapped := s.GetFields()[wrapperName]; mark.Wrapped && wrapped != nil && len(s.GetFields()) == 1 {
		text, err = d.values.Value(wrapped)
	} else {
		text, err = d.values.Struct(s)
	}
	part.Content, part.MediaType, part.Filename = a2a.Data(text), mark.MediaType, mark.Filename
	return within("data", err)
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
	message, failed := d.message(s.GetUpdate())
	err := set(nil, &status.Message, "message", message, failed)
	return status, timestamp(err, &status.Timestamp, "timestamp", s.GetTimestamp())
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
	case *pb.StreamResponse_Msg:
		return event("message", p.Msg, d.message)
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
	case *pb.SendMessageResponse_Msg:
		message, err := d.message(p.Msg)
		return message, within("message", err)
	}
	return nil, a2a.InvalidParams("", "must have one of task, message")
}

// sendMessageRequest reads a request of SendMessage, which in this form does not wait unless it says so.
func (d decoder) sendMessageRequest(r *pb.SendMessageRequest) (*a2a.SendMessageRequest, error) {
	request, err := d.streamMessageRequest(r)
	if !r.GetConfiguration().GetBlocking() {
		if request.Configuration == nil {
			request.Configuration = &a2a.SendConfiguration{}
		}
		request.Configuration.ReturnImmediately = true
	}
	return request, err
}

// streamMessageRequest reads a request of SendStreamingMessage, for which waiting has no meaning.
func (d decoder) streamMessageRequest(r *pb.SendMessageRequest) (*a2a.SendMessageRequest, error) {
	request := &a2a.SendMessageRequest{}
	if c := r.GetConfiguration(); c != nil {
		request.Configuration = &a2a.SendConfiguration{
			AcceptedOutputModes: c.GetAcceptedOutputModes(), HistoryLength: historyLength(c.GetHistoryLength()),
		}
		if push := c.GetPushNotification(); push != nil {
			request.Configuration.PushConfig = pushConfig(push)
		}
	}
	message, failed := d.message(r.GetRequest())
	err := set(nil, &request.Message, "message", message, failed)
	return request, d.metadata(err, &request.Metadata, r.GetMetadata())
}

// historyLength reads the length of a history, of which 0 means all.
func historyLength(n int32) *int {
	if n == 0 {
		return nil
	}
	return new(int(n))
}

func getTaskRequest(r *pb.GetTaskRequest) (*a2a.GetTaskRequest, error) {
	id, err := parseTask("name", r.GetName())
	return &a2a.GetTaskRequest{ID: id, HistoryLength: historyLength(r.GetHistoryLength())}, err
}

// listTasksRequest reads a request of ListTasks, whose history length of 0 means none, other than elsewhere.
func listTasksRequest(r *pb.ListTasksRequest) (*a2a.ListTasksRequest, error) {
	request := &a2a.ListTasksRequest{
		ContextID: a2a.ContextID(r.GetContextId()), Status: a2a.TaskState(r.GetStatus()), PageToken: r.GetPageToken(),
		HistoryLength: new(int(r.GetHistoryLength())), IncludeArtifacts: r.GetIncludeArtifacts(),
	}
	if r.GetPageSize() != 0 {
		request.PageSize = new(int(r.GetPageSize()))
	}
	return request, timestamp(nil, &request.StatusTimestampAfter, "lastUpdatedTime", r.GetLastUpdatedTime())
}

func (d decoder) listTasksResponse(r *pb.ListTasksResponse) (*a2a.ListTasksResponse, error) {
	response := &a2a.ListTasksResponse{NextPageToken: r.GetNextPageToken(), PageSize: len(r.GetTasks()),
		TotalSize: int(r.GetTotalSize())}
	tasks, failed := pbvalue.List(r.GetTasks(), d.task)
	return response, set(nil, &response.Tasks, "tasks", tasks, failed)
}

func cancelTaskRequest(r *pb.CancelTaskRequest) (*a2a.CancelTaskRequest, error) {
	id, err := parseTask("name", r.GetName())
	return &a2a.CancelTaskRequest{ID: id}, err
}

func subscribeRequest(r *pb.TaskSubscriptionRequest) (*a2a.SubscribeRequest, error) {
	id, err := parseTask("name", r.GetName())
	return &a2a.SubscribeRequest{ID: id}, err
}

// createPushConfigRequest reads a request that may name the config in two places, of which peers fill in one.
func createPushConfigRequest(r *pb.CreateTaskPushNotificationConfigRequest) (*a2a.PushConfig, error) {
	task, err := parseTask("parent", r.GetParent())
	if err != nil {
		return nil, err
	}
	if r.GetConfig().GetPushNotificationConfig() == nil {
		return nil, a2a.InvalidParams("config.pushNotificationConfig", "is required")
	}
	config := pushConfig(r.GetConfig().GetPushNotificationConfig())
	config.TaskID = task
	if id := r.GetConfigId(); id != "" {
		if config.ID != "" && config.ID != id {
			return nil, a2a.InvalidParams("configId", "differs from config.pushNotificationConfig.id")
		}
		config.ID = id
	}
	return config, nil
}

func namedPushConfig(c *pb.TaskPushNotificationConfig) (*a2a.PushConfig, error) {
	task, id, err := parseConfig("name", c.GetName())
	if err != nil {
		return nil, err
	}
	config := pushConfig(c.GetPushNotificationConfig())
	config.TaskID, config.ID = task, id
	return config, nil
}

// pushConfig reads a config, of whose schemes the model keeps the first.
func pushConfig(c *pb.PushNotificationConfig) *a2a.PushConfig {
	config := &a2a.PushConfig{ID: c.GetId(), URL: c.GetUrl(), Token: c.GetToken()}
	if auth := c.GetAuthentication(); auth != nil {
		config.Authentication = &a2a.PushAuthentication{Credentials: auth.GetCredentials()}
		if schemes := auth.GetSchemes(); len(schemes) > 0 {
			config.Authentication.Scheme = schemes[0]
		}
	}
	return config
}

func getPushConfigRequest(r *pb.GetTaskPushNotificationConfigRequest) (*a2a.GetPushConfigRequest, error) {
	task, id, err := parseConfig("name", r.GetName())
	return &a2a.GetPushConfigRequest{TaskID: task, ID: id}, err
}

func listPushConfigsRequest(r *pb.ListTaskPushNotificationConfigRequest) (*a2a.ListPushConfigsRequest, error) {
	task, err := parseTask("parent", r.GetParent())
	return &a2a.ListPushConfigsRequest{TaskID: task, PageSize: int(r.GetPageSize()), PageToken: r.GetPageToken()}, err
}

func listPushConfigsResponse(r *pb.ListTaskPushNotificationConfigResponse) (*a2a.ListPushConfigsResponse, error) {
	configs, err := pbvalue.List(r.GetConfigs(), namedPushConfig)
	return &a2a.ListPushConfigsResponse{Configs: configs, NextPageToken: r.GetNextPageToken()}, within("configs", err)
}

func deletePushConfigRequest(r *pb.DeleteTaskPushNotificationConfigRequest) (*a2a.DeletePushConfigRequest, error) {
	task, id, err := parseConfig("name", r.GetName())
	return &a2a.DeletePushConfigRequest{TaskID: task, ID: id}, err
}

func extendedCardRequest(*pb.GetAgentCardRequest) (*a2a.ExtendedCardRequest, error) {
	return &a2a.ExtendedCardRequest{}, nil
}
