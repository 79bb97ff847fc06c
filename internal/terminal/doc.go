// SPDX-License-Identifier: Apache-2.0

// Package terminal holds the streams of a run of the program: it escapes what agents say, asks for lines, shows results
// as text or JSON, and shows progress to a person who waits.
package terminal
