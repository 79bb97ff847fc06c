// SPDX-License-Identifier: Apache-2.0

// Package repolint holds the rules of the repository, as tests: who may import whom, what every file and package
// carries, and that documents say what is true. A rule about a package that does not exist yet starts to bite when it
// appears.
package repolint
