// SPDX-License-Identifier: Apache-2.0

package push_test

import (
	"context"
	"fmt"
	"log"

	"github.com/dragoman-a2a/dragoman/engine"
	"github.com/dragoman-a2a/dragoman/journal/memory"
	"github.com/dragoman-a2a/dragoman/push"
)

// An engine whose agents notify webhooks.
func Example() {
	j, key := memory.New(nil), []byte("32 bytes that encrypt the secret")
	sender, err := push.New(push.Options{Journal: j, Key: key})
	if err != nil {
		log.Fatal(err)
	}
	eng, err := engine.New(&engine.Options{Journal: j, Push: sender})
	if err != nil {
		log.Fatal(err)
	}
	// Serve eng.Agent(...) here.
	fmt.Println(eng.Shutdown(context.Background()), sender.Shutdown(context.Background()))
	// Output: <nil> <nil>
}
