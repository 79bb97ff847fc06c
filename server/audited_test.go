// SPDX-License-Identifier: Apache-2.0

package server_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/auth"
	"github.com/dragoman-a2a/dragoman/server"
	"github.com/dragoman-a2a/dragoman/server/audit"
)

func TestAudit(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	log, err := audit.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	f := &fake{caps: can()}
	ts := serve(t, f, func(o *server.Options) {
		o.Audit = log
		o.Authenticator = auth.Token("secret", a2a.Identity{Subject: "ann", Client: "cli",
			Actors: []string{"host", "bot"}})
		o.Policy = policyFunc(func(access auth.Access) error {
			if access.Operation == "CancelTask" {
				return a2a.ErrPermissionDenied
			}
			return nil
		})
	})
	const known = "Authorization: Bearer secret"
	const trace = "0102030405060708090a0b0c0d0e0f10"
	rpc(t, ts, "GetTask", `{"id":"t9"}`, known, "Traceparent: 00-"+trace+"-0102030405060708-01")
	rpc(t, ts, "GetTask", `{"id":"t9"}`, "Authorization: Bearer wrong")
	do(t, ts, "GET", "/tasks/t9", "", known)
	do(t, ts, "POST", "/tasks/t9:cancel", "", known)
	rpc(t, ts, "SendStreamingMessage",
		`{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"hi"}]}}`, known)
	do(t, ts, "GET", "/nowhere", "", known)
	f.err = a2a.ErrTaskNotFound
	rpc(t, ts, "SubscribeToTask", `{"id":"gone"}`, known)
	ts.Close() // when all is over, all is recorded
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}

	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var got []string
	if _, err := audit.Verify(file, func(r audit.Record) {
		got = append(got, fmt.Sprint(r.Subject, " ", r.Client, " ", r.Operation, " ", r.Task, " ", r.Result))
		if known := r.Subject != ""; known != slices.Equal(r.Actors, []string{"host", "bot"}) {
			t.Errorf("actors %q of %q", r.Actors, r.Subject)
		}
		if first := len(got) == 1; first != (r.Trace == trace) || !first && r.Trace != "" {
			t.Errorf("record %d has the trace %q", len(got), r.Trace)
		}
		if r.Time.IsZero() || r.RequestID == "" || r.Agent != "Test agent" {
			t.Errorf("%+v", r)
		}
	}); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"ann cli GetTask t1 ok", "    UNAUTHENTICATED", "ann cli GetTask t1 ok",
		"ann cli CancelTask t9 PERMISSION_DENIED", "ann cli SendStreamingMessage t1 ok",
		"ann cli SubscribeToTask gone TASK_NOT_FOUND",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// While the log cannot be written, nothing is done that it would not tell of.
func TestAuditFails(t *testing.T) {
	t.Parallel()
	log, err := audit.Open(filepath.Join(t.TempDir(), "audit.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	f := &fake{}
	ts := serve(t, f, func(o *server.Options) { o.Audit = log })
	if err := log.Close(); err != nil { // from now on it refuses records
		t.Fatal(err)
	}
	rpc(t, ts, "GetTask", `{"id":"t1"}`) // finds out
	f.mu.Lock()
	f.request = nil
	f.mu.Unlock()
	got := do(t, ts, "GET", "/tasks/t2", "")
	if asked, _ := f.last(); got.status != http.StatusServiceUnavailable || asked != nil {
		t.Errorf("%d %s; the service was asked for %v", got.status, got.body, asked)
	}
}
