// SPDX-License-Identifier: Apache-2.0

package main

import (
	"slices"

	"github.com/dragoman-a2a/dragoman/a2a"
)

// A peer is one version of another implementation.
type peer struct {
	name, version string
	generation    a2a.Generation
	kind          kind
	folder        string // below peers
	transports    []string
	upstream      a2a.Generation // of the agent that its client reaches through our gateway; empty for none
	host          bool           // its client talks to our host, too
	mcp           bool           // it is a client of MCP, and of no A2A
	framework     bool           // it is a framework for agents, which chooses the transport by itself
	sides         []direction    // with framework: what it is; nil means both client and agent
	agentPath     string         // with framework: where its agent is below the root of its server
	ownCalls      bool           // with mcp: it says itself what it calls of our coordinator, and is not told
}

// directions returns the sides on which there are rows of a peer.
func (p *peer) directions() []direction {
	switch {
	case p.ownCalls:
		return []direction{toCoordinator}
	case p.mcp:
		return []direction{toCoordinator, toBridge}
	case p.sides != nil:
		return p.sides
	case p.framework:
		return []direction{asClient, asAgent}
	case p.upstream == "":
		return []direction{fromPeer, toPeer}
	}
	return []direction{fromPeer, throughGateway, toPeer}
}

// over returns the transports of a peer on one side. The gateway does the same for all transports, so one of them is
// enough. The bridge does the same for all revisions of MCP with sessions.
func (p *peer) over(d direction) []string {
	switch d {
	case asClient:
		return []string{directly, belowPath, gateway, host}
	case asAgent:
		return []string{directly, gateway, host}
	case throughGateway:
		return p.transports[:1]
	case toBridge:
		return slices.DeleteFunc(slices.Clone(p.transports),
			func(t string) bool { return (&row{transport: t}).revision() < mcpSessions })
	}
	return p.transports
}

// Revisions of MCP: the first and the last with sessions, and the first without. Those between the first two are what
// one client speaks, too.
const (
	mcpOldest      = "2024-11-05"
	mcpSessions    = "2025-11-25"
	mcpSessionless = "2026-07-28"
)

// overMCP returns the transports of a client of MCP, each with each revision.
func overMCP(revisions ...string) []string {
	var all []string
	for _, transport := range []string{"stdio", "http"} {
		for _, revision := range revisions {
			all = append(all, transport+" "+revision)
		}
	}
	return all
}

// kind is how a peer is installed and started.
type kind int

const (
	python kind = iota
	plainPython
	javaScript
	golang
)

func (p *peer) title() string { return p.name + " " + p.version }

