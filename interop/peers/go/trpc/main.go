// SPDX-License-Identifier: Apache-2.0

// Command trpc is the client and the agent that are written with trpc-a2a-go, which speaks A2A as of April 2025.
//
//	trpc client CURRENCY-URL PROBE-URL JSONRPC
//	trpc agent PORT UNUSED-PORT
package main

import (
	"fmt"
	"os"
)

func main() {
	var err error
	switch {
	case len(os.Args) == 5 && os.Args[1] == "client":
		err = play(os.Args[2], os.Args[3])
	case len(os.Args) == 4 && os.Args[1] == "agent":
		err = serve(os.Args[2])
	default:
		err = fmt.Errorf("usage: client CURRENCY-URL PROBE-URL JSONRPC, or agent PORT UNUSED-PORT")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
