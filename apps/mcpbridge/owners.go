// SPDX-License-Identifier: Apache-2.0

package mcpbridge

import (
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxOwned is how many tasks and contexts a bridge remembers the callers of. Beyond it the oldest is forgotten.
const maxOwned = 20_000

// owners remember which caller began a task or a context, because all callers are one to the agents. A bridge
// refuses every caller a task that it does not remember, so that a task of another caller looks like none.
type owners struct {
	mu    sync.Mutex
	of    map[owned]string
	order []owned
}

type owned struct{ agent, id string }

// callerOf returns the name of a known caller; "" for one that is not told apart.
func callerOf(req *sdk.CallToolRequest) string {
	if req.Extra == nil || req.Extra.TokenInfo == nil {
		return ""
	}
	return req.Extra.TokenInfo.UserID
}

// claim makes ids of an agent those of a caller. Those that have one keep it.
func (o *owners) claim(caller, agent string, ids ...string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, id := range ids {
		k := owned{agent, id}
		if _, taken := o.of[k]; taken || id == "" || caller == "" {
			continue
		}
		if len(o.order) >= maxOwned {
			delete(o.of, o.order[0])
			o.order = o.order[1:]
		}
		o.of[k], o.order = caller, append(o.order, k)
	}
}

// let reports whether a caller may name ids of an agent. An empty id names nothing.
func (o *owners) let(caller, agent string, ids ...string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, id := range ids {
		if caller != "" && id != "" && o.of[owned{agent, id}] != caller {
			return false
		}
	}
	return true
}

const notTheirs = "you began no task or context with this id since the bridge started; leave the id out to begin one"
