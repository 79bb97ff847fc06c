// SPDX-License-Identifier: Apache-2.0

package hostcmd

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/apps/host"
	"github.com/dragoman-a2a/dragoman/apps/registry"
	"github.com/dragoman-a2a/dragoman/card"
	"github.com/dragoman-a2a/dragoman/internal/connect"
	"github.com/dragoman-a2a/dragoman/internal/terminal"
)

// reachedNobody reports whether the task of a host failed because it reached no agent.
func reachedNobody(t *a2a.Task) bool {
	var why string
	_, err := t.Metadata.Get(host.MetaFailure, &why)
	return err == nil && why == host.FailureUnreachable && t.Status.State == a2a.TaskStateFailed
}

// warnOfMissing says which of the agents that the flags name are not there or want credentials, and why: what the host
// says of them is for its callers, who are not to learn addresses.
func (c *hostCommand) warnOfMissing(ctx context.Context, o *hostOptions) {
	timeout := host.DirectoryOptions{}.Defaults().CardTimeout // as long as the host itself waits for them
	if limit := c.Timeout; limit > 0 {
		timeout = min(timeout, limit)
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	cards := card.NewResolver(&card.Options{HTTPClient: c.HTTPClient(), Timeout: timeout, Retries: -1})
	failed := make([]error, len(o.agents)+1)
	var looks sync.WaitGroup
	for i, agent := range o.agents {
		_, ref := connect.NameAndRef(agent)
		at, err := connect.CardAt(cmp.Or(o.registry, connect.DefaultRegistry), ref)
		if err != nil {
			continue // directory has refused it
		}
		looks.Go(func() {
			found, err := cards.Resolve(ctx, at)
			failed[i] = c.OrAgents(ctx, err)
			if err == nil && len(found.SecurityRequirements) > 0 && !c.IsLoggedIn(card.URLOf(at)) &&
				(o.exchange == "" || !connect.TakesToken(found)) {
				failed[i] = fmt.Errorf("agent %q requires credentials, and the host has no login for it. Run %s auth "+
					"login %s; the running host then uses it", terminal.Inline(found.Name), c.Program,
					connect.WithoutUser(agent))
			}
		})
	}
	if catalog, err := registry.NewClient(o.registry, &registry.ClientOptions{HTTPClient: c.HTTPClient(),
		Token: c.Env(envRegistryToken)}); o.registry != "" && err == nil {
		looks.Go(func() { _, failed[len(o.agents)] = catalog.List(ctx, registry.Query{PageSize: 1}) })
	}
	looks.Wait()
	var said []string
	for _, err := range failed {
		if err == nil {
			continue
		}
		if why := c.Failure(err).Message; !slices.Contains(said, why) {
			said = append(said, why)
			c.Warn("%s", why)
		}
	}
}
