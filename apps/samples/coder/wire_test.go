// SPDX-License-Identifier: Apache-2.0

package coder_test

import (
	"slices"
	"testing"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/apps/samples/coder"
	"github.com/dragoman-a2a/dragoman/internal/wiretest"
)

func TestOverTheWire(t *testing.T) {
	eachEngine(t, func(t *testing.T, o coder.Options) {
		sample := wiretest.Sample{Agent: func() agent.Agent { return coder.New(o) }, Card: coder.Card()}
		wiretest.Same(t, sample, func(t *testing.T, c *wiretest.Caller) {
			page := c.Say(t, "a web page")
			wiretest.Want(t, page, a2a.TaskStateCompleted, "</html>\n")
			c.WantProgress(t, "Generating code...")
			var files []string
			for _, a := range page.Artifacts {
				files = append(files, a.Name)
			}
			if !slices.Equal(files, []string{"index.html", "script.js", "style.css"}) {
				t.Errorf("files %v", files)
			}
			code := c.Say(t, "fibonacci in Go")
			wiretest.Want(t, code, a2a.TaskStateCompleted, "func ")
			tests := c.Send(t, wiretest.InContext(code, a2a.TextPart("add tests")))
			if wiretest.Want(t, tests, a2a.TaskStateCompleted, "func Test"); len(tests.Artifacts) != 1 ||
				tests.Artifacts[0].Name != "fibonacci_test.go" {
				t.Errorf("%+v", tests)
			}
		})
	})
}
