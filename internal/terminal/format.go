// SPDX-License-Identifier: Apache-2.0

package terminal

import (
	"fmt"
	"strings"
	"time"
)

// FormatBytes writes a number of bytes.
func FormatBytes(n int64) string {
	switch {
	case n%(1<<20) == 0:
		return fmt.Sprintf("%d MiB", n>>20)
	case n%(1<<10) == 0:
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%d bytes", n)
}

// FormatDuration writes a duration without the zeros at its end: 1h, not 1h0m0s.
func FormatDuration(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = s[:len(s)-2]
	}
	if strings.HasSuffix(s, "h0m") {
		s = s[:len(s)-2]
	}
	return s
}

// Short cuts a text that is longer than n runes.
func Short(text string, n int) string {
	if runes := []rune(text); len(runes) > n {
		return string(runes[:n-3]) + "..."
	}
	return text
}
