// SPDX-License-Identifier: Apache-2.0

package binding

import (
	"fmt"
	"sync"
	"time"

	"github.com/dragoman-a2a/dragoman/a2a"
)

// StreamLimits counts open streams. The zero StreamLimits allows none.
type StreamLimits struct {
	PerOwner int // for each authenticated caller
	Total    int // for the process

	mu     sync.Mutex
	total  int
	owners map[string]int
}

// acquire takes a place for one stream of an owner, "" being anonymous and only counted for the process.
func (l *StreamLimits) acquire(owner string) (release func(), e *a2a.Error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.total >= l.Total {
		return nil, streamLimit(fmt.Sprintf("the server has its limit of %d streams open; try again later", l.Total))
	}
	if owner != "" && l.owners[owner] >= l.PerOwner {
		return nil, streamLimit(fmt.Sprintf("the limit of %d open streams for one caller is reached; close one",
			l.PerOwner))
	}
	l.total++
	if owner != "" {
		if l.owners == nil {
			l.owners = map[string]int{}
		}
		l.owners[owner]++
	}
	return func() { l.release(owner) }, nil
}

func (l *StreamLimits) release(owner string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.total--
	if owner == "" {
		return
	}
	if l.owners[owner]--; l.owners[owner] == 0 {
		delete(l.owners, owner)
	}
}

func streamLimit(message string) *a2a.Error {
	return &a2a.Error{Kind: a2a.ErrRateLimited, Message: message, RetryAfter: time.Second}
}
