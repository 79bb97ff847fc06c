// SPDX-License-Identifier: Apache-2.0

//go:build race

package samplescmd_test

// raceEnabled is true under the race detector, which multiplies time and memory.
const raceEnabled = true
