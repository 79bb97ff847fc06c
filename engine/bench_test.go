// SPDX-License-Identifier: Apache-2.0

package engine_test

import (
	"context"
	"testing"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/engine"
)

func benchService(b *testing.B, a agent.Agent) a2a.Service {
	e, err := engine.New(&engine.Options{Logger: quiet})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { e.Shutdown(context.Background()) })
	return e.Agent("bench", a, nil)
}

// BenchmarkSend is a blocking send to an agent that answers with one artifact, within the process.
func BenchmarkSend(b *testing.B) {
	svc := benchService(b, fn(func(ctx context.Context, t *agent.Turn) error {
		return t.Artifact("greeting", part("Hello!"))
	}))
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if _, err := svc.SendMessage(context.Background(), text("hi")); err != nil {
				b.Error(err)
			}
		}
	})
}

// BenchmarkChunks is one artifact of b.N chunks, streamed to one reader.
func BenchmarkChunks(b *testing.B) {
	svc := benchService(b, fn(func(ctx context.Context, t *agent.Turn) error {
		w := t.NewArtifact("story")
		for range b.N {
			if _, err := w.WriteString("twenty bytes of text"); err != nil {
				return err
			}
		}
		return w.Close()
	}))
	b.ReportAllocs()
	stream, err := svc.StreamMessage(context.Background(), text("hi"))
	if err != nil {
		b.Fatal(err)
	}
	for _, err := range stream {
		if err != nil {
			b.Fatal(err)
		}
	}
}
