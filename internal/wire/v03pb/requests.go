// SPDX-License-Identifier: Apache-2.0

package v03pb

import (
	"cmp"
	"strings"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/jsonio"
	"github.com/dragoman-a2a/dragoman/internal/wire"
)

// A send is what a SendMessageRequest says.
type send struct {
	message       *a2a.Message
	configuration configuration
	metadata      a2a.Metadata
}

type configuration struct {
	modes         []string
	push          *a2a.PushConfig
	historyLength int
	waits         *bool
}

var sentMessage = messageOf(a2a.MaxParts, a2a.MaxNames, func(*a2a.Message) {})

var (
	messageOfSend = jsonio.Required("message", &sentMessage, func(v *send) **a2a.Message { return &v.message })
	sendObject    = object(
		messageOfSend, also("request", messageOfSend),
		jsonio.Nested("configuration", &configurationObject, func(v *send) *configuration { return &v.configuration }),
		metadata(func(v *send) *a2a.Metadata { return &v.metadata }),
	)
)

// metadata is the member metadata without a marker.
func metadata[T any](of func(*T) *a2a.Metadata) jsonio.Member[T] {
	return jsonio.Value("metadata", jsonio.Metadata[a2a.Metadata],
		func(w *jsonio.Writer, _ string, m a2a.Metadata) { writeMetadata(w, m) }, of)
}

var (
	pushOfSend = jsonio.Ptr("pushNotification", &pushObject,
		func(v *configuration) **a2a.PushConfig { return &v.push })
	configurationObject = object(
		jsonio.OptStrs("acceptedOutputModes", a2a.MaxNames, func(v *configuration) *[]string { return &v.modes }),
		pushOfSend, also("pushNotificationConfig", pushOfSend),
		jsonio.Value("historyLength", readCount, writeOptCount,
			func(v *configuration) *int { return &v.historyLength }),
		jsonio.PtrBool("blocking", func(v *configuration) **bool { return &v.waits }),
	)
)

func writeOptCount(w *jsonio.Writer, name string, n int) {
	if n != 0 {
		writeCount(w, name, n)
	}
}

func (v *send) model() *a2a.SendMessageRequest {
	c := &v.configuration
	return &a2a.SendMessageRequest{Message: v.message, Metadata: v.metadata, Configuration: &a2a.SendConfiguration{
		AcceptedOutputModes: c.modes, PushConfig: c.push, HistoryLength: HistoryLength(c.historyLength),
		ReturnImmediately: c.waits == nil || !*c.waits,
	}}
}

// sendOf returns a send that says whether to wait, because the default is the other way round than in the model.
func sendOf(r *a2a.SendMessageRequest) *send {
	c := r.Configuration
	if c == nil {
		c = new(a2a.SendConfiguration)
	}
	v := &send{message: r.Message, metadata: r.Metadata, configuration: configuration{
		modes: c.AcceptedOutputModes, push: c.PushConfig, waits: new(!c.ReturnImmediately),
	}}
	if c.HistoryLength != nil {
		v.configuration.historyLength = max(1, *c.HistoryLength) // 0 would be all of it
	}
	return v
}

// HistoryLength returns the model's length of a history for one of this form, of which 0 means all.
func HistoryLength(n int) *int {
	if n == 0 {
		return nil
	}
	return &n
}

// A taskName is the body of a request about a task that the path names already, as the proto has it.
type taskName struct{ id a2a.TaskID }

var taskNameObject = object(jsonio.Value("name", readTaskName,
	func(w *jsonio.Writer, name string, id a2a.TaskID) { w.Str(name, "tasks/"+string(id)) },
	func(v *taskName) *a2a.TaskID { return &v.id }))

func readTaskName(d *jsonio.Reader, id *a2a.TaskID) error {
	var name string
	if err := jsonio.String(d, &name); err != nil {
		return err
	}
	task, config, ok := parseName(name)
	if !ok || config != "" {
		return jsonio.Invalid(d, "must be the name of the task: tasks/{id}")
	}
	*id = task
	return nil
}

func (v *taskName) cancel() *a2a.CancelTaskRequest { return &a2a.CancelTaskRequest{ID: v.id} }

func (v *taskName) subscribe() *a2a.SubscribeRequest { return &a2a.SubscribeRequest{ID: v.id} }

var pushObject = jsonio.Object[a2a.PushConfig]{Snake: true, Members: append(
	[]jsonio.Member[a2a.PushConfig]{jsonio.OptStr("id", func(v *a2a.PushConfig) *string { return &v.ID })},
	wire.PushMembers(false)...,
)}

// A namedPush is what a TaskPushNotificationConfig says: a config under its resource name.
type namedPush struct {
	name   string
	config *a2a.PushConfig
}

var namedPushObject = object(
	jsonio.Str("name", func(v *namedPush) *string { return &v.name }),
	jsonio.Required("pushNotificationConfig", &pushObject, func(v *namedPush) **a2a.PushConfig { return &v.config }),
)

func named(c *a2a.PushConfig) *namedPush {
	return &namedPush{"tasks/" + string(c.TaskID) + "/pushNotificationConfigs/" + c.ID, c}
}

func writeNamedPush(w *jsonio.Writer, c *a2a.PushConfig) {
	if c == nil {
		w.Fail("is missing")
		return
	}
	namedPushObject.Write(w, named(c))
}

