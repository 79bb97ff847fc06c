// SPDX-License-Identifier: Apache-2.0

package a2abridge_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/apps/coord"
	"github.com/dragoman-a2a/dragoman/apps/coord/a2abridge"
	"github.com/dragoman-a2a/dragoman/apps/coord/daemon"
	"github.com/dragoman-a2a/dragoman/client"
	"github.com/dragoman-a2a/dragoman/journal"
	"github.com/dragoman-a2a/dragoman/journal/memory"
	"github.com/dragoman-a2a/dragoman/journal/sql"
	"github.com/dragoman-a2a/dragoman/store"
	"github.com/dragoman-a2a/dragoman/store/sqlite"
)

// kept is a coordinator whose data is in a folder, so that it can be ended and started again.
type kept struct {
	*world
	folder string
	opts   a2abridge.Options

	db    *store.DB
	tasks *sql.Journal
	srv   *httptest.Server
}

// keep starts a coordinator in a folder of the test's, with the session a.
func keep(t *testing.T, o a2abridge.Options) *kept {
	t.Helper()
	k := &kept{folder: t.TempDir(), opts: o}
	k.data(t)
	t.Cleanup(func() { k.stop() })
	k.serve()
	k.register("", "a")
	return k
}

// data opens the folder, with a Hub and without a Bridge.
func (k *kept) data(t *testing.T) {
	t.Helper()
	var err error
	if k.db, err = sqlite.Open(t.Context(), k.folder, sqlite.Options{Program: "test"}); err != nil {
		t.Fatal(err)
	}
	tables, err := coord.OpenTables(t.Context(), k.db)
	if err != nil {
		t.Fatal(err)
	}
	if k.tasks, err = sql.New(t.Context(), k.db, nil); err != nil {
		t.Fatal(err)
	}
	k.world = &world{t: t, hub: coord.NewHub(&coord.HubOptions{Store: tables, Logger: silent})}
}

// serve serves what is open.
func (k *kept) serve() {
	k.t.Helper()
	o := k.opts
	o.Hub, o.Journal, o.Logger = k.hub, k.tasks, silent
	var err error
	if k.b, err = a2abridge.New(o); err != nil {
		k.t.Fatal(err)
	}
	d := daemon.New(daemon.Options{Hub: k.hub, Deleted: k.b.DeleteProject, Logger: silent})
	d.Handle(a2abridge.Prefix, k.b)
	k.srv = httptest.NewServer(d)
	k.url = k.srv.URL
}

// stop ends all of it.
func (k *kept) stop() {
	k.t.Helper()
	if k.db == nil {
		return
	}
	var err error
	if k.b != nil {
		err = k.b.Close()
		k.srv.CloseClientConnections()
		k.srv.Close()
		k.b = nil
	}
	if err := errors.Join(err, k.hub.Close(), k.tasks.Close(), k.db.Close()); err != nil {
		k.t.Error(err)
	}
	k.db = nil
}

// restart ends the coordinator and starts it again.
func (k *kept) restart() {
	k.t.Helper()
	k.stop()
	k.data(k.t)
	k.serve()
}

// begin sends a message to a session, without waiting, until the session has it.
func (k *kept) begin(text string) (c *client.Client, id a2a.TaskID, query string) {
	k.t.Helper()
	c = k.dial("", "p/a")
	result, err := c.SendMessage(k.t.Context(), &a2a.SendMessageRequest{
		Message:       a2a.NewMessage(a2a.RoleUser, a2a.TextPart(text)),
		Configuration: &a2a.SendConfiguration{ReturnImmediately: true},
	})
	if err != nil {
		k.t.Fatal(err)
	}
	messages := k.peek(1)
	return c, result.(*a2a.Task).ID, messages[0].ID
}

// peek waits until the session a has a number of messages.
func (k *kept) peek(n int) []coord.MessageInfo {
	k.t.Helper()
	for deadline := time.Now().Add(20 * time.Second); ; {
		var messages []coord.MessageInfo
		for _, m := range k.do("", coord.Check{Session: "a", Peek: true}).([]any) {
			messages = append(messages, m.(coord.MessageInfo))
		}
		if len(messages) == n {
			return messages
		}
		if time.Now().After(deadline) {
			k.t.Fatalf("there are the messages %v, want %d", messages, n)
		}
		<-time.After(time.Millisecond)
	}
}

