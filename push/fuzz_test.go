// SPDX-License-Identifier: Apache-2.0

package push_test

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/dragoman-a2a/dragoman/push"
)

// Whatever arrives is either taken with an event or refused.
func FuzzReceiver(f *testing.F) {
	for _, body := range []string{
		`{"task":{"id":"t","status":{"state":"TASK_STATE_WORKING"}}}`,
		`{"statusUpdate":{"taskId":"t","contextId":"c","status":{"state":"TASK_STATE_WORKING"}}}`,
		`{"kind":"task","id":"t","contextId":"c","status":{"state":"working"}}`,
		`{"id":"t","sessionId":"s","status":{"state":"working"}}`, `[]`, `{"status":{}}`,
	} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		taken := false
		r := &push.Receiver{Receive: func(_ context.Context, got *push.Received) error {
			taken = got.Event != nil
			return nil
		}}
		w := httptest.NewRecorder()
		r.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/", bytes.NewReader(body)))
		if taken != (w.Code == http.StatusNoContent) || !taken && w.Code != http.StatusBadRequest {
			t.Errorf("%q is answered with %d, taken is %t", body, w.Code, taken)
		}
	})
}
