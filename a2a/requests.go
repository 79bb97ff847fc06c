// SPDX-License-Identifier: Apache-2.0

package a2a

import "time"

// SendMessageRequest is the request of SendMessage and SendStreamingMessage (A2A 1.0 §3.2.1).
type SendMessageRequest struct {
	Tenant        string
	Message       *Message // required
	Configuration *SendConfiguration
	Metadata      Metadata

	// NewTaskID is the id for the task that this message creates. Only generation 0.1, whose clients make
	// the ids, sets it; it is not on the wire of 1.0.
	NewTaskID TaskID
	// IdempotencyKey makes a repeated send return the task of the first one. Empty means no such promise.
	// Keys live per agent, tenant and owner. It is not on the wire.
	IdempotencyKey string
}

// SendConfiguration tunes a send (A2A 1.0 §3.2.2, SendMessageConfiguration).
type SendConfiguration struct {
	AcceptedOutputModes []string    // media types the client can use; empty means any
	PushConfig          *PushConfig // "taskPushNotificationConfig"; its task id is empty
	HistoryLength       *int        // nil: as much as the server likes; 0: none; n: at most the n newest
	ReturnImmediately   bool        // answer once the task exists, instead of when it ends or waits
}

// GetTaskRequest is the request of GetTask (A2A 1.0 §3.1.3).
type GetTaskRequest struct {
	Tenant        string
	ID            TaskID // required
	HistoryLength *int   // as in SendConfiguration
}

// ListTasksRequest is the request of ListTasks (A2A 1.0 §3.1.4). The zero value lists everything the caller
// may see, the first page.
type ListTasksRequest struct {
	Tenant               string
	ContextID            ContextID // "" means any
	Status               TaskState // unspecified means any
	PageSize             *int      // 1 to 100; nil means 50
	PageToken            string    // "" means the first page
	HistoryLength        *int      // as in SendConfiguration
	StatusTimestampAfter time.Time // inclusive; zero means any
	IncludeArtifacts     bool
}

// ListTasksResponse is one page of tasks, those with the newest status first (A2A 1.0 §3.1.4).
// All four members are always on the wire.
type ListTasksResponse struct {
	Tasks         []*Task
	NextPageToken string // "" on the last page
	PageSize      int
	TotalSize     int // matches on all pages
}

// CancelTaskRequest is the request of CancelTask (A2A 1.0 §3.1.5).
type CancelTaskRequest struct {
	Tenant   string
	ID       TaskID // required
	Metadata Metadata
}

// SubscribeRequest is the request of SubscribeToTask (A2A 1.0 §3.1.6).
type SubscribeRequest struct {
	Tenant string
	ID     TaskID // required

	// After is the [StreamEvent.ID] of the last event the caller saw. When it is set, the stream starts with
	// the event after that one instead of with the task, also for a task that has ended. Not on the wire of
	// 1.0: it travels as Last-Event-ID under the replay extension.
	After string
}

// PushConfig says where and how to notify about a task (A2A 1.0 §4.3.1, TaskPushNotificationConfig).
type PushConfig struct {
	Tenant         string
	ID             string // made by the server when empty
	TaskID         TaskID
	URL            string // required
	Token          string
	Authentication *PushAuthentication
}

// PushAuthentication is how the notifier proves itself to the webhook (A2A 1.0 §4.3.2, AuthenticationInfo).
type PushAuthentication struct {
	Scheme      string // required; an IANA HTTP authentication scheme, e.g. "Bearer"
	Credentials string
}

// GetPushConfigRequest is the request of GetTaskPushNotificationConfig (A2A 1.0 §3.1.8).
type GetPushConfigRequest struct {
	Tenant string
	TaskID TaskID // required
	ID     string // required
}

// ListPushConfigsRequest is the request of ListTaskPushNotificationConfigs (A2A 1.0 §3.1.9).
type ListPushConfigsRequest struct {
	Tenant    string
	TaskID    TaskID // required
	PageSize  int    // 0 means the server's choice
	PageToken string
}

// ListPushConfigsResponse is one page of push configs.
type ListPushConfigsResponse struct {
	Configs       []*PushConfig
	NextPageToken string
}

// DeletePushConfigRequest is the request of DeleteTaskPushNotificationConfig (A2A 1.0 §3.1.10).
type DeletePushConfigRequest struct {
	Tenant string
	TaskID TaskID // required
	ID     string // required
}

// ExtendedCardRequest is the request of GetExtendedAgentCard (A2A 1.0 §3.1.11).
type ExtendedCardRequest struct {
	Tenant string
}
