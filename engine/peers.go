// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"maps"
	"sync"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/journal"
)

// maxPeers is how many tasks that delegated something are remembered. Tasks that end elsewhere, or never, are not
// known to be over here.
const maxPeers = 100_000

// peers says where the delegations of tasks go, by their names: what this process has seen of each task, or else what
// the agent says as an [agent.Delegator].
type peers struct {
	named map[string]a2a.Service // by the Delegator; not changed later

	mu     sync.Mutex
	byTask map[journal.Key]map[string]a2a.Service
	ever   bool // something has been delegated since the start
}

// note remembers where a delegation of a task goes.
func (p *peers) note(key journal.Key, name string, to a2a.Service) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ever = true
	of := p.byTask[key]
	if of == nil {
		for other := range p.byTask {
			if len(p.byTask) < maxPeers {
				break
			}
			delete(p.byTask, other) // any one: its task is left to the Delegator
		}
		if p.byTask == nil {
			p.byTask = make(map[journal.Key]map[string]a2a.Service)
		}
		of = make(map[string]a2a.Service)
		p.byTask[key] = of
	}
	of[name] = to
}

// take returns where the delegations of a task that has ended go and drops what is remembered of it. ok is false when
// no task of the agent has delegated anything, as far as is known.
func (p *peers) take(key journal.Key) (of map[string]a2a.Service, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.ever && len(p.named) == 0 {
		return nil, false
	}
	of = maps.Clone(p.named)
	if of == nil {
		of = make(map[string]a2a.Service)
	}
	maps.Copy(of, p.byTask[key])
	delete(p.byTask, key)
	return of, true
}
