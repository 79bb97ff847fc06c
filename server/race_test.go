// SPDX-License-Identifier: Apache-2.0

//go:build race

package server_test

// raceEnabled is true under the race detector, which makes memory several times as large.
const raceEnabled = true