// The versions here are for people; requirements.txt, package-lock.json and go.mod in the folders pin them.
var peers = []*peer{
	{
		name: "Python a2a-sdk", version: "1.3.0", generation: a2a.Generation10, kind: python, folder: "python/v1",
		transports: []string{a2a.BindingJSONRPC, a2a.BindingHTTPJSON, a2a.BindingGRPC},
		upstream:   a2a.Generation01, host: true,
	},
	{
		name: "JavaScript @a2a-js/sdk", version: "1.3.0", generation: a2a.Generation10, kind: javaScript,
		folder:     "js/v1",
		transports: []string{a2a.BindingJSONRPC, a2a.BindingHTTPJSON, a2a.BindingGRPC},
		upstream:   a2a.Generation01,
	},
	{
		name: "Go a2a-go", version: "2.3.1", generation: a2a.Generation10, kind: golang, folder: "go/v2",
		transports: []string{a2a.BindingJSONRPC, a2a.BindingHTTPJSON, a2a.BindingGRPC},
	},
	{
		name: "Python a2a-sdk", version: "0.3.26", generation: a2a.Generation03, kind: python, folder: "python/v0_3",
		transports: []string{a2a.BindingJSONRPC, a2a.BindingHTTPJSON, a2a.BindingGRPC},
	},
	{
		name: "JavaScript @a2a-js/sdk", version: "0.3.14", generation: a2a.Generation03, kind: javaScript,
		folder:     "js/v0_3",
		transports: []string{a2a.BindingJSONRPC, a2a.BindingHTTPJSON, a2a.BindingGRPC},
	},
	{
		name: "Go a2a-go", version: "0.3.15", generation: a2a.Generation03, kind: golang, folder: "go/v0_3",
		transports: []string{a2a.BindingJSONRPC, a2a.BindingGRPC},
	},
	{
		name: "Python a2a-sdk", version: "0.2.16", generation: a2a.Generation02, kind: python, folder: "python/v0_2",
		transports: []string{a2a.BindingJSONRPC, a2a.BindingGRPC},
	},
	{
		name: "JavaScript @a2a-js/sdk", version: "0.2.5", generation: a2a.Generation02, kind: javaScript,
		folder:     "js/v0_2",
		transports: []string{a2a.BindingJSONRPC},
		upstream:   a2a.Generation10,
	},
	{
		name: "Go trpc-a2a-go", version: "0.0.3", generation: a2a.Generation01, kind: golang, folder: "go/trpc",
		transports: []string{a2a.BindingJSONRPC},
	},
	{
		name: "Python, by the documents of", version: "April 2025", generation: a2a.Generation01, kind: plainPython,
		folder:     "python/april",
		transports: []string{a2a.BindingJSONRPC},
		upstream:   a2a.Generation10,
	},
	{name: "google-adk", version: "2.13.0", generation: a2a.Generation10, kind: python, folder: "frameworks/adk",
		framework: true},
	{name: "crewai", version: "1.15.30", generation: a2a.Generation03, kind: python, folder: "frameworks/crewai",
		framework: true},
	{name: "strands-agents", version: "1.62.0", generation: a2a.Generation03, kind: python,
		folder: "frameworks/strands", framework: true},
	{
		name: "agno", version: "3.1.10", generation: a2a.Generation03, kind: python, folder: "frameworks/agno",
		framework: true,
		agentPath: "/a2a/agents/currency",
	},
	{name: "ag2", version: "1.2.1", generation: a2a.Generation10, kind: python, folder: "frameworks/ag2",
		framework: true},
	{
		name: "langgraph-api", version: "0.16.7", generation: a2a.Generation10, kind: python,
		folder: "frameworks/langgraphapi", framework: true,
		sides:     []direction{asAgent},
		agentPath: "/a2a/fb22ecfe-2aef-587a-ba09-984e6ab51538", // made of the name of the graph
	},
	{name: "agent-framework-a2a", version: "1.0.0b261022", generation: a2a.Generation10, kind: python,
		folder: "frameworks/agentframework", framework: true},
	{name: "fasta2a", version: "2.1.1", generation: a2a.Generation10, kind: python, folder: "frameworks/fasta2a",
		framework: true},
	{
		name: "a2a-handler", version: "0.4.0", generation: a2a.Generation10, kind: python, folder: "frameworks/handler",
		framework: true,
		sides:     []direction{asClient},
	},
	{name: "python-a2a", version: "0.5.10", generation: a2a.Generation01, kind: python, folder: "frameworks/pythona2a",
		framework: true},
	{name: "a2a-min", version: "0.1.0", generation: a2a.Generation01, kind: python, folder: "frameworks/a2amin",
		framework: true},
	{
		name: "JavaScript @modelcontextprotocol/sdk", version: "1.32.2", kind: javaScript, folder: "mcp/js_v1",
		mcp:        true,
		transports: overMCP(mcpOldest, "2025-03-26", "2025-06-18", mcpSessions),
	},
	{
		name: "JavaScript @modelcontextprotocol/client", version: "2.4.0", kind: javaScript, folder: "mcp/js_v2",
		mcp:        true,
		transports: overMCP(mcpOldest, mcpSessions, mcpSessionless),
	},
	{
		name: "Python mcp", version: "1.30.0", kind: python, folder: "mcp/python_v1", mcp: true,
		transports: overMCP(mcpOldest, mcpSessions),
	},
	{
		name: "Python mcp", version: "2.3.0", kind: python, folder: "mcp/python_v2", mcp: true,
		transports: overMCP(mcpOldest, mcpSessions, mcpSessionless),
	},
	{
		name: "Python a2amcp-sdk", version: "0.1.4", kind: python, folder: "mcp/a2amcp", mcp: true, ownCalls: true,
		transports: []string{"http " + mcpSessionless},
	},
}

// ofA2A are the columns of those who speak A2A.
var ofA2A = []string{
	"card", "send", "stream", "multi-turn", "get", "list", "cancel", "resubscribe", "errors", "files", "data", "push",
	"login", "host", "cli",
}

// scenarios are the columns of the matrix.
var scenarios = append(slices.Clone(ofA2A), "tools", "call", "resources", "updates", "prompt", "progress",
	"elicitation",
	"currency", "question", "expenses", "images", "coder")

// ofOthers are the columns of clients of MCP, and of frameworks.
var ofOthers = map[direction][]string{
	asClient: {"currency", "question", "expenses", "images", "coder"},
	asAgent:  {"card", "currency", "stream", "question", "images", "cli"},

	toCoordinator: {"tools", "resources", "updates", "prompt", "progress", "cancel"},
	toBridge:      {"tools", "call", "card", "progress", "elicitation", "cancel"},
}

// expected reports whether a row has a cell in a column: only 1.0 lists tasks, on both sides of a gateway, cli is our
// command, login is for the SDKs of Python and JavaScript, and host is for some peers.
func expected(r *row, scenario string) bool {
	if columns, other := ofOthers[r.direction]; other {
		of := !r.peer.ownCalls || scenario == "tools"
		if r.transport == host { // which has a card of its own
			of = scenario != "card" && scenario != "cli"
		}
		return of && slices.Contains(columns, scenario)
	}
	if !slices.Contains(ofA2A, scenario) {
		return false
	}
	switch scenario {
	case "list":
		return r.peer.generation == a2a.Generation10 &&
			(r.direction != throughGateway || r.peer.upstream == a2a.Generation10)
	case "cli":
		return r.direction == toPeer
	case "login":
		return r.direction == fromPeer && (r.peer.kind == python || r.peer.kind == javaScript)
	case "host":
		return r.direction == fromPeer && r.peer.host
	}
	return true
}
