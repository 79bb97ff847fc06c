// SPDX-License-Identifier: Apache-2.0

package terminal

import (
	"bytes"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// The line comes after a moment, counts seconds, says what the agent says, and leaves nothing behind.
func TestProgressLine(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		shown := func() string {
			synctest.Wait()
			defer out.Reset()
			return out.String()
		}
		p := newProgress(&out, "http://127.0.0.1:8080")
		time.Sleep(progressAfter / 2) // of the bubble: no time passes
		if got := shown(); got != "" {
			t.Errorf("at once: %q", got)
		}
		time.Sleep(progressAfter / 2)
		if got, want := shown(), "Waiting for http://127.0.0.1:8080 (1 s)"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		p.Calls("Slow \x1b[31mAgent")
		p.Note("working", "1 of 3\n"+strings.Repeat("x", 200))
		time.Sleep(progressEvery)
		got := shown()
		_, line, _ := strings.Cut(got, "\r") // the blanks over the line before
		_, line, _ = strings.Cut(line, "\r")
		want := `Waiting for Slow \u001b[31mAgent (2 s, working): 1 of 3 xxx`
		if !strings.HasPrefix(line, want) || len(line) != progressWidth {
			t.Errorf("got %q", got)
		}
		p.End()
		if got, want := shown(), "\r"+strings.Repeat(" ", progressWidth+echoed)+"\r"; got != want {
			t.Errorf("at the end: %q", got)
		}
		time.Sleep(time.Minute)
		if got := shown(); got != "" {
			t.Errorf("after the end: %q", got)
		}
	})
}

func TestFitCountsWideCharacters(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"abc": "abc", "abcdefg": "abcde", "日本語": "日本", "a日本": "a日本"} {
		if got, columns := fit(text, 5); got != want || columns > 5 {
			t.Errorf("%q: %q, %d columns", text, got, columns)
		}
	}
}
