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
