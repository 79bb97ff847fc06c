// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/dragoman-a2a/dragoman/internal/cmdline"
)

// A task whose state nobody knows neither has ended nor waits: it is looked at again, under --timeout.
func TestUnspecifiedStateIsWaitedFor(t *testing.T) {
	t.Parallel()
	var looks atomic.Int32
	var until atomic.Int32
	url := serveHandler(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if strings.HasPrefix(r.URL.Path, "/.well-known/") {
			fmt.Fprintf(w, `{"name":"Test","description":"d","version":"1","capabilities":{},
			"defaultInputModes":["text/plain"],"defaultOutputModes":["text/plain"],"skills":[],
				"supportedInterfaces":[{"url":"http://%s","protocolBinding":"HTTP+JSON",
				"protocolVersion":"1.0"}]}`, r.Host)
			return
		}
		state := "TASK_STATE_UNSPECIFIED"
		if n := looks.Add(1); n > until.Load() {
			state = "TASK_STATE_COMPLETED"
		}
		fmt.Fprintf(w, `{"id":"t","contextId":"c","status":{"state":%q}}`, state)
	})
	until.Store(3)
	got := run(t.Context(), "task", "get", "-a", url, "t", "--wait", "--poll-interval", "1ms")
	if got.code != cmdline.ExitOK || !strings.Contains(got.stdout, "Status: completed") || looks.Load() < 4 {
		t.Errorf("after %d looks: %+v", looks.Load(), got)
	}
	until.Store(1 << 30)
	got = run(t.Context(), "task", "get", "-a", url, "t", "--wait", "--poll-interval", "1ms", "--timeout", "50ms")
	if got.code != cmdline.ExitTimeout {
		t.Errorf("%+v", got)
	}
	got = run(t.Context(), "task", "get", "-a", url, "t")
	if got.code != cmdline.ExitOK || !strings.Contains(got.stdout, "Status: unspecified") {
		t.Errorf("%+v", got)
	}
}
