// SPDX-License-Identifier: Apache-2.0

package push_test

import (
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"errors"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/push"
)

// Each scheme of a sender satisfies a receiver with the same secret, and no other one.
func TestReceiverOfASender(t *testing.T) {
	t.Parallel()
	seed := []byte(strings.Repeat("s", ed25519.SeedSize))
	public := ed25519.NewKeyFromSeed(seed).Public().(ed25519.PublicKey)
	b64 := base64.StdEncoding.EncodeToString
	secret, other := "whsec_"+b64([]byte(strings.Repeat("a", 24))), "whsec_"+b64([]byte(strings.Repeat("b", 24)))
	for _, test := range []struct {
		scheme, credentials string
		right, wrong        push.Checks
	}{
		{"", "", push.Checks{Token: "token"}, push.Checks{Token: "other"}},
		{"Bearer", "x", push.Checks{Authorization: "Bearer x"}, push.Checks{Authorization: "Bearer y"}},
		{"Basic", "a:b", push.Checks{Authorization: "Basic YTpi"}, push.Checks{Authorization: "Basic YTpj"}},
		{"HMAC-SHA256", "x", push.Checks{HMAC: "x"}, push.Checks{HMAC: "y"}},
		{"StandardWebhooks", other + " " + secret, push.Checks{Keys: []string{secret}},
			push.Checks{Keys: []string{"whsec_" + b64([]byte(strings.Repeat("c", 24)))}}},
		{"StandardWebhooks", "whsk_" + b64(seed), push.Checks{Keys: []string{"whpk_" + b64(public)}},
			push.Checks{Keys: []string{"whpk_" + b64(make([]byte, ed25519.PublicKeySize)), "whsec_" + b64(public)}}},
	} {
		for _, gen := range []a2a.Generation{a2a.Generation10, a2a.Generation03, a2a.Generation01} {
			t.Run(test.scheme+" "+string(gen), func(t *testing.T) {
				t.Parallel()
				done, refused := make(chan struct{}), make(chan int, 100)
				right, wrong := &push.Receiver{Checks: test.right}, &push.Receiver{Checks: test.wrong}
				right.Receive = func(_ context.Context, got *push.Received) error {
					if state(got.Event) == a2a.TaskStateCompleted {
						close(done)
					}
					return nil
				}
				wrong.Receive = func(context.Context, *push.Received) error { t.Error("it is taken"); return nil }
				wrong.Refused = func(_ *http.Request, status int, _ error) { refused <- status }
				rightURL, wrongURL := httptest.NewServer(right), httptest.NewServer(wrong)
				defer rightURL.Close()
				defer wrongURL.Close()
				b, ctx := newBed(t, push.Options{Schedule: []time.Duration{time.Millisecond}}), as(t, gen)
				config := &a2a.PushConfig{ID: "right", URL: rightURL.URL, Token: "token"}
				if test.scheme != "" {
					config.Authentication = &a2a.PushAuthentication{Scheme: test.scheme, Credentials: test.credentials}
				}
				task := b.send(t, ctx, "ask", config)
				second := *config
				second.ID, second.URL, second.TaskID = "wrong", wrongURL.URL, task.ID
				if _, err := b.CreatePushConfig(ctx, &second); err != nil {
					t.Fatal(err)
				}
				m := a2a.NewMessage(a2a.RoleUser, a2a.TextPart("1"))
				m.TaskID = task.ID
				if _, err := b.SendMessage(ctx, &a2a.SendMessageRequest{Message: m}); err != nil {
					t.Fatal(err)
				}
				<-done
				if status := <-refused; status != http.StatusForbidden {
					t.Errorf("refused with %d", status)
				}
			})
		}
	}
}

func state(ev a2a.Event) a2a.TaskState {
	switch ev := ev.(type) {
	case *a2a.Task:
		return ev.Status.State
	case *a2a.StatusUpdate:
		return ev.Status.State
	}
	return a2a.TaskStateUnspecified
}

