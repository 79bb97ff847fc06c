// SPDX-License-Identifier: Apache-2.0

package connect

// The names of the flags for the agent and for headers.
const (
	FlagAgentCard = "agent-card"
	FlagSvcParam  = "svc-param"
)
