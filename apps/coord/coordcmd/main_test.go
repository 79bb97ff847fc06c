// SPDX-License-Identifier: Apache-2.0

package coordcmd_test

import (
	"testing"

	"github.com/dragoman-a2a/dragoman/internal/cli"
	"github.com/dragoman-a2a/dragoman/internal/clitest"
)

func TestMain(m *testing.M) {
	clitest.Main(m, map[string]func() int{"dragoman": cli.Main, codingAgent: runCodingAgent})
}
