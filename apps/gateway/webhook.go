// SPDX-License-Identifier: Apache-2.0

package gateway

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/binding"
	"github.com/dragoman-a2a/dragoman/internal/guard"
	"github.com/dragoman-a2a/dragoman/internal/mask"
	"github.com/dragoman-a2a/dragoman/internal/wire"
	"github.com/dragoman-a2a/dragoman/internal/wire/v03pb"
)

const (
	// webhookName is the first segment of the path below which upstreams notify the gateway. It is no name of an
	// upstream.
	webhookName = "_webhook"
	// maxNotification bounds what an upstream posts, in bytes.
	maxNotification = 8 << 20
	// webhookTimeout bounds a notification on its way to a client (A2A 1.0 §4.3.3 suggests 10 to 30 seconds).
	webhookTimeout = 15 * time.Second
)

// webhooks are the gateway's own webhook. Upstreams notify it in their generation, and each notification goes on to the
// client's webhook in the generation in which the client named it. The upstream gets the answer of the client's
// webhook, so the upstream repeats what failed, and the gateway needs to keep nothing.
type webhooks struct {
	max      int
	lifetime time.Duration
	http     *http.Client
	base     atomic.Pointer[string] // URL under which upstreams reach the gateway; nil while that is not known

	mu       sync.Mutex
	bySecret map[string]*hook
	expired  time.Time // when those that nobody uses were looked for last
}

type hook struct {
	up     *upstream
	config a2a.PushConfig // as the client sent it
	gen    a2a.Generation // of the client
	told   a2a.Generation // of the upstream
	mask   mask.Mask
	used   time.Time
}

func newWebhooks(o *Options) *webhooks {
	w := &webhooks{max: o.MaxWebhooks, lifetime: o.Lifetime, bySecret: make(map[string]*hook)}
	networks := guard.Public
	if o.AllowPrivateWebhooks {
		networks = guard.Private
	}
	w.http = &http.Client{
		Timeout:       webhookTimeout,
		Transport:     guard.Transport(guard.Dial(networks)),
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	if o.Server.URL != "" {
		base := strings.TrimRight(o.Server.URL, "/")
		w.base.Store(&base)
	}
	return w
}

func (w *webhooks) bound(url string) { w.base.CompareAndSwap(nil, &url) }

// replace returns a push config that names the gateway's webhook instead of the client's, and remembers the client's.
func (w *webhooks) replace(ctx context.Context, u *upstream, config *a2a.PushConfig, m mask.Mask) (*a2a.PushConfig,
	error) {
	base := w.base.Load()
	if base == nil {
		return nil, a2a.NewError(a2a.ErrPushNotSupported,
			"the gateway does not know its own URL, under which the agent would notify it")
	}
	target, err := url.Parse(config.URL)
	if err != nil || target.Host == "" || target.Scheme != "http" && target.Scheme != "https" {
		return nil, a2a.InvalidParams("url", "must be an http or https URL")
	}
	gen := a2a.CallFrom(ctx).Generation
	if gen == "" {
		gen = a2a.Generation10
	}
	if err := checkLengths(config); err != nil {
		return nil, err
	}
	cl, err := u.client(ctx)
	if err != nil {
		return nil, err
	}
	secret := rand.Text()
	if err := w.add(secret, &hook{up: u, config: *config, gen: gen, told: cl.generation(), mask: m,
		used: time.Now()}); err != nil {
		return nil, err
	}
	own := *config
	own.URL, own.Token, own.Authentication = *base+"/"+webhookName+"/"+secret, "", nil
	return &own, nil
}

// maxSecret bounds what a push config may make the gateway remember, each in bytes.
const maxSecret = 4096

func checkLengths(c *a2a.PushConfig) error {
	auth := cmp.Or(c.Authentication, &a2a.PushAuthentication{})
	for _, field := range []struct{ name, value string }{{"url", c.URL}, {"token", c.Token}, {"id", c.ID},
		{"authentication.scheme", auth.Scheme}, {"authentication.credentials", auth.Credentials}} {
		if len(field.value) > maxSecret {
			return a2a.InvalidParams(field.name, fmt.Sprintf("must not be longer than %d bytes for the gateway to "+
				"remember it", maxSecret))
		}
	}
	return nil
}

func (w *webhooks) add(secret string, h *hook) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.bySecret) >= w.max && time.Since(w.expired) > time.Minute { // not with each request that finds it full
		w.expired = time.Now()
		maps.DeleteFunc(w.bySecret, func(_ string, h *hook) bool { return time.Since(h.used) > w.lifetime })
	}
	if len(w.bySecret) >= w.max {
		return a2a.NewError(a2a.ErrRateLimited,
			fmt.Sprintf("the gateway remembers %d webhooks already, which is the limit", w.max))
	}
	w.bySecret[secret] = h
	return nil
}

// secretOf returns what follows the gateway's own webhook URL.
func secretOf(url string) string {
	_, secret, _ := strings.Cut(url, "/"+webhookName+"/")
	return secret
}

func (w *webhooks) find(secret string) *hook {
	w.mu.Lock()
	defer w.mu.Unlock()
	h := w.bySecret[secret]
	if h == nil || time.Since(h.used) > w.lifetime {
		delete(w.bySecret, secret)
		return nil
	}
	h.used = time.Now()
	return h
}

// forget forgets a webhook by the gateway's URL for it, "" being none.
func (w *webhooks) forget(url string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.bySecret, secretOf(url))
}

