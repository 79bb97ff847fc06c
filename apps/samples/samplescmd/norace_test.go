// SPDX-License-Identifier: Apache-2.0

//go:build !race

package samplescmd_test

const raceEnabled = false
