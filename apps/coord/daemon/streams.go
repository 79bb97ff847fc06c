// SPDX-License-Identifier: Apache-2.0

package daemon

import (
	"fmt"
	"net/http"
	"sync"

	"github.com/dragoman-a2a/dragoman/apps/coord"
)

// maxStreams is how many streams of events there are at once, and maxStreamsOf those of one token.
const (
	maxStreams   = 1000
	maxStreamsOf = 250
)

type streams struct {
	mu  sync.Mutex
	all int
	of  map[coord.Grant]int // tokens
}

// open counts one more until closed is called, if there is room.
func (s *streams) open(g coord.Grant) (closed func(), ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all >= maxStreams || g.Name != "" && s.of[g] >= maxStreamsOf {
		return nil, false
	}
	if s.of == nil {
		s.of = make(map[coord.Grant]int)
	}
	s.all++
	s.of[g]++
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.all--
		if s.of[g]--; s.of[g] == 0 {
			delete(s.of, g)
		}
	}, true
}

func tooManyStreams(w http.ResponseWriter) {
	w.Header().Set("Retry-After", "60")
	refuse(w, http.StatusServiceUnavailable, fmt.Errorf("there are too many streams of events: %d at once, and %d of "+
		"a token, are the limit", maxStreams, maxStreamsOf))
}
