// SPDX-License-Identifier: Apache-2.0

package repairshop

import "github.com/dragoman-a2a/dragoman/a2a"

// textAndMedia is what the manager and the mechanic read.
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
