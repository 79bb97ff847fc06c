// SPDX-License-Identifier: Apache-2.0

package wire

import "github.com/dragoman-a2a/dragoman/a2a"

// OperationOf returns the operation that a JSON-RPC method or gRPC call of A2A 1.0 names, or OpNone.
func OperationOf(name string) Operation { return OperationIn(a2a.Generation10, name) }

// OperationIn returns the operation behind a JSON-RPC method of a generation, or OpNone.
func OperationIn(gen a2a.Generation, method string) Operation { return byMethod[gen][method] }

// MethodIn returns the JSON-RPC method that stands for an operation in a generation, or "" when it has none.
func MethodIn(gen a2a.Generation, op Operation) string {
	switch gen {
	case a2a.Generation01:
		return operations[op].name01
	case a2a.Generation02, a2a.Generation03:
		return operations[op].name03
	}
	return operations[op].name
}

// GRPCMethod03 returns the gRPC call that stands for an operation in 0.3.
func GRPCMethod03(op Operation) string { return operations[op].grpc03 }

var byMethod = func() map[a2a.Generation]map[string]Operation {
	all := make(map[a2a.Generation]map[string]Operation)
	for _, gen := range Generations {
		all[gen] = make(map[string]Operation)
		for op := OpSendMessage; op <= OpExtendedCard; op++ {
			all[gen][MethodIn(gen, op)] = op
		}
		delete(all[gen], "") // of operations that 0.1 does not have
	}
	for _, gen := range []a2a.Generation{a2a.Generation02, a2a.Generation03} {
		all[gen]["agent/authenticatedExtendedCard"] = OpExtendedCard // only some texts have this name
	}
	return all
}()
