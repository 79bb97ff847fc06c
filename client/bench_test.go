// SPDX-License-Identifier: Apache-2.0

package client_test

import (
	"testing"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/client"
)

func BenchmarkGetTask(b *testing.B) {
	for _, binding := range []string{a2a.BindingJSONRPC, a2a.BindingHTTPJSON} {
		b.Run(binding, func(b *testing.B) {
			c := newBenchClient(b, binding)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := c.GetTask(b.Context(), &a2a.GetTaskRequest{ID: "t1"}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func newBenchClient(b *testing.B, binding string) *client.Client {
	b.Helper()
	c, err := client.Dial(b.Context(), serveOver(b, &counting{to: 1000}, binding, nil), nil)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { c.Close() })
	return c
}

// One stream of 1,000 events.
func BenchmarkStream(b *testing.B) {
	for _, binding := range []string{a2a.BindingJSONRPC, a2a.BindingHTTPJSON} {
		b.Run(binding, func(b *testing.B) {
			c := newBenchClient(b, binding)
			b.ReportAllocs()
			for b.Loop() {
				for _, err := range c.Stream(b.Context(), send("count")) {
					if err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}