// The vector is that of the specification of Standard Webhooks.
func TestReceiverAnswers(t *testing.T) {
	t.Parallel()
	const body = `{"statusUpdate":{"taskId":"t","contextId":"c","status":{"state":"TASK_STATE_WORKING"}}}`
	now := strconv.FormatInt(time.Now().Unix(), 10)
	old := strconv.FormatInt(time.Now().Add(-time.Hour).Unix(), 10)
	taken := 0
	broken := errors.New("full")
	r := &push.Receiver{Checks: push.Checks{Token: "x"}, Expects: func(id a2a.TaskID) bool { return id == "t" },
		Receive: func(context.Context, *push.Received) error { taken++; return broken }}
	signed := &push.Receiver{Receive: r.Receive}
	signed.Keys = []string{"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"}
	for _, test := range []struct {
		to                 *push.Receiver
		method, path, body string
		header             []string
		err                error
		status, taken      int
	}{
		{r, "GET", "/?validationToken=abc", "", nil, nil, 200, 0},
		{r, "GET", "/", "", nil, nil, 405, 0},
		{r, "POST", "/", body, nil, nil, 401, 0},
		{r, "POST", "/", body, []string{push.HeaderToken, "y"}, nil, 403, 0},
		{r, "POST", "/", "[]", []string{push.HeaderToken, "x"}, nil, 400, 0},
		{r, "POST", "/", `{"id":"t"}`, []string{push.HeaderToken, "x"}, nil, 400, 0},
		{r, "POST", "/", strings.Repeat(" ", 9<<20), []string{push.HeaderToken, "x"}, nil, 413, 0},
		{r, "POST", "/", strings.Replace(body, `"t"`, `"u"`, 1), []string{push.HeaderToken, "x"}, nil, 404, 0},
		{r, "POST", "/", body, []string{push.HeaderToken, "x", push.HeaderID, "1"}, broken, 503, 1},
		{r, "POST", "/", body, []string{push.HeaderToken, "x", push.HeaderID, "1"}, nil, 204, 2},
		{r, "POST", "/", body, []string{push.HeaderToken, "x", push.HeaderID, "1"}, nil, 204, 2}, // repeated
		{r, "POST", "/", body, []string{push.HeaderToken, "x"}, nil, 204, 3},
		{signed, "POST", "/", body, nil, nil, 401, 3},
		{signed, "POST", "/", body, []string{push.HeaderID, "1", push.HeaderTimestamp, old, push.HeaderSignature,
			"v1,x"}, nil, 403, 3},
		{signed, "POST", "/", body, []string{push.HeaderID, "1", push.HeaderTimestamp, now, push.HeaderSignature,
			"v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="}, nil, 403, 3},
		{signed, "POST", "/", body, []string{push.HeaderID, "1", push.HeaderTimestamp, "soon", push.HeaderSignature,
			"v1,x"}, nil, 400, 3},
	} {
		broken = test.err
		req := httptest.NewRequest(test.method, test.path, strings.NewReader(test.body))
		for i := 0; i < len(test.header); i += 2 {
			req.Header.Set(test.header[i], test.header[i+1])
		}
		w := httptest.NewRecorder()
		test.to.ServeHTTP(w, req)
		if w.Code != test.status || taken != test.taken {
			t.Errorf("%s %s %.80s %v: %d with %d taken, want %d with %d", test.method, test.path, test.body,
				test.header, w.Code, taken, test.status, test.taken)
		}
	}
}

// The example of the specification of Standard Webhooks.
func TestStandardWebhooksVector(t *testing.T) {
	t.Parallel()
	r := &push.Receiver{Checks: push.Checks{Keys: []string{"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"}, MaxAge: 1 << 62}}
	req := httptest.NewRequest("POST", "/", strings.NewReader(`{"test": 2432232314}`))
	req.Header.Set(push.HeaderID, "msg_p5jXN8AQM9LWM0D4loKWxJek")
	req.Header.Set(push.HeaderTimestamp, "1614265330")
	req.Header.Set(push.HeaderSignature, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
	w := httptest.NewRecorder()
	r.ServeHTTP(w, req)
	if w.Code != http.StatusBadRequest { // the signature is valid, and the body no event
		t.Errorf("%d %s", w.Code, w.Body)
	}
}
