// SPDX-License-Identifier: Apache-2.0

// Package crash has tests only: a real server process is killed with SIGKILL while it streams, and started again on the
// same data folder and address. What a client has seen must be there, and what was cut must go on.
package crash
