// SPDX-License-Identifier: Apache-2.0

// Command v0_3 is the client and the agent that are written with the official Go SDK for A2A 0.3.
//
//	v0_3 client CURRENCY-URL PROBE-URL TRANSPORT
//	v0_3 agent PORT GRPC-PORT
package main

import (
	"fmt"
	"os"
)

func main() {
	var err error
	switch {
	case len(os.Args) == 5 && os.Args[1] == "client":
		err = client(os.Args[2], os.Args[3], os.Args[4])
	case len(os.Args) == 4 && os.Args[1] == "agent":
		err = serve(os.Args[2], os.Args[3])
	default:
		err = fmt.Errorf("usage: client CURRENCY-URL PROBE-URL TRANSPORT, or agent PORT GRPC-PORT")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
