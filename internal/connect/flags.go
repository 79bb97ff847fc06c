// SPDX-License-Identifier: Apache-2.0

package connect

// The names of the flags for the agent, for headers, for the registry that entries are looked up in, and for where
// credentials may go.
const (
	FlagAgentCard     = "agent-card"
	FlagSvcParam      = "svc-param"
	FlagRegistry      = "registry"
	FlagCredentialsTo = "credentials-to"
)
