// SPDX-License-Identifier: Apache-2.0

package push_test

import (
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/journal"
	"github.com/dragoman-a2a/dragoman/push"
)

// manage does something with all selected configs.
func (b *bed) manage(t *testing.T, do push.Action, sel push.Selection) (all []push.Status) {
	t.Helper()
	for page, first := "", true; first || page != ""; first = false {
		found, next, err := push.Manage(t.Context(), b.journal, do, sel, page)
		if err != nil {
			t.Fatal(err)
		}
		all, page = append(all, found...), next
	}
	return all
}

// A parked config gets what it missed after a retry, in order, also what came after it was parked.
func TestRetryOfParkedConfigs(t *testing.T) {
	t.Parallel()
	var works atomic.Bool
	hook := newWebhook(t, func(_ int, w http.ResponseWriter, _ *http.Request) {
		if !works.Load() {
			w.WriteHeader(http.StatusGone)
		}
	})
	b := newBed(t, push.Options{})
	start := time.Now()
	task := b.send(t, as(t, a2a.Generation10), "ask", &a2a.PushConfig{ID: "c", URL: hook.URL + "/secret"})
	healthy := newWebhook(t, nil)
	b.send(t, as(t, a2a.Generation10), "1", &a2a.PushConfig{ID: "well", URL: healthy.URL})
	healthy.until(t, completed)
	var failing []push.Status
	eventually(t, func() bool {
		failing = b.manage(t, push.List, push.Selection{Failing: true})
		return len(failing) == 1 && !failing[0].Parked.IsZero()
	})
	got := failing[0]
	if got.Task != task.ID || got.Config != "c" || got.Agent != "counter" || "http://"+got.Host != hook.URL ||
		got.Attempts != 1 || got.Failing.Before(start.Truncate(time.Second)) || !got.Next.IsZero() ||
		got.Failure == "" {
		t.Errorf("the parked config is listed as %+v", got)
	}
	m := a2a.NewMessage(a2a.RoleUser, a2a.TextPart("2"))
	m.TaskID = task.ID
	if _, err := b.SendMessage(as(t, a2a.Generation10), &a2a.SendMessageRequest{Message: m}); err != nil {
		t.Fatal(err)
	}
	for name, sel := range map[string]push.Selection{
		"another task":   {Task: "none", Failing: true},
		"another config": {Task: task.ID, Config: "d", Failing: true},
		"later failures": {Failing: true, Since: time.Now().Add(time.Hour)},
	} {
		if found := b.manage(t, push.Retry, sel); len(found) != 0 {
			t.Errorf("%s: retried %+v", name, found)
		}
	}
	refused := len(hook.requests())
	works.Store(true)
	recent := push.Selection{Failing: true, Since: start.Add(-time.Second)}
	if found := b.manage(t, push.Retry, recent); len(found) != 1 {
		t.Errorf("retried %+v", found)
	}
	delivered := hook.until(t, completed)[refused:]
	if _, ok := delivered[0].event(t).(*a2a.Task); !ok {
		t.Errorf("the first event after the retry is %s", delivered[0].body)
	}
	eventually(t, func() bool { return len(b.manage(t, push.List, push.Selection{Failing: true})) == 0 })
	if n := len(b.manage(t, push.List, push.Selection{})); n != 2 {
		t.Errorf("%d configs are listed", n)
	}
}

func TestDropOfConfigs(t *testing.T) {
	t.Parallel()
	b := newBed(t, push.Options{})
	task := b.send(t, as(t, a2a.Generation10), "ask", nil)
	for _, c := range []journal.Cursor{{Name: "damaged", Data: []byte("{")}, {Name: "other", Data: []byte("{}")}} {
		c.Delivered = journal.Parked
		if err := b.journal.PutCursor(t.Context(), keyOf(task), c); err != nil {
			t.Fatal(err)
		}
	}
	if found := b.manage(t, push.Drop, push.Selection{Task: task.ID, Config: "damaged"}); len(found) != 1 {
		t.Errorf("dropped %+v", found)
	}
	if left := b.manage(t, push.List, push.Selection{}); len(left) != 1 || left[0].Config != "other" {
		t.Errorf("left are %+v", left)
	}
	if _, _, err := push.Manage(t.Context(), b.journal, "burn", push.Selection{}, ""); err == nil {
		t.Error("an unknown action is taken")
	}
}
