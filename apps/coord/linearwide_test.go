// SPDX-License-Identifier: Apache-2.0

package coord_test

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/dragoman-a2a/dragoman/apps/coord"
)

// places are the paths of wide calls, each with all its files. Other paths may be folders.
var places = map[string][]string{
	"src/":      {"src/a.go", "src/b.txt", "src/b.txt/x.go", "src/sub/c.go"},
	"src/*.go":  {"src/a.go"},
	"**/*.go":   {"src/a.go", "src/b.txt/x.go", "src/sub/c.go", "top.go"},
	"src/sub/":  {"src/sub/c.go"},
	"src/a.go":  {"src/a.go"},
	"src/b.txt": {"src/b.txt", "src/b.txt/x.go"},
	"top.go":    {"top.go"},
}

// A wideCall is one that leases or frees paths of any kind, or with which an agent comes or goes.
type (
	wideCall struct {
		what    string // announce, release, register, unregister
		session string
		paths   []string
		shared  bool
		token   int64 // of a release: 0 for any
	}
	wideAnswer struct {
		status  string
		holders []string // of a conflict
		token   int64    // of a lease
	}
	wideLease struct {
		session string
		paths   []string
		shared  bool
		token   int64
	}
	wideState struct {
		leases []wideLease // in the order in which they were granted
		agents []string    // in order
		token  int64       // of the last lease
	}
)

// wideLeases is what leases of any kind are to whoever calls. It knows nothing of those who wait: a call that waited is
// one that came when its answer was made.
var wideLeases = porcupine.Model{
	Init: func() any { return wideState{} },
	Step: func(state, input, output any) (bool, any) {
		s, call, answer := state.(wideState), input.(wideCall), output.(wideAnswer)
		switch call.what {
		case "announce":
			return s.announce(call, answer)
		case "release":
			return s.release(call, answer)
		case "register":
			s.end(call.session)
			s.agents = append(s.agents, call.session)
			slices.Sort(s.agents)
			return answer.status == "registered", s
		}
		if !slices.Contains(s.agents, call.session) {
			return answer.status == "not_found", s
		}
		s.end(call.session)
		return answer.status == "unregistered", s
	},
	Equal: func(a, b any) bool { return fmt.Sprint(a) == fmt.Sprint(b) },
	Hash: func(s any) uint64 {
		h := fnv.New64a()
		fmt.Fprint(h, s)
		return h.Sum64()
	},
	DescribeOperation: func(input, output any) string { return fmt.Sprintf("%+v: %+v", input, output) },
	DescribeState:     func(s any) string { return fmt.Sprintf("%+v", s) },
}

// end takes an agent away, and its leases.
func (s *wideState) end(session string) {
	s.leases = slices.DeleteFunc(slices.Clone(s.leases), func(l wideLease) bool { return l.session == session })
	s.agents = slices.DeleteFunc(slices.Clone(s.agents), func(name string) bool { return name == session })
}

func (s wideState) announce(call wideCall, answer wideAnswer) (bool, any) {
	own, inTheWay := []int64{}, []string{}
	for _, l := range s.leases {
		switch {
		case l.session == call.session && (call.shared || !l.shared) && l.covers(call.paths):
			own = append(own, l.token)
		case l.session != call.session && !(call.shared && l.shared) && l.meets(call.paths):
			inTheWay = append(inTheWay, l.session)
		}
	}
	slices.Sort(inTheWay)
	switch {
	case answer.status == "deadlock" || answer.status == "error":
		// it would have waited, or its session ended meanwhile
		return true, s
	case answer.status == "conflict": // also when only somebody in the queue comes first
		return len(own) == 0 && slices.Equal(answer.holders, slices.Compact(inTheWay)), s
	case len(own) > 0:
		return answer.status == "locked" && slices.Contains(own, answer.token), s
	}
	s.leases = append(slices.Clone(s.leases), wideLease{call.session, call.paths, call.shared, answer.token})
	last := s.token
	s.token = answer.token
	return answer.status == "locked" && len(inTheWay) == 0 && answer.token > last, s
}

