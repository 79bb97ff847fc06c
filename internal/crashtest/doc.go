// SPDX-License-Identifier: Apache-2.0

// Package crashtest has tests only. They show with real processes what Dragoman promises of durability and of streams:
// the test binary starts itself as a server, kills it with SIGKILL at bad moments, starts it again on the same data
// folder and addresses, and reads what is left over the wire and in the journal.
//
// go test runs each proof for a few seconds; with DRAGOMAN_PROVE=1, as in make prove, it runs them for minutes.
package crashtest
