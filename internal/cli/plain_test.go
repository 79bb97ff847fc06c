// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/dragoman-a2a/dragoman/internal/repolint/prose"
)

// The help of every command is plain English: the short and the long text, and the meaning of each option. Examples and
// tables, which are indented, are left out.
func TestHelpIsPlainEnglish(t *testing.T) {
	t.Parallel()
	checked := 0
	check := func(where, text string) {
		checked++
		for _, f := range prose.Check(text) {
			t.Errorf("%s: %v", where, f)
		}
	}
	for _, cmd := range descendants(newCommand(nil).root()) {
		check(cmd.CommandPath()+": short text", cmd.Short)
		for paragraph := range strings.SplitSeq(cmd.Long, "\n\n") {
			if !strings.HasPrefix(paragraph, "  ") {
				check(cmd.CommandPath()+": long text", paragraph)
			}
		}
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) { check(cmd.CommandPath()+" --"+f.Name, f.Usage) })
	}
	if checked < 100 {
		t.Errorf("only %d texts were checked: the walk is broken", checked)
	}
}
