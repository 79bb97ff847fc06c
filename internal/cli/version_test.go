// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"runtime/debug"
	"testing"
)

func TestCommitOf(t *testing.T) {
	t.Parallel()
	settings := func(pairs ...string) *debug.BuildInfo {
		info := &debug.BuildInfo{}
		for i := 0; i < len(pairs); i += 2 {
			info.Settings = append(info.Settings, debug.BuildSetting{Key: pairs[i], Value: pairs[i+1]})
		}
		return info
	}
	for want, info := range map[string]*debug.BuildInfo{
		"":                   settings("GOOS", "linux", "vcs.modified", "true"),
		"0123456789ab":       settings("vcs.revision", "0123456789abcdef", "vcs.modified", "false"),
		"0123456789ab-dirty": settings("vcs.revision", "0123456789abcdef", "vcs.modified", "true"),
		"0123":               settings("vcs.revision", "0123"),
	} {
		if got := commitOf(info); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if got := commitOf(nil); got != "" {
		t.Errorf("without build information: %q", got)
	}
}
