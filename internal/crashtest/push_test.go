// SPDX-License-Identifier: Apache-2.0

package crashtest

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/push"
)

// A badWebhook takes notifications for several configs, each at a path of its own. While it is bad, it answers most of
// them with a failure.
type badWebhook struct {
	*httptest.Server

	mu     sync.Mutex
	bad    bool
	taken  map[string][]string // bodies, by path, in the order in which each one was first taken
	seen   map[string]bool     // paths and ids that were taken
	faults map[string]int
}

func newBadWebhook(t *testing.T) *badWebhook {
	w := &badWebhook{bad: true, taken: map[string][]string{}, seen: map[string]bool{}, faults: map[string]int{}}
	w.Server = httptest.NewServer(w)
	t.Cleanup(w.Close)
	return w
}

func (w *badWebhook) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	switch fault := w.take(r.URL.Path, r.Header.Get(push.HeaderID), string(body)); fault {
	case "error":
		rw.WriteHeader(http.StatusInternalServerError)
	case "hang":
		<-r.Context().Done()
	case "redirect":
		http.Redirect(rw, r, "/redirected", http.StatusTemporaryRedirect)
	case "reset":
		panic(http.ErrAbortHandler)
	}
}

// take keeps a notification, or returns how to fail.
func (w *badWebhook) take(path, id, body string) (fault string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.bad && path != "/redirected" {
		if fault = []string{"error", "hang", "redirect", "reset", "", "", "", ""}[rand.IntN(8)]; fault != "" {
			w.faults[fault]++
			return fault
		}
	}
	if !w.seen[path+id] {
		w.seen[path+id] = true
		w.taken[path] = append(w.taken[path], body)
	}
	return ""
}

func (w *badWebhook) turnGood() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.bad = false
}

func (w *badWebhook) got(path string) []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.taken[path])
}

// TestWebhooksGetEachEvent kills the sender again and again, while the receiver fails, hangs, redirects and resets
// connections. Each config gets each event, in order.
func TestWebhooksGetEachEvent(t *testing.T) {
	t.Parallel()
	hook := newBadWebhook(t)
	p := start(t, config{Push: true})
	addr := p.config.Addrs.Plain
	c := p.dial(addr)
	req := immediately(message(fmt.Sprintf("after go %d 20", prove(200, 4000)), ""))
	req.Configuration.PushConfig = &a2a.PushConfig{URL: hook.URL + "/0"}
	task := send(t, c, req)
	configs := prove(3, 10)
	for i := 1; i < configs; i++ {
		_, err := c.CreatePushConfig(t.Context(),
			&a2a.PushConfig{TaskID: task.ID, URL: fmt.Sprintf("%s/%d", hook.URL, i)})
		if err != nil {
			t.Fatal(err)
		}
	}
	p.open("go")
	wait(t, c, task.ID)
	kills := 0
	for end := time.Now().Add(prove(2*time.Second, time.Minute)); time.Now().Before(end); kills++ {
		<-time.After(time.Duration(rand.IntN(500)) * time.Millisecond)
		p.kill()
		p.run()
	}
	hook.turnGood()

	all := p.replay(rest, addr, task.ID, "0")
	var want []string
	for _, ev := range all {
		want = append(want, ev.data)
	}
	last := want[len(want)-1]
	for i := range configs {
		path := fmt.Sprintf("/%d", i)
		for end := time.Now().Add(prove(patience, 10*time.Minute)); !slices.Contains(hook.got(path), last); {
			if time.Now().After(end) {
				t.Fatalf("config %d has %d of %d events", i, len(hook.got(path)), len(want))
			}
			<-time.After(20 * time.Millisecond)
		}
		got := hook.got(path)
		due := want
		if i > 0 { // it was made after the first events
			due = want[max(0, len(want)-len(got)):]
		}
		if !slices.Equal(got, due) || len(want)-len(due) > 2 {
			t.Errorf("config %d got %d events, other ones or in another order than the %d that are due", i, len(got),
				len(due))
		}
	}
	if n := len(hook.got("/redirected")); n > 0 {
		t.Errorf("%d redirects were followed", n)
	}
	t.Logf("%d kills, %d events to %d configs, faults %v", kills, len(want), configs, hook.faults)
	p.stop()
}
