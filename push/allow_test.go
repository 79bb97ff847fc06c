// SPDX-License-Identifier: Apache-2.0

package push_test

import (
	"crypto/x509"
	"errors"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/journal/memory"
	"github.com/dragoman-a2a/dragoman/push"
)

// Webhooks that the operator allows are called, by name or by address. Others beside them are not.
func TestAllowedWebhooks(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ allow, host, other string }{
		{"127.0.0.0/31", "127.0.0.1", "127.0.0.2"},
		{"localhost", "localhost", "127.0.0.1"},
	} {
		var hooks []*webhook // the one that is allowed, and the other one
		trusted := x509.NewCertPool()
		for range 2 {
			w := &webhook{more: make(chan struct{}, 1)}
			w.Server = httptest.NewTLSServer(w)
			t.Cleanup(w.Close)
			trusted.AddCert(w.Certificate())
			hooks = append(hooks, w)
		}
		b := newBed(t, push.Options{Allow: []string{test.allow}})
		b.sender.Trust(trusted)
		ctx := as(t, a2a.Generation10)
		at := func(i int, host string) *a2a.PushConfig {
			return &a2a.PushConfig{URL: strings.Replace(hooks[i].URL, "127.0.0.1", host, 1)}
		}
		task := b.send(t, ctx, "ask", nil)
		denied := at(1, test.other)
		denied.TaskID = task.ID
		if _, err := b.CreatePushConfig(ctx, denied); !errors.Is(err, a2a.ErrInvalidParams) {
			t.Errorf("%s is taken with %s allowed: %v", test.other, test.allow, err)
		}
		plain := at(0, test.host)
		plain.TaskID, plain.URL = task.ID, strings.Replace(plain.URL, "https", "http", 1)
		if _, err := b.CreatePushConfig(ctx, plain); !errors.Is(err, a2a.ErrInvalidParams) {
			t.Errorf("http is taken with %s allowed: %v", test.allow, err)
		}
		b.send(t, ctx, "2", at(0, test.host))
		hooks[0].until(t, completed)
		if got := hooks[1].requests(); len(got) > 0 {
			t.Errorf("%s got %d requests with %s allowed", test.other, len(got), test.allow)
		}
	}
	if _, err := push.New(push.Options{Journal: memory.New(nil), Allow: []string{"0.0.0.0/0"}}); err == nil {
		t.Error("all addresses can be allowed")
	}
}
