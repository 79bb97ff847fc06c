// SPDX-License-Identifier: Apache-2.0

package crashtest

import (
	"fmt"
	"os"
	"testing"

	"github.com/dragoman-a2a/dragoman/internal/pgtest"
)

func TestMain(m *testing.M) {
	if config := os.Getenv(configEnv); config != "" {
		if err := serve(config); err != nil {
			fmt.Fprintln(os.Stderr, "server process:", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	pgtest.Main(m)
}

// prove chooses between what go test and what make prove does.
func prove[T any](short, long T) T {
	if os.Getenv("DRAGOMAN_PROVE") != "" {
		return long
	}
	return short
}
