// SPDX-License-Identifier: Apache-2.0

// Package host is the orchestrator: an agent that knows other agents and delegates to them. As it is an [agent.Agent],
// whatever can talk to an agent can talk to many through it: the command line, another host.
//
//	h, err := host.New(host.Options{Agents: []host.AgentRef{{Card: "http://127.0.0.1:10000"}}})
//
// A request becomes a plan of steps, each a message to one agent. The planners of [plan] make it, without a
// language model or with one. The host runs the steps, those that need nothing of each other at once, and
// shows what the agents say. A question of an agent becomes the host's, and the answer goes to the agent that
// asked. Forms, files and pictures pass through as they are, both ways; a number that one step brings forth takes the
// place of the one that it was made of in the next step.
//
// # What it keeps
//
// All that a conversation needs is saved with its tasks before it counts, so a host may be stopped at any moment: it
// goes on with the tasks of the agents that it had begun instead of sending twice. Only the health of agents is in
// memory.
//
// # What it does not trust
//
// Cards and answers are other people's text. The host never takes them for instructions, bounds their size, their
// number and their time, and strips control characters from what it writes of them itself. A request that came through
// this host already, or through too many hosts, is refused.
package host
