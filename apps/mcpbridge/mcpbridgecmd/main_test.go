// SPDX-License-Identifier: Apache-2.0

package mcpbridgecmd_test

import (
	"testing"

	"github.com/dragoman-a2a/dragoman/internal/clitest/dragoman"
)

func TestMain(m *testing.M) { dragoman.Main(m) }
