// SPDX-License-Identifier: Apache-2.0

package pbv03

import (
	pb "github.com/a2aproject/a2a-go/a2apb"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/binding/grpc/pbvalue"
)

// That a required field is missing is for Validate to say, except where the model has no place for what is there
// instead. Errors name fields as this form does.

func part(c *pbvalue.Converter, p *pb.Part) a2a.Part {
	part := a2a.Part{Metadata: c.Metadata(p.GetMetadata())}
	switch content := p.GetPart().(type) {
	case *pb.Part_Text:
		part.Content = a2a.Text(content.Text)
		takeMarker(&part)
	case *pb.Part_File:
		part.MediaType, part.Filename = content.File.GetMimeType(), content.File.GetName()
		part.Content = pbvalue.Member(c, "file", content.File, file)
	case *pb.Part_Data:
		part.Content = data(c, content.Data.GetData(), takeMarker(&part))
	default:
		c.Fail(a2a.InvalidParams("", "must have one of text, file, data"))
	}
	return part
}

func file(c *pbvalue.Converter, f *pb.FilePart) a2a.PartContent {
	switch content := f.GetFile().(type) {
	case *pb.FilePart_FileWithUri:
		return a2a.URL(content.FileWithUri)
	case *pb.FilePart_FileWithBytes:
		return a2a.Raw(content.FileWithBytes)
	}
	c.Fail(a2a.InvalidParams("", "must have one of fileWithUri, fileWithBytes"))
	return nil
}

// data reads an object, or the value that it wraps.
func data(c *pbvalue.Converter, s *structpb.Struct, wrapped bool) a2a.Data {
	if value := s.GetFields()[wrapperName]; wrapped && value != nil && len(s.GetFields()) == 1 {
		return a2a.Data(c.Value(value))
	}
	return a2a.Data(c.Value(structpb.NewStructValue(s)))
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
		State: a2a.TaskState(s.GetState()), Message: pbvalue.Member(c, "message", s.GetUpdate(), message),
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
	case *pb.StreamResponse_Msg:
		return pbvalue.Member(c, "message", p.Msg, message)
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
	case *pb.SendMessageResponse_Msg:
		return pbvalue.Member(c, "message", p.Msg, message)
	}
	c.Fail(a2a.InvalidParams("", "must have one of task, message"))
	return nil
}

// sendMessageRequest reads a request of SendMessage, which in this form does not wait unless it says so.
func sendMessageRequest(c *pbvalue.Converter, r *pb.SendMessageRequest) *a2a.SendMessageRequest {
	request := streamMessageRequest(c, r)
	if !r.GetConfiguration().GetBlocking() {
		if request.Configuration == nil {
			request.Configuration = &a2a.SendConfiguration{}
		}
		request.Configuration.ReturnImmediately = true
	}
	return request
}

// streamMessageRequest reads a request of SendStreamingMessage, for which waiting has no meaning.
func streamMessageRequest(c *pbvalue.Converter, r *pb.SendMessageRequest) *a2a.SendMessageRequest {
	request := &a2a.SendMessageRequest{
		Message: pbvalue.Member(c, "message", r.GetRequest(), message), Metadata: c.Metadata(r.GetMetadata()),
	}
	if config := r.GetConfiguration(); config != nil {
		request.Configuration = &a2a.SendConfiguration{
			AcceptedOutputModes: config.GetAcceptedOutputModes(),
			HistoryLength:       historyLength(config.GetHistoryLength()),
		}
		if push := config.GetPushNotification(); push != nil {
			request.Configuration.PushConfig = pushConfig(push)
		}
	}
	return request
}

// historyLength reads the length of a history, of which 0 means all.
func historyLength(n int32) *int {
	if n == 0 {
		return nil
	}
	return new(int(n))
}

func getTaskRequest(c *pbvalue.Converter, r *pb.GetTaskRequest) *a2a.GetTaskRequest {
	return &a2a.GetTaskRequest{
		ID: parseTask(c, "name", r.GetName()), HistoryLength: historyLength(r.GetHistoryLength()),
	}
}

// listTasksRequest reads a request of ListTasks, whose history length of 0 means none, other than elsewhere.
func listTasksRequest(c *pbvalue.Converter, r *pb.ListTasksRequest) *a2a.ListTasksRequest {
	request := &a2a.ListTasksRequest{
		ContextID: a2a.ContextID(r.GetContextId()), Status: a2a.TaskState(r.GetStatus()), PageToken: r.GetPageToken(),
		HistoryLength: new(int(r.GetHistoryLength())), IncludeArtifacts: r.GetIncludeArtifacts(),
		StatusTimestampAfter: c.Time("lastUpdatedTime", r.GetLastUpdatedTime()),
	}
	if r.GetPageSize() != 0 {
		request.PageSize = new(int(r.GetPageSize()))
	}
	return request
}

