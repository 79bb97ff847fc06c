// SPDX-License-Identifier: Apache-2.0

package images_test

import (
	"bytes"
	"testing"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/apps/samples/images"
	"github.com/dragoman-a2a/dragoman/internal/wiretest"
)

func TestOverTheWire(t *testing.T) {
	t.Parallel()
	sample := wiretest.Sample{Agent: func() agent.Agent { return images.New(images.Options{}) }, Card: images.Card()}
	wiretest.Same(t, sample, func(t *testing.T, c *wiretest.Caller) {
		first := c.Say(t, "a rabbit on a meadow")
		_, rabbit := pictureOf(t, first)
		_, red := pictureOf(t, c.Send(t, wiretest.InContext(first, a2a.TextPart("make it red"))))
		if bytes.Equal(rabbit, red) {
			t.Error("nothing has changed")
		}
		if _, again := pictureOf(t, c.Say(t, "a rabbit on a meadow")); !bytes.Equal(rabbit, again) {
			t.Error("the same words give another picture")
		}
		// the rabbit is of another conversation
		wiretest.Want(t, c.Say(t, "make it red"), a2a.TaskStateInputRequired, "")
		wiretest.Want(t, c.Say(t, "draw something"), a2a.TaskStateInputRequired, "")
	})
}
