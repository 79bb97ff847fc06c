// SPDX-License-Identifier: Apache-2.0

package hidden_test

import (
	"testing"

	"github.com/dragoman-a2a/dragoman/internal/hidden"
)

type (
	reader interface{ Read() }
	closer interface{ Close() }

	file     struct{}
	embeds   struct{ reader }
	holds    struct{ inner reader }
	passesOn struct{ reader }
	function func()
)

func (file) Read()      {}
func (file) Close()     {}
func (holds) Read()     {}
func (passesOn) Close() {}
func (function) Read()  {}

func TestBy(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		wrapper any
		want    string
	}{
		"no wrapper":            {file{}, ""},
		"an embedded interface": {embeds{file{}}, "hidden_test.file"},
		"behind a pointer":      {&embeds{file{}}, "hidden_test.file"},
		"an unexported field":   {&holds{inner: file{}}, "hidden_test.file"},
		"it says so itself":     {passesOn{file{}}, ""},
		"nothing within":        {embeds{}, ""},
		"within within":         {embeds{embeds{file{}}}, ""}, // which the inner one is told of
		"a function":            {function(func() {}), ""},
		"nil":                   {nil, ""},
	} {
		got := ""
		if found := hidden.By[reader, closer](test.wrapper); found != nil {
			got = found.String()
		}
		if got != test.want {
			t.Errorf("%s: got %q, want %q", name, got, test.want)
		}
	}
}