func listTasksResponse(c *pbvalue.Converter, r *pb.ListTasksResponse) *a2a.ListTasksResponse {
	return &a2a.ListTasksResponse{
		Tasks: pbvalue.List(c, "tasks", r.GetTasks(), task), NextPageToken: r.GetNextPageToken(),
		PageSize: len(r.GetTasks()), TotalSize: int(r.GetTotalSize()),
	}
}

func cancelTaskRequest(c *pbvalue.Converter, r *pb.CancelTaskRequest) *a2a.CancelTaskRequest {
	return &a2a.CancelTaskRequest{ID: parseTask(c, "name", r.GetName())}
}

func subscribeRequest(c *pbvalue.Converter, r *pb.TaskSubscriptionRequest) *a2a.SubscribeRequest {
	return &a2a.SubscribeRequest{ID: parseTask(c, "name", r.GetName())}
}

// createPushConfigRequest reads a request that may name the config in two places, of which peers fill in one.
func createPushConfigRequest(c *pbvalue.Converter, r *pb.CreateTaskPushNotificationConfigRequest) *a2a.PushConfig {
	task := parseTask(c, "parent", r.GetParent())
	if r.GetConfig().GetPushNotificationConfig() == nil {
		c.Fail(a2a.InvalidParams("config.pushNotificationConfig", "is required"))
	}
	config := pushConfig(r.GetConfig().GetPushNotificationConfig())
	config.TaskID = task
	if id := r.GetConfigId(); id != "" {
		if config.ID != "" && config.ID != id {
			c.Fail(a2a.InvalidParams("configId", "differs from config.pushNotificationConfig.id"))
		}
		config.ID = id
	}
	return config
}

func namedPushConfig(c *pbvalue.Converter, p *pb.TaskPushNotificationConfig) *a2a.PushConfig {
	config := pushConfig(p.GetPushNotificationConfig())
	config.TaskID, config.ID = parseConfig(c, "name", p.GetName())
	return config
}

// pushConfig reads a config, of whose schemes the model keeps the first.
func pushConfig(p *pb.PushNotificationConfig) *a2a.PushConfig {
	config := &a2a.PushConfig{ID: p.GetId(), URL: p.GetUrl(), Token: p.GetToken()}
	if auth := p.GetAuthentication(); auth != nil {
		config.Authentication = &a2a.PushAuthentication{Credentials: auth.GetCredentials()}
		if schemes := auth.GetSchemes(); len(schemes) > 0 {
			config.Authentication.Scheme = schemes[0]
		}
	}
	return config
}

func getPushConfigRequest(
	c *pbvalue.Converter, r *pb.GetTaskPushNotificationConfigRequest,
) *a2a.GetPushConfigRequest {
	task, id := parseConfig(c, "name", r.GetName())
	return &a2a.GetPushConfigRequest{TaskID: task, ID: id}
}

func listPushConfigsRequest(
	c *pbvalue.Converter, r *pb.ListTaskPushNotificationConfigRequest,
) *a2a.ListPushConfigsRequest {
	return &a2a.ListPushConfigsRequest{
		TaskID: parseTask(c, "parent", r.GetParent()), PageSize: int(r.GetPageSize()), PageToken: r.GetPageToken(),
	}
}

func listPushConfigsResponse(
	c *pbvalue.Converter, r *pb.ListTaskPushNotificationConfigResponse,
) *a2a.ListPushConfigsResponse {
	return &a2a.ListPushConfigsResponse{
		Configs: pbvalue.List(c, "configs", r.GetConfigs(), namedPushConfig), NextPageToken: r.GetNextPageToken(),
	}
}

func deletePushConfigRequest(
	c *pbvalue.Converter, r *pb.DeleteTaskPushNotificationConfigRequest,
) *a2a.DeletePushConfigRequest {
	task, id := parseConfig(c, "name", r.GetName())
	return &a2a.DeletePushConfigRequest{TaskID: task, ID: id}
}

func extendedCardRequest(*pbvalue.Converter, *pb.GetAgentCardRequest) *a2a.ExtendedCardRequest {
	return &a2a.ExtendedCardRequest{}
}
