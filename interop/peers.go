// SPDX-License-Identifier: Apache-2.0

package main

import (
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
		name: "JavaScript @a2a-js/sdk", version: "1.3.0", generation: a2a.Generation10, kind: javaScript, folder: "js/v1",
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
		name: "JavaScript @a2a-js/sdk", version: "0.3.14", generation: a2a.Generation03, kind: javaScript, folder: "js/v0_3",
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
		name: "JavaScript @a2a-js/sdk", version: "0.2.5", generation: a2a.Generation02, kind: javaScript, folder: "js/v0_2",
		transports: []string{a2a.BindingJSONRPC},
		upstream:   a2a.Generation10,
	},
	{
		name: "Go trpc-a2a-go", version: "0.0.3", generation: a2a.Generation01, kind: golang, folder: "go/trpc",
		transports: []string{a2a.BindingJSONRPC},
	},
	{
		name: "Python, by the documents of", version: "April 2025", generation: a2a.Generation01, kind: plainPython, folder: "python/april",
		transports: []string{a2a.BindingJSONRPC},
		upstream:   a2a.Generation10,
	},
}

// scenarios are the columns of the matrix.
var scenarios = []string{
	"card", "send", "stream", "multi-turn", "get", "list", "cancel", "resubscribe", "errors", "files", "data", "push", "host", "cli",
}

// expected reports whether a row has a cell in a column: only 1.0 lists tasks, on both sides of a gateway, cli is our
// command, and host is for some peers.
func expected(r *row, scenario string) bool {
	switch scenario {
	case "list":
		return r.peer.generation == a2a.Generation10 && (r.direction != throughGateway || r.peer.upstream == a2a.Generation10)
	case "cli":
		return r.direction == toPeer
	case "host":
		return r.direction == fromPeer && r.peer.host
	}
	return true
}
