// SPDX-License-Identifier: Apache-2.0

// Package e2e has tests only: of the whole stack over real HTTP, as a stranger meets it. They send literal JSON through
// net/http and read the answers with encoding/json, never through our own client or codecs, which would forgive our
// own faults. docs/requirements.md says which line of the standard each of them checks.
package e2e
