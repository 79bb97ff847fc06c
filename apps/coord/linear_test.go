// SPDX-License-Identifier: Apache-2.0

package coord_test

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/dragoman-a2a/dragoman/apps/coord"
	"github.com/dragoman-a2a/dragoman/store/sqlite"
)

// A leaseCall is one call about a path, and leaseAnswer what came of it.
type (
	leaseCall struct {
		session, path string
		release       bool
		token         int64 // of a release: 0 for any
	}
	leaseAnswer struct {
		status string
		holder string // of a conflict
		token  int64  // of a lease
	}
	leaseState struct {
		holder string
		token  int64 // of the last lease
	}
)

// leases is what leases of one path each are to whoever calls: a lock with tokens that rise.
var leases = porcupine.Model{
	Init: func() any { return leaseState{} },
	Partition: func(history []porcupine.Operation) [][]porcupine.Operation {
		byPath := map[string][]porcupine.Operation{}
		for _, op := range history {
			path := op.Input.(leaseCall).path
			byPath[path] = append(byPath[path], op)
		}
		var all [][]porcupine.Operation
		for _, part := range byPath {
			all = append(all, part)
		}
		return all
	},
	Step: func(state, input, output any) (bool, any) {
		s, call, answer := state.(leaseState), input.(leaseCall), output.(leaseAnswer)
		mine := s.holder == call.session
		switch {
		case call.release && answer.status == "released":
			return mine && (call.token == 0 || call.token == s.token), leaseState{"", s.token}
		case call.release && answer.status == "not_locked":
			return s.holder == "", s
		case call.release: // the token is old, or the lease somebody else's
			return mine && call.token != 0 && call.token != s.token || !mine && s.holder != "", s
		case answer.status == "locked" && mine:
			return answer.token == s.token, s
		case answer.status == "locked":
			return s.holder == "" && answer.token > s.token, leaseState{call.session, answer.token}
		case answer.status == "conflict":
			return s.holder == answer.holder && !mine, s
		}
		return answer.status == "deadlock", s
	},
	DescribeOperation: func(input, output any) string { return fmt.Sprintf("%+v: %+v", input, output) },
}

// Concurrent callers see leases as they would one after the other. Two of them each speak for one session.
func TestLeasesAreLinearizable(t *testing.T) {
	t.Parallel()
	var tokens [8]map[string][]int64
	for i := range tokens {
		tokens[i] = map[string][]int64{}
	}
	linearizable(t, &leases, len(tokens), 150, func(h *coord.Hub, client int, random *rand.Rand) (any, func() any) {
		call := leaseCall{session: fmt.Sprint("s", client/2), path: []string{"x", "y", "z"}[random.IntN(3)],
			release: random.IntN(3) == 0}
		had := tokens[client]
		if n := len(had[call.path]); call.release && n > 0 && random.IntN(2) == 0 {
			call.token = had[call.path][random.IntN(n)]
		}
		wait := time.Duration(random.IntN(3)) * time.Millisecond
		return call, func() any {
			answer := leaseOf(t, h, call, wait)
			if answer.token != 0 {
				had[call.path] = append(had[call.path], answer.token)
			}
			return answer
		}
	})
}

// linearizable has concurrent clients make a number of calls each, and checks them against a model. The function next
// returns a call and a function that makes it and returns its answer.
func linearizable(t *testing.T, model *porcupine.Model, clients, calls int,
	next func(h *coord.Hub, client int, random *rand.Rand) (call any, makes func() any)) {
	t.Helper()
	db, err := sqlite.Open(t.Context(), t.TempDir(), sqlite.Options{Program: "test"})
	if err != nil {
		t.Fatal(err)
	}
	tables, err := coord.OpenTables(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() }) // after the hub
	h := newHub(t, &coord.HubOptions{Store: tables})
	begun := time.Now()
	var mu sync.Mutex
	var history []porcupine.Operation
	var wg sync.WaitGroup
	for client := range clients {
		wg.Go(func() {
			random := rand.New(rand.NewPCG(uint64(client), 5))
			for range calls {
				call, makes := next(h, client, random)
				from := time.Since(begun)
				answer := makes()
				to := time.Since(begun)
				mu.Lock()
				history = append(history, porcupine.Operation{ClientId: client, Input: call, Output: answer,
					Call: from.Nanoseconds(), Return: to.Nanoseconds()})
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	result, info := porcupine.CheckOperationsVerbose(*model, history, time.Minute)
	if result != porcupine.Ok {
		file := t.ArtifactDir() + "/history.html"
		t.Errorf("%v; see %s (%v), which go test -artifacts keeps", result, file,
			porcupine.VisualizePath(*model, info, file))
	}
}

// leaseOf makes a call.
func leaseOf(t *testing.T, h *coord.Hub, call leaseCall, wait time.Duration) leaseAnswer {
	var c coord.Command = coord.Release{Session: call.session, Path: call.path, Token: call.token}
	if !call.release {
		c = coord.Announce{Session: call.session, Paths: []string{call.path}, ChangeType: "modify", Wait: wait,
			Details: true}
	}
	result, err := h.Do(t.Context(), project, "", c)
	if err != nil {
		t.Error(err)
	}
	switch r := result.(type) {
	case coord.Locked:
		return leaseAnswer{status: r.Status, token: r.Token}
	case coord.Conflict:
		return leaseAnswer{status: r.Status, holder: r.Lock.Session}
	case coord.Released:
		return leaseAnswer{status: r.Status}
	case coord.NotLocked:
		return leaseAnswer{status: r.Status}
	case coord.Deadlock:
		return leaseAnswer{status: r.Status}
	case coord.Failure:
		return leaseAnswer{status: r.Status}
	}
	t.Errorf("%+v", result)
	return leaseAnswer{}
}
