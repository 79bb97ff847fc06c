// SPDX-License-Identifier: Apache-2.0

package crashtest

import (
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if config := os.Getenv(configEnv); config != "" {
		if err := serve(config); err != nil {
			fmt.Fprintln(os.Stderr, "server process:", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

// prove chooses between what go test and what make prove does.
func prove[T any](short, long T) T {
	if os.Getenv("DRAGOMAN_PROVE") != "" {
		return long
	}
	return short
}
