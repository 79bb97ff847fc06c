// SPDX-License-Identifier: Apache-2.0

package repairshop

import (
	"context"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/engine"
	"github.com/dragoman-a2a/dragoman/internal/llm"
)

// Options configure the agents of the shop. The zero value works offline, with sample data.
type Options struct {
	// Model finds out for the mechanic what a job is and what is wrong with a car, with the scanner and the manual as
	// its tools. Nil: rules do. The manager and the supplier go by rules in any case.
	Model llm.Model
	// Tools opens a way to the MCP server with the mechanic's tools, for one turn. Nil: a server of [NewTools] in this
	// process.
	Tools func(ctx context.Context) (mcp.Transport, error)
	// Pace is how long each step of the mechanic and the supplier takes, so that people can watch. 0: no time.
	Pace time.Duration
	// Day is how long a day of waiting for a part takes. 0: no time.
	Day time.Duration
}

// Names of the agents in an engine that [Open] uses.
const (
	ManagerName  = "repairshop"
	MechanicName = "mechanic"
	SupplierName = "supplier"
)

// Shop is the three agents as services.
type Shop struct{ Manager, Mechanic, Supplier a2a.Service }

// Open puts the three agents into an engine, where they talk with each other without a network.
func Open(e *engine.Engine, o Options) Shop {
	var s Shop
	s.Supplier = e.Agent(SupplierName, NewSupplier(o), &engine.AgentOptions{Card: SupplierCard()})
	s.Mechanic = e.Agent(MechanicName, NewMechanic(s.Supplier, o), &engine.AgentOptions{Card: MechanicCard()})
	s.Manager = e.Agent(ManagerName, NewManager(s.Mechanic, s.Supplier, o), &engine.AgentOptions{Card: ManagerCard()})
	return s
}