func (s wideState) release(call wideCall, answer wideAnswer) (bool, any) {
	path, freed, refused := call.paths[0], false, false
	var left []wideLease
	for _, l := range s.leases {
		listed, mine := slices.Contains(l.paths, path), l.session == call.session
		if listed && mine && (call.token == 0 || call.token == l.token) {
			freed = true
			l.paths = slices.DeleteFunc(slices.Clone(l.paths), func(p string) bool { return p == path })
		} else if listed || mine && l.covers(call.paths) { // it was had again, is somebody else's, or part of more
			refused = true
		}
		if len(l.paths) > 0 {
			left = append(left, l)
		}
	}
	switch {
	case freed:
		s.leases = left
		return answer.status == "released", s
	case refused:
		return answer.status == "error", s
	}
	return answer.status == "not_locked", s
}

// meets reports whether there is a file that the lease and a path are about.
func (l *wideLease) meets(paths []string) bool {
	for _, mine := range l.paths {
		for _, other := range paths {
			if slices.ContainsFunc(places[mine],
				func(file string) bool { return slices.Contains(places[other], file) }) {
				return true
			}
		}
	}
	return false
}

// covers reports whether the lease has all paths: by their names, or by that of a folder that they are in.
func (l *wideLease) covers(paths []string) bool {
	for _, p := range paths {
		if !slices.ContainsFunc(l.paths, func(mine string) bool {
			return mine == p ||
				mine[len(mine)-1] == '/' && strings.HasPrefix(p, mine)
		}) {
			return false
		}
	}
	return true
}

// The same holds when leases are shared, when they are of folders, patterns and several paths at once beside those of
// single files, and when their holders come and go. Two callers each speak for one session.
func TestWideLeasesAreLinearizable(t *testing.T) {
	t.Parallel()
	var names []string
	for name := range places {
		names = append(names, name)
	}
	slices.Sort(names)
	var last [8]int64 // token of the last lease of each client
	linearizable(t, &wideLeases, len(last), 150, func(h *coord.Hub, client int, random *rand.Rand) (any, func() any) {
		session := fmt.Sprint("s", client/2)
		some := func() string { return names[random.IntN(len(names))] }
		call := wideCall{what: "announce", session: session, paths: []string{some()}, shared: random.IntN(2) == 0}
		switch n := random.IntN(100); {
		case n < 3:
			call = wideCall{what: "register", session: session}
		case n < 5:
			call = wideCall{what: "unregister", session: session}
		case n < 50:
			call = wideCall{what: "release", session: session, paths: call.paths}
			if random.IntN(4) == 0 {
				call.token = last[client]
			}
		case n < 65:
			if other := some(); other != call.paths[0] {
				call.paths = append(call.paths, other)
			}
		}
		c := commandOf(call, fmt.Sprint(client, random.Int64()), time.Duration(random.IntN(3))*time.Millisecond)
		return call, func() any {
			answer := wideAnswerOf(t, h, c)
			if answer.token != 0 {
				last[client] = answer.token
			}
			return answer
		}
	})
}

// commandOf returns the command of a call. No two tasks are the same, so that each registration begins afresh.
func commandOf(call wideCall, task string, wait time.Duration) coord.Command {
	switch call.what {
	case "register":
		return coord.Register{Session: call.session, TaskID: task}
	case "unregister":
		return coord.Unregister{Session: call.session}
	case "release":
		return coord.Release{Session: call.session, Path: call.paths[0], Token: call.token}
	}
	c := coord.Announce{Session: call.session, Paths: call.paths, ChangeType: "modify", Wait: wait, Details: true}
	if call.shared {
		c.Mode = coord.ModeShared
	}
	return c
}

func wideAnswerOf(t *testing.T, h *coord.Hub, c coord.Command) wideAnswer {
	result, err := h.Do(t.Context(), project, "", c)
	if err != nil {
		t.Error(err)
	}
	switch r := result.(type) {
	case coord.Locked:
		return wideAnswer{status: r.Status, token: r.Token}
	case coord.Conflict:
		return wideAnswer{status: r.Status, holders: slices.Sorted(slices.Values(r.Holders))}
	case coord.Released:
		return wideAnswer{status: r.Status}
	case coord.NotLocked:
		return wideAnswer{status: r.Status}
	case coord.Deadlock:
		return wideAnswer{status: r.Status}
	case coord.Registered:
		return wideAnswer{status: r.Status}
	case coord.Unregistered:
		return wideAnswer{status: r.Status}
	case coord.Failure:
		return wideAnswer{status: r.Status}
	}
	t.Errorf("%+v", result)
	return wideAnswer{}
}
