// SPDX-License-Identifier: Apache-2.0

package registry_test

import (
	"context"
	"fmt"

	"github.com/dragoman-a2a/dragoman/apps/registry"
)

// A client finds agents by what their cards say.
func ExampleClient() {
	ctx := context.Background()
	agents, err := registry.NewClient("http://127.0.0.1:8095", nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	page, err := agents.List(ctx, registry.Query{Text: "convert currencies", Health: registry.HealthUp})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, entry := range page.Agents {
		fmt.Println(entry.Alias)
	}
}
