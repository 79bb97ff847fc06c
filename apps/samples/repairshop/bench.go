// SPDX-License-Identifier: Apache-2.0

package repairshop

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/dragoman-a2a/dragoman/agent"
	"github.com/dragoman-a2a/dragoman/apps/samples/internal/reply"
	"github.com/dragoman-a2a/dragoman/internal/llm"
	"github.com/dragoman-a2a/dragoman/internal/llm/mcptools"
)

const toolTime = 30 * time.Second

// A bench is the mechanic's connection with the tools, for one turn.
type bench struct{ *mcptools.Server }

func openBench(ctx context.Context, open func(context.Context) (mcp.Transport, error)) (*bench, error) {
	if open == nil {
		open = inProcess
	}
	transport, err := open(ctx)
	if err != nil {
		return nil, unreachable(err)
	}
	// The session outlives a turn that is cancelled: the platform has to come down.
	server, err := mcptools.Open(context.WithoutCancel(ctx), mcptools.Options{Transport: transport, Time: toolTime})
	if err != nil {
		return nil, unreachable(err)
	}
	return &bench{server}, nil
}

func (b *bench) tool(name string) (llm.Tool, error) {
	tools := b.Tools()
	i := slices.IndexFunc(tools, func(t llm.Tool) bool { return t.Name == name })
	if i < 0 {
		return llm.Tool{}, fmt.Errorf("the server has no tool %s", name)
	}
	return tools[i], nil
}

// call calls a tool and reads what it returns into result. Errors: [mcptools.ToolError], and those of the connection.
func (b *bench) call(ctx context.Context, name string, arguments, result any) error {
	tool, err := b.tool(name)
	if err != nil {
		return err
	}
	args, err := json.Marshal(arguments)
	if err != nil {
		return fmt.Errorf("%s: encode the arguments: %w", name, err)
	}
	answer, err := tool.Call(ctx, args)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if told, ok := answer.(llm.Result); !ok || json.Unmarshal([]byte(told.Text), result) != nil {
		return fmt.Errorf("%s: its result cannot be read", name)
	}
	return nil
}

func (b *bench) scan(ctx context.Context, w *workOrder) error {
	var r scanResult
	err := b.call(ctx, toolScan, scanArguments{VehicleID: vehicleName(w.Job.Car)}, &r)
	w.codes = r.ErrorCodes
	return err
}

// procedure looks up how something is repaired: by an error code or, without one, by the complaint.
func (b *bench) procedure(ctx context.Context, j Job) (Procedure, error) {
	in := manualArguments{ErrorCode: j.Code, Axle: j.Axle, VehicleMake: j.Car.Make, VehicleModel: j.Car.Model}
	if j.Code == "" {
		in.Complaint = j.Complaint
	}
	var p Procedure
	err := b.call(ctx, toolManual, in, &p)
	return p, err
}

// lowerTimeout bounds the lowering of the platform; it is less than the grace of a cancelled turn.
const lowerTimeout = 3 * time.Second

// raise raises the platform, and returns what lowers it again, whatever became of the turn.
func (b *bench) raise(ctx context.Context, height float64) (lower func() error, err error) {
	var r heightResult
	err = b.call(ctx, toolRaise, raiseArguments{height}, &r)
	if _, refused := errors.AsType[mcptools.ToolError](err); refused {
		return nil, err
	}
	return func() error {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lowerTimeout)
		defer cancel()
		return b.call(ctx, toolLower, none{}, &r)
	}, err
}

func clean(s string) string { return reply.Line(s, 500) }

func unreachable(err error) error {
	return agent.Public("The tools of the workshop cannot be reached now. Please try again later.", err)
}

func lowerFirst(s string) string {
	_, n := utf8.DecodeRuneInString(s)
	return strings.ToLower(s[:n]) + s[n:]
}

// failed makes of an error of a tool what the caller may read: what the tool itself says, or that it is out of order.
func failed(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if refused, ok := errors.AsType[mcptools.ToolError](err); ok {
		return agent.Public("A tool says: "+clean(refused.Error())+".", err)
	}
	return agent.Public("A tool of the workshop is out of order. Please try again later.", err)
}
