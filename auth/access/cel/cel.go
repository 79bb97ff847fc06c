// SPDX-License-Identifier: Apache-2.0

// Package cel lets rules of package auth/access have conditions in the Common Expression Language. Importing it is
// enough:
//
//	import _ "github.com/dragoman-a2a/dragoman/auth/access/cel"
package cel

import (
	"context"
	"fmt"
	"time"

	"github.com/google/cel-go/cel"

	"github.com/dragoman-a2a/dragoman/auth"
	"github.com/dragoman-a2a/dragoman/auth/access"
)

func init() { access.RegisterConditions(Compile) }

const (
	maxLength = 4 << 10
	maxCost   = 10_000 // of one evaluation, in units of CEL: about one for each operator, and for ten bytes of a text
)

// environment has what a condition can read.
var environment = func() *cel.Env {
	env, err := cel.NewEnv(
		cel.Variable("subject", cel.StringType),
		cel.Variable("client", cel.StringType),
		cel.Variable("scopes", cel.ListType(cel.StringType)),
		cel.Variable("agent", cel.StringType),
		cel.Variable("operation", cel.StringType),
		cel.Variable("skill", cel.StringType),
		cel.Variable("tenant", cel.StringType),
		cel.Variable("now", cel.TimestampType),
	)
	if err != nil {
		panic(err) // the variables are constants of this program
	}
	return env
}()

// Compile returns the condition that a text in CEL says. The text reads subject, client, scopes, agent, operation,
// skill, tenant and now, and must be true or false. It may have 4 KiB, and a condition that costs too much to evaluate
// is an error.
func Compile(text string) (access.Condition, error) {
	if len(text) > maxLength {
		return nil, fmt.Errorf("the condition has more than %d bytes, which is the limit", maxLength)
	}
	ast, issues := environment.Compile(text)
	if issues.Err() != nil {
		first := issues.Errors()[0]
		return nil, &access.ConditionError{Line: first.Location.Line(), Column: first.Location.Column() + 1,
			Message: "the condition is no CEL: " + first.Message}
	}
	if !ast.OutputType().IsExactType(cel.BoolType) {
		return nil, &access.ConditionError{Line: 1, Column: 1,
			Message: fmt.Sprintf("the condition is a %s; it must be true or false", ast.OutputType())}
	}
	program, err := environment.Program(ast, cel.CostLimit(maxCost), cel.InterruptCheckFrequency(100))
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, a *auth.Access) (bool, error) {
		id := &a.Call.Identity
		met, _, err := program.ContextEval(ctx, map[string]any{
			"subject": id.Subject, "client": id.Client, "scopes": id.Scopes, "agent": a.Agent,
			"operation": a.Operation, "skill": a.Skill, "tenant": a.Call.Tenant, "now": time.Now(),
		})
		if err != nil {
			return false, err
		}
		return met.Value() == true, nil
	}, nil
}