// state returns the state of a task and what it says, once that is a state.
func (k *kept) state(id a2a.TaskID, want a2a.TaskState) *a2a.Task {
	k.t.Helper()
	c := k.dial("", "p/a")
	for deadline := time.Now().Add(20 * time.Second); ; {
		task, err := c.GetTask(k.t.Context(), &a2a.GetTaskRequest{ID: id})
		if err != nil {
			k.t.Fatal(err)
		}
		if task.Status.State == want {
			return task
		}
		if task.Status.State.Terminal() || time.Now().After(deadline) {
			k.t.Fatalf("the task is %+v, want %v", task.Status, want)
		}
		<-time.After(time.Millisecond)
	}
}

func (k *kept) respond(query, text string) {
	k.t.Helper()
	if got, ok := k.do("", coord.Respond{From: "a", MessageID: query, Response: text}).(coord.Responded); !ok ||
		got.Matched != nil {
		k.t.Errorf("the answer is %+v", got)
	}
}

// After a restart a task whose query was open has failed, and the query is withdrawn. Ended tasks are still there.
func TestTasksAfterARestart(t *testing.T) {
	t.Parallel()
	k := keep(t, a2abridge.Options{})
	_, answered, query := k.begin("Which fields?")
	k.respond(query, "name and email")
	k.state(answered, a2a.TaskStateCompleted)
	k.do("", coord.Check{Session: "a"})
	_, open, _ := k.begin("And now?")
	k.restart()
	if got := k.state(answered, a2a.TaskStateCompleted); got.Artifacts[0].Text() != "name and email" {
		t.Errorf("%+v", got)
	}
	k.state(open, a2a.TaskStateFailed)
	k.peek(0)
	if got, ok := k.do("", coord.Respond{From: "a", MessageID: query, Response: "late"}).(coord.Failure); !ok ||
		got.Status != "not_found" {
		t.Errorf("%+v", got)
	}
	c := k.dial("", "p/a")
	if _, err := c.CancelTask(t.Context(), &a2a.CancelTaskRequest{ID: open}); !errors.Is(err,
		a2a.ErrTaskNotCancelable) {
		t.Error(err)
	}
}

// If the session leaves or is retired, the task fails with the reason.
func TestSessionsThatEndBeforeTheyAnswer(t *testing.T) {
	t.Parallel()
	for why, c := range map[string]coord.Command{
		"it has left the project": coord.Unregister{Session: "a"},
		"ann has retired it":      coord.Retire{Session: "a", Person: "ann"},
	} {
		t.Run(why, func(t *testing.T) {
			t.Parallel()
			k := keep(t, a2abridge.Options{})
			_, id, _ := k.begin("?")
			k.do("", c)
			task := k.state(id, a2a.TaskStateFailed)
			if got := task.Status.Message.Text(); got != "Agent a will not answer: "+why {
				t.Error(got)
			}
		})
	}
}

// A second message to a task is a query of its own.
func TestSecondMessage(t *testing.T) {
	t.Parallel()
	k := keep(t, a2abridge.Options{})
	c, id, first := k.begin("one")
	again := a2a.NewMessage(a2a.RoleUser, a2a.TextPart("two"))
	again.TaskID = id
	sent := make(chan error, 1)
	go func() {
		_, err := c.SendMessage(t.Context(),
			&a2a.SendMessageRequest{Message: again, Configuration: &a2a.SendConfiguration{ReturnImmediately: true}})
		sent <- err
	}()
	if err := <-sent; err != nil {
		t.Fatal(err)
	}
	k.respond(first, "1")
	second := k.peek(2)[1]
	if second.Content != "two" {
		t.Errorf("%+v", second)
	}
	k.respond(second.ID, "2")
	task := k.state(id, a2a.TaskStateCompleted)
	if len(task.Artifacts) != 2 || task.Artifacts[0].Text() != "1" || task.Artifacts[1].Text() != "2" {
		t.Errorf("%+v", task.Artifacts)
	}
	k.peek(2)
}

// A client that gives up waiting finds the task later.
func TestClientsThatGiveUp(t *testing.T) {
	t.Parallel()
	k := keep(t, a2abridge.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := k.dial("", "p/a").Ask(ctx, "?")
		done <- err
	}()
	query := k.peek(1)[0].ID
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	list, err := k.dial("", "p/a").ListTasks(t.Context(), &a2a.ListTasksRequest{})
	if err != nil || len(list.Tasks) != 1 || list.Tasks[0].Status.State != a2a.TaskStateWorking {
		t.Fatalf("%+v, %v", list, err)
	}
	k.respond(query, "yes")
	if got := k.state(list.Tasks[0].ID, a2a.TaskStateCompleted); got.Artifacts[0].Text() != "yes" {
		t.Errorf("%+v", got)
	}
}

