// SPDX-License-Identifier: Apache-2.0

package gateway_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/apps/gateway"
	"github.com/dragoman-a2a/dragoman/engine"
	"github.com/dragoman-a2a/dragoman/files"
	"github.com/dragoman-a2a/dragoman/journal/memory"
)

// A client of 0.1 does not follow links, so the gateway asks for its files in the message. If a client asks for
// something itself, that counts, and clients of other versions get links to large files as ever.
func TestClientsOf01GetFilesInTheMessage(t *testing.T) {
	t.Parallel()
	url := front(t, nil, gateway.Upstream{Card: painter(t)})
	const bytes, link = `"bytes":"YWJj`, `"uri":"http`
	wants(t, post(t, url, fmt.Sprintf(send01, "t1", "paint")), bytes)
	asked := strings.Replace(fmt.Sprintf(send01, "t2", "paint"), `"role"`,
		`"metadata":{"desiredOutputFiles":"url"},"role"`, 1)
	wants(t, post(t, url, asked), link)
	wants(t, post(t, url,
		`{"jsonrpc":"2.0","id":1,"method":"message/send","params":{"message":{"messageId":"m","role":"user",`+
			`"parts":[{"kind":"text","text":"paint"}]}}}`), link)
}

// painter serves an agent of 1.0 that makes a file, which it gives out by a link.
func painter(t *testing.T) string {
	t.Helper()
	j := memory.New(nil)
	e, err := engine.New(&engine.Options{Journal: j, Logger: quiet})
	if err != nil {
		t.Fatal(err)
	}
	store, err := files.Open(t.TempDir(), &files.Options{Journal: j, Logger: quiet, Threshold: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		e.Shutdown(ctx)
		store.Close()
		j.Close()
	})
	a := e.Agent("painter", store.Agent(agent.Func(func(_ context.Context, t *agent.Turn) error {
		return t.Artifact("picture", a2a.RawPart([]byte(strings.Repeat("abc", 100)), "image/png", "a.png"))
	})), nil)
	c := card()
	c.DefaultOutputModes = []string{"image/png"}
	return serveService(t, store.Service(a, "http://files.example"), c, a2a.Generation10, nil)
}
