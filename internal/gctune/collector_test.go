// SPDX-License-Identifier: Apache-2.0

package gctune

import (
	"errors"
	"log/slog"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"testing"

	"github.com/KimMachineGun/automemlimit/memlimit"
)

func TestTune(t *testing.T) {
	before := debug.SetGCPercent(100)
	defer debug.SetGCPercent(before)
	defer floor.Store([]byte{})
	goal := func() uint64 {
		runtime.GC()
		sample := []metrics.Sample{{Name: "/gc/heap/goal:bytes"}}
		metrics.Read(sample)
		return sample[0].Value.Uint64()
	}
	t.Setenv("GOGC", "100")
	Tune(quiet)
	if got := goal(); got >= least {
		t.Errorf("with GOGC the goal is %d bytes", got)
	}
	t.Setenv("GOGC", "")
	Tune(quiet)
	if got := goal(); got < least*(100+percent)/100 {
		t.Errorf("the goal is %d bytes", got)
	}
}

// Garbage takes four times of what lives, 256 MB at most, or as much as lives.
func TestPercent(t *testing.T) {
	for live, want := range map[uint64]int{
		0: 400, 16 << 20: 400, 64 << 20: 400, 65 << 20: 375, 128 << 20: 200, 256 << 20: 100, 1 << 30: 100,
	} {
		if got := percentOf(live); got != want {
			t.Errorf("%d MB live: %d, want %d", live>>20, got, want)
		}
	}
}

var kept []byte

// The percentage follows what lives.
func TestTuneFollows(t *testing.T) {
	before := debug.SetGCPercent(100)
	defer debug.SetGCPercent(before)
	defer floor.Store([]byte{})
	t.Setenv("GOGC", "")
	Tune(quiet)
	kept = make([]byte, 300<<20) // never written, so that it takes addresses only
	defer func() { kept = nil }()
	for range 100 {
		runtime.GC()
		sample := []metrics.Sample{{Name: "/gc/gogc:percent"}}
		if metrics.Read(sample); sample[0].Value.Uint64() == 100 {
			return
		}
	}
	t.Error("the percentage stays")
}

var quiet = slog.New(slog.DiscardHandler)

// The program keeps within four fifths of its container's memory, says so, and leaves a limit of GOMEMLIMIT alone.
func TestLimit(t *testing.T) {
	before := debug.SetMemoryLimit(-1)
	defer debug.SetMemoryLimit(before)
	gigabyte := func() (uint64, error) { return 1 << 30, nil }
	for name, c := range map[string]struct {
		container memlimit.Provider
		variable  string
		want      int64
		said      string
	}{
		"a container":             {gigabyte, "", 1 << 30 / 5 * 4, "keeping within the memory of the container"},
		"a container and a limit": {gigabyte, "2GiB", before, ""},
		"no limit":                {func() (uint64, error) { return 0, memlimit.ErrNoLimit }, "", before, ""},
		"no container":            {func() (uint64, error) { return 0, memlimit.ErrNoCgroup }, "", before, ""},
		"broken": {func() (uint64, error) { return 0, errors.New("broken") }, "", before,
			"set GOMEMLIMIT"},
	} {
		debug.SetMemoryLimit(before)
		if c.variable == "" {
			os.Unsetenv("GOMEMLIMIT")
		} else {
			t.Setenv("GOMEMLIMIT", c.variable)
		}
		var said strings.Builder
		limit(slog.New(slog.NewTextHandler(&said, nil)), c.container)
		if got := debug.SetMemoryLimit(-1); got/100 != c.want/100 || !strings.Contains(said.String(), c.said) ||
			c.said == "" && said.Len() > 0 {
			t.Errorf("%s: the limit is %d, want %d; said %q", name, got, c.want, said.String())
		}
	}
}
