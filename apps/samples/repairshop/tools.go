// SPDX-License-Identifier: Apache-2.0

package repairshop

import (
	"context"
	_ "embed"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Names of the mechanic's tools, as the documents of A2A call them.
const (
	toolScan   = "scan_vehicle_for_error_codes"
	toolManual = "get_repair_procedure"
	toolRaise  = "raise_platform"
	toolLower  = "lower_platform"
)

// maxHeight is how high the platform can be raised, in metres.
const maxHeight = 2.5

// The arguments and results of the tools.
type (
	scanArguments struct {
		VehicleID string `json:"vehicle_id" jsonschema:"make, model and year, such as TOYOTA-CAMRY-2018"`
	}
	scanResult struct {
		ErrorCodes []string `json:"error_codes"`
	}
	manualArguments struct {
		ErrorCode    string `json:"error_code,omitempty" jsonschema:"such as P0300; empty when there is none"`
		Complaint    string `json:"complaint,omitempty" jsonschema:"the complaint in one word, if there is no code"`
		Axle         string `json:"axle,omitempty" jsonschema:"front or rear, where it matters"`
		VehicleMake  string `json:"vehicle_make"`
		VehicleModel string `json:"vehicle_model"`
	}
	// A Procedure is a page of the repair manual. When only Axles is set, the manual wants to know which.
	Procedure struct {
		Problem string   `json:"problem,omitempty"`
		Part    string   `json:"part,omitempty"` // the number of the part that has to be replaced
		Minutes int      `json:"minutes,omitempty"`
		Steps   []string `json:"steps,omitempty"`
		Axles   []string `json:"axles,omitempty"`
	}
	raiseArguments struct {
		HeightMeters float64 `json:"height_meters" jsonschema:"above the ground, 2.5 at most"`
	}
	none         struct{}
	heightResult struct {
		HeightMeters float64 `json:"height_meters"`
	}
)

//go:embed data/manual.json
var manualJSON []byte

type manual struct {
	Vehicles   map[string][]string `json:"vehicles"` // the error codes of makes and models
	Procedures []struct {
		Procedure
		Code      string `json:"code"`
		Complaint string `json:"complaint"`
		Axle      string `json:"axle"`
	} `json:"procedures"`
}

var theManual = sync.OnceValue(func() *manual {
	m := new(manual)
	if err := json.Unmarshal(manualJSON, m, json.RejectUnknownMembers(true)); err != nil {
		panic("repairshop: data/manual.json: " + err.Error()) // a test reads it
	}
	return m
})

// NewTools returns an MCP server with the mechanic's tools: a diagnostic scanner, a repair manual, and a lift. It
// simulates them with sample data. Serve it to one workshop: the platform is part of it.
func NewTools() *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "repairshop-tools", Title: "Tools of a repair shop", Version: "1.0.0"},
		nil)
	mcp.AddTool(s, &mcp.Tool{Name: toolScan, Description: "Reads the error codes that a vehicle has stored"}, scan)
	mcp.AddTool(s, &mcp.Tool{Name: toolManual, Description: "Looks up how a problem is repaired"}, lookUp)
	l := &lift{}
	mcp.AddTool(s, &mcp.Tool{Name: toolRaise, Description: "Raises the platform with the vehicle on it"}, l.raise)
	mcp.AddTool(s, &mcp.Tool{Name: toolLower, Description: "Lowers the platform to the ground"}, l.lower)
	return s
}

var vehicleID = regexp.MustCompile(`^([^\s]+)-\d{4}$`)

func scan(_ context.Context, _ *mcp.CallToolRequest, in scanArguments) (*mcp.CallToolResult, scanResult, error) {
	at := vehicleID.FindStringSubmatch(in.VehicleID)
	if at == nil {
		return nil, scanResult{}, fmt.Errorf("there is no vehicle %q here", in.VehicleID)
	}
	return nil, scanResult{ErrorCodes: append([]string{}, theManual().Vehicles[at[1]]...)}, nil
}

func lookUp(_ context.Context, _ *mcp.CallToolRequest, in manualArguments) (*mcp.CallToolResult, Procedure, error) {
	var axles []string
	for _, p := range theManual().Procedures {
		if p.Code != in.ErrorCode || p.Code == "" && p.Complaint != in.Complaint {
			continue
		}
		if p.Axle == "" || p.Axle == in.Axle {
			return nil, p.Procedure, nil
		}
		axles = append(axles, p.Axle)
	}
	if axles == nil {
		return nil, Procedure{}, fmt.Errorf("the manual has nothing about %q of a %s %s", in.ErrorCode+in.Complaint,
			in.VehicleMake, in.VehicleModel)
	}
	return nil, Procedure{Axles: axles}, nil
}

type lift struct {
	mu     sync.Mutex
	height float64
}

func (l *lift) raise(_ context.Context, _ *mcp.CallToolRequest, in raiseArguments) (*mcp.CallToolResult, heightResult,
	error) {
	if in.HeightMeters <= 0 || in.HeightMeters > maxHeight {
		return nil, heightResult{}, fmt.Errorf("the platform goes up to %.1f m, not to %g m", maxHeight,
			in.HeightMeters)
	}
	return nil, heightResult{l.set(in.HeightMeters)}, nil
}

func (l *lift) lower(context.Context, *mcp.CallToolRequest, none) (*mcp.CallToolResult, heightResult, error) {
	return nil, heightResult{l.set(0)}, nil
}

func (l *lift) set(height float64) float64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.height = height
	return height
}

// inProcess is a way to a server of NewTools in this process, which ends with the session.
func inProcess(ctx context.Context) (mcp.Transport, error) {
	here, there := mcp.NewInMemoryTransports()
	_, err := NewTools().Connect(context.WithoutCancel(ctx), there, nil)
	return here, err
}

// vehicleName is a car as the tools call it.
func vehicleName(c Car) string {
	return strings.ToUpper(strings.ReplaceAll(fmt.Sprintf("%s-%s-%d", c.Make, c.Model, c.Year), " ", "-"))
}
