// SPDX-License-Identifier: Apache-2.0

// Package repairshop is a sample of agents that work together: the car repair shop with which the documents of A2A
// explain how A2A and MCP go together. A customer talks with the manager over A2A; the manager talks over A2A with a
// mechanic and with a supplier of parts; the mechanic uses a scanner, a manual and a lift over MCP, and asks the
// supplier over A2A.
//
//	customer ── A2A ── manager ── A2A ── mechanic ── MCP ── scanner, manual, lift
//	                      │                  │
//	                      └────── A2A ───────┴──── supplier of parts
//
// All of it is rules and sample data, without a model or a network; the mechanic may have a model instead, whose tools
// come over MCP. [Open] puts the three agents into one engine, where they call each other as services in this process,
// and so do the agents of dragoman samples up; the MCP server is then in this process as well. When they are services
// of their own, each is made by itself and gets the others as clients, and the tools by their address: then all that
// the drawing shows goes over the wire.
//
// The files:
//
//	manager.go   the manager: asks for details, gives an estimate, orders, has the car repaired; job.go is its ticket
//	mechanic.go  the mechanic: diagnoses and repairs; order.go is its job, model.go has a language model understand it
//	supplier.go  the supplier: has parts or has not, and takes orders
//	tools.go     the MCP server with the mechanic's tools; bench.go calls them
//	rules/       stands in for a language model: cars, complaints, and yes or no in a text
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

var textAndMedia = []string{"text/plain", "application/json", "image/*", "video/*", "audio/*"}

// ManagerCard describes the manager. Interfaces and capabilities are left to the server that serves it.
func ManagerCard() *a2a.AgentCard {
	return card("Repair Shop",
		"The manager of a car repair shop: finds out what is wrong with a car, gives an estimate, and has it repaired",
		textAndMedia,
		a2a.AgentSkill{
			ID: "repair_car", Name: "Car repair", Description: "Diagnosis, estimate and repair of a car",
			Tags: []string{"car", "repair", "workshop", "estimate"},
			Examples: []string{
				"My car is making a rattling noise", "The brakes of my VW Golf 2019 squeal at the front",
				"My Honda Civic 2015 does not start",
			},
		})
}

// MechanicCard describes the mechanic.
func MechanicCard() *a2a.AgentCard {
	return card("Mechanic", "Diagnoses and repairs cars with the tools of a workshop", textAndMedia,
		a2a.AgentSkill{
			ID: ActionDiagnose, Name: "Diagnosis",
			Description: "Scans a car, looks the problem up, and finds out whether the part is in stock",
			Tags:        []string{"car", "diagnosis"},
			Examples:    []string{"Diagnose a Toyota Camry 2018 that makes a rattling noise"},
		},
		a2a.AgentSkill{
			ID: ActionRepair, Name: "Repair", Description: "Repairs a car by the manual",
			Tags: []string{"car", "repair"}, Examples: []string{"Repair the squealing front brakes of a Mazda 3 2016"},
		})
}

// SupplierCard describes the supplier of parts.
func SupplierCard() *a2a.AgentCard {
	return card("Parts Supplier", "Knows which parts of cars are in stock, and takes orders", []string{"text/plain"},
		a2a.AgentSkill{
			ID: "availability", Name: "Availability",
			Description: "Says whether a part is in stock, its price, and how long it takes",
			Tags:        []string{"parts", "stock"},
			Examples:    []string{"Do you have part #12345 in stock for a Toyota Camry 2018?"},
		},
		a2a.AgentSkill{
			ID: "order", Name: "Order", Description: "Takes the order of a part",
			Tags: []string{"parts", "order"}, Examples: []string{"Order part #12345 for a Toyota Camry 2018"},
		})
}

func card(name, description string, inputs []string, skills ...a2a.AgentSkill) *a2a.AgentCard {
	return &a2a.AgentCard{
		Name: name, Description: description, Version: "1.0.0", Skills: skills,
		DefaultInputModes: inputs, DefaultOutputModes: []string{"text/plain", "application/json"},
	}
}
