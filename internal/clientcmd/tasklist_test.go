// SPDX-License-Identifier: Apache-2.0

package clientcmd

import (
	"testing"
	"time"
)

func TestParseSince(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	for in, want := range map[string]time.Time{
		"": {}, "90m": now.Add(-90 * time.Minute),
		"2026-11-20T12:00:00+01:00": time.Date(2026, 11, 20, 11, 0, 0, 0, time.UTC),
	} {
		if got, err := parseSince(in, now); err != nil || !got.Equal(want) {
			t.Errorf("parseSince(%q) = %v, %v", in, got, err)
		}
	}
	for _, in := range []string{"yesterday", "-1h", "2026-11-20"} {
		if _, err := parseSince(in, now); err == nil {
			t.Errorf("parseSince(%q) was taken", in)
		}
	}
}
