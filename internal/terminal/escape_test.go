// SPDX-License-Identifier: Apache-2.0

package terminal

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
)

func TestEscape(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"plain\ttext\n":           "plain\ttext\n",
		"\x1b[31mred":             `\u001b[31mred`,
		"\x07\x00\x7f\r":          `\u0007\u0000\u007f\u000d`,
		"\u009b31m\u0085":         `\u009b31m\u0085`,
		"ab\u202ecd\u2066":        `ab\u202ecd\u2066`,
		"\u2028\u2029\ufeff":      `\u2028\u2029\ufeff`,
		"\U000e0041":              `\udb40\udc41`,
		"bad \xff byte":           "bad \ufffd byte",
		"نیم\u200cفاصله 👩\u200d🚀": "نیم\u200cفاصله 👩\u200d🚀",
		"שלום\u200f!":             "שלום\u200f!",
	} {
		if got := Escape(in); got != want {
			t.Errorf("escape(%q) = %q, want %q", in, got, want)
		}
	}
}

func FuzzEscape(f *testing.F) {
	for _, seed := range []string{"a", "\x1b]0;title\x07", "\u202e", "\xff\xfe", `{"a":"\u001b"}`, "\U000e0041"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, in string) {
		out := Escape(in)
		if i := strings.IndexFunc(out, IsUnsafe); i >= 0 {
			t.Fatalf("%q is still in %q", out[i:], out)
		}
		if Escape(out) != out {
			t.Fatalf("escaping %q again changes it", out)
		}
		// An escape in a string of JSON means the same.
		quoted, err := json.Marshal(in)
		if err != nil {
			return // not UTF-8
		}
		var back string
		if err := json.Unmarshal([]byte(Escape(string(quoted))), &back); err != nil || back != in {
			t.Fatalf("%q came back as %q: %v", in, back, err)
		}
	})
}