// With a project its tasks go, those whose queries are open and those that have ended, and no others.
func TestDeletedProjectsHaveNoTasks(t *testing.T) {
	t.Parallel()
	k := keep(t, a2abridge.Options{})
	c, ended, query := k.begin("a secret?")
	k.respond(query, "yes")
	k.state(ended, a2a.TaskStateCompleted)
	k.do("", coord.Check{Session: "a"})
	_, open, _ := k.begin("another?")
	other, err := k.hub.Do(t.Context(), "p2", "", coord.Register{Session: "a", TaskID: "1"})
	if err != nil {
		t.Fatal(other, err)
	}
	failed, err := k.dial("", "p2/a").SendMessage(t.Context(), &a2a.SendMessageRequest{
		Message:       a2a.NewMessage(a2a.RoleUser, a2a.TextPart("?")),
		Configuration: &a2a.SendConfiguration{ReturnImmediately: true},
	})
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodDelete, k.url+"/api/projects/p?force=true", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		t.Fatal(resp.Status)
	}
	for _, id := range []a2a.TaskID{ended, open} {
		task, err := c.GetTask(t.Context(), &a2a.GetTaskRequest{ID: id})
		// its turn is just ending
		for deadline := time.Now().Add(20 * time.Second); err == nil && time.Now().Before(deadline); {
			<-time.After(time.Millisecond)
			task, err = c.GetTask(t.Context(), &a2a.GetTaskRequest{ID: id})
		}
		if !errors.Is(err, a2a.ErrTaskNotFound) {
			t.Errorf("%+v, %v", task, err)
		}
	}
	if _, err := k.dial("", "p2/a").GetTask(t.Context(), &a2a.GetTaskRequest{ID: failed.(*a2a.Task).ID}); err != nil {
		t.Errorf("that of another project: %v", err)
	}
	k.register("", "a")
	k.restart()
	if list, err := k.dial("", "p/a").ListTasks(t.Context(), &a2a.ListTasksRequest{}); err != nil ||
		len(list.Tasks) != 0 {
		t.Errorf("%+v, %v", list, err)
	}
}

// Tasks of the next project of the name stay, and the deletion does not wait for them.
func TestTasksOfTheNextProject(t *testing.T) {
	t.Parallel()
	k := keep(t, a2abridge.Options{})
	result, err := k.hub.DeleteProject(t.Context(), "p", "ann", true)
	if err != nil {
		t.Fatal(err)
	}
	free := result.(coord.Ended).Free
	k.register("", "a")
	c, ended, query := k.begin("for the next one")
	k.respond(query, "yes")
	k.state(ended, a2a.TaskStateCompleted)
	k.do("", coord.Check{Session: "a"})
	_, open, _ := k.begin("also")
	begun := time.Now()
	if err := k.b.DeleteProject(t.Context(), "p", free); err != nil || time.Since(begun) >= 5*time.Second {
		t.Errorf("%v after %v", err, time.Since(begun))
	}
	for _, id := range []a2a.TaskID{ended, open} {
		if _, err := c.GetTask(t.Context(), &a2a.GetTaskRequest{ID: id}); err != nil {
			t.Error(id, err)
		}
	}
}

// busy is a journal with a task that is at work for as long as it is asked to.
type busy struct {
	journal.Journal
	left chan int
}

func (b busy) DropTenants(context.Context, string, string, time.Time) (int, error) {
	select {
	case left := <-b.left:
		return left, nil
	default:
		return 1, nil
	}
}

// Tasks that stay at work are no failure of what is deleted. They go when they have ended.
func TestTasksThatStayAtWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hub := coord.NewHub(nil)
		defer hub.Close()
		j := busy{memory.New(nil), make(chan int)}
		b, err := a2abridge.New(a2abridge.Options{Hub: hub, Journal: j, Logger: silent})
		if err != nil {
			t.Fatal(err)
		}
		begun := time.Now()
		if err := b.DeleteProject(t.Context(), "p", begun); err != nil || time.Since(begun) != 5*time.Second {
			t.Errorf("%v after %v", err, time.Since(begun))
		}
		go func() { time.Sleep(time.Minute); close(j.left) }() // from then on there are none
		time.Sleep(2 * time.Minute)
		if err := b.DeleteProject(t.Context(), "p", begun); err != nil {
			t.Error(err)
		}
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
}