func (w *webhooks) shown(config *a2a.PushConfig, m mask.Mask) *a2a.PushConfig {
	c := *config
	if m != "" {
		c.TaskID = a2a.TaskID(m)
	}
	if h := w.find(secretOf(c.URL)); h != nil {
		c.URL, c.Token, c.Authentication = h.config.URL, h.config.Token, h.config.Authentication
	}
	return &c
}

// ServeHTTP takes a notification of an upstream and passes it on.
func (w *webhooks) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	h := w.find(secretOf(r.URL.Path))
	switch {
	case h == nil:
		http.Error(rw, "nobody waits for notifications here", http.StatusNotFound)
		return
	case r.Method == http.MethodGet && r.URL.Query().Has("validationToken"): // the challenge of April 2025
		rw.Header().Set("Content-Type", "text/plain; charset=utf-8")
		rw.Header().Set("X-Content-Type-Options", "nosniff")
		io.WriteString(rw, r.URL.Query().Get("validationToken"))
		return
	case r.Method != http.MethodPost:
		rw.Header().Set("Allow", "POST")
		http.Error(rw, "notifications are posted", http.StatusMethodNotAllowed)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(rw, r.Body, maxNotification))
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		http.Error(rw, fmt.Sprintf("a notification is at most %d bytes", maxNotification),
			http.StatusRequestEntityTooLarge)
		return
	}
	if err != nil {
		http.Error(rw, "the notification ended early", http.StatusBadRequest)
		return
	}
	event, err := h.decode(body)
	if err != nil {
		http.Error(rw, "the notification cannot be read: "+err.Error(), http.StatusBadRequest)
		return
	}
	if err := w.pass(r.Context(), h, event); err != nil {
		http.Error(rw, err.Error(), http.StatusBadGateway)
		return
	}
	rw.WriteHeader(http.StatusNoContent)
}

// decode reads the body that an upstream sends: an event of 1.0, and a task before that.
func (h *hook) decode(body []byte) (a2a.Event, error) {
	switch h.told {
	case a2a.Generation01:
		task, err := binding.DialectOf(h.told).DecodeResult(wire.OpGetTask, nil, body)
		if err != nil {
			return nil, err
		}
		return task.(*a2a.Task), nil
	case a2a.Generation10:
		return eventOf(binding.DialectOf(h.told), body)
	}
	ev, err := eventOf(v03pb.Proto, body)
	if err != nil {
		ev, err = eventOf(binding.DialectOf(h.told), body)
	}
	return ev, err
}

// eventOf reads one event, which need not be one that a stream begins with.
func eventOf(d wire.Dialect, body []byte) (a2a.Event, error) {
	var told a2a.Event
	_, err := d.NewStreamDecoder(wire.OpSubscribe, &a2a.SubscribeRequest{}).Decode(body,
		func(ev a2a.Event, partial bool) {
			if t, ok := ev.(*a2a.Task); ok && partial { // was made of an update
				ev = &a2a.StatusUpdate{TaskID: t.ID, ContextID: t.ContextID, Status: t.Status, Metadata: t.Metadata}
			}
			told = ev
		})
	if err == nil && told == nil {
		err = errors.New("it has no event")
	}
	return told, err
}

func (w *webhooks) pass(ctx context.Context, h *hook, event a2a.Event) error {
	body, contentType, err := h.encode(ctx, event)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, h.config.URL, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", contentType)
	if h.config.Token != "" {
		req.Header.Set("X-A2A-Notification-Token", h.config.Token)
	}
	if auth := h.config.Authentication; auth != nil && auth.Scheme != "" {
		req.Header.Set("Authorization", strings.TrimSpace(auth.Scheme+" "+auth.Credentials))
	}
	resp, err := w.http.Do(req)
	if err != nil {
		return errors.New("the client's webhook cannot be reached") // why is nothing that an upstream has to know
	}
	defer resp.Body.Close()
	io.Copy(io.Discard, io.LimitReader(resp.Body, 64<<10))
	if resp.StatusCode/100 != 2 {
		return fmt.Errorf("the client's webhook answered with status %d", resp.StatusCode)
	}
	return nil
}

// encode returns the body and its media type. Before 1.0 that is the task as a whole.
func (h *hook) encode(ctx context.Context, event a2a.Event) ([]byte, string, error) {
	masked := h.mask.Event(event)
	if h.gen == a2a.Generation10 {
		b, err := a2a.AppendStreamResponse(nil, masked)
		return b, wire.MediaTypeA2A, err
	}
	task, ok := masked.(*a2a.Task)
	if !ok {
		task = h.task(ctx, event)
	}
	b, err := binding.DialectOf(h.gen).AppendResult(nil, wire.OpGetTask, nil, task)
	return b, wire.MediaTypeJSON, err
}

// task returns the task that an event is about: as the upstream has it now, or else as far as the event tells.
func (h *hook) task(ctx context.Context, event a2a.Event) *a2a.Task {
	told := new(a2a.Task)
	switch e := event.(type) {
	case *a2a.StatusUpdate:
		told.ID, told.ContextID, told.Status = e.TaskID, e.ContextID, e.Status
	case *a2a.ArtifactUpdate:
		told.ID, told.ContextID, told.Artifacts = e.TaskID, e.ContextID, []*a2a.Artifact{e.Artifact}
		told.Status.State = a2a.TaskStateWorking
	case *a2a.Message:
		told.ID, told.ContextID = e.TaskID, e.ContextID
		told.Status = a2a.TaskStatus{State: a2a.TaskStateCompleted, Message: e}
	}
	if cl, err := h.up.client(ctx); err == nil && told.ID != "" {
		if whole, err := cl.GetTask(ctx, &a2a.GetTaskRequest{ID: told.ID}); err == nil {
			told = whole
		}
	}
	return h.mask.Task(told)
}
