// SPDX-License-Identifier: Apache-2.0

package coordscript_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/dragoman-a2a/dragoman/internal/coordscript"
)

type answers map[string]coordscript.Answer // by tool

func (a answers) Call(_ context.Context, tool, _ string) (coordscript.Answer, error) {
	return a[tool], nil
}

func of(text string) coordscript.Answer {
	return coordscript.Answer{Text: text, Structured: []byte(text)}
}

// A difference from the script is reported with its line.
func TestFaultsAreTold(t *testing.T) {
	t.Parallel()
	failed, other := of(`{"x":1}`), of(`{"x":1}`)
	failed.Failed, other.Structured = true, []byte(`{"x":2}`)
	a := answers{"good": of(`{"x":1,"y":2}`), "order": of(`{"y":2,"x":1}`), "failed": failed, "other": other}
	for script, want := range map[string]string{
		"# good\na> good {}\na< {\"x\":1,\"y\":2}\n": "",
		"a> order {}\na< {\"x\":1,\"y\":2}":          "line 2: the answer is",
		"a> failed {}\na< {\"x\":1}":                 "line 2: the answer is",
		"a> failed {}\na<! {\"x\":1}":                "",
		"a> other {}\na< {\"x\":1}":                  "line 2: the text is",
		"a> good {\"id\":\"$1\"}\na< {}":             "line 1: no id is called $1\nline 2: there is no call",
		"a> good {}\nb< {}":                          "line 2: there is no call",
		"what?":                                      "line 1:",
	} {
		_, err := coordscript.Play(t.Context(), script, func(string) (coordscript.Client, error) { return a, nil })
		if text := told(err); want == "" && err != nil || !strings.HasPrefix(text, want) {
			t.Errorf("%s\n%s\nwant: %s", script, text, want)
		}
	}
}

// A client that cannot be reached is no reason to wait for its answers.
func TestUnreachableClient(t *testing.T) {
	t.Parallel()
	_, err := coordscript.Play(t.Context(), "a> x {}\na< {}\na> x {}\na< {}", func(string) (coordscript.Client, error) {
		return nil, errors.New("gone")
	})
	if text := told(err); !strings.HasPrefix(text, "line 1: gone\nline 2: there is no call") {
		t.Error(text)
	}
}

func told(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
