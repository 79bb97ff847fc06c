// SPDX-License-Identifier: Apache-2.0

package hello_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent/agenttest"
	"github.com/dragoman-a2a/dragoman/apps/samples/hello"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestHelloMakesATask(t *testing.T) {
	t.Parallel()
	h := agenttest.New(t, hello.New(hello.Options{}), &agenttest.Options{Card: hello.Card()})
	for text, want := range map[string]string{
		"Ada": "Hello, Ada!", "  Ada ": "Hello, Ada!", " ": "Hello, World!", "": "Hello, World!",
	} {
		result := h.Send(text)
		if result.State() != a2a.TaskStateCompleted || result.Text() != want {
			t.Errorf("%q: %v %q, want %q", text, result.State(), result.Text(), want)
		}
		if len(result.Task.Artifacts) != 1 || result.Task.Artifacts[0].Name != hello.ArtifactName {
			t.Errorf("%q: artifacts %+v", text, result.Task.Artifacts)
		}
	}
}

func TestHelloReadsFilesOfText(t *testing.T) {
	t.Parallel()
	h := agenttest.New(t, hello.New(hello.Options{}), &agenttest.Options{Card: hello.Card()})
	m := a2a.NewMessage(a2a.RoleUser, a2a.RawPart([]byte("Ada\n"), "text/plain; charset=utf-8", "n.txt"))
	if result := h.SendMessage(m); result.Text() != "Hello, Ada!" {
		t.Errorf("%q", result.Text())
	}
}

func TestHelloReplies(t *testing.T) {
	t.Parallel()
	h := agenttest.New(t, hello.New(hello.Options{Reply: true}), nil)
	if result := h.Send("Ada"); result.Task != nil || result.Message == nil || result.Text() != "Hello, Ada!" {
		t.Errorf("%+v", result)
	}
}

func TestCard(t *testing.T) {
	t.Parallel()
	card := hello.Card()
	if card.Name == "" || card.Description == "" || card.Version == "" || len(card.Skills) != 1 {
		t.Errorf("%+v", card)
	}
}
