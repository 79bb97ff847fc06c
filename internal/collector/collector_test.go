// SPDX-License-Identifier: Apache-2.0

package collector

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
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
	Tune()
	if got := goal(); got >= least {
		t.Errorf("with GOGC the goal is %d bytes", got)
	}
	t.Setenv("GOGC", "")
	Tune()
	if got := goal(); got < least*(100+percent)/100 {
		t.Errorf("the goal is %d bytes", got)
	}
}
