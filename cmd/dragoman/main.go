// SPDX-License-Identifier: Apache-2.0

// Command dragoman serves sample agents and talks to any agent over A2A. See dragoman help.
package main

import (
	"os"

	"github.com/dragoman-a2a/dragoman/internal/cli"
)

func main() { os.Exit(cli.Main()) }
