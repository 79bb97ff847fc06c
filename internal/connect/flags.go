// SPDX-License-Identifier: Apache-2.0

package connect

// The names of the flags for the agent, for headers, and for the registry that entries are looked up in.
const (
	FlagAgentCard = "agent-card"
	FlagSvcParam  = "svc-param"
	FlagRegistry  = "registry"
)
