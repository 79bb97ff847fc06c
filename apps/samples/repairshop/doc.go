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
// and so do the agents of dragoman samples up; the MCP server is then in this process as well. When they are services of
// their own, each is made by itself and gets the others as clients, and the tools by their address: then all that the
// drawing shows goes over the wire.
//
// What happens, file by file:
//
//	manager.go   the manager: asks what is missing, gives an estimate, orders, has the car repaired
//	job.go       what the manager keeps of a repair, and how it reads what the customer says
//	words.go     words become cars, complaints, and yes or no
//	mechanic.go  the mechanic: diagnoses and repairs
//	model.go     the mechanic's other engine: a language model understands and diagnoses
//	supplier.go  the supplier: has parts or has not, and takes orders
//	tools.go     the MCP server with the mechanic's tools; bench.go calls them
package repairshop