func readNamedPush(d *jsonio.Reader, p **a2a.PushConfig) error {
	var v namedPush
	if err := namedPushObject.Read(d, &v); err != nil {
		return err
	}
	if v.config == nil {
		return jsonio.InvalidMember(d, "pushNotificationConfig", "is required")
	}
	task, id, ok := parseName(v.name)
	if !ok {
		return jsonio.InvalidMember(d, "name", "must be tasks/{id}/pushNotificationConfigs/{id}")
	}
	*p = v.config
	(*p).TaskID = task
	if id != "" {
		(*p).ID = id
	}
	return nil
}

// parseName takes the name of a push config apart; that of a task alone has no config. The proto called them
// pushNotifications before 0.2.5. Ids may hold slashes: clients of 0.1 make theirs themselves.
func parseName(name string) (task a2a.TaskID, config string, ok bool) {
	rest, ok := strings.CutPrefix(name, "tasks/")
	for _, collection := range []string{"/pushNotificationConfigs/", "/pushNotifications/"} {
		if i := strings.LastIndex(rest, collection); i >= 0 {
			rest, config = rest[:i], rest[i+len(collection):]
			break
		}
	}
	return a2a.TaskID(rest), config, ok && rest != ""
}

// A createPush is a request for a push config: as the proto has it, or just the config of it, as some SDKs send it.
type createPush struct {
	parent, configID string
	config           *namedPush
	bare             namedPush
}

var createPushObject = jsonio.Object[createPush]{
	Snake: true,
	Members: []jsonio.Member[createPush]{
		jsonio.Str("parent", func(v *createPush) *string { return &v.parent }),
		jsonio.OptStr("configId", func(v *createPush) *string { return &v.configID }),
		jsonio.Required("config", &namedPushObject, func(v *createPush) **namedPush { return &v.config }),
		jsonio.OptStr("name", func(v *createPush) *string { return &v.bare.name }),
		jsonio.Ptr("pushNotificationConfig", &pushObject,
			func(v *createPush) **a2a.PushConfig { return &v.bare.config }),
	},
	Finish: func(d *jsonio.Reader, v *createPush) error {
		if v.config == nil {
			v.config = &v.bare
		}
		if v.config.config == nil {
			return jsonio.InvalidMember(d, "config.pushNotificationConfig", "is required")
		}
		return v.checkNames(d)
	},
}

// checkNames refuses resource names that are not, or that are of something else than each other.
func (v *createPush) checkNames(d *jsonio.Reader) error {
	c := v.config.config
	named := ""
	for _, name := range []struct{ field, value string }{{"parent", v.parent}, {"config.name", v.config.name}} {
		if name.value == "" {
			continue
		}
		task, id, ok := parseName(name.value)
		if !ok || c.TaskID != "" && c.TaskID != task {
			return jsonio.InvalidMember(d, name.field, "must be the name of the task: tasks/{id}, and of its config")
		}
		c.TaskID, named = task, id
	}
	if v.configID != "" && c.ID != "" && v.configID != c.ID {
		return jsonio.InvalidMember(d, "configId", "differs from the id of the config")
	}
	c.ID = cmp.Or(c.ID, v.configID)
	if named != noID { // what it names without an id is a config called so
		c.ID = cmp.Or(c.ID, named)
	}
	return nil
}

// noID is what the official Python SDK has in the name of a config without an id.
const noID = "None"

func (v *createPush) model() *a2a.PushConfig { return v.config.config }

func readPushConfigs(d *jsonio.Reader, p **a2a.ListPushConfigsResponse) error {
	*p = new(a2a.ListPushConfigsResponse)
	if d.PeekKind() == '[' { // as the specification's text has it
		return jsonio.List(d, &(*p).Configs, 0, readNamedPush)
	}
	return pushConfigsObject.Read(d, *p)
}

var pushConfigsObject = object(
	jsonio.Member[a2a.ListPushConfigsResponse]{
		Name: "configs",
		Read: func(d *jsonio.Reader, v *a2a.ListPushConfigsResponse) error {
			return jsonio.List(d, &v.Configs, 0, readNamedPush)
		},
		Write: func(w *jsonio.Writer, name string, v *a2a.ListPushConfigsResponse) {
			jsonio.WriteList(w, name, v.Configs, writeNamedPush)
		},
	},
	jsonio.OptStr("nextPageToken", func(v *a2a.ListPushConfigsResponse) *string { return &v.NextPageToken }),
)

func readTasks(d *jsonio.Reader, p **a2a.ListTasksResponse) error {
	*p = new(a2a.ListTasksResponse)
	var err error
	if d.PeekKind() == '[' { // as the specification's text has it
		err = jsonio.List(d, &(*p).Tasks, 0, taskObject.ReadNew)
		(*p).TotalSize = len((*p).Tasks)
	} else {
		err = tasksObject.Read(d, *p)
	}
	(*p).PageSize = len((*p).Tasks)
	return err
}

var tasksObject = object(
	jsonio.EachPtr("tasks", &taskObject, func(v *a2a.ListTasksResponse) *[]*a2a.Task { return &v.Tasks }),
	jsonio.Str("nextPageToken", func(v *a2a.ListTasksResponse) *string { return &v.NextPageToken }),
	jsonio.Value("totalSize", readCount, writeCount, func(v *a2a.ListTasksResponse) *int { return &v.TotalSize }),
)
