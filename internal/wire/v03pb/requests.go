// SPDX-License-Identifier: Apache-2.0

package v03pb

import (
	"cmp"
	"slices"
	"strings"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/jsonio"
)

// A send is what a SendMessageRequest says.
type send struct {
	message       *a2a.Message
	configuration *configuration
	metadata      a2a.Metadata
}

type configuration struct {
	modes         []string
	push          *a2a.PushConfig
	historyLength int
	blocking      bool
}

var sentMessage = messageObject(a2a.MaxParts, a2a.MaxNames)

var sendObject = jsonio.Object[send]{Members: slices.Concat(
	member("message", func(d *jsonio.Reader, v *send) error { return sentMessage.ReadNew(d, &v.message) }, "request"),
	member("configuration", func(d *jsonio.Reader,
		v *send) error {
		return configurationObject.ReadNew(d, &v.configuration)
	}),
	member("metadata", func(d *jsonio.Reader, v *send) error { return jsonio.Metadata(d, &v.metadata) }),
)}

var configurationObject = jsonio.Object[configuration]{Members: slices.Concat(
	member("acceptedOutputModes", func(d *jsonio.Reader, v *configuration) error {
		return jsonio.List(d, &v.modes, a2a.MaxNames, jsonio.String)
	}),
	member("pushNotification", func(d *jsonio.Reader, v *configuration) error { return pushObject.ReadNew(d, &v.push) },
		"pushNotificationConfig"),
	member("historyLength", func(d *jsonio.Reader, v *configuration) error { return readCount(d, &v.historyLength) }),
	member("blocking", func(d *jsonio.Reader, v *configuration) error { return jsonio.Bool(d, &v.blocking) }),
)}

func (v *send) model() *a2a.SendMessageRequest {
	c := v.configuration
	if c == nil {
		c = new(configuration)
	}
	return &a2a.SendMessageRequest{Message: v.message, Metadata: v.metadata, Configuration: &a2a.SendConfiguration{
		AcceptedOutputModes: c.modes, PushConfig: c.push, HistoryLength: HistoryLength(c.historyLength),
		ReturnImmediately: !c.blocking,
	}}
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

var taskNameObject = jsonio.Object[taskName]{Members: member("name", func(d *jsonio.Reader, v *taskName) error {
	var name string
	if err := jsonio.String(d, &name); err != nil {
		return err
	}
	task, config, ok := parseName(name)
	if !ok || config != "" {
		return jsonio.Invalid(d, "must be the name of the task: tasks/{id}")
	}
	v.id = task
	return nil
})}

func (v *taskName) cancel() *a2a.CancelTaskRequest { return &a2a.CancelTaskRequest{ID: v.id} }

func (v *taskName) subscribe() *a2a.SubscribeRequest { return &a2a.SubscribeRequest{ID: v.id} }

var pushObject = jsonio.Object[a2a.PushConfig]{Members: slices.Concat(
	member("id", func(d *jsonio.Reader, v *a2a.PushConfig) error { return jsonio.String(d, &v.ID) }),
	member("url", func(d *jsonio.Reader, v *a2a.PushConfig) error { return jsonio.String(d, &v.URL) }),
	member("token", func(d *jsonio.Reader, v *a2a.PushConfig) error { return jsonio.String(d, &v.Token) }),
	member("authentication", func(d *jsonio.Reader,
		v *a2a.PushConfig) error {
		return readAuthentication(d, &v.Authentication)
	}),
)}

type authentication struct {
	schemes     []string
	credentials string
}

var authenticationObject = jsonio.Object[authentication]{Members: slices.Concat(
	member("schemes", func(d *jsonio.Reader, v *authentication) error {
		return jsonio.List(d, &v.schemes, a2a.MaxNames, jsonio.String)
	}),
	member("credentials", func(d *jsonio.Reader, v *authentication) error { return jsonio.String(d, &v.credentials) }),
)}

// readAuthentication takes the first of the schemes, which are in the order of preference.
func readAuthentication(d *jsonio.Reader, p **a2a.PushAuthentication) error {
	var v authentication
	if err := authenticationObject.Read(d, &v); err != nil {
		return err
	}
	switch {
	case len(v.schemes) > 0:
		*p = &a2a.PushAuthentication{Scheme: v.schemes[0], Credentials: v.credentials}
	case v.credentials != "":
		return jsonio.InvalidMember(d, "schemes", "is required beside credentials")
	}
	return nil
}

// A namedPush is what a TaskPushNotificationConfig says: a config under its resource name.
type namedPush struct {
	name   string
	config *a2a.PushConfig
}

var namedPushObject = jsonio.Object[namedPush]{Members: slices.Concat(
	member("name", func(d *jsonio.Reader, v *namedPush) error { return jsonio.String(d, &v.name) }),
	member("pushNotificationConfig", func(d *jsonio.Reader,
		v *namedPush) error {
		return pushObject.ReadNew(d, &v.config)
	}),
)}

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
	namedPush
}

var createPushObject = jsonio.Object[createPush]{
	Members: slices.Concat(
		member("parent", func(d *jsonio.Reader, v *createPush) error { return jsonio.String(d, &v.parent) }),
		member("configId", func(d *jsonio.Reader, v *createPush) error { return jsonio.String(d, &v.configID) }),
		member("config", func(d *jsonio.Reader, v *createPush) error { return namedPushObject.ReadNew(d, &v.config) }),
		member("name", func(d *jsonio.Reader, v *createPush) error { return jsonio.String(d, &v.name) }),
		member("pushNotificationConfig",
			func(d *jsonio.Reader, v *createPush) error { return pushObject.ReadNew(d, &v.namedPush.config) }),
	),
	Finish: func(d *jsonio.Reader, v *createPush) error {
		if v.config == nil {
			v.config = &v.namedPush
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

var pushConfigsObject = jsonio.Object[a2a.ListPushConfigsResponse]{Members: slices.Concat(
	member("configs", func(d *jsonio.Reader, v *a2a.ListPushConfigsResponse) error {
		return jsonio.List(d, &v.Configs, 0, readNamedPush)
	}),
	member("nextPageToken", func(d *jsonio.Reader, v *a2a.ListPushConfigsResponse) error {
		return jsonio.String(d, &v.NextPageToken)
	}),
)}

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

var tasksObject = jsonio.Object[a2a.ListTasksResponse]{Members: slices.Concat(
	member("tasks", func(d *jsonio.Reader, v *a2a.ListTasksResponse) error {
		return jsonio.List(d, &v.Tasks, 0, taskObject.ReadNew)
	}),
	member("nextPageToken", func(d *jsonio.Reader,
		v *a2a.ListTasksResponse) error {
		return jsonio.String(d, &v.NextPageToken)
	}),
	member("totalSize", func(d *jsonio.Reader, v *a2a.ListTasksResponse) error { return readCount(d, &v.TotalSize) }),
)}
