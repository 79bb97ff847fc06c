// SPDX-License-Identifier: Apache-2.0

// Package cmdline is what the commands of the binary share: a run of the program, failures with exit codes and hints,
// the data folder, and options for commands that listen.
package cmdline
