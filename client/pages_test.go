// SPDX-License-Identifier: Apache-2.0

package client_test

import (
	"strings"
	"testing"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/client"
)

// The last page is the one without a token, whether the peer writes an empty one, as it must, or none (A2A 1.0 §3.1.4).
func TestPagesEndWithoutAToken(t *testing.T) {
	t.Parallel()
	for _, last := range []string{`"nextPageToken":"",`, ``} {
		bothBindings(t, func(t *testing.T, binding string) {
			p := newPeer(t, binding, func(x *exchange) {
				token := `"nextPageToken":"p2",`
				if strings.Contains(x.r.URL.RawQuery+string(x.body), "p2") {
					token = last
				}
				x.result(`{"tasks":[],` + token + `"pageSize":50,"totalSize":0}`)
			})
			c := p.dial(t, nothing, client.Options{})
			req := &a2a.ListTasksRequest{}
			for pages := 1; ; pages++ {
				page, err := c.ListTasks(t.Context(), req)
				if err != nil {
					t.Fatal(err)
				}
				if req.PageToken = page.NextPageToken; req.PageToken == "" {
					if pages != 2 {
						t.Errorf("%d pages", pages)
					}
					break
				}
			}
		})
	}
}
